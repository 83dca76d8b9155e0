/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file symbol_scopes.h
 * Which compilation unit, function and inlined function of a module's debug information an address lies in.
 *
 * libdw's dwarf_getscopes does not look below entries without addresses of their own, so it misses every function that
 * is written out within a namespace or class; and it walks through the whole unit for every address. Here a unit's
 * functions are listed once, wherever they stand.
 */
#ifndef HEDDLE_OUTPUT_SYMBOLS_SYMBOL_SCOPES_H
#define HEDDLE_OUTPUT_SYMBOLS_SYMBOL_SCOPES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>

#include "output/symbols/ranges.h"

/* Debug information's entries with code, by its addresses. */
struct hd_scope_list {
  struct hd_ranges ranges; /* `what`: the index of the entry */
  Dwarf_Die *dies;
  size_t count;
};

/* A compilation unit that an address was looked for in. */
struct hd_scope_unit {
  struct hd_scope_unit *next;
  Dwarf_Die die;
  struct hd_scope_list functions;
};

/* All zero to begin with. */
struct hd_scopes {
  struct hd_scope_list units;
  Dwarf_Addr bias; /* from the debug information's addresses to libdwfl's */
  bool listed;
  struct hd_scope_unit *used;
};

/** Frees what the scopes hold, not `scopes` itself. */
void hd_scopes_free(struct hd_scopes *scopes);

/** The unit with the code at `address`, one of libdwfl's; NULL: none. Fills `scopes->bias`. */
Dwarf_Die *hd_scopes_unit(struct hd_scopes *scopes, Dwfl_Module *module, Dwarf_Addr address);

/** With split debug information the program has only a unit's skeleton: the unit itself, if its .dwo file is there. */
Dwarf_Die hd_scopes_whole_unit(Dwarf_Die *unit);

/** Which compiler made the unit, in its own words; "": it does not say. */
const char *hd_scopes_producer(Dwarf_Die *unit);

/** The function whose own code is at `pc`, whatever is inlined there. */
bool hd_scopes_function(struct hd_scopes *scopes, Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die *function);

/** Makes `scope`, a function, the innermost one inlined into it at `pc`; leaves it when there is none. */
void hd_scopes_innermost(Dwarf_Die *scope, Dwarf_Addr pc);

/** Likewise the innermost one with the code at both addresses. */
void hd_scopes_innermost_of_both(Dwarf_Die *scope, Dwarf_Addr pc, Dwarf_Addr also);

/** The line on which `scope` calls what is inlined into it at `pc`; 0: it is the scope's own code. */
int hd_scopes_call_line(const Dwarf_Die *scope, Dwarf_Addr pc);

#endif
