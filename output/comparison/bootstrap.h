/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file bootstrap.h
 * How far repeats of a measurement can be trusted: their medians, and bootstrap intervals (Efron 1979) of numbers that
 * are computed from medians.
 *
 * Everything is reproducible: the pseudo-random numbers always begin at the same seed. Any thread may call.
 *
 * What the intervals are worth: with few repeats they are too narrow, as all percentile intervals of medians are. Of a
 * median they can be no wider than the repeats themselves, which with 3 repeats hold the truth in 75 % of all cases,
 * with 5 in 94 %. Of a difference or a quotient of two medians they do better: 3 repeats each of the same thing are
 * found to differ in 10 % of all cases, 5 in 2 or 3 % (tests/unit/comparison/test_resample.c).
 */
#ifndef HEDDLE_OUTPUT_COMPARISON_BOOTSTRAP_H
#define HEDDLE_OUTPUT_COMPARISON_BOOTSTRAP_H

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

/** The variance of the median, over all ways to draw the sample anew (Maritz and Jarrett 1978; exact, without random
 *  numbers). NaN: fewer than HD_REPEATS_LEAST values, or one that is no number. */
double hd_median_variance(const struct hd_sample *sample);

/** What is computed from the median of each sample; there are at most two. */
typedef double hd_statistic(const double medians[], void *context);

/**
 * The interval of `statistic` when every sample is drawn anew, with replacement, some thousand times (percentiles).
 * Unknown when a sample has fewer than HD_REPEATS_LEAST values or one that is no number, or when the statistic was no
 * number once. Takes some 100 microseconds.
 */
struct hd_interval hd_bootstrap(const struct hd_sample *samples, size_t count, hd_statistic *statistic, void *context);

#endif
