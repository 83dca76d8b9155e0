/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file state_columns.h
 * Columns of the time in each state, and of all waits together: a part of a view's table of columns.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_RENDER_STATE_COLUMNS_H
#define HEDDLE_OUTPUT_VIEWS_RENDER_STATE_COLUMNS_H

#include "output/views/render/columns.h"

/** Busy, all waits, each cause of waiting, all of the runtime's own work, each cause of that, idle. */
enum { HD_STATE_COLUMNS = HD_STATE_COUNT + 2, HD_STATE_COLUMN_WAIT = HD_WAIT_FIRST };
enum { HD_STATE_COLUMN_RUNTIME = HD_RUNTIME_FIRST + 1, HD_STATE_COLUMN_IDLE = HD_IDLE + 2 };

/** The column of one state: those of the sums lie between. */
static inline int hd_state_column(int state) {
  return state + (state >= HD_WAIT_FIRST) + (state >= HD_RUNTIME_FIRST);
}

/** In the text they stand at `order`. */
void hd_state_columns(struct hd_column columns[HD_STATE_COLUMNS], int order);
void hd_state_values(struct hd_value values[HD_STATE_COLUMNS], const struct hd_model *model,
                     const uint64_t ticks[HD_STATE_COUNT]);

/** Marks what is not exact (enum hd_mark). */
void hd_state_marks(struct hd_value values[HD_STATE_COLUMNS], uint32_t marks);

/** Bits of the columns that say nothing: `most` of them is written as zero, or one cause alone is the sum. */
uint64_t hd_state_columns_hidden(const struct hd_model *model, const uint64_t most[HD_STATE_COUNT],
                                 const struct hd_unit *unit);

#endif
