/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/symbols/symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output/symbols/flang_lines.h"
#include "output/symbols/function_names.h"
#include "output/symbols/gcc_lines.h"
#include "output/symbols/line_rows.h"
#include "output/symbols/symbol_scopes.h"
#include "output/symbols/symbol_table.h"
#include "support/command/memory.h"

struct hd_symbols {
  struct hd_scopes scopes;
  struct hd_symbol_table table;
  Dwfl *dwfl;
  Dwfl_Module *module;
  GElf_Addr bias;   /* from the file's addresses to libdwfl's */
  bool is_absolute; /* linked to a fixed address */
  bool is_x86_64;
};

static char *debuginfo_path = NULL; /* of all modules, as long as the command runs */
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

/* Where libdwfl looks by default, and before that where HEDDLE_DEBUGINFO says. By build id it looks only below the
 * absolute ones; "-": without reading whole files for their checksums. */
static void choose_debuginfo_path(void) {
  const char *wanted = getenv("HEDDLE_DEBUGINFO");
  const bool given = wanted && *wanted;
  if (!debuginfo_path)
    debuginfo_path = hd_print("-:%s%s.debug:/usr/lib/debug", given ? wanted : "", given ? ":" : "");
}

static bool load(struct hd_symbols *symbols, const char *path) {
  choose_debuginfo_path();
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
  symbols->is_x86_64 = header.e_machine == EM_X86_64;
  return true;
}

enum hd_symbols_status hd_symbols_open(const char *path, const uint8_t *build_id, uint32_t build_id_bytes,
                                       uint64_t run_epoch_ns, struct hd_symbols **symbols) {
  struct stat status;
  *symbols = NULL;
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
    return HD_SYMBOLS_GONE;
  struct hd_symbols *made = hd_new(1, sizeof *made);
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

struct hd_symbols *hd_symbols_open_any(const char *path) {
  struct hd_symbols *symbols = hd_new(1, sizeof *symbols);
  if (load(symbols, path))
    return symbols;
  hd_symbols_close(symbols);
  return NULL;
}

struct shifting {
  void (*take)(void *context, uint64_t from, uint64_t to);
  void *context;
  uint64_t shift;
};

static void shift(void *context, uint64_t from, uint64_t to) {
  const struct shifting *shifting = context;
  shifting->take(shifting->context, from + shifting->shift, to + shifting->shift);
}

void hd_symbols_each_of_line(struct hd_symbols *symbols, const char *file, int line,
                             void (*take)(void *context, uint64_t from, uint64_t to), void *context) {
  struct shifting shifting = {.take = take, .context = context};
  Dwarf_Addr bias = 0;
  for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(symbols->module, unit, &bias));) {
    shifting.shift = bias - symbols->bias;
    hd_line_rows_each(unit, file, line, shift, &shifting);
  }
}

void hd_symbols_close(struct hd_symbols *symbols) {
  if (!symbols)
    return;
  hd_scopes_free(&symbols->scopes);
  hd_symbol_table_free(&symbols->table);
  dwfl_end(symbols->dwfl);
  free(symbols);
}

/* The innermost function at an address, inlined or not. */
static bool find_scope(struct hd_symbols *symbols, Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die *scope) {
  if (!hd_scopes_function(&symbols->scopes, unit, pc, scope))
    return false;
  hd_scopes_innermost(scope, pc);
  return true;
}

static void name_after(Dwarf_Die *unit, const char *name, struct hd_symbol *symbol) {
  symbol->function = name ? hd_function_readable(unit, name) : NULL;
  symbol->outlined = name && !symbol->function;
}

static void set_place(struct hd_symbol *symbol, Dwarf_Die *unit, const char *file, int line) {
  Dwarf_Attribute attribute;
  const char *directory = file[0] == '/' ? NULL : dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  symbol->file = directory ? hd_print("%s/%s", directory, file) : hd_print("%s", file);
  symbol->line = (uint32_t)line;
}

/* Where a row of the line table may be taken from. */
struct wanted {
  Dwarf_Addr start; /* no row before this */
  Dwarf_Die *scope; /* only of its code, unless NULL */
  const char *file; /* only of this file, unless NULL */
};

