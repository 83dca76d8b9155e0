/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/command/sanitize.h"

static int order(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

int hd_samples_compare(const struct hd_model_sample *a, const struct hd_model_sample *b) {
  int result = order(a->node, b->node);
  if (result == 0)
    result = order(a->state, b->state);
  if (result == 0)
    result = order(a->module, b->module);
  return result ? result : order(a->offset, b->offset);
}

static int by_key(const void *a, const void *b) {
  return hd_samples_compare(a, b);
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

const struct hd_model_sample *hd_samples_find(const struct hd_model *model, const struct hd_model_sample *key) {
  return model->sample_count > 0 ? bsearch(key, model->samples, model->sample_count, sizeof *key, by_key) : NULL;
}

void hd_sample_text(char text[HD_PLACE_BYTES], const struct hd_model_sample *sample, const struct hd_model_sample *line,
                    const char *otherwise) {
  char function[HD_FUNCTION_BYTES] = "", outer[HD_FUNCTION_BYTES] = "", at[HD_PLACE_BYTES] = "";
  if (sample->name.function)
    hd_function_text(function, sample->name.function);
  if (sample->inlined_into)
    hd_function_text(outer, sample->inlined_into);
  if (line->name.line > 0)
    snprintf(at, sizeof at, " %.200s:%" PRIu32, hd_base_name(line->name.file), line->name.line);
  snprintf(text, HD_PLACE_BYTES, "%.120s%.220s%s%s%s", *function ? function : otherwise, at,
           *outer ? " (inlined into " : "", outer, *outer ? ")" : "");
  hd_sanitize(text);
}
