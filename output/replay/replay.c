/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/replay/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/model/format_names.h"
#include "output/model/lazy_rows.h"
#include "output/model/samples.h"
#include "output/replay/quiet.h"
#include "output/trace/entry.h"
#include "output/trace/sample.h"
#include "output/trace/walk.h"
#include "support/command/memory.h"
#include "sweep/batch.h"

/* ---- the sweep's records ---- */

static void *add_record(void *context, enum hd_block_type type, size_t bytes) {
  struct hd_replay_records *records = &((struct hd_replay *)context)->records[type];
  if (records->count == records->limit) {
    records->limit = 2 * records->limit + 64;
    records->items = hd_grow(records->items, records->limit, sizeof *records->items);
  }
  records->bytes = bytes;
  return records->items[records->count++] = hd_new(1, bytes);
}

/* ---- logs ---- */

static void sweep(struct hd_replay *replay, uint64_t until) {
  hd_batch_plan(replay->batch, replay->window, replay->logs, replay->model->thread_count, until);
  while (hd_batch_help(replay->batch))
    continue;
}

static bool has_room(const struct hd_ring_record *log) {
  return log->head - log->sweep.tail + HD_SLOTS_MOST <= HD_RING_LENGTH;
}

/* In a pause all happens at one instant, however much it is. */
static void make_room(struct hd_replay *replay, const struct hd_ring_record *log, uint64_t now) {
  if (!has_room(log))
    sweep(replay, now - 1);
  if (!has_room(log))
    sweep(replay, now);
}

union payload {
  struct hd_log_begin begin;
  struct hd_log_end end;
  struct hd_log_alone alone;
  struct hd_log_member member;
  struct hd_log_arrival arrival;
  struct hd_log_work work;
  struct hd_log_finish finish;
  struct hd_log_join join;
  struct hd_log_order order;
};

static void put(struct hd_replay *replay, const struct hd_trace_entry *entry, uint32_t what,
                const union payload payload[HD_SLOTS_MOST - 1]) {
  struct hd_ring_record *log = replay->threads[entry->thread].log;
  const uint32_t busy = entry->now.state == HD_BUSY ? entry->now.node : HD_NONE;
  make_room(replay, log, entry->ticks);
  struct hd_transition *transition = hd_log_at(log, log->head);
  const uint32_t slots = hd_what_slots(what);
  *transition = (struct hd_transition){.ticks = entry->ticks, .busy = busy, .what = what};
  if (slots > 1)
    memcpy(transition + 1, payload, (slots - 1) * sizeof *payload);
  log->head += slots;
  log->latest_ticks = entry->ticks;
}

static void put_as_told(struct hd_replay *replay, const struct hd_trace_entry *entry,
                        const union payload payload[HD_SLOTS_MOST - 1]) {
  put(replay, entry, HD_WHAT(entry->what, entry->operand) | (entry->uncounted ? HD_WHAT_UNCOUNTED : 0u), payload);
}

/* Whatever else it says, of the thread's state, if it was busy before or is now. */
static void put_state(struct hd_replay *replay, const struct hd_trace_entry *entry) {
  if (entry->before.state == HD_BUSY || entry->now.state == HD_BUSY)
    put(replay, entry, HD_WHAT(HD_WHAT_NOTHING, 0), NULL);
}

static void put_uncounted(struct hd_replay *replay, const struct hd_trace_entry *entry,
                          const union payload payload[HD_SLOTS_MOST - 1]) {
  put(replay, entry, HD_WHAT(entry->what, entry->operand) | HD_WHAT_UNCOUNTED, payload);
}

/* ---- teams ---- */

static struct hd_replay_place *innermost(struct hd_replay_thread *thread) {
  return thread->place_count > 0 ? &thread->places[thread->place_count - 1] : NULL;
}

static struct hd_replay_place *innermost_led(struct hd_replay_thread *thread, uint32_t node) {
  for (uint32_t i = thread->place_count; i-- > 0;)
    if (thread->places[i].leads && thread->places[i].node == node)
      return &thread->places[i];
  return NULL;
}

