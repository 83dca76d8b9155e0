/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file close_intervals.c
 * Ends the interval since every thread's last event, which was open when the profile ended.
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
  model->end_ticks = model->ended ? header->end_ticks : later(header->loaded_ticks, reader->now_ticks);
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
  if (header->begin_ns != 0 && !(header->flags & HD_FILE_DORMANT)) {
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

bool hd_reader_find_end(struct hd_reader *reader) {
  if (!find_end(reader))
    return false;
  find_time_before(reader->model);
  return true;
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

/* Of an open interval that ends then. */
static uint64_t unresolved_until(const struct hd_thread_record *record, enum hd_state state, uint64_t end) {
  const uint64_t begin = later(record->unresolved_ticks, record->last_ticks);
  const bool is_idle = state == HD_IDLE && record->unresolved_as == HD_UNRESOLVED_REGIONS;
  const bool is_wait = state != HD_IDLE && record->unresolved_as == HD_UNRESOLVED_WAIT;
  return record->unresolved_ticks != 0 && (state == HD_BUSY || is_wait || is_idle) ? since(end, begin) : 0;
}

static struct hd_unresolved unresolved_as(const struct hd_thread_record *record, enum hd_state state, uint64_t ticks) {
  if (state == HD_IDLE)
    return (struct hd_unresolved){.idle = ticks};
  const bool of_regions = state == HD_BUSY && record->unresolved_as == HD_UNRESOLVED_REGIONS;
  return (struct hd_unresolved){
      .ticks = ticks, .waiting = state == HD_BUSY ? 0 : ticks, .regions = of_regions ? ticks : 0};
}

/* What the thread has been doing since its last event. */
static struct hd_stay find_stay(const struct hd_reader *reader, const struct hd_thread_record *record) {
  struct hd_stay stay = {.since_ticks = record->last_ticks};
  const struct hd_row_record *row = hd_reader_find_cell(reader, record->open_cell, &stay.state);
  if (!row || record->end_ticks != 0)
    return stay;
  stay.known = true;
  stay.node = row->profile;
  stay.unresolved = unresolved_until(record, stay.state, UINT64_MAX) > 0;
  return stay;
}

/* Adds the time since the thread's last event to its open cell. */
static bool charge(struct hd_reader *reader, const struct hd_thread_record *record, uint64_t end) {
  const uint32_t thread = record->id;
  const uint64_t begin = record->last_ticks;
  enum hd_state state = HD_BUSY;
  if (end <= begin)
    return true;
  struct hd_row *row = row_at(reader, thread, record->open_cell, &state);
  if (!row)
    return false;
  row->ticks[state] = end - begin;
  row->unresolved = unresolved_as(record, state, unresolved_until(record, state, end));
  if (state == HD_BUSY)
    reader->busy_now_ticks[thread] += end - begin;
  return true;
}

/* A worker that waits for its region's end waits until the primary's join, and is idle from then on. One that is busy
 * there (a routine of a task that was not observed was left without a word, say) is so until it is heard of again: its
 * transitions, which sweeps have counted, say the same. */
static bool charge_wait(struct hd_reader *reader, const struct hd_thread_record *record,
                        const struct hd_team_record *team, uint64_t end) {
  enum hd_state state = HD_IDLE;
  uint64_t join = team->flags & HD_TEAM_JOINED ? team->join_ticks : end;
  hd_reader_find_cell(reader, record->open_cell, &state);
  join = state == HD_BUSY || join > end ? end : later(join, record->last_ticks);
  if (!charge(reader, record, join))
    return false;
  if (join >= end)
    return true;
  struct hd_row *row = hd_row_source_add(reader->source);
  row->thread = record->id;
  row->ticks[HD_IDLE] = end - join;
  struct hd_stay *stay = &reader->model->threads[record->id].stay;
  *stay = (struct hd_stay){.state = HD_IDLE, .since_ticks = join, .known = stay->known};
  return true;
}

static int64_t difference(int64_t a, int64_t b) {
  return hd_add_signed(a, (int64_t)(0 - (uint64_t)b));
}

/* What was not in rows yet at the thread's last event belongs where the time since then does. But a thread that waits
 * for its team is late for nothing then; and what it was late by on arriving is taken out of its wait, if the team's
 * delay was added: at the primary's join. An open barrier inside a region has neither. */
static int64_t open_intrusion(const struct hd_reader *reader, const struct hd_thread_record *record,
                              enum hd_state state) {
  const struct hd_team_record *team = hd_reader_awaited(reader, record->id);
  if (team && (team->flags & HD_TEAM_JOINED))
    return difference(record->intrusion_base, record->intrusion_charged);
  if (team || state == HD_WAIT_BARRIER_IMPLICIT || state == HD_WAIT_BARRIER_EXPLICIT)
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
  thread->stay = find_stay(reader, record);
  if (!charge_intrusion(reader, record))
    return false;
  const struct hd_team_record *team = hd_reader_awaited(reader, index);
  if (team)
    return charge_wait(reader, record, team, thread->end_ticks);
  return charge(reader, record, thread->end_ticks);
}

/* Of thread 0 in the program. */
static void add_time_before(struct hd_model *model) {
  if (model->thread_count > 0 && model->before_ticks > 0)
    hd_row_source_add(model->source)->ticks[HD_BUSY] = model->before_ticks;
}

bool hd_reader_close_threads(struct hd_reader *reader) {
  if (!hd_reader_each(reader, HD_BLOCK_THREADS, close_thread))
    return false;
  add_time_before(reader->model);
  return true;
}
