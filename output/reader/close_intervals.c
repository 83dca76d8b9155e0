/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file close_intervals.c
 * Ends what was open when the profile ended: the interval since every thread's last event, and the region instances
 * that were still running. A program killed inside its one big region has that region's numbers nevertheless.
 */
#include "output/reader/reader_internal.h"

#include <math.h>

#include "output/model/accumulate.h"
#include "output/model/format_names.h"
#include "support/command/memory.h"

static uint64_t later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static uint64_t since(uint64_t end, uint64_t begin) {
  return end > begin ? end - begin : 0;
}

/* Not before any thread's last event: the processors' clocks may differ by a few ticks. */
static bool find_end(struct hd_reader *reader) {
  struct hd_model *model = reader->model;
  const struct hd_file_header *header = &model->header;
  if (header->end_ticks != 0 && header->end_ticks < header->loaded_ticks)
    return hd_reader_fail(reader, "damaged: it ends before it begins");
  model->ended = header->end_ticks != 0;
  model->end_ticks = model->ended ? header->end_ticks : header->loaded_ticks;
  for (struct hd_records at = hd_records_of(reader->source, HD_BLOCK_THREADS); hd_records_next(&at);) {
    const struct hd_thread_record *record = at.record;
    model->end_ticks = later(model->end_ticks, later(record->last_ticks, record->end_ticks));
  }
  return true;
}

/* From the program's start, known in nanoseconds, to the tool's, known in ticks. */
static void find_time_before(struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  const double ns_per_tick = model->seconds_per_tick * 1e9;
  if (header->begin_ns != 0) {
    const double ns = (double)(int64_t)(header->clock_first.ns - header->begin_ns) +
                      (double)(int64_t)(header->loaded_ticks - header->clock_first.ticks) * ns_per_tick;
    const double ticks = ns / ns_per_tick;
    model->before_ticks = ticks > 0 && ticks < 0x1p62 ? (uint64_t)llround(ticks) : 0;
  }
  model->uncounted_ticks = header->flags & HD_FILE_MERGED ? header->before_ticks : model->before_ticks;
  model->elapsed_ticks = model->before_ticks + since(model->end_ticks, header->loaded_ticks);
  if (model->thread_count > 0)
    model->threads[0].before_ticks = model->before_ticks;
}

/* The row of the cell at a file offset, with nothing in it yet: what is added to it is joined later. */
static struct hd_row *row_at(struct hd_reader *reader, uint32_t thread, uint64_t cell_offset, enum hd_state *state) {
  const struct hd_row_record *record = hd_reader_find_cell(reader, cell_offset, state);
  if (!record || record->thread != thread) {
    hd_reader_fail(reader, "damaged: the open interval of thread %u belongs to none of its rows", thread);
    return NULL;
  }
  struct hd_row *row = hd_row_source_add(reader->source);
  row->node = record->profile;
  row->thread = thread;
  return row;
}

/* Adds the time from `begin` to `end` to the cell at a file offset. */
static bool charge(struct hd_reader *reader, uint32_t thread, uint64_t cell_offset, uint64_t begin, uint64_t end) {
  enum hd_state state = HD_BUSY;
  if (end <= begin)
    return true;
  struct hd_row *row = row_at(reader, thread, cell_offset, &state);
  if (!row)
    return false;
  row->ticks[state] = end - begin;
  if (state == HD_BUSY)
    reader->busy_now_ticks[thread] += end - begin;
  return true;
}

/* A worker that waits for its region's end waits until the primary's join, and is idle from then on. One that is busy
 * there (a routine of a task that was not observed was left without a word, say) is so until it is heard of again: its
 * transitions, which sweeps have counted, say the same. */
static bool charge_joining(struct hd_reader *reader, const struct hd_thread_record *record, uint64_t end) {
  const struct hd_instance_record *instance = hd_reader_find_instance(reader, record->joining);
  enum hd_state state = HD_IDLE;
  if (!instance)
    return hd_reader_fail(reader, "damaged: thread %u waits for no region", record->id);
  uint64_t join = instance->join_ticks != 0 ? instance->join_ticks : end;
  hd_reader_find_cell(reader, record->open_cell, &state);
  join = state == HD_BUSY || join > end ? end : join < record->last_ticks ? record->last_ticks : join;
  const uint64_t idle_cell = record->idle_cell != 0 ? record->idle_cell : record->open_cell;
  return charge(reader, record->id, record->open_cell, record->last_ticks, join) &&
         charge(reader, record->id, idle_cell, join, end);
}

