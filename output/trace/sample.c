/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/trace/sample.h"

#include <inttypes.h>
#include <stdio.h>

#include "output/model/samples.h"

struct hd_model_sample hd_trace_sample_of(const struct hd_model *model, const struct hd_trace_entry *entry) {
  const uint64_t base = entry->operand == HD_NONE ? 0 : model->modules[entry->operand].base;
  return (struct hd_model_sample){.node = entry->told.node,
                                  .state = entry->told.state,
                                  .module = entry->operand,
                                  .address = entry->a,
                                  .offset = entry->a - base,
                                  .count = entry->b,
                                  .taken = 1};
}

static void place_text(char text[HD_PLACE_BYTES], const struct hd_model *model, const struct hd_model_sample *sample) {
  if (sample->module == HD_NONE)
    snprintf(text, HD_PLACE_BYTES, "0x%" PRIx64, sample->address);
  else
    snprintf(text, HD_PLACE_BYTES, "%.90s+0x%" PRIx64, hd_base_name(model->modules[sample->module].path),
             sample->offset);
}

void hd_trace_sample_text(char text[HD_PLACE_BYTES], const struct hd_model *model, const struct hd_trace_entry *entry) {
  const struct hd_model_sample sample = hd_trace_sample_of(model, entry);
  const struct hd_model_sample *known = hd_samples_find(model, &sample);
  char place[HD_PLACE_BYTES];
  place_text(place, model, &sample);
  hd_sample_text(text, known ? known : &sample, known ? known : &sample, place);
}
