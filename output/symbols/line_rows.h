/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file line_rows.h
 * The rows of a compilation unit's table of lines, in the order of addresses.
 */
#ifndef HEDDLE_OUTPUT_SYMBOLS_LINE_ROWS_H
#define HEDDLE_OUTPUT_SYMBOLS_LINE_ROWS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/** How many rows are at or before `pc`. */
size_t hd_line_rows_until(Dwarf_Lines *lines, size_t count, Dwarf_Addr pc);

/** A row's line, its address, and whether a statement begins there; 0: it has no line, or only ends others. */
int hd_line_row_read(Dwarf_Line *row, Dwarf_Addr *at, bool *is_statement);

/** The first row of a function that begins at `start`; NULL: none. Its line; 0: none. */
Dwarf_Line *hd_line_rows_first(Dwarf_Die *unit, Dwarf_Addr start);
int hd_line_of_first(Dwarf_Die *unit, Dwarf_Addr start);

/** Calls `take` for each piece of code of this line, from an address up to another, as the unit has them. `file` is the
 *  end of its path. */
typedef void hd_line_taker(void *context, uint64_t from, uint64_t to);
void hd_line_rows_each(Dwarf_Die *unit, const char *file, int line, hd_line_taker *take, void *context);

#endif
