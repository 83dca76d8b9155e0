/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/symbols/flang_lines.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "output/symbols/module_bytes.h"
#include "output/symbols/symbol_scopes.h"

enum { CALL_BYTES = 5, MOVE_BYTES = 3, FIXED_BYTES = 5, LEA_BYTES = 7, TEXT_OF_IDENT = 16 };

bool hd_flang_is(Dwarf_Die *unit) {
  return strstr(hd_scopes_producer(unit), "flang");
}

/* Where a distance leads to that is written in the last four bytes of an instruction. */
static Dwarf_Addr follow(const uint8_t *distance, Dwarf_Addr behind) {
  int32_t value;
  memcpy(&value, distance, sizeof value);
  return behind + (Dwarf_Addr)(int64_t)value;
}

/* ---- what the dynamic linker will write ---- */

struct relocation {
  GElf_Rela entry;
  GElf_Shdr section;
};

static bool find_relocation(Elf *elf, GElf_Addr place, struct relocation *found) {
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    Elf_Data *data = NULL;
    if (gelf_getshdr(section, &found->section) && found->section.sh_type == SHT_RELA)
      data = elf_getdata(section, NULL);
    for (int i = 0; data && gelf_getrela(data, i, &found->entry); i++)
      if (found->entry.r_offset == place)
        return true;
  }
  return false;
}

static const char *symbol_of(Elf *elf, const struct relocation *relocation) {
  Elf_Scn *symbols = elf_getscn(elf, relocation->section.sh_link);
  GElf_Shdr header;
  GElf_Sym symbol;
  return gelf_getshdr(symbols, &header) &&
                 gelf_getsym(elf_getdata(symbols, NULL), (int)GELF_R_SYM(relocation->entry.r_info), &symbol)
             ? elf_strptr(elf, header.sh_link, symbol.st_name)
             : NULL;
}

/* The pointer in the module's data at `place`. 0: none. */
static Dwarf_Addr read_pointer(Dwfl_Module *module, Dwarf_Addr place) {
  Dwarf_Addr bias = 0, value = 0;
  Elf *elf = dwfl_module_getelf(module, &bias);
  struct relocation relocation;
  size_t count = 0;
  const uint8_t *bytes = hd_module_bytes(module, place, &count);
  if (!bytes || count < sizeof value)
    return 0;
  if (find_relocation(elf, place - bias, &relocation))
    return GELF_R_TYPE(relocation.entry.r_info) == R_X86_64_RELATIVE ? (Dwarf_Addr)relocation.entry.r_addend + bias : 0;
  memcpy(&value, bytes, sizeof value);
  return value + bias;
}

/* ---- the call ---- */

/* Whether a call of `target` enters the runtime to begin a region: there lies a stub of the linker's, which jumps to
 * where a word of the table of addresses says. */
static bool begins_region(Dwfl_Module *module, Dwarf_Addr target) {
  static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa}, jump[] = {0xff, 0x25};
  Dwarf_Addr bias = 0;
  Elf *elf = dwfl_module_getelf(module, &bias);
  struct relocation relocation;
  size_t count = 0, skip = 0;
  const uint8_t *code = hd_module_bytes(module, target, &count);
  if (code && count > sizeof landing && memcmp(code, landing, sizeof landing) == 0)
    skip = sizeof landing;
  if (code && count > skip && code[skip] == 0xf2) /* bnd */
    skip++;
  if (!code || count < skip + sizeof jump + sizeof(int32_t) || memcmp(code + skip, jump, sizeof jump) != 0)
    return false;
  const size_t end = skip + sizeof jump + sizeof(int32_t);
  const Dwarf_Addr slot = follow(code + skip + sizeof jump, target + end);
  const char *name = find_relocation(elf, slot - bias, &relocation) ? symbol_of(elf, &relocation) : NULL;
  return name && strcmp(name, "__kmpc_fork_call") == 0;
}

