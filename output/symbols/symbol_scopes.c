/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/symbols/symbol_scopes.h"

#include <dwarf.h>
#include <stdlib.h>

#include "support/command/memory.h"

enum { DIE_DEPTH_MAX = 64 };

/* ---- entries with code ---- */

/* Code may lie in several places. */
static void add_code(struct hd_scope_list *list, Dwarf_Die *die) {
  Dwarf_Addr base = 0, low = 0, high = 0;
  ptrdiff_t at = 0;
  const size_t before = list->ranges.count;
  while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0)
    if (low < high)
      hd_ranges_add(&list->ranges, low, high, list->count);
  if (list->ranges.count == before)
    return;
  if ((list->count & (list->count + 1)) == 0) /* full: room is for one less than a power of two */
    list->dies = hd_grow(list->dies, 2 * list->count + 1, sizeof *list->dies);
  list->dies[list->count++] = *die;
}

static Dwarf_Die *find(const struct hd_scope_list *list, Dwarf_Addr pc) {
  const struct hd_range *range = hd_ranges_find(&list->ranges, pc);
  return range ? &list->dies[range->what] : NULL;
}

static void free_list(struct hd_scope_list *list) {
  free(list->ranges.items);
  free(list->dies);
}

/* ---- units ---- */

/* Not from the file's table of address ranges, .debug_aranges: clang writes none. */
static void list_units(struct hd_scopes *scopes, Dwfl_Module *module) {
  Dwarf_Die *unit = NULL;
  scopes->listed = true;
  while ((unit = dwfl_module_nextcu(module, unit, &scopes->bias)))
    add_code(&scopes->units, unit);
  hd_ranges_sort(&scopes->units.ranges);
}

Dwarf_Die *hd_scopes_unit(struct hd_scopes *scopes, Dwfl_Module *module, Dwarf_Addr address) {
  if (!scopes->listed)
    list_units(scopes, module);
  return find(&scopes->units, address - scopes->bias);
}

void hd_scopes_free(struct hd_scopes *scopes) {
  while (scopes->used) {
    struct hd_scope_unit *next = scopes->used->next;
    free_list(&scopes->used->functions);
    free(scopes->used);
    scopes->used = next;
  }
  free_list(&scopes->units);
}

/* ---- functions of a unit ---- */

/* What may have functions in it: GCC nests C's and Fortran's inner functions, clang the functions of local classes. */
static bool may_hold_functions(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
         tag == DW_TAG_union_type || tag == DW_TAG_module || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
}

static void list_functions(struct hd_scope_list *functions, Dwarf_Die *parent, int depth) {
  Dwarf_Die die;
  if (depth > DIE_DEPTH_MAX || dwarf_child(parent, &die) != 0)
    return;
  do {
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_subprogram)
      add_code(functions, &die);
    if (may_hold_functions(tag))
      list_functions(functions, &die, depth + 1);
  } while (dwarf_siblingof(&die, &die) == 0);
}

Dwarf_Die hd_scopes_whole_unit(Dwarf_Die *unit) {
  Dwarf_Die split = {0};
  uint8_t type = 0;
  if (dwarf_cu_info(unit->cu, NULL, &type, NULL, &split, NULL, NULL, NULL) == 0 && type == DW_UT_skeleton && split.cu)
    return split;
  return *unit;
}

const char *hd_scopes_producer(Dwarf_Die *unit) {
  Dwarf_Die whole = hd_scopes_whole_unit(unit);
  Dwarf_Attribute attribute;
  const char *producer = dwarf_formstring(dwarf_attr(&whole, DW_AT_producer, &attribute));
  return producer ? producer : "";
}

static struct hd_scope_unit *use(struct hd_scopes *scopes, Dwarf_Die *die) {
  for (struct hd_scope_unit *unit = scopes->used; unit; unit = unit->next)
    if (unit->die.addr == die->addr)
      return unit;
  struct hd_scope_unit *unit = hd_new(1, sizeof *unit);
  *unit = (struct hd_scope_unit){.next = scopes->used, .die = *die};
  scopes->used = unit;
  Dwarf_Die whole = hd_scopes_whole_unit(die);
  list_functions(&unit->functions, &whole, 0);
  hd_ranges_sort(&unit->functions.ranges);
  return unit;
}

bool hd_scopes_function(struct hd_scopes *scopes, Dwarf_Die *die, Dwarf_Addr pc, Dwarf_Die *function) {
  const Dwarf_Die *found = find(&use(scopes, die)->functions, pc);
  if (found)
    *function = *found;
  return found;
}

/* ---- what is inlined ---- */

static bool has_code(Dwarf_Die *die) {
  return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
}

/* Blocks may have no addresses of their own. */
static bool may_contain(Dwarf_Die *die, Dwarf_Addr pc) {
  switch (dwarf_tag(die)) {
  case DW_TAG_inlined_subroutine:
    return dwarf_haspc(die, pc) > 0;
  case DW_TAG_lexical_block:
  case DW_TAG_try_block:
  case DW_TAG_catch_block:
    return !has_code(die) || dwarf_haspc(die, pc) > 0;
  default:
    return false;
  }
}

static bool descend(Dwarf_Die *scope, Dwarf_Addr pc, Dwarf_Addr also, int depth) {
  Dwarf_Die die;
  if (depth > DIE_DEPTH_MAX || dwarf_child(scope, &die) != 0)
    return false;
  do {
    if (!may_contain(&die, pc) || !may_contain(&die, also))
      continue;
    Dwarf_Die inner = die;
    const bool deeper = descend(&inner, pc, also, depth + 1);
    if (!deeper && dwarf_tag(&die) != DW_TAG_inlined_subroutine)
      continue;
    *scope = inner;
    return true;
  } while (dwarf_siblingof(&die, &die) == 0);
  return false;
}

static int call_line_of(Dwarf_Die *inlined) {
  Dwarf_Attribute attribute;
  Dwarf_Word line = 0;
  return dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) == 0 ? (int)line : 0;
}

static int call_line(Dwarf_Die *scope, Dwarf_Addr pc, int depth) {
  Dwarf_Die die;
  int line = 0;
  if (depth > DIE_DEPTH_MAX || dwarf_child(scope, &die) != 0)
    return 0;
  do {
    if (may_contain(&die, pc))
      line = dwarf_tag(&die) == DW_TAG_inlined_subroutine ? call_line_of(&die) : call_line(&die, pc, depth + 1);
  } while (line == 0 && dwarf_siblingof(&die, &die) == 0);
  return line;
}

int hd_scopes_call_line(const Dwarf_Die *scope, Dwarf_Addr pc) {
  Dwarf_Die copy = *scope;
  return call_line(&copy, pc, 0);
}

void hd_scopes_innermost(Dwarf_Die *scope, Dwarf_Addr pc) {
  descend(scope, pc, pc, 0);
}

void hd_scopes_innermost_of_both(Dwarf_Die *scope, Dwarf_Addr pc, Dwarf_Addr also) {
  descend(scope, pc, also, 0);
}
