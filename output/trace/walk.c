/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/trace/walk.h"

#include <stdlib.h>

#include "output/trace/blocks.h"
#include "output/trace/log.h"
#include "output/trace/names.h"
#include "output/trace/visit.h"
#include "support/command/memory.h"

struct walk {
  struct hd_trace_reading reading;
  struct hd_trace_blocks blocks;
  struct hd_trace_log *logs;  /* by thread */
  struct hd_trace_log **heap; /* by time */
  uint32_t heap_count;
};

/* ---- all threads together ---- */

/* At one instant (all that happens in a pause happens at one) threads say first what they were in before a stretch; a
 * worker joins a team that has begun, and a team joins when all its workers have arrived. */
static int rank(const struct hd_trace_entry *entry) {
  return hd_trace_goes_on(entry->what) ? 0 : entry->what == HD_WHAT_JOIN ? 3 : entry->what == HD_WHAT_TEAM ? 2 : 1;
}

static bool precedes(const struct hd_trace_log *a, const struct hd_trace_log *b) {
  if (a->next.ticks != b->next.ticks)
    return a->next.ticks < b->next.ticks;
  const int a_rank = rank(&a->next), b_rank = rank(&b->next);
  return a_rank != b_rank ? a_rank < b_rank : a->thread < b->thread;
}

static void sift(struct walk *walk, uint32_t i) {
  struct hd_trace_log **heap = walk->heap, *log = heap[i];
  for (uint32_t child = 2 * i + 1; child < walk->heap_count; child = 2 * i + 1) {
    child += child + 1 < walk->heap_count && precedes(heap[child + 1], heap[child]);
    if (!precedes(heap[child], log))
      break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = log;
}

static void make_logs(struct walk *walk) {
  const struct hd_model *model = walk->reading.model;
  walk->logs = hd_new((size_t)model->thread_count + 1, sizeof *walk->logs);
  for (uint32_t i = 0; i < model->thread_count; i++)
    hd_trace_log_start(&walk->logs[i], model, i);
  for (uint32_t i = 0; i < walk->blocks.count; i++) {
    struct hd_trace_log *log = &walk->logs[walk->blocks.items[i].owner];
    if (log->block_count++ == 0)
      log->blocks = &walk->blocks.items[i];
  }
}

static void make_heap(struct walk *walk) {
  const uint32_t thread_count = walk->reading.model->thread_count;
  walk->heap = hd_new((size_t)thread_count + 1, sizeof *walk->heap);
  for (uint32_t i = 0; i < thread_count; i++)
    if (hd_trace_log_advance(&walk->reading, &walk->logs[i]))
      walk->heap[walk->heap_count++] = &walk->logs[i];
  for (uint32_t i = walk->heap_count / 2; i-- > 0;)
    sift(walk, i);
}

/* The first log has been taken. */
static void go_on(struct walk *walk) {
  if (!hd_trace_log_advance(&walk->reading, walk->heap[0]))
    walk->heap[0] = walk->heap[--walk->heap_count];
  if (walk->heap_count > 0)
    sift(walk, 0);
}

/* ---- what is told ---- */

static bool is_there(const struct hd_trace_visit *visit, const struct hd_trace_entry *entry) {
  const struct hd_trace_place *last = &visit->last[entry->thread].now;
  return last->node == entry->now.node && last->state == entry->now.state;
}

/* Whether a worker waits from then on, or did so before what is missing, at the end of its team. */
static bool waits_in_team(const struct hd_trace_log *log, struct hd_trace_worker *worker,
                          const struct hd_trace_entry *entry) {
  const bool waits = log->waits_in != HD_NONE || hd_trace_is_finish(entry->what) || entry->what == HD_TRACE_WAITS_ON;
  if (entry->what == HD_WHAT_TEAM || waits)
    worker->team = log->waits_in != HD_NONE ? log->waits_in : entry->team;
  return waits;
}

/* A bound is nothing that happens. */
static void tell(struct hd_trace_visit *visit, const struct hd_trace_log *log, struct hd_trace_entry entry) {
  const bool waits = waits_in_team(log, &visit->workers[log->thread], &entry),
             is_earlier = hd_trace_goes_on(entry.what);
  entry.is_bound = is_earlier || entry.what == HD_TRACE_LEAVES;
  if (entry.is_bound)
    entry.what = HD_WHAT_NOTHING;
  hd_trace_visit_tell(visit, entry);
  if (waits)
    hd_trace_visit_finish(visit, log->thread, is_earlier);
  else if (entry.what == HD_WHAT_JOIN)
    hd_trace_visit_join(visit, &entry);
}

static void note_led(struct hd_trace_visit *visit, struct hd_trace_log *log) {
  const bool begins = visit->last[log->thread].now.state == HD_STATE_COUNT && !hd_trace_goes_on(log->next.what);
  hd_trace_primaries_note_led(&visit->primaries, &log->next, begins, log->is_cut);
  log->is_cut = false;
}

static void take(struct hd_trace_visit *visit, struct hd_trace_log *log) {
  struct hd_trace_entry entry = log->next;
  if (entry.inferred && is_there(visit, &entry))
    return;
  hd_trace_visit_reach(visit, entry.ticks, hd_trace_goes_on(entry.what));
  note_led(visit, log);
  if (entry.what == HD_TRACE_LEADS || (!hd_trace_is_change(entry.what) && !visit->names))
    return;
  if (!hd_trace_is_change(entry.what))
    entry.now = visit->last[log->thread].now; /* perhaps it idles since */
  else
    visit->workers[log->thread].waits = false;
  if (entry.what == HD_WHAT_ORDER)
    hd_names_number(visit->names, &entry);
  tell(visit, log, entry);
}

static void walk_all(struct walk *walk, struct hd_trace_visit *visit) {
  while (walk->heap_count > 0 && hd_trace_visit_wants(visit) && !walk->reading.failed) {
    take(visit, walk->heap[0]);
    go_on(walk);
  }
  if (visit->goes_on && !walk->reading.failed)
    hd_trace_visit_end(visit);
}

static bool walk_with(struct hd_trace_visit *visit, const struct hd_model *model, char *error, size_t error_bytes) {
  struct walk walk = {.reading = {.model = model, .error = error, .error_bytes = error_bytes},
                      .blocks = hd_trace_blocks_find(model)};
  hd_trace_visit_start(visit, model, hd_trace_blocks_from(model, &walk.blocks));
  make_logs(&walk);
  make_heap(&walk);
  walk_all(&walk, visit);
  hd_trace_visit_free(visit);
  free(walk.heap);
  free(walk.logs);
  hd_trace_blocks_free(&walk.blocks);
  return !walk.reading.failed;
}

bool hd_trace_walk(const struct hd_model *model, hd_trace_visitor *visitor, void *context, char *error,
                   size_t error_bytes) {
  struct hd_trace_visit visit = {.visit = visitor, .context = context, .names = hd_names_new()};
  const bool whole = walk_with(&visit, model, error, error_bytes);
  hd_names_free(visit.names);
  return whole;
}

bool hd_trace_walk_changes(const struct hd_model *model, hd_trace_visitor *visitor, void *context, char *error,
                           size_t error_bytes) {
  struct hd_trace_visit visit = {.visit = visitor, .context = context};
  return walk_with(&visit, model, error, error_bytes);
}