static int64_t difference(int64_t a, int64_t b) {
  return hd_add_signed(a, (int64_t)(0 - (uint64_t)b));
}

/* What was not in rows yet at the thread's last event belongs where the time since then does. But a thread that waits
 * for its team is late for nothing then; and what it was late by on arriving is taken out of its wait, if the team's
 * delay was added: at the primary's join. An open barrier inside a region has neither. */
static int64_t open_intrusion(const struct hd_reader *reader, const struct hd_thread_record *record,
                              enum hd_state state) {
  const struct hd_instance_record *instance =
      record->joining != 0 ? hd_reader_find_instance(reader, record->joining) : NULL;
  if (instance && instance->join_ticks != 0)
    return difference(record->intrusion_base, record->intrusion_charged);
  if (instance || state == HD_WAIT_BARRIER_IMPLICIT || state == HD_WAIT_BARRIER_EXPLICIT)
    return 0;
  return difference(record->intrusion, record->intrusion_charged);
}

static bool charge_intrusion(struct hd_reader *reader, const struct hd_thread_record *record) {
  enum hd_state state = HD_BUSY;
  if (!hd_reader_find_cell(reader, record->open_cell, &state))
    return true;
  const int64_t left = open_intrusion(reader, record, state);
  if (left == 0)
    return true;
  struct hd_row *row = row_at(reader, record->id, record->open_cell, &state);
  if (row)
    row->intrusion.ticks[hd_intrusion_class_of(state)] = left;
  return row != NULL;
}

static bool close_thread(struct hd_reader *reader, const void *bytes, uint32_t index) {
  const struct hd_thread_record *record = bytes;
  struct hd_model_thread *thread = &reader->model->threads[index];
  reader->busy_now_ticks[index] += record->busy_ticks;
  const uint64_t known_end = record->end_ticks != 0 ? record->end_ticks : reader->model->end_ticks;
  /* A thread may still send an event after its own end; and none at all, before its first. */
  thread->end_ticks = record->open_cell != 0 ? later(known_end, record->last_ticks) : record->last_ticks;
  thread->lifetime_ticks = thread->before_ticks + (thread->end_ticks - thread->begin_ticks) - thread->apart_ticks;
  if (!charge_intrusion(reader, record))
    return false;
  if (record->joining != 0)
    return charge_joining(reader, record, thread->end_ticks);
  return charge(reader, index, record->open_cell, record->last_ticks, thread->end_ticks);
}

/* Of thread 0 in the program. */
static void add_time_before(struct hd_model *model) {
  if (model->thread_count > 0 && model->before_ticks > 0)
    hd_row_source_add(model->source)->ticks[HD_BUSY] = model->before_ticks;
}

/* There is room for one from every instance. */
static void keep_part(struct hd_model *model, uint32_t node, uint32_t thread, const struct hd_team_totals *part) {
  model->team_parts[model->team_part_count++] = (struct hd_team_part){node, thread, *part};
}

/* What one instance, or the sum of some of one team size, adds to its node. */
static void add_team(struct hd_reader *reader, uint32_t node_id, uint32_t primary, const struct hd_team_totals *part) {
  struct hd_model *model = reader->model;
  const bool outermost = hd_kind_is_region(model->nodes[node_id].kind) && !reader->in_region[node_id];
  struct hd_team_totals own = *part;
  own.team_max = part->team_min;
  own.mean_ticks = (double)part->elapsed_ticks; /* killed before the size of its team was known */
  if (part->team_min > 0) {
    own.gain_ticks = ((double)part->capacity_ticks - (double)part->busy_ticks) / part->team_min;
    own.mean_ticks = (double)part->capacity_ticks / part->team_min;
  }
  hd_accumulate_team(&model->nodes[node_id].team, &own);
  if (outermost && primary == 0)
    model->inside_ticks += part->elapsed_ticks;
}

