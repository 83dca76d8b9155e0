/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file loops.c
 * The chunks of loops into the model: those of all threads added up.
 */
#include <string.h>

#include "output/model/loops.h"
#include "output/model/memory.h"
#include "output/reader/reader_internal.h"

static bool is_valid(const struct hd_model *model, const struct hd_chunks_record *record) {
  const uint32_t flags = HD_CHUNKS_BOUNDS | HD_CHUNKS_VARY | HD_CHUNKS_RUNTIME;
  return record->profile < model->node_count && !(record->flags & ~flags);
}

static bool take_loop(struct hd_reader *reader, const void *bytes, uint32_t index) {
  const struct hd_chunks_record *record = bytes;
  struct hd_model *model = reader->model;
  if (!is_valid(model, record))
    return hd_reader_fail(reader, "damaged: chunks %u are not valid", index);
  struct hd_model_loop *loop = &model->loops[model->loop_count++];
  *loop = (struct hd_model_loop){.node = record->profile,
                                 .flags = record->flags,
                                 .first = record->first,
                                 .step = record->step,
                                 .count = record->count,
                                 .lengths = record->lengths};
  memcpy(loop->ticks, record->ticks, sizeof loop->ticks);
  memcpy(loop->iterations, record->iterations, sizeof loop->iterations);
  return true;
}

bool hd_reader_take_loops(struct hd_reader *reader) {
  struct hd_model *model = reader->model;
  const size_t most = (size_t)reader->record_count[HD_BLOCK_CHUNKS];
  model->loops = hd_model_allocate(model, (most + 1) * sizeof *model->loops);
  if (!hd_reader_each(reader, HD_BLOCK_CHUNKS, take_loop))
    return false;
  model->loop_count = hd_loops_join(model->loops, model->loop_count);
  return true;
}
