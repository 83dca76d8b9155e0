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

/** What threads do while they wait for locks and the like. */
static inline uint64_t hd_losses_lock_waits(const uint64_t ticks[HD_STATE_COUNT]) {
  return ticks[HD_WAIT_CRITICAL] + ticks[HD_WAIT_LOCK] + ticks[HD_WAIT_ORDERED] + ticks[HD_WAIT_ATOMIC];
}

/** losses_barriers.c: divides every node's wait at implicit barriers among the causes, into book->inclusive. False: no
 *  memory. */
bool hd_losses_divide_barriers(struct hd_loss_book *book);

#endif