static struct hd_replay_place *push(struct hd_replay_thread *thread, struct hd_replay_place place) {
  if (thread->place_count == thread->place_limit) {
    thread->place_limit = 2 * thread->place_limit + 8;
    thread->places = hd_grow(thread->places, thread->place_limit, sizeof *thread->places);
  }
  thread->places[thread->place_count] = place;
  return &thread->places[thread->place_count++];
}

static void begin_region(struct hd_replay *replay, const struct hd_trace_entry *entry) {
  struct hd_replay_thread *thread = &replay->threads[entry->thread];
  const bool is_nested = entry->what == HD_WHAT_NESTED_BEGIN;
  const uint32_t flags = (is_nested ? HD_LOG_UNCOUNTED : 0u) | (entry->uncounted ? HD_LOG_UNASKED : 0u);
  push(thread, (struct hd_replay_place){.node = entry->operand, .team = entry->team, .leads = true});
  const union payload payload[] = {{.begin = {.team = entry->team, .flags = flags}}, {{0}}};
  put_as_told(replay, entry, payload);
}

static void start_team(struct hd_replay *replay, const struct hd_trace_entry *entry) {
  struct hd_replay_place *place = innermost_led(&replay->threads[entry->thread], entry->operand);
  if (!place) {
    put_state(replay, entry);
    return;
  }
  place->size = entry->number;
  const union payload payload[] = {{.member = {.team = place->team, .number = entry->number}}, {{0}}};
  put_uncounted(replay, entry, payload);
}

static void join_team(struct hd_replay *replay, const struct hd_trace_entry *entry) {
  struct hd_replay_thread *thread = &replay->threads[entry->thread];
  thread->place_count = 0;
  push(thread, (struct hd_replay_place){.node = entry->operand,
                                        .team = entry->team,
                                        .has_begun = true,
                                        .begin_ticks = entry->ticks,
                                        .busy_at_begin = thread->busy_ticks});
  const uint32_t number = entry->number | entry->regions_before << HD_LOG_BEFORE_SHIFT;
  const union payload payload[] = {{.member = {.team = entry->team, .number = number}}, {{0}}};
  put_uncounted(replay, entry, payload);
}

/* Delays are not known: all barriers are met when the last one comes. */
static void arrive(struct hd_replay *replay, const struct hd_trace_entry *entry) {
  const struct hd_replay_place *place = innermost(&replay->threads[entry->thread]);
  if (!place) {
    put_state(replay, entry);
    return;
  }
  const uint64_t closes = entry->number & 1 ? HD_LOG_CLOSES_WORK : 0;
  const union payload payload[] = {
      {.arrival = {.team = place->team, .number = (entry->number >> 1) % HD_LOG_BARRIERS, .flags = closes & 31u}},
      {{0}}};
  put_as_told(replay, entry, payload);
}

static void leave_work(struct hd_replay *replay, const struct hd_trace_entry *entry) {
  const struct hd_replay_place *place = innermost(&replay->threads[entry->thread]);
  if (!place)
    return;
  const union payload payload[] = {{.arrival = {.team = place->team,
                                                .cost = (uint32_t)(entry->gap_ticks >> HD_LOG_LATE_BITS),
                                                .number = (entry->number >> 1) % HD_LOG_BARRIERS,
                                                .late = HD_LOG_LATE(entry->gap_ticks)}},
                                   {.work = {.capacity_ticks = entry->a, .busy_ticks = entry->b}}};
  put_uncounted(replay, entry, payload);
}

static void finish(struct hd_replay *replay, const struct hd_trace_entry *entry) {
  const struct hd_replay_thread *thread = &replay->threads[entry->thread];
  const struct hd_replay_place *place = thread->place_count > 0 ? &thread->places[0] : NULL;
  if (!place || place->leads) {
    put_state(replay, entry);
    return;
  }
  const uint64_t flags = entry->number & 1 ? HD_LOG_UNTOLD : 0;
  const union payload payload[] = {
      {.arrival = {.team = place->team, .number = (entry->number >> 1) % HD_LOG_BARRIERS, .flags = flags & 31u}},
      {.finish = {.busy_ticks = thread->busy_ticks - place->busy_at_begin}}};
  put_uncounted(replay, entry, payload);
}

