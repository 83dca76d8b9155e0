/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file samples.c
 * Samples into the model: those of one key are joined, unused records left out. And what they lack.
 */
#include <stdlib.h>

#include "output/model/format_names.h"
#include "output/model/memory.h"
#include "output/model/samples.h"
#include "output/reader/reader_internal.h"

/* No run has so many; so no sum of a file's is too large for 64 bits. */
#define COUNT_MOST (UINT64_C(1) << 40)

static bool is_valid(const struct hd_model *model, const struct hd_sample_record *record) {
  const uint32_t module = hd_sample_module(record);
  return hd_sample_profile(record) < model->node_count && hd_sample_state(record) < HD_STATE_COUNT &&
         (module == HD_NONE || module < model->module_count) && record->taken <= record->count &&
         record->count <= COUNT_MOST;
}

static bool take_sample(struct hd_reader *reader, const void *bytes, uint32_t index) {
  const struct hd_sample_record *record = bytes;
  struct hd_model *model = reader->model;
  if (record->place == 0 || record->count == 0)
    return true;
  if (!is_valid(model, record))
    return hd_reader_fail(reader, "damaged: sample %u is not valid", index);
  const uint32_t module = hd_sample_module(record);
  model->samples[model->sample_count++] = (struct hd_model_sample){
      .node = hd_sample_profile(record),
      .state = hd_sample_state(record),
      .module = module,
      .address = record->address,
      .offset = record->address - (module == HD_NONE ? 0 : model->modules[module].base),
      .count = record->count,
      .taken = record->taken,
  };
  return true;
}

bool hd_reader_take_samples(struct hd_reader *reader) {
  struct hd_model *model = reader->model;
  const size_t most = (size_t)reader->record_count[HD_BLOCK_SAMPLES];
  model->samples = hd_model_allocate(model, (most + 1) * sizeof *model->samples);
  if (!hd_reader_each(reader, HD_BLOCK_SAMPLES, take_sample))
    return false;
  model->sample_count = hd_samples_join(model->samples, model->sample_count);
  return true;
}

/* ---- notes ---- */

void hd_reader_note_samples(struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  const unsigned long long threads = header->unsampled_threads;
  const unsigned long long lost = header->lost_samples;
  const unsigned long long unplaced = header->unplaced_samples;
  if (threads > 0)
    hd_model_add_note(model,
                      "%llu thread%s not sampled: the program has a filter of system calls, or the kernel lets a user "
                      "map no more memory for samples (/proc/sys/kernel/perf_event_mlock_kb, ulimit -l)",
                      threads, threads == 1 ? " was" : "s were");
  if (lost > 0)
    hd_model_add_note(model,
                      "%llu sample%s lost: a thread sent no event for so long that its ring was full; --samples with "
                      "a lower rate makes the ring last longer",
                      lost, lost == 1 ? " was" : "s were");
  if (unplaced > 0)
    hd_model_add_note(model, "%llu sample%s not kept: no room for their addresses was left in the profile", unplaced,
                      unplaced == 1 ? " was" : "s were");
}
