/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DIE_DEPTH_MAX = 32 };

/* A function and its first instruction. */
struct routine {
  Dwarf_Addr entry;
  Dwarf_Die die;
};

/* The functions of a unit, by their first instructions. */
struct unit_index {
  struct unit_index *next;
  Dwarf_Off unit;
  struct routine *routines;
  size_t count;
};

struct hd_symbols {
  struct unit_index *indexes; /* of the units asked for so far */
  Dwfl *dwfl;
  Dwfl_Module *module;
  GElf_Addr bias;   /* from the file's addresses to libdwfl's */
  bool is_absolute; /* linked to a fixed address */
};

static char *debuginfo_path = NULL; /* libdwfl's default: .debug, /usr/lib/debug */
static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debuginfo_path,
};

static bool is_same_build(Dwfl_Module *module, const uint8_t *build_id, uint32_t bytes, const struct stat *status,
                          uint64_t run_epoch_ns) {
  const unsigned char *found = NULL;
  GElf_Addr vaddr = 0;
  const int found_bytes = dwfl_module_build_id(module, &found, &vaddr);
  if (bytes > 0 || found_bytes > 0)
    return found_bytes > 0 && (uint32_t)found_bytes == bytes && memcmp(found, build_id, bytes) == 0;
  return (uint64_t)status->st_mtim.tv_sec * 1000000000u <= run_epoch_ns;
}

static bool load(struct hd_symbols *symbols, const char *path) {
  symbols->dwfl = dwfl_begin(&callbacks);
  if (!symbols->dwfl)
    return false;
  dwfl_report_begin(symbols->dwfl);
  symbols->module = dwfl_report_offline(symbols->dwfl, "", path, -1);
  dwfl_report_end(symbols->dwfl, NULL, NULL);
  Elf *elf = symbols->module ? dwfl_module_getelf(symbols->module, &symbols->bias) : NULL;
  GElf_Ehdr header;
  if (!elf || !gelf_getehdr(elf, &header))
    return false;
  symbols->is_absolute = header.e_type == ET_EXEC;
  return true;
}

enum hd_symbols_status hd_symbols_open(const char *path, const uint8_t *build_id, uint32_t build_id_bytes,
                                       uint64_t run_epoch_ns, struct hd_symbols **symbols) {
  struct stat status;
  *symbols = NULL;
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
    return HD_SYMBOLS_GONE;
  struct hd_symbols *made = calloc(1, sizeof *made);
  if (!made)
    return HD_SYMBOLS_NO_MEMORY;
  enum hd_symbols_status result = HD_SYMBOLS_GONE;
  if (load(made, path))
    result = is_same_build(made->module, build_id, build_id_bytes, &status, run_epoch_ns) ? HD_SYMBOLS_OK
                                                                                          : HD_SYMBOLS_REBUILT;
  if (result == HD_SYMBOLS_OK)
    *symbols = made;
  else
    hd_symbols_close(made);
  return result;
}

void hd_symbols_close(struct hd_symbols *symbols) {
  if (!symbols)
    return;
  while (symbols->indexes) {
    struct unit_index *next = symbols->indexes->next;
    free(symbols->indexes->routines);
    free(symbols->indexes);
    symbols->indexes = next;
  }
  dwfl_end(symbols->dwfl);
  free(symbols);
}

/* clang writes no table of address ranges (.debug_aranges): then every compilation unit is asked. */
static Dwarf_Die *find_unit(struct hd_symbols *symbols, Dwarf_Addr address, Dwarf_Addr *bias) {
  Dwarf_Die *unit = dwfl_module_addrdie(symbols->module, address, bias);
  if (unit)
    return unit;
  while ((unit = dwfl_module_nextcu(symbols->module, unit, bias)))
    if (dwarf_haspc(unit, address - *bias) > 0)
      return unit;
  return NULL;
}

static const char *linkage_name(Dwarf_Die *die) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
      dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
    return dwarf_formstring(&attribute);
  return dwarf_diename(die);
}

static bool is_function(Dwarf_Die *die) {
  const int tag = dwarf_tag(die);
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_entry_point;
}

