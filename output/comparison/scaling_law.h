/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file scaling_law.h
 * Laws of scaling, fitted to measured times at several thread counts, and what they predict.
 *
 *     Amdahl (1967):                     T(p) = T(1) * (s + (1 - s) / p)
 *     universal scalability (Gunther):   T(p) = T(1) * (1 + s * (p - 1) + k * p * (p - 1)) / p
 *
 * s is the serial (contended) part, 0 to 1, k what each thread costs each other one (coherence), never negative.
 * Fitted by least squares of relative errors (scaling_fit.h). How intervals are made, when the data cannot
 * tell, and how often the intervals hold the truth: docs/compare.md, "Laws and predictions". Any thread may call.
 */
#ifndef HEDDLE_OUTPUT_COMPARISON_SCALING_LAW_H
#define HEDDLE_OUTPUT_COMPARISON_SCALING_LAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/comparison/bootstrap.h"

enum hd_law { HD_LAW_AMDAHL, HD_LAW_USL, HD_LAW_COUNT };

/** Fewer thread counts are not fitted. */
enum { HD_LAW_POINTS_LEAST = 4 };

/** Measured: repeats of one time, in seconds, with `threads` threads. Points without any are left out. */
struct hd_scaling_point {
  uint32_t threads;
  struct hd_sample seconds;
};

struct hd_law_fit {
  double time_one;                                                           /* T(1), seconds */
  double serial;                                                             /* s */
  double coherence;                                                          /* k; Amdahl: 0 */
  struct hd_interval time_one_interval, serial_interval, coherence_interval; /* the highest k may be infinite */
  double residual; /* root of the mean square of (measured - fitted) / measured */
  double peak;     /* the number of threads with the shortest time; infinite: always more, or k may be 0 */
};

struct hd_scaling {
  bool fitted;     /* false: `why` says why not */
  const char *why; /* static */
  struct hd_law_fit laws[HD_LAW_COUNT];
  double *residuals; /* [law][point]: (measured - fitted) / measured; as many points as were given, in their order; NaN:
                        without a time */
  bool amdahl_refuted; /* far beyond noise: the data need k, and what Amdahl's law predicts does not count */
  const struct hd_scaling_point *points; /* the caller's */
  size_t point_count;
  struct hd_law_data *data; /* scaling_law.c's own */
};

/** What a law predicts for a number of threads. */
struct hd_prediction {
  double seconds[HD_LAW_COUNT];
  struct hd_interval
      interval[HD_LAW_COUNT]; /* from the noise of the repeats and from what the law leaves unexplained */
  bool told;                  /* false: the data cannot tell, because... */
  const char *why;            /* static; NULL when told */
};

/** Fits the medians of at least HD_LAW_POINTS_LEAST different thread counts. The points must outlive the result, which
 *  is to be freed with hd_scaling_free(). */
void hd_scaling_fit(const struct hd_scaling_point *points, size_t count, struct hd_scaling *scaling);
void hd_scaling_free(struct hd_scaling *scaling);

/** Only when fitted. */
void hd_scaling_predict(const struct hd_scaling *scaling, uint32_t threads, struct hd_prediction *prediction);

#endif