static bool take_total(struct hd_reader *reader, const void *bytes, uint32_t index) {
  const struct hd_total_record *record = bytes;
  const bool merged = reader->model->header.flags & HD_FILE_MERGED;
  if (record->profile >= reader->model->node_count || record->thread >= reader->model->thread_count ||
      (record->team_size == 0 && !merged))
    return hd_reader_fail(reader, "damaged: total %u is not valid", index);
  if (hd_total_is_empty(record, merged))
    return true;
  const struct hd_team_totals part = hd_team_totals_of(record, merged);
  add_team(reader, record->profile, record->thread, &part);
  return true;
}

/* Busy and idle time of a running instance's threads up to now. */
static bool sum_members(struct hd_reader *reader, const struct hd_instance_record *instance,
                        struct hd_team_totals *part) {
  const struct hd_member_record *members = (const void *)(instance + 1);
  const uint64_t end = reader->model->end_ticks;
  uint64_t most = 0;
  for (uint32_t i = 0; i < instance->team_size && i < instance->member_limit; i++) { /* more may come than was asked */
    const struct hd_member_record *member = &members[i];
    if (member->thread == HD_NONE || member->begin_ticks < instance->begin_ticks) { /* it has not come yet */
      part->idle_ticks += part->elapsed_ticks;
      continue;
    }
    if (member->thread >= reader->model->thread_count)
      return hd_reader_fail(reader, "damaged: a team has a thread that does not exist");
    const uint64_t busy = since(reader->busy_now_ticks[member->thread], member->busy_at_begin);
    part->busy_ticks += busy;
    most = later(most, busy);
    if (i > 0)
      part->idle_ticks += since(member->begin_ticks, instance->begin_ticks) +
                          (instance->join_ticks != 0 ? since(end, instance->join_ticks) : 0);
  }
  part->busy_max_ticks = most * instance->team_size;
  return true;
}

/* Outer instances enclose inner ones of the same node: such a one counts, but its time is already there. */
static bool close_instance(struct hd_reader *reader, const void *bytes, uint32_t index) {
  const struct hd_instance_record *instance =
      hd_reader_find_instance(reader, (uint64_t)((const char *)bytes - reader->bytes));
  if (!instance)
    return hd_reader_fail(reader, "damaged: instance %u is larger than its block", index);
  if (instance->begin_ticks == 0 || instance->end_ticks != 0)
    return true;
  if (instance->profile >= reader->model->node_count || instance->primary >= reader->model->thread_count)
    return hd_reader_fail(reader, "damaged: instance %u is not valid", index);
  struct hd_node *node = &reader->model->nodes[instance->profile];
  const uint64_t counted = !instance->unasked;
  if (instance->uncounted) {
    keep_part(reader->model, instance->profile, instance->primary,
              &(struct hd_team_totals){.instances = counted, .open_instances = counted});
    node->team.instances += counted;
    node->team.open_instances += counted;
    return true;
  }
  struct hd_team_totals part = {.instances = counted, .open_instances = counted, .team_min = instance->team_size};
  part.elapsed_ticks = since(reader->model->end_ticks, instance->begin_ticks);
  part.capacity_ticks = part.elapsed_ticks * instance->team_size;
  if (!sum_members(reader, instance, &part))
    return false;
  keep_part(reader->model, instance->profile, instance->primary, &part);
  add_team(reader, instance->profile, instance->primary, &part);
  return true;
}

bool hd_reader_close_all(struct hd_reader *reader) {
  struct hd_model *model = reader->model;
  model->team_parts = hd_new(reader->record_count[HD_BLOCK_INSTANCES], sizeof *model->team_parts);
  if (!find_end(reader))
    return false;
  find_time_before(model);
  if (!hd_reader_each(reader, HD_BLOCK_THREADS, close_thread))
    return false;
  add_time_before(model);
  return hd_reader_each(reader, HD_BLOCK_TOTALS, take_total) &&
         hd_reader_each(reader, HD_BLOCK_INSTANCES, close_instance);
}
