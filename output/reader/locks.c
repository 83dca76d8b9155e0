/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file locks.c
 * Who held what others waited for, into the model.
 */
#include "output/model/locks.h"
#include "output/model/memory.h"
#include "output/reader/reader_internal.h"

static bool take_lock(struct hd_reader *reader, const void *bytes, uint32_t index) {
  const struct hd_lock_record *record = bytes;
  struct hd_model *model = reader->model;
  if (record->profile >= model->node_count)
    return hd_reader_fail(reader, "damaged: locks of callpath %u (%u) are not valid", record->profile, index);
  model->locks[model->lock_count++] = (struct hd_model_lock){.node = record->profile,
                                                             .waits = record->waits,
                                                             .handover_ticks = record->handover_ticks,
                                                             .free_ticks = record->free_ticks,
                                                             .handovers = record->handovers,
                                                             .delay_ticks = record->delay_ticks,
                                                             .hold_ticks = record->hold_ticks,
                                                             .holds = record->holds,
                                                             .elsewhere = record->elsewhere};
  return true;
}

static bool take_pair(struct hd_reader *reader, const void *bytes, uint32_t index) {
  const struct hd_lock_pair_record *record = bytes;
  struct hd_model *model = reader->model;
  if (record->profile >= model->node_count || record->holder >= model->node_count)
    return hd_reader_fail(reader, "damaged: waits for holder %u (%u) are not valid", record->holder, index);
  model->lock_pairs[model->lock_pair_count++] = (struct hd_model_lock_pair){
      .node = record->profile, .holder = record->holder, .ticks = record->ticks, .count = record->count};
  return true;
}

bool hd_reader_take_locks(struct hd_reader *reader) {
  struct hd_model *model = reader->model;
  if (!(model->header.lock_flags & HD_LOCKS_KNOWN))
    return true;
  model->locks = hd_model_allocate(model, ((size_t)reader->record_count[HD_BLOCK_LOCKS] + 1) * sizeof *model->locks);
  model->lock_pairs =
      hd_model_allocate(model, ((size_t)reader->record_count[HD_BLOCK_LOCK_PAIRS] + 1) * sizeof *model->lock_pairs);
  if (!hd_reader_each(reader, HD_BLOCK_LOCKS, take_lock) || !hd_reader_each(reader, HD_BLOCK_LOCK_PAIRS, take_pair))
    return false;
  model->lock_count = hd_locks_join(model->locks, model->lock_count);
  model->lock_pair_count = hd_lock_pairs_join(model->lock_pairs, model->lock_pair_count);
  model->locks_known = true;
  return true;
}
