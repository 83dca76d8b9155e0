/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/resample.h"

#include <math.h>

size_t hd_median_index(const double *values, size_t count) {
  (void)values;
  return count / 2;
}
struct hd_interval hd_bootstrap(const struct hd_sample *samples, size_t count, hd_statistic *statistic, void *context) {
  (void)samples, (void)count, (void)statistic, (void)context;
  return HD_INTERVAL_UNKNOWN;
}
