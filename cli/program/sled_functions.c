/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/program/sled_functions.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/command/memory.h"

/* compiler-rt's XRaySledEntry: the address of the sled, that of its function, its kind, whether it is always patched,
 * and its version; from version 2 on both addresses are distances from where they stand. */
enum { ENTRY_BYTES = 32, FUNCTION_AT = 8, KIND_AT = 16, VERSION_AT = 18, RELATIVE_FROM = 2 };
enum { KIND_ENTRY = 0, KIND_ENTRY_WITH_ARGUMENT = 3 };

static int compare(const void *a, const void *b) {
  const struct hd_sled_function *left = a, *right = b;
  return (left->address > right->address) - (left->address < right->address);
}

static uint64_t function_of(const unsigned char *entry, uint64_t at) {
  uint64_t function;
  memcpy(&function, entry + FUNCTION_AT, sizeof function);
  return entry[VERSION_AT] >= RELATIVE_FROM ? at + FUNCTION_AT + function : function;
}

static void take_sleds(struct hd_sled_functions *functions, const Elf_Data *data, uint64_t address) {
  for (size_t at = 0; data && data->d_size - at >= ENTRY_BYTES; at += ENTRY_BYTES) {
    const unsigned char *entry = (const unsigned char *)data->d_buf + at;
    if (entry[KIND_AT] != KIND_ENTRY && entry[KIND_AT] != KIND_ENTRY_WITH_ARGUMENT)
      continue;
    functions->items = hd_grow_by_one(functions->items, functions->count, sizeof *functions->items);
    functions->items[functions->count++] = (struct hd_sled_function){.address = function_of(entry, address + at)};
  }
}

static void take_symbols(struct hd_sled_functions *functions, Elf *elf, const GElf_Shdr *header, Elf_Data *data) {
  GElf_Sym symbol;
  for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
    const struct hd_sled_function key = {.address = symbol.st_value};
    struct hd_sled_function *found =
        functions->count ? bsearch(&key, functions->items, functions->count, sizeof key, compare) : NULL;
    const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
    if (found && !found->symbol && name && *name && GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
      found->symbol = hd_print("%s", name);
  }
}

/* Of the section of this name (NULL: of any), of this type. */
static Elf_Scn *find_section(Elf *elf, const char *wanted, GElf_Word type, GElf_Shdr *header) {
  size_t names = 0;
  Elf_Scn *section = NULL;
  if (elf_getshdrstrndx(elf, &names) != 0)
    return NULL;
  while ((section = elf_nextscn(elf, section))) {
    const char *name = gelf_getshdr(section, header) ? elf_strptr(elf, names, header->sh_name) : NULL;
    if (name && header->sh_type == type && (!wanted || strcmp(name, wanted) == 0))
      return section;
  }
  return NULL;
}

/* Those that have one. */
static void keep_named(struct hd_sled_functions *functions) {
  size_t kept = 0;
  for (size_t i = 0; i < functions->count; i++)
    if (functions->items[i].symbol)
      functions->items[kept++] = functions->items[i];
  functions->count = kept;
}

static bool read_elf(Elf *elf, struct hd_sled_functions *functions) {
  GElf_Shdr map, table;
  Elf_Scn *symbols = find_section(elf, NULL, SHT_SYMTAB, &table);
  Elf_Scn *sleds = symbols ? find_section(elf, "xray_instr_map", SHT_PROGBITS, &map) : NULL;
  if (!symbols)
    return false;
  if (sleds)
    take_sleds(functions, elf_getdata(sleds, NULL), map.sh_addr);
  if (functions->count > 0)
    qsort(functions->items, functions->count, sizeof *functions->items, compare);
  take_symbols(functions, elf, &table, elf_getdata(symbols, NULL));
  keep_named(functions);
  return true;
}

bool hd_sled_functions_read(const char *path, struct hd_sled_functions *functions) {
  *functions = (struct hd_sled_functions){0};
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  elf_version(EV_CURRENT);
  Elf *elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
  const bool read = elf && elf_kind(elf) == ELF_K_ELF && read_elf(elf, functions);
  elf_end(elf);
  close(file);
  return read;
}

void hd_sled_functions_free(struct hd_sled_functions *functions) {
  for (size_t i = 0; i < functions->count; i++)
    free(functions->items[i].symbol);
  free(functions->items);
  *functions = (struct hd_sled_functions){0};
}
