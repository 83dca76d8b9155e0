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

/** A time, in seconds or ticks; a number with some decimals; a count; a percentage of `whole`. "-": not known. */
void hd_cell_time(char cell[HD_CELL_BYTES], const struct hd_unit *unit, double seconds);
void hd_cell_ticks(char cell[HD_CELL_BYTES], const struct hd_model *model, const struct hd_unit *unit, uint64_t ticks,
                   bool known);
void hd_cell_number(char cell[HD_CELL_BYTES], double number, int decimals);
void hd_cell_count(char cell[HD_CELL_BYTES], uint64_t count, bool known);
void hd_cell_percent(char cell[HD_CELL_BYTES], double part, double whole, bool known);

/** A time alone, in the unit that suits it: "1.234 s", "56.7 ms". */
void hd_cell_duration(char cell[HD_CELL_BYTES], double seconds);

/** "1,234,567" */
void hd_cell_grouped(char cell[HD_CELL_BYTES], uint64_t number);

#endif