/* The nearest row at or before `pc` that has a line and is wanted. */
static bool find_row_of(Dwarf_Die *unit, Dwarf_Addr pc, struct wanted wanted, struct hd_symbol *symbol) {
  Dwarf_Lines *lines = NULL;
  size_t count = 0;
  if (dwarf_getsrclines(unit, &lines, &count) != 0)
    return false;
  for (size_t i = hd_line_rows_until(lines, count, pc); i-- > 0;) {
    Dwarf_Line *row = dwarf_onesrcline(lines, i);
    Dwarf_Addr at = 0;
    int line = 0;
    bool ends = false;
    if (dwarf_lineaddr(row, &at) != 0 || at < wanted.start || dwarf_lineendsequence(row, &ends) != 0 || ends)
      return false;
    const char *file = dwarf_linesrc(row, NULL, NULL);
    if (dwarf_lineno(row, &line) != 0 || line <= 0 || !file || (wanted.file && strcmp(file, wanted.file) != 0) ||
        (wanted.scope && dwarf_haspc(wanted.scope, at) <= 0))
      continue;
    set_place(symbol, unit, file, line);
    return true;
  }
  return false;
}

/* The file in which a function begins: outlined functions are declared nowhere. */
static const char *first_file(Dwarf_Die *unit, Dwarf_Addr function_start) {
  Dwarf_Line *row = function_start != 0 ? dwarf_getsrc_die(unit, function_start) : NULL;
  return row ? dwarf_linesrc(row, NULL, NULL) : NULL;
}

/* Line 0 means "made by the compiler": the row before it is the statement it belongs to, if it is the same function's.
 * And GCC gives the call that begins a loop the line of a function inlined into the loop's bound: a row in the
 * function's own file is nearer. */
static void find_line(Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Addr function_start, Dwarf_Die *scope,
                      struct hd_symbol *symbol) {
  struct wanted wanted = {.start = function_start, .scope = scope, .file = scope ? hd_function_file(scope) : NULL};
  if (!wanted.file && !(scope && dwarf_tag(scope) == DW_TAG_inlined_subroutine))
    wanted.file = first_file(unit, function_start);
  if (scope && find_row_of(unit, pc, wanted, symbol))
    return;
  wanted.scope = NULL;
  if (find_row_of(unit, pc, wanted, symbol))
    return;
  wanted.file = NULL;
  find_row_of(unit, pc, wanted, symbol);
}

static void name_after_source(Dwarf_Die *unit, struct hd_symbol *symbol) {
  symbol->function = hd_function_around(unit, symbol->file, (int)symbol->line);
  symbol->outlined = symbol->function == NULL;
}

static void find_first_line(Dwarf_Die *unit, Dwarf_Addr function_start, struct hd_symbol *symbol) {
  Dwarf_Line *row = hd_line_rows_first(unit, function_start);
  const char *file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
  if (file)
    set_place(symbol, unit, file, hd_line_of_first(unit, function_start));
}

/* GCC gives the call that begins a loop the place of what it has inlined into the loop's bound. The loop's block tells
 * which function the loop lies in: it becomes the call's scope. Returns the line there; 0: the call's own is right. */
static int leave_bound(struct hd_symbols *symbols, const struct hd_gcc_call *call, Dwarf_Die *scope) {
  const Dwarf_Addr pc = call->behind - call->bias - 1;
  Dwarf_Addr block = 0;
  Dwarf_Die outer;
  if (dwarf_tag(scope) != DW_TAG_inlined_subroutine || !hd_gcc_find_block(call, &block) ||
      dwarf_haspc(scope, block) > 0 || !hd_scopes_function(&symbols->scopes, call->unit, pc, &outer) ||
      dwarf_haspc(&outer, block) <= 0)
    return 0;
  hd_scopes_innermost_of_both(&outer, pc, block);
  *scope = outer;
  return hd_scopes_call_line(scope, pc);
}