/* DWARF 5 numbers files from 0, which is the unit's own; libdw takes 0 for none. */
static const char *declared_in(Dwarf_Die *unit, Dwarf_Die *die) {
  Dwarf_Attribute attribute;
  Dwarf_Files *files = NULL;
  Dwarf_Word number = 1;
  size_t count = 0;
  const char *file = dwarf_decl_file(die);
  if (file || !dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) || dwarf_formudata(&attribute, &number) != 0 ||
      number != 0 || dwarf_getsrcfiles(unit, &files, &count) != 0)
    return file;
  return count > 0 ? dwarf_filesrc(files, 0, NULL, NULL) : NULL;
}

/* The innermost function around an address, inlined or not. Returns the file it is written in; NULL: not known. */
static const char *find_function(Dwarf_Die *unit, Dwarf_Addr pc, struct hd_symbol *symbol) {
  Dwarf_Die *scopes = NULL;
  const char *file = NULL;
  const int count = dwarf_getscopes(unit, pc, &scopes);
  for (int i = 0; i < count; i++) {
    const char *name = is_function(&scopes[i]) ? linkage_name(&scopes[i]) : NULL;
    if (!name)
      continue;
    symbol->function = hd_symbols_readable(name);
    symbol->outlined = symbol->function == NULL;
    file = declared_in(unit, &scopes[i]);
    break;
  }
  if (count > 0)
    free(scopes);
  return file;
}

static void find_linker_symbol(struct hd_symbols *symbols, Dwarf_Addr address, struct hd_symbol *symbol,
                               Dwarf_Addr *start) {
  GElf_Off within = 0;
  GElf_Sym entry;
  const char *name = dwfl_module_addrinfo(symbols->module, address, &within, &entry, NULL, NULL, NULL);
  if (!name || (entry.st_size > 0 && within >= entry.st_size))
    return;
  *start = address - within;
  if (symbol->function || symbol->outlined)
    return;
  symbol->function = hd_symbols_readable(name);
  symbol->outlined = symbol->function == NULL;
}

/* The last row of the line table at or before `pc`. */
static size_t find_row(Dwarf_Lines *lines, size_t count, Dwarf_Addr pc) {
  size_t low = 0;
  size_t high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    Dwarf_Addr at = 0;
    dwarf_lineaddr(dwarf_onesrcline(lines, middle), &at);
    if (at <= pc)
      low = middle + 1;
    else
      high = middle;
  }
  return low; /* one past it */
}

static char *full_path(Dwarf_Die *unit, const char *file) {
  Dwarf_Attribute attribute;
  const char *directory = file[0] == '/' ? NULL : dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  char *path = NULL;
  if (!directory)
    return strdup(file);
  return asprintf(&path, "%s/%s", directory, file) < 0 ? NULL : path;
}

/* The nearest row at or before `pc` in the same function that has a line and, if `wanted` is given, is in that file. */
static bool find_line_in(Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Addr function_start, const char *wanted,
                         struct hd_symbol *symbol) {
  Dwarf_Lines *lines = NULL;
  size_t count = 0;
  if (dwarf_getsrclines(unit, &lines, &count) != 0)
    return false;
  for (size_t i = find_row(lines, count, pc); i-- > 0;) {
    Dwarf_Line *row = dwarf_onesrcline(lines, i);
    Dwarf_Addr at = 0;
    int line = 0;
    bool ends = false;
    if (dwarf_lineaddr(row, &at) != 0 || at < function_start || dwarf_lineendsequence(row, &ends) != 0 || ends)
      return false;
    const char *file = dwarf_linesrc(row, NULL, NULL);
    if (dwarf_lineno(row, &line) != 0 || line <= 0 || !file || (wanted && strcmp(file, wanted) != 0))
      continue;
    symbol->file = full_path(unit, file);
    symbol->line = symbol->file ? (uint32_t)line : 0;
    return true;
  }
  return false;
}

