/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file state_columns.h
 * Columns of the time in each state, and of all waits together: a part of a view's table of columns.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_RENDER_STATE_COLUMNS_H
#define HEDDLE_OUTPUT_VIEWS_RENDER_STATE_COLUMNS_H

#include "output/views/render/columns.h"

/** Busy, all waits, each cause of waiting, runtime, idle. */
enum { HD_STATE_COLUMNS = HD_STATE_COUNT + 1, HD_STATE_COLUMN_WAIT = 1, HD_STATE_COLUMN_CAUSES = 2 };
enum { HD_STATE_COLUMN_RUNTIME = HD_RUNTIME + 1, HD_STATE_COLUMN_IDLE = HD_IDLE + 1 };

/** In the text they stand at `order`. */
void hd_state_columns(struct hd_column columns[HD_STATE_COLUMNS], int order);
void hd_state_values(struct hd_value values[HD_STATE_COLUMNS], const struct hd_model *model,
                     const uint64_t ticks[HD_STATE_COUNT]);

/** Marks what is not exact (enum hd_mark). */
void hd_state_marks(struct hd_value values[HD_STATE_COLUMNS], uint32_t marks);

/** Bits of the columns that say nothing: `most` of them is written as zero, or the only cause is all waits. */
uint64_t hd_state_columns_hidden(const struct hd_model *model, const uint64_t most[HD_STATE_COUNT],
                                 const struct hd_unit *unit);

#endif
