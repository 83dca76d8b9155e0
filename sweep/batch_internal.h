/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file batch_internal.h
 * What the parts of a batch share: batch_plan.c cuts it into windows, batch.c lets threads take them. For no other
 * file.
 */
#ifndef HEDDLE_SWEEP_BATCH_INTERNAL_H
#define HEDDLE_SWEEP_BATCH_INTERNAL_H

#include "sweep/batch.h"

/** How a window begins in a ring. */
struct hd_batch_begin {
  uint32_t busy;
  uint16_t place;
  uint16_t last;
};

/** Finds where the windows begin in a group of rings. */
void hd_batch_find(struct hd_batch *batch, uint32_t group);

#endif