void hd_symbols_find(struct hd_symbols *symbols, uint64_t offset, uint64_t address, enum hd_symbols_call call,
                     struct hd_symbol *symbol) {
  /* One before a return address lies inside the call. */
  Dwarf_Addr at = (symbols->is_absolute ? address : offset) - 1 + symbols->bias;
  struct hd_table_symbol around = {0};
  Dwarf_Die scope;
  memset(symbol, 0, sizeof *symbol);
  Dwarf_Die *unit = hd_scopes_unit(&symbols->scopes, symbols->module, at);
  int line = 0;
  if (call == HD_CALL_OF_REGION && symbols->is_x86_64 && unit && hd_flang_is(unit)) {
    const struct hd_flang_begin begin = hd_flang_find_begin(symbols->module, &symbols->table, at + 1);
    at = begin.behind - 1;
    line = begin.line;
    unit = hd_scopes_unit(&symbols->scopes, symbols->module, at);
  }
  const Dwarf_Addr bias = symbols->scopes.bias;
  const char *name = hd_symbol_table_find(&symbols->table, symbols->module, at, &around) ? around.name : NULL;
  const bool is_entry = name && around.start == at; /* no call lies there: the whole function is meant */
  const bool found = unit && !is_entry && find_scope(symbols, unit, at - bias, &scope);
  const Dwarf_Addr function_start = around.start > bias ? around.start - bias : 0;
  const struct hd_gcc_call asked = {symbols->module, unit, &scope, bias, at + 1, function_start, call};
  const bool has_block = found && (call == HD_CALL_OF_LOOP || call == HD_CALL_OF_SINGLE) && symbols->is_x86_64;
  if (has_block)
    line = leave_bound(symbols, &asked, &scope);
  if (found)
    name_after(unit, hd_function_linkage_name(&scope), symbol);
  if (!symbol->function && !symbol->outlined)
    name_after(unit, name, symbol);
  if (!unit)
    return;
  if (is_entry)
    find_first_line(unit, at - bias, symbol);
  else
    find_line(unit, at - bias, function_start, found ? &scope : NULL, symbol);
  if (line > 0 && symbol->line > 0)
    symbol->line = (uint32_t)line;
  else if (has_block)
    symbol->line = hd_gcc_line(&asked, symbol->line);
  if (symbol->outlined && symbol->line != 0)
    name_after_source(unit, symbol);
}

static void find_own_function(struct hd_symbols *symbols, Dwarf_Die *unit, Dwarf_Addr pc, struct hd_symbol *symbol) {
  Dwarf_Die function;
  int line = 0;
  const char *name =
      hd_scopes_function(&symbols->scopes, unit, pc, &function) ? hd_function_linkage_name(&function) : NULL;
  if (!name)
    return;
  symbol->function = hd_function_routine_name(unit, name);
  const char *file = hd_function_file(&function);
  if (file && dwarf_decl_line(&function, &line) == 0 && line > 0)
    set_place(symbol, unit, file, line);
}

void hd_symbols_find_routine(struct hd_symbols *symbols, uint64_t offset, uint64_t address, struct hd_symbol *symbol) {
  const Dwarf_Addr at = (symbols->is_absolute ? address : offset) + symbols->bias;
  struct hd_table_symbol found;
  memset(symbol, 0, sizeof *symbol);
  Dwarf_Die *unit = hd_scopes_unit(&symbols->scopes, symbols->module, at);
  const Dwarf_Addr bias = symbols->scopes.bias;
  if (unit)
    find_own_function(symbols, unit, at - bias, symbol);
  if (!symbol->function && hd_symbol_table_find(&symbols->table, symbols->module, at, &found) &&
      (found.sized || found.start == at))
    symbol->function = hd_function_routine_name(unit, found.name);
  if (unit && symbol->line == 0)
    find_row_of(unit, at - bias, (struct wanted){.start = at - bias}, symbol);
}

void hd_symbols_find_code(struct hd_symbols *symbols, uint64_t offset, uint64_t address, struct hd_symbol *symbol,
                          char **inlined_into) {
  const Dwarf_Addr at = (symbols->is_absolute ? address : offset) + symbols->bias;
  struct hd_table_symbol around = {0};
  Dwarf_Die function;
  memset(symbol, 0, sizeof *symbol);
  *inlined_into = NULL;
  Dwarf_Die *unit = hd_scopes_unit(&symbols->scopes, symbols->module, at);
  const Dwarf_Addr bias = symbols->scopes.bias;
  const char *name = hd_symbol_table_find(&symbols->table, symbols->module, at, &around) ? around.name : NULL;
  const bool found = unit && hd_scopes_function(&symbols->scopes, unit, at - bias, &function);
  Dwarf_Die scope = found ? function : (Dwarf_Die){0};
  if (found) {
    hd_scopes_innermost(&scope, at - bias);
    name_after(unit, hd_function_linkage_name(&scope), symbol);
  }
  if (found && dwarf_tag(&scope) == DW_TAG_inlined_subroutine && hd_function_linkage_name(&function))
    *inlined_into = hd_function_readable(unit, hd_function_linkage_name(&function));
  if (name && !symbol->function)
    symbol->function = hd_function_readable(unit, name);
  if (unit)
    find_line(unit, at - bias, around.start > bias ? around.start - bias : 0, found ? &scope : NULL, symbol);
  if (!symbol->function && symbol->line != 0)
    name_after_source(unit, symbol);
}
