/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file lengths.h
 * How long many things of a kind took (heddle-lengths.h): sums of several threads, callpaths or runs.
 */
#ifndef HEDDLE_OUTPUT_MODEL_LENGTHS_H
#define HEDDLE_OUTPUT_MODEL_LENGTHS_H

#include "heddle-lengths.h"

/** How many there are. */
uint64_t hd_lengths_count(const struct hd_lengths *lengths);

/** to += from. */
void hd_lengths_join(struct hd_lengths *to, const struct hd_lengths *from);

/** With ticks that are `factor` times as long. The buckets were chosen by each run's own clock. */
void hd_lengths_stretch(struct hd_lengths *lengths, uint64_t factor);

#endif
