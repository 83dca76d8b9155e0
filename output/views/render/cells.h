/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file cells.h
 * Numbers as the text of a table's cell.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_RENDER_CELLS_H
#define HEDDLE_OUTPUT_VIEWS_RENDER_CELLS_H

#include "output/model/duration.h"

/** Whether a time is not written as zero. */
bool hd_unit_shows(const struct hd_unit *unit, double seconds);

/** A time; a number with some decimals. "-": NaN, not known. */
void hd_cell_time(char cell[HD_CELL_BYTES], const struct hd_unit *unit, double seconds);
void hd_cell_number(char cell[HD_CELL_BYTES], double number, int decimals);

/** "1,234,567" */
void hd_cell_grouped(char cell[HD_CELL_BYTES], uint64_t number);

#endif
