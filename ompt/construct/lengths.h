/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file lengths.h
 * Adds to how long things took (heddle-lengths.h). Whoever owns the record calls it. Some ten instructions.
 */
#ifndef HEDDLE_OMPT_CONSTRUCT_LENGTHS_H
#define HEDDLE_OMPT_CONSTRUCT_LENGTHS_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle-lengths.h"
#include "support/inside.h"

/** Of the clock. Constant once it is set. */
struct hd_lengths_scale {
  uint64_t ns_per_tick; /* in parts of 2^-32 */
  uint64_t most_ticks;  /* as long as the last bucket's shortest */
  uint32_t unit_shift;  /* 2^unit_shift ticks are at least HD_LENGTHS_UNIT_NS, or one */
};
extern HD_INSIDE struct hd_lengths_scale hd_lengths_scale;

enum { HD_LENGTHS_UNIT_NS = 32 };

/** At start. `ticks_per_ms`: of the clock, larger than 0. `is_exact`: a test's, whose units are its ticks. */
void hd_lengths_init(uint64_t ticks_per_ms, bool is_exact);

/** The bucket of so many ticks. */
static inline uint32_t hd_lengths_bucket(uint64_t ticks) {
  const uint64_t most = hd_lengths_scale.most_ticks;
  const uint64_t ns = (ticks < most ? ticks : most) * hd_lengths_scale.ns_per_tick >> 32;
  return 63u - (uint32_t)__builtin_clzll(ns | 1);
}

static inline void hd_lengths_add(struct hd_lengths *to, uint64_t ticks) {
  to->ticks += ticks;
  to->longest_ticks = ticks > to->longest_ticks ? ticks : to->longest_ticks;
  to->counts[hd_lengths_bucket(ticks)]++;
}

#endif