static void put_order(struct hd_replay *replay, const struct hd_trace_entry *entry) {
  const union payload payload[] = {{.order = {.a = entry->told_a, .b = entry->told_b}}, {{0}}};
  put(replay, entry, HD_WHAT(HD_WHAT_ORDER, entry->operand), payload);
}

static uint64_t busy_of(const struct hd_replay_thread *thread, const struct hd_replay_place *place) {
  return place->has_begun ? thread->busy_ticks - place->busy_at_begin : 0;
}

static void join_region(struct hd_replay *replay, const struct hd_trace_entry *entry) {
  struct hd_replay_thread *thread = &replay->threads[entry->thread];
  const struct hd_replay_place *place = innermost_led(thread, entry->operand);
  if (!place) {
    put_state(replay, entry);
    return;
  }
  const union payload payload[] = {{.join = {.team = place->team, .busy_ticks = busy_of(thread, place)}}, {{0}}};
  put_uncounted(replay, entry, payload);
}

static void end_region(struct hd_replay *replay, const struct hd_trace_entry *entry) {
  struct hd_replay_thread *thread = &replay->threads[entry->thread];
  const struct hd_replay_place *place = innermost_led(thread, entry->operand);
  if (!place) {
    put_state(replay, entry);
    return;
  }
  const uint32_t size = place->size > 0 ? place->size : place->has_begun;
  const union payload payload[] = {{.end = {.team = place->team, .team_size = size}},
                                   {.alone = {.busy_ticks = busy_of(thread, place)}}};
  thread->place_count = (uint32_t)(place - thread->places);
  put(replay, entry, HD_WHAT(entry->what, entry->operand), payload);
}

/* ---- rows ---- */

static struct hd_row *row_of(struct hd_replay *replay, uint32_t node, uint32_t thread) {
  const struct hd_row *row = hd_model_row(replay->model, node, thread);
  return row ? &replay->rows[row - replay->model->rows] : NULL;
}

static void charge(struct hd_replay *replay, uint32_t thread_id, uint64_t now) {
  struct hd_replay_thread *thread = &replay->threads[thread_id];
  if (thread->state == HD_STATE_COUNT || now <= thread->since_ticks)
    return;
  struct hd_row *row = row_of(replay, thread->node, thread_id);
  const uint64_t ticks = now - thread->since_ticks;
  if (!row) {
    replay->problem = "a thread was where the profile does not know of it";
    return;
  }
  row->ticks[thread->state] += ticks;
  thread->busy_ticks += thread->state == HD_BUSY ? ticks : 0;
}

static void count_visit(struct hd_replay *replay, const struct hd_trace_entry *entry) {
  enum {
    ENTERS = 1u << HD_WHAT_REGION_BEGIN | 1u << HD_WHAT_NESTED_BEGIN | 1u << HD_WHAT_ENTER | 1u << HD_WHAT_TASK |
             1u << HD_WHAT_ARRIVE | 1u << HD_WHAT_CALL | 1u << HD_WHAT_TEAM
  };
  if (entry->what >= HD_WHAT_COUNT || !(1u << entry->what & ENTERS) || entry->uncounted)
    return;
  struct hd_row *row = row_of(replay, entry->operand, entry->thread);
  if (row)
    row->visits++;
}

/* ---- samples ---- */

/* Those of one key are joined when there is no room: their number depends on the code. */
static void make_room_for_sample(struct hd_replay_samples *samples) {
  if (samples->count < samples->limit)
    return;
  samples->count = hd_samples_join(samples->items, samples->count);
  if (samples->count >= samples->limit / 2) {
    samples->limit = 2 * samples->limit + 256;
    samples->items = hd_grow(samples->items, samples->limit, sizeof *samples->items);
  }
}

static void add_sample(struct hd_replay *replay, const struct hd_trace_entry *entry) {
  if (entry->told.state >= HD_STATE_COUNT || entry->b == 0)
    return;
  make_room_for_sample(&replay->samples);
  replay->samples.items[replay->samples.count++] = hd_trace_sample_of(replay->model, entry);
}

/* ---- entries ---- */

