/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>

#include "cli/tune/tune_internal.h"

static double difference(const double medians[], void *context) {
  (void)context;
  return medians[0] - medians[1];
}

struct hd_tune_verdict hd_tune_judge(const struct hd_sample *base, const struct hd_sample *other) {
  struct hd_tune_verdict verdict = {NAN, NAN, HD_INTERVAL_UNKNOWN, false};
  if (base->count == 0 || other->count == 0)
    return verdict;
  verdict.base_s = base->values[hd_median_index(base->values, base->count)];
  verdict.other_s = other->values[hd_median_index(other->values, other->count)];
  verdict.saved = hd_bootstrap((struct hd_sample[]){*base, *other}, 2, difference, NULL);
  verdict.faster = verdict.saved.low > 0 && verdict.base_s - verdict.other_s >= HD_TUNE_LEAST * verdict.base_s;
  return verdict;
}

bool hd_tune_is_out(const struct hd_sample *best, const struct hd_sample *other) {
  const struct hd_tune_verdict verdict = hd_tune_judge(other, best);
  return verdict.saved.low > HD_TUNE_LEAST * verdict.base_s;
}
