/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file overhead.c
 * What Heddle's own work cost in the program, and which events were switched off because of it.
 */
#include "output/reader/reader_internal.h"

#include <string.h>

#include "output/model/memory.h"

static uint64_t add_bounded(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* The ordinary events of a running program may not be charged yet. */
static uint64_t ticks_of(const struct hd_event_cost *cost) {
  const uint64_t left = cost->count > cost->charged ? cost->count - cost->charged : 0;
  uint64_t ticks = 0;
  if (__builtin_mul_overflow(left, (uint64_t)cost->ticks, &ticks))
    return UINT64_MAX;
  return add_bounded(cost->total_ticks, ticks);
}

static bool take_costs(struct hd_reader *reader, const void *bytes, uint32_t index) {
  struct hd_model *model = reader->model;
  struct hd_costs_record *record = &model->costs[index];
  memcpy(record, bytes, sizeof *record);
  if (record->thread >= model->thread_count)
    return hd_reader_fail(reader, "damaged: costs %u are no thread's", index);
  for (uint32_t kind = 0; kind < HD_EVENT_KINDS; kind++) {
    const uint64_t ticks = ticks_of(&record->kinds[kind]);
    struct hd_cost *sum = &model->cost_of[kind];
    struct hd_model_thread *thread = &model->threads[record->thread];
    sum->count = add_bounded(sum->count, record->kinds[kind].count);
    sum->ticks = add_bounded(sum->ticks, ticks);
    thread->cost_ticks = add_bounded(thread->cost_ticks, ticks);
    model->cost_ticks = add_bounded(model->cost_ticks, ticks);
  }
  return true;
}

/* What is still off is off up to the end. Of a program that was killed between two such regions that is too long: it is
 * never longer than the run. */
static uint64_t off_ticks_of(const struct hd_model *model, const struct hd_switch_record *record) {
  const bool merged = model->header.flags & HD_FILE_MERGED;
  const uint64_t on = record->on_ticks != 0 ? record->on_ticks : model->end_ticks;
  const uint64_t newest = on > record->off_ticks ? on - record->off_ticks : 0;
  if (merged || (record->on_ticks != 0 && record->total_ticks > 0))
    return record->total_ticks;
  const uint64_t ticks = record->total_ticks + newest;
  return ticks < model->elapsed_ticks ? ticks : model->elapsed_ticks;
}

static bool take_switch(struct hd_reader *reader, const void *bytes, uint32_t index) {
  const struct hd_switch_record *record = bytes;
  struct hd_model *model = reader->model;
  const bool in_part = record->profile == HD_SOME_REGIONS, asked = in_part || record->profile == HD_NONE;
  if (record->event_class >= HD_CLASS_COUNT || record->thread >= model->thread_count ||
      (record->profile >= model->node_count && !asked))
    return hd_reader_fail(reader, "damaged: switch %u is not valid", index);
  model->switches[index] = (struct hd_switch){.event_class = record->event_class,
                                              .thread = record->thread,
                                              .node = asked ? 0 : record->profile,
                                              .asked = asked,
                                              .in_part = in_part,
                                              .times = record->times > 0 ? record->times : 1,
                                              .ticks = off_ticks_of(model, record),
                                              .off_ticks = record->off_ticks,
                                              .on_ticks = record->on_ticks,
                                              .cost_ppm = record->cost_ppm};
  model->off_classes |= 1u << record->event_class;
  return true;
}

bool hd_reader_take_overhead(struct hd_reader *reader) {
  struct hd_model *model = reader->model;
  model->cost_count = (uint32_t)reader->record_count[HD_BLOCK_COSTS];
  model->off_classes = model->header.lost_switches > 0 ? ~0u : 0; /* of which class those were is not known */
  model->switch_count = (uint32_t)reader->record_count[HD_BLOCK_SWITCHES];
  model->costs = hd_model_allocate(model, model->cost_count * sizeof *model->costs);
  model->switches = hd_model_allocate(model, model->switch_count * sizeof *model->switches);
  return hd_reader_each(reader, HD_BLOCK_COSTS, take_costs) && hd_reader_each(reader, HD_BLOCK_SWITCHES, take_switch);
}
