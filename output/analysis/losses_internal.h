/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file losses_internal.h
 * Between the files of losses only.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_LOSSES_INTERNAL_H
#define HEDDLE_OUTPUT_ANALYSIS_LOSSES_INTERNAL_H

#include "output/analysis/losses.h"

/** += : damaged files may hold any numbers, sums wrap around. */
static inline void hd_losses_plus(int64_t *to, uint64_t ticks) {
  *to = (int64_t)((uint64_t)*to + ticks);
}

/** losses_barriers.c: divides every node's wait at implicit barriers among the causes, into book->inclusive. */
void hd_losses_divide_barriers(struct hd_loss_book *book);

#endif