/* The address behind the only jump to the runtime in the function that begins at `start`; 0: none, or several. */
static Dwarf_Addr find_jump(Dwfl_Module *module, struct hd_symbol_table *table, Dwarf_Addr start) {
  struct hd_table_symbol function;
  Dwarf_Addr found = 0;
  size_t count = 0;
  const uint8_t *code = hd_module_bytes(module, start, &count);
  if (!code || !hd_symbol_table_find(table, module, start, &function) || function.start != start || !function.sized)
    return 0;
  if (function.end - start < count)
    count = function.end - start;
  for (size_t end = CALL_BYTES; end <= count; end++) {
    if (code[end - CALL_BYTES] != 0xe9 || !begins_region(module, follow(code + end - sizeof(int32_t), start + end)))
      continue;
    if (found)
      return 0;
    found = start + end;
  }
  return found;
}

/* ---- what it tells ---- */

/* ";FIRModule;procedure;line;column;;" */
static bool read_text(const char *text, int *line) {
  const char *at = text;
  char *end = NULL;
  for (int i = 0; at && i < 2; i++)
    at = *at == ';' ? strchr(at + 1, ';') : NULL;
  const long number = at ? strtol(at + 1, &end, 10) : 0;
  if (!at || *end != ';' || number < 0 || number > INT_MAX)
    return false;
  strtol(end + 1, &end, 10);
  *line = (int)number;
  return strcmp(end, ";;") == 0;
}

/* Whether there lies an ident_t, and the line in its text. */
static bool read_ident(Dwfl_Module *module, Dwarf_Addr place, int *line) {
  const Dwarf_Addr where = read_pointer(module, place + TEXT_OF_IDENT);
  size_t count = 0;
  const char *text = where ? (const char *)hd_module_bytes(module, where, &count) : NULL;
  return text && memchr(text, '\0', count) && read_text(text, line);
}

/* lea ...(%rip), %to */
static bool is_lea(const uint8_t *code, int to) {
  return code[0] == (0x48 | (to & 8) >> 1) && code[1] == 0x8d && code[2] == (0x05 | (to & 7) << 3);
}

/* mov $..., %to, in programs that are linked to a fixed address. One byte tells it: many that look so are none. */
static bool is_fixed(const uint8_t *code, int to) {
  return code[0] == (0xb8 | (to & 7)) && (!(to & 8) || code[-1] == 0x41);
}

/* mov %from, %to: which register that is; `to`: it is another instruction. */
static int moved_from(const uint8_t *code, int to) {
  if ((code[0] & 0xfb) != (0x48 | (to & 8) >> 3) || code[1] != 0x89 || (code[2] & 0xc7) != (0xc0 | (to & 7)))
    return to;
  return (code[2] >> 3 & 7) | (code[0] & 4) << 1;
}

/* The line that the call is passed: goes back to where the register of the first argument is loaded with the address of
 * an ident_t, or the register that it is taken from. */
static int find_line(Dwfl_Module *module, struct hd_symbol_table *table, Dwarf_Addr call) {
  struct hd_table_symbol function;
  Dwarf_Addr bias = 0;
  int line = 0, holder = 7; /* %rdi */
  size_t count = 0;
  if (!hd_symbol_table_find(table, module, call, &function))
    return 0;
  const uint8_t *code = hd_module_bytes(module, function.start, &count);
  dwfl_module_getelf(module, &bias);
  size_t end = call - function.start;
  for (; code && end < count && end >= LEA_BYTES; end--) {
    if (is_lea(code + end - LEA_BYTES, holder))
      return read_ident(module, follow(code + end - sizeof(int32_t), function.start + end), &line) ? line : 0;
    if (is_fixed(code + end - FIXED_BYTES, holder) &&
        read_ident(module, follow(code + end - sizeof(int32_t), bias), &line))
      return line;
    holder = moved_from(code + end - MOVE_BYTES, holder);
  }
  return 0;
}

struct hd_flang_begin hd_flang_find_begin(Dwfl_Module *module, struct hd_symbol_table *table, Dwarf_Addr behind) {
  size_t count = 0;
  const uint8_t *code = hd_module_bytes(module, behind - CALL_BYTES, &count);
  struct hd_flang_begin begin = {.behind = behind};
  if (!code || count < CALL_BYTES || (code[0] & 0xfe) != 0xe8) /* call or jmp */
    return begin;
  const Dwarf_Addr target = follow(code + 1, behind);
  const Dwarf_Addr end = begins_region(module, target) ? behind : find_jump(module, table, target);
  return end ? (struct hd_flang_begin){end, find_line(module, table, end - CALL_BYTES)} : begin;
}
