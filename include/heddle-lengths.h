/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle-lengths.h
 * How long many things of a kind took: chunks of loops, tasks, delays of tasks. Part of heddle-format.h.
 */
#ifndef HEDDLE_LENGTHS_H
#define HEDDLE_LENGTHS_H

#include <stdint.h>

/** [i]: from 2^i ns on; the first also what is shorter, the last also what is longer (2.1 s). */
#define HD_LENGTH_BUCKETS 32u

struct hd_lengths {
  uint64_t ticks; /* all of them together */
  uint64_t longest_ticks;
  uint64_t counts[HD_LENGTH_BUCKETS]; /* how many took so long */
};

#endif