/* The file in which a function begins: outlined functions are declared nowhere. */
static const char *first_file(Dwarf_Die *unit, Dwarf_Addr function_start) {
  Dwarf_Line *row = function_start != 0 ? dwarf_getsrc_die(unit, function_start) : NULL;
  return row ? dwarf_linesrc(row, NULL, NULL) : NULL;
}

/* Line 0 means "made by the compiler": the row before it is the statement it belongs to. And GCC gives the call that
 * begins a loop the line of a function inlined into the loop's bound: a row in the function's own file is nearer. */
static void find_line(Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Addr function_start, const char *file,
                      struct hd_symbol *symbol) {
  if (!file)
    file = first_file(unit, function_start);
  if (!file || !find_line_in(unit, pc, function_start, file, symbol))
    find_line_in(unit, pc, function_start, NULL, symbol);
}

/* The function of the source around a line: of all that begin at or before it, the last. */
struct around {
  Dwarf_Die *unit;
  const char *file;
  int line;
  int best_line;
  const char *best;
};

static void consider(Dwarf_Die *die, struct around *around) {
  int line = 0;
  const char *file = declared_in(around->unit, die);
  const char *name = linkage_name(die);
  if (!file || !name || dwarf_decl_line(die, &line) != 0 || line > around->line || line <= around->best_line)
    return;
  if (dwarf_hasattr(die, DW_AT_declaration) || dwarf_hasattr_integrate(die, DW_AT_artificial) ||
      strcmp(file, around->file) != 0)
    return;
  char *readable = hd_symbols_readable(name);
  if (readable) {
    around->best_line = line;
    around->best = name;
  }
  free(readable);
}

static void search_functions(Dwarf_Die *parent, struct around *around, int depth) {
  Dwarf_Die die;
  if (depth > DIE_DEPTH_MAX || dwarf_child(parent, &die) != 0)
    return;
  do {
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_subprogram)
      consider(&die, around);
    else if (tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
             tag == DW_TAG_module)
      search_functions(&die, around, depth + 1);
  } while (dwarf_siblingof(&die, &die) == 0);
}

static void name_after_source(Dwarf_Die *unit, struct hd_symbol *symbol) {
  struct around around = {.unit = unit, .file = symbol->file, .line = (int)symbol->line};
  search_functions(unit, &around, 0);
  if (!around.best)
    return;
  symbol->function = hd_symbols_readable(around.best);
  symbol->outlined = symbol->function == NULL;
}

void hd_symbols_find(struct hd_symbols *symbols, uint64_t offset, uint64_t address, struct hd_symbol *symbol) {
  /* One before a return address lies inside the call. */
  const Dwarf_Addr at = (symbols->is_absolute ? address : offset) - 1 + symbols->bias;
  Dwarf_Addr bias = 0;
  Dwarf_Addr start = 0;
  memset(symbol, 0, sizeof *symbol);
  Dwarf_Die *unit = find_unit(symbols, at, &bias);
  const char *file = unit ? find_function(unit, at - bias, symbol) : NULL;
  find_linker_symbol(symbols, at, symbol, &start);
  if (!unit)
    return;
  find_line(unit, at - bias, start > bias ? start - bias : 0, file, symbol);
  if (symbol->outlined && symbol->line != 0)
    name_after_source(unit, symbol);
}

/* What is inlined at the first instruction is not the routine: the function whose code this is lies around it. */
static bool find_around(Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die *function) {
  Dwarf_Die *scopes = NULL, *outer = NULL;
  bool found = false;
  const int count = dwarf_getscopes(unit, pc, &scopes);
  const int outer_count = count > 0 ? dwarf_getscopes_die(&scopes[0], &outer) : 0;
  for (int i = 0; i < outer_count && !found; i++) {
    found = dwarf_tag(&outer[i]) == DW_TAG_subprogram || dwarf_tag(&outer[i]) == DW_TAG_entry_point;
    if (found)
      *function = outer[i];
  }
  if (outer_count > 0)
    free(outer);
  if (count > 0)
    free(scopes);
  return found;
}

/* ---- the functions of a unit: libdw would walk through all of it for every one ---- */

