/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file history_strip.h
 * A region in time, as a line of characters (level_bars.h).
 */
#ifndef HEDDLE_OUTPUT_VIEWS_RENDER_HISTORY_STRIP_H
#define HEDDLE_OUTPUT_VIEWS_RENDER_HISTORY_STRIP_H

#include <stdio.h>

#include "output/model/model.h"

/** For each of so many equal parts of the run: how many threads were busy on average while the region ran, of
 *  `highest`; " ": it did not run, "?": that is not known. Without the spaces at the end. */
void hd_history_strip(const struct hd_model *model, const struct hd_history *history, unsigned columns,
                      uint32_t highest, FILE *out);

#endif
