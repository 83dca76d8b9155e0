/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file resample.h
 * How far repeats of a measurement can be trusted: medians, and bootstrap intervals (Efron 1979) of what is computed
 * from them.
 *
 * Everything is reproducible: the pseudo-random numbers always begin at the same seed.
 */
#ifndef HEDDLE_OUTPUT_RESAMPLE_H
#define HEDDLE_OUTPUT_RESAMPLE_H

#include <stdbool.h>
#include <stddef.h>

/** 95 %; both NaN: not known. */
struct hd_interval {
  double low;
  double high;
};

#define HD_INTERVAL_UNKNOWN ((struct hd_interval){NAN, NAN})

/** Fewer repeats say nothing about the noise. */
enum { HD_REPEATS_LEAST = 3 };

struct hd_sample {
  const double *values; /* one for each repeat, in no order */
  size_t count;
};

/** Index of the median: the middle value; of an even number the lower of the middle two, so that it is always one of
 *  the runs. `count` at least 1. */
size_t hd_median_index(const double *values, size_t count);

/** What is computed from the medians of all samples. */
typedef double hd_statistic(const double *medians, size_t count, void *context);

/**
 * The interval of `statistic` when every sample is drawn anew, with replacement, some thousand times (percentiles).
 * Unknown when a sample has fewer than HD_REPEATS_LEAST values, or without memory.
 */
struct hd_interval hd_bootstrap(const struct hd_sample *samples, size_t count, hd_statistic *statistic, void *context);

#endif