static void put_entry(struct hd_replay *replay, const struct hd_trace_entry *entry) {
  switch (entry->what) {
  case HD_WHAT_REGION_BEGIN:
  case HD_WHAT_NESTED_BEGIN:
    begin_region(replay, entry);
    break;
  case HD_WHAT_START:
    start_team(replay, entry);
    break;
  case HD_WHAT_TEAM:
    join_team(replay, entry);
    break;
  case HD_WHAT_ARRIVE:
    arrive(replay, entry);
    break;
  case HD_WHAT_LEAVE_WORK:
  case HD_WHAT_WORKED:
    leave_work(replay, entry);
    break;
  case HD_WHAT_FINISH:
  case HD_WHAT_FINISH_AGAIN:
    finish(replay, entry);
    break;
  case HD_WHAT_JOIN:
    join_region(replay, entry);
    break;
  case HD_WHAT_REGION_END:
  case HD_WHAT_NESTED_END:
    end_region(replay, entry);
    break;
  case HD_WHAT_ENTER:
  case HD_WHAT_CALL:
  case HD_WHAT_TASK:
  case HD_WHAT_RETURN:
  case HD_WHAT_LEFT:
    put_as_told(replay, entry, NULL);
    break;
  case HD_WHAT_ORDER:
    put_order(replay, entry);
    break;
  case HD_TRACE_SAMPLE:
    add_sample(replay, entry);
    break;
  case HD_TRACE_CHUNK:
    break;
  default:
    put_state(replay, entry);
  }
}

/* An initial thread says so before its trace begins. */
static void begin_thread(struct hd_replay *replay, const struct hd_trace_entry *entry) {
  static const union payload nothing[HD_SLOTS_MOST - 1];
  struct hd_replay_thread *thread = &replay->threads[entry->thread];
  const uint64_t now = entry->ticks;
  if (replay->model->threads[entry->thread].kind == HD_THREAD_INITIAL)
    put(replay, entry, HD_WHAT(HD_WHAT_ORDER, HD_ORDER_THREAD), nothing);
  thread->apart_ticks += thread->threads > 0 ? now - thread->since_ticks : 0;
  thread->begin_ticks = thread->threads > 0 ? thread->begin_ticks : now;
  thread->place_count = 0;
  thread->threads++;
}

/* The primary's implicit task begins when it no longer forks. */
static void begin_task(struct hd_replay_thread *thread, const struct hd_trace_entry *entry) {
  struct hd_replay_place *place = innermost(thread);
  if (!place || place->has_begun || entry->now.state == HD_RUNTIME_FORK_JOIN || entry->now.state == HD_STATE_COUNT)
    return;
  place->has_begun = true;
  place->begin_ticks = entry->ticks;
  place->busy_at_begin = thread->busy_ticks;
}

/* Before anything is swept. */
static void begin_window(struct hd_replay *replay, const struct hd_trace_entry *entry) {
  if (!hd_quiet_has_stack(replay->model, &entry->now))
    return;
  replay->lacks_stacks = true;
  replay->header.flags &= ~(uint32_t)HD_FILE_ROUTINES;
}

static bool take(void *context, const struct hd_trace_entry *entry) {
  struct hd_replay *replay = context;
  struct hd_replay_thread *thread = &replay->threads[entry->thread];
  if (entry->ticks > replay->until_ticks)
    return false;
  if (entry->is_bound && entry->now.state == HD_STATE_COUNT) /* the thread goes on */
    return true;
  if (entry->is_bound)
    begin_window(replay, entry);
  charge(replay, entry->thread, entry->ticks);
  if (thread->state == HD_STATE_COUNT && entry->now.state != HD_STATE_COUNT)
    begin_thread(replay, entry);
  count_visit(replay, entry);
  put_entry(replay, entry);
  if (hd_trace_is_change(entry->what))
    begin_task(thread, entry);
  thread->node = entry->now.node;
  thread->state = entry->now.state;
  thread->since_ticks = entry->ticks;
  return !replay->problem;
}

/* ---- all ---- */

