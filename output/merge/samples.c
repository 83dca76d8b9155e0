/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file samples.c
 * The samples of a sum, if those of all runs stand for the same time: else what they stand for would not be known.
 */
#include <stdlib.h>

#include "output/merge/merge_internal.h"
#include "output/model/samples.h"

static bool have_same_period(const struct hd_merge *merge) {
  for (size_t i = 1; i < merge->count; i++)
    if (merge->models[i]->header.sample_period_ns != merge->models[0]->header.sample_period_ns)
      return false;
  return true;
}

/* By the sum's modules, which lie where those of the first run lay. */
static struct hd_model_sample united_sample(const struct hd_merge *merge, size_t run,
                                            const struct hd_model_sample *from) {
  struct hd_model_sample sample = *from;
  sample.node = merge->united->node_of[run][from->node];
  if (from->module != HD_NONE) {
    sample.module = merge->united->module_of[run][from->module];
    sample.address = merge->united->modules[sample.module].module->base + from->offset;
  }
  return sample;
}

static void write_samples(struct hd_merge *merge, const struct hd_model_sample *samples, uint32_t count) {
  hd_writer_begin_block(merge->writer, HD_BLOCK_SAMPLES);
  for (uint32_t i = 0; i < count; i++) {
    const struct hd_model_sample *sample = &samples[i];
    const struct hd_sample_record record = {.address = sample->address,
                                            .place = hd_sample_place(sample->node, sample->state, sample->module),
                                            .count = sample->count,
                                            .taken = sample->taken};
    hd_writer_add(merge->writer, &record, sizeof record);
  }
}

void hd_merge_write_samples(struct hd_merge *merge) {
  uint32_t count = 0;
  size_t most = 1;
  if (!have_same_period(merge))
    return;
  for (size_t i = 0; i < merge->count; i++)
    most += merge->models[i]->sample_count;
  struct hd_model_sample *samples = hd_new(most, sizeof *samples);
  for (size_t i = 0; i < merge->count; i++)
    for (uint32_t j = 0; j < merge->models[i]->sample_count; j++)
      samples[count++] = united_sample(merge, i, &merge->models[i]->samples[j]);
  write_samples(merge, samples, hd_samples_join(samples, count));
  free(samples);
}

void hd_merge_join_sample_periods(struct hd_merge *merge) {
  if (have_same_period(merge))
    return;
  merge->header.sample_period_ns = 0;
  merge->header.lost_samples = merge->header.unplaced_samples = merge->header.unsampled_threads = 0;
}
