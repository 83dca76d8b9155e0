/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file duration.h
 * Times as text for people: in the unit that suits them.
 */
#ifndef HEDDLE_OUTPUT_MODEL_DURATION_H
#define HEDDLE_OUTPUT_MODEL_DURATION_H

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

/** A time alone, in the unit that suits it: "1.234 s", "56.7 ms". */
void hd_cell_duration(char cell[HD_CELL_BYTES], double seconds);

/** The same, for printf: hd_duration(seconds).text. */
struct hd_cell {
  char text[HD_CELL_BYTES];
};
struct hd_cell hd_duration(double seconds);
struct hd_cell hd_duration_of(const struct hd_model *model, uint64_t ticks);

/** With three digits, for sentences: "1.23 s", "56.7 ms". */
struct hd_cell hd_duration_brief(double seconds);

#endif