static void make_threads(struct hd_replay *replay) {
  const uint32_t count = replay->model->thread_count;
  replay->threads = hd_new((size_t)count + 1, sizeof *replay->threads);
  replay->logs = hd_new((size_t)count + 1, sizeof(struct hd_ring_record *));
  for (uint32_t i = 0; i < count; i++) {
    struct hd_ring_record *log = hd_new(1, sizeof *log);
    log->sweep = (struct hd_ring_sweep){.busy = HD_NONE, .busy_before = HD_NONE, .thread = i, .index = i};
    replay->logs[i] = replay->threads[i].log = log;
    replay->threads[i].state = HD_STATE_COUNT;
  }
}

static void make_rows(struct hd_replay *replay) {
  hd_model_need_rows(replay->model);
  replay->rows = hd_new((size_t)replay->model->row_count + 1, sizeof *replay->rows);
  for (uint32_t i = 0; i < replay->model->row_count; i++) {
    const struct hd_row *row = &replay->model->rows[i];
    replay->rows[i] = (struct hd_row){.node = row->node, .thread = row->thread, .refused = row->refused};
  }
}

static void make_sweep(struct hd_replay *replay) {
  const struct hd_model *model = replay->model;
  const uint64_t origin = model->timeline ? model->timeline->origin_ticks : model->header.loaded_ticks;
  replay->header = model->header;
  replay->header.path_flags = replay->header.lock_flags = replay->header.lost_locks = 0;
  hd_tallies_init(&replay->tallies, add_record, replay, &replay->header);
  hd_need(hd_tallies_begin(&replay->tallies, origin));
  hd_path_begin(&replay->tallies.path, &replay->header);
  hd_locks_begin(&replay->tallies.locks, &replay->header);
  replay->batch = hd_new(1, sizeof *replay->batch);
  hd_batch_init(replay->batch, &replay->tallies);
  replay->window = hd_window_make(hd_new(1, hd_window_bytes(model->thread_count + 1)), model->thread_count + 1);
}

static void *add_at_close(void *context, enum hd_block_type type) {
  const size_t bytes = type == HD_BLOCK_PATHS        ? sizeof(struct hd_path_record)
                       : type == HD_BLOCK_PATH_STEPS ? sizeof(struct hd_path_step_record)
                       : type == HD_BLOCK_LOCKS      ? sizeof(struct hd_lock_record)
                                                     : sizeof(struct hd_lock_pair_record);
  return add_record(context, type, bytes);
}

static void close_books(struct hd_replay *replay) {
  hd_locks_close(&replay->tallies.locks, replay->tallies.at, add_at_close, replay);
  hd_path_close(&replay->tallies.path, add_at_close, replay);
}

static void charge_all(struct hd_replay *replay) {
  for (uint32_t i = 0; i < replay->model->thread_count; i++) {
    charge(replay, i, replay->until_ticks);
    if (replay->threads[i].state != HD_STATE_COUNT)
      replay->threads[i].since_ticks = replay->until_ticks;
  }
}

bool hd_replay_run(struct hd_replay *replay, const struct hd_model *model, uint64_t until_ticks, char *error,
                   size_t error_bytes) {
  *replay = (struct hd_replay){.model = model, .until_ticks = until_ticks};
  make_threads(replay);
  make_rows(replay);
  make_sweep(replay);
  if (!hd_trace_walk(model, take, replay, error, error_bytes))
    return false;
  sweep(replay, until_ticks);
  close_books(replay);
  charge_all(replay);
  if (replay->problem)
    snprintf(error, error_bytes, "%s: damaged: its trace: %s", model->path, replay->problem);
  return !replay->problem;
}

void hd_replay_free(struct hd_replay *replay) {
  for (uint32_t i = 0; i < replay->model->thread_count; i++) {
    free(replay->threads[i].log);
    free(replay->threads[i].places);
  }
  for (uint32_t type = 0; type <= HD_BLOCK_TYPE_LAST; type++) {
    for (uint32_t i = 0; i < replay->records[type].count; i++)
      free(replay->records[type].items[i]);
    free(replay->records[type].items);
  }
  hd_batch_free(replay->batch);
  hd_tallies_free(&replay->tallies);
  free(replay->batch);
  free(replay->window);
  free(replay->logs);
  free(replay->threads);
  free(replay->rows);
  free(replay->samples.items);
}