static bool add_routine(struct unit_index *index, Dwarf_Die *die) {
  Dwarf_Addr entry = 0;
  if (dwarf_entrypc(die, &entry) != 0)
    return true;
  if ((index->count & (index->count + 1)) == 0) { /* full: room is for one less than a power of two */
    struct routine *more = realloc(index->routines, (2 * index->count + 1) * sizeof *more);
    if (!more)
      return false;
    index->routines = more;
  }
  index->routines[index->count++] = (struct routine){entry, *die};
  return true;
}

static bool may_hold_functions(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_module ||
         tag == DW_TAG_subprogram;
}

static void add_routines(struct unit_index *index, Dwarf_Die *parent, int depth) {
  Dwarf_Die die;
  if (depth > DIE_DEPTH_MAX || dwarf_child(parent, &die) != 0)
    return;
  do {
    const int tag = dwarf_tag(&die);
    if ((tag == DW_TAG_subprogram || tag == DW_TAG_entry_point) && !add_routine(index, &die))
      return;
    if (may_hold_functions(tag))
      add_routines(index, &die, depth + 1);
  } while (dwarf_siblingof(&die, &die) == 0);
}

static int by_entry(const void *a, const void *b) {
  const Dwarf_Addr left = ((const struct routine *)a)->entry;
  const Dwarf_Addr right = ((const struct routine *)b)->entry;
  return left < right ? -1 : left > right;
}

static const struct unit_index *index_of(struct hd_symbols *symbols, Dwarf_Die *unit) {
  const Dwarf_Off offset = dwarf_dieoffset(unit);
  for (struct unit_index *index = symbols->indexes; index; index = index->next)
    if (index->unit == offset)
      return index;
  struct unit_index *index = calloc(1, sizeof *index);
  if (!index)
    return NULL;
  *index = (struct unit_index){.next = symbols->indexes, .unit = offset};
  symbols->indexes = index;
  add_routines(index, unit, 0);
  if (index->count > 0)
    qsort(index->routines, index->count, sizeof *index->routines, by_entry);
  return index;
}

static bool find_by_entry(struct hd_symbols *symbols, Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die *function) {
  const struct unit_index *index = index_of(symbols, unit);
  const struct routine wanted = {.entry = pc};
  const struct routine *found =
      index && index->count > 0 ? bsearch(&wanted, index->routines, index->count, sizeof wanted, by_entry) : NULL;
  if (found)
    *function = found->die;
  return found;
}

static void find_own_function(struct hd_symbols *symbols, Dwarf_Die *unit, Dwarf_Addr pc, struct hd_symbol *symbol) {
  Dwarf_Die function;
  int line = 0;
  const bool found = find_by_entry(symbols, unit, pc, &function) || find_around(unit, pc, &function);
  const char *name = found ? linkage_name(&function) : NULL;
  if (!name)
    return;
  symbol->function = hd_symbols_routine_name(name);
  const char *file = declared_in(unit, &function);
  if (!file || dwarf_decl_line(&function, &line) != 0 || line <= 0)
    return;
  symbol->file = full_path(unit, file);
  symbol->line = symbol->file ? (uint32_t)line : 0;
}

void hd_symbols_find_routine(struct hd_symbols *symbols, uint64_t offset, uint64_t address, struct hd_symbol *symbol) {
  const Dwarf_Addr at = (symbols->is_absolute ? address : offset) + symbols->bias;
  Dwarf_Addr bias = 0;
  GElf_Off within = 0;
  GElf_Sym entry;
  memset(symbol, 0, sizeof *symbol);
  Dwarf_Die *unit = find_unit(symbols, at, &bias);
  if (unit)
    find_own_function(symbols, unit, at - bias, symbol);
  const char *name =
      symbol->function ? NULL : dwfl_module_addrinfo(symbols->module, at, &within, &entry, NULL, NULL, NULL);
  if (name && !(entry.st_size > 0 && within >= entry.st_size) && !(entry.st_size == 0 && within > 0))
    symbol->function = hd_symbols_routine_name(name);
  if (unit && symbol->line == 0)
    find_line_in(unit, at - bias, at - bias, NULL, symbol);
}
