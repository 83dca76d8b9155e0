/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file batch.h
 * All that the logs hold up to a time, taken window by window (window.h) and committed (commit.h): for the library's
 * sweep, and for the reader, which takes what the last sweep left.
 */
#ifndef HEDDLE_SWEEP_BATCH_H
#define HEDDLE_SWEEP_BATCH_H

#include "sweep/commit.h"

/** Takes all transitions up to the time `until` that are in the rings (NULL: none), in steps (journal.h): a kill loses
 *  no transition and doubles none. */
void hd_batch_take_all(struct hd_tallies *tallies, struct hd_window *window, struct hd_ring_record *const *rings,
                       uint32_t ring_count, uint64_t until);

#endif
