/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/samples.h"

#include <stdlib.h>

static int order(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

static int by_key(const void *a, const void *b) {
  const struct hd_model_sample *left = a, *right = b;
  int result = order(left->node, right->node);
  if (result == 0)
    result = order(left->state, right->state);
  if (result == 0)
    result = order(left->module, right->module);
  return result ? result : order(left->offset, right->offset);
}

uint32_t hd_samples_join(struct hd_model_sample *samples, uint32_t count) {
  uint32_t joined = 0;
  if (count > 0)
    qsort(samples, count, sizeof *samples, by_key);
  for (uint32_t i = 0; i < count; i++) {
    struct hd_model_sample *last = joined > 0 ? &samples[joined - 1] : NULL;
    if (last && by_key(last, &samples[i]) == 0) {
      last->count += samples[i].count;
      last->taken += samples[i].taken;
    } else {
      samples[joined++] = samples[i];
    }
  }
  return joined;
}
