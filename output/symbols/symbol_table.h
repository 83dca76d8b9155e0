/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file symbol_table.h
 * The functions of a module by the linker's symbols. libdwfl goes through all symbols for every address; here they are
 * sorted once.
 */
#ifndef HEDDLE_OUTPUT_SYMBOLS_SYMBOL_TABLE_H
#define HEDDLE_OUTPUT_SYMBOLS_SYMBOL_TABLE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "output/symbols/ranges.h"

/* All zero to begin with. */
struct hd_symbol_table {
  struct hd_ranges ranges;
  bool listed;
};

struct hd_table_symbol {
  const char *name; /* the module's */
  Dwarf_Addr start, end;
  bool sized; /* else it ends where the next symbol or its section ends */
};

/** The symbol at `address`, one of libdwfl's. Of several at one place the one with the most public name. */
bool hd_symbol_table_find(struct hd_symbol_table *table, Dwfl_Module *module, Dwarf_Addr address,
                          struct hd_table_symbol *symbol);

void hd_symbol_table_free(struct hd_symbol_table *table);

#endif
