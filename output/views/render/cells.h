/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file cells.h
 * Numbers as the text of a table's cell.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_RENDER_CELLS_H
#define HEDDLE_OUTPUT_VIEWS_RENDER_CELLS_H

#include "output/model/model.h"

enum { HD_CELL_BYTES = 32 };

/** How the times of one table are written: one unit for all, so that columns can be compared at a glance. */
struct hd_unit {
  const char *name; /* "seconds" */
  double per_second;
  int decimals;
};

/** The unit in which `seconds`, the largest time of a table, has at most about five digits. */
struct hd_unit hd_unit_for(double seconds);

/** Whether a time is not written as zero. */
bool hd_unit_shows(const struct hd_unit *unit, double seconds);

/** A time; a number with some decimals. "-": NaN, not known. */
void hd_cell_time(char cell[HD_CELL_BYTES], const struct hd_unit *unit, double seconds);
void hd_cell_number(char cell[HD_CELL_BYTES], double number, int decimals);

/** A time alone, in the unit that suits it: "1.234 s", "56.7 ms". */
void hd_cell_duration(char cell[HD_CELL_BYTES], double seconds);

/** The same, for printf: hd_duration(seconds).text. */
struct hd_cell {
  char text[HD_CELL_BYTES];
};
struct hd_cell hd_duration(double seconds);
struct hd_cell hd_duration_of(const struct hd_model *model, uint64_t ticks);

/** "1,234,567" */
void hd_cell_grouped(char cell[HD_CELL_BYTES], uint64_t number);

#endif
