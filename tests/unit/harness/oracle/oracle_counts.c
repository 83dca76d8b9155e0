/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts of an event that equals the script's clock, pauses included, worked out from where each thread was between its
 * events. A thread reads its counters when it goes from one place (profile that is told apart, class) to another, when
 * it ends, and before and after it pauses or resumes. It may read at any other of its events, too, which shows only
 * where something is lost: between two readings with another thread's pause in between, and after the last reading.
 * There the count lies between two bounds; everywhere else these are the same.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_data.h"
#include "oracle_state.h"

/* ---- collecting ---- */

/* Where the thread is after the event `o->event`, or before it if that is a pause or resume of its own. */
void or_mark(struct oracle *o, struct or_thread *thread, unsigned epoch_before, enum or_reading reading) {
  struct or_life *life = &o->result->threads[thread->id];
  if (life->mark_count == life->mark_limit) {
    life->mark_limit = life->mark_limit ? 2 * life->mark_limit : 64;
    life->marks = or_grown(life->marks, life->mark_limit * sizeof *life->marks);
  }
  struct or_task *task = or_task_of(o, thread);
  const size_t event = o->event < o->script->count ? o->event : o->script->count - 1;
  life->marks[life->mark_count++] = (struct or_mark){.raw = o->raw->events[event].time,
                                                     .time = o->script->events[event].time,
                                                     .epoch_before = epoch_before,
                                                     .epoch = o->epoch,
                                                     .node = or_top_of(task)->node,
                                                     .state = or_state_of(task),
                                                     .reading = reading};
}

/* ---- places ---- */

static bool is_told_apart(uint32_t kind, uint32_t at) {
  switch ((enum hd_kind)kind) {
  case HD_KIND_PROGRAM:
  case HD_KIND_PARALLEL:
  case HD_KIND_TEAMS:
  case HD_KIND_PHASE:
    return true;
  case HD_KIND_TASKWAIT:
  case HD_KIND_TASKGROUP:
  case HD_KIND_BARRIER_EXPLICIT:
  case HD_KIND_BARRIER_IMPLICIT:
  case HD_KIND_BARRIER:
  case HD_KIND_REDUCTION:
  case HD_KIND_CRITICAL:
  case HD_KIND_LOCK:
  case HD_KIND_ORDERED:
  case HD_KIND_ATOMIC:
  case HD_KIND_MASKED:
  case HD_KIND_OTHER:
  case HD_KIND_ROUTINE:
    return at == HD_COUNTERS_AT_ALL;
  default:
    return at != HD_COUNTERS_AT_REGION;
  }
}

/* Waiting for one another inside a profile that is not told apart is its work. */
static enum hd_count_class class_of(enum hd_state state, uint32_t at) {
  const bool mutual =
      state == HD_WAIT_CRITICAL || state == HD_WAIT_LOCK || state == HD_WAIT_ORDERED || state == HD_WAIT_ATOMIC;
  if (state == HD_BUSY || (mutual && at != HD_COUNTERS_AT_ALL))
    return HD_COUNT_BUSY;
  return state >= HD_RUNTIME_FIRST && state <= HD_RUNTIME_LAST ? HD_COUNT_RUNTIME : HD_COUNT_WAITING;
}

struct bounds {
  uint64_t least, most;
};

/* What one thread has counted in one node and class. */
struct expected {
  struct bounds count, time;
  bool is_missing, may_be_missing;
};

struct comparison {
  const struct or_result *result;
  const struct hd_model *model;
  bool failing;                                  /* less may be counted, if it is said */
  const struct hd_node **found;                  /* by the oracle's node: the profile's */
  struct expected (*expected)[HD_COUNT_CLASSES]; /* of one thread, by the profile's node */
};

struct place {
  uint32_t owner; /* the profile's node */
  enum hd_count_class class;
};

static struct place place_of(const struct comparison *c, const struct or_mark *mark) {
  const uint32_t at = c->model->header.counters_at;
  const struct hd_node *node = c->found[mark->node];
  while (node->id != 0 && !is_told_apart(node->kind, at))
    node = &c->model->nodes[node->parent];
  return (struct place){node->id, class_of(mark->state, at)};
}

static bool is_same_place(struct place a, struct place b) {
  return a.owner == b.owner && a.class == b.class;
}

/* ---- intervals ---- */

static void widen(struct bounds *bounds, uint64_t least, uint64_t most) {
  bounds->least += least;
  bounds->most += most;
}

/* From one reading to the next (`closed`), or to wherever the last one was. Epochs are odd while the clock stands. */
static void add_interval(struct expected *expected, const struct or_mark *marks, size_t first, size_t last,
                         bool closed) {
  uint64_t counted = 0;
  bool whole = true;
  const uint64_t time = marks[last].time - marks[first].time;
  for (size_t i = first; i < last; i++) {
    const bool clean = marks[i].epoch == marks[i + 1].epoch_before;
    whole = whole && clean;
    if (clean && marks[i].epoch % 2 == 0)
      counted += marks[i + 1].raw - marks[i].raw;
  }
  widen(&expected->count, closed && whole ? counted : 0, counted);
  widen(&expected->time, closed ? time : 0, time);
  expected->is_missing |= closed && !whole;
  expected->may_be_missing |= !closed || !whole;
}

static void expect_thread(const struct comparison *c, const struct or_life *life) {
  size_t first = 0;
  memset(c->expected, 0, c->model->node_count * sizeof *c->expected);
  for (size_t i = 1; i < life->mark_count; i++) {
    if (life->marks[i].reading == OR_BEGINS) { /* the one before has ended, and read */
      first = i;
      continue;
    }
    const struct place place = place_of(c, &life->marks[first]);
    const bool moved = !is_same_place(place, place_of(c, &life->marks[i]));
    const bool read = life->marks[i].reading == OR_READS || (moved && life->marks[i].reading != OR_READS_PERHAPS);
    if (!read && i + 1 < life->mark_count)
      continue;
    add_interval(&c->expected[place.owner][place.class], life->marks, first, i, read);
    first = i;
  }
  if (life->mark_count > 0) { /* the profile's end cuts what was open off, and may say so */
    const struct place place = place_of(c, &life->marks[life->mark_count - 1]);
    c->expected[place.owner][place.class].may_be_missing = true;
  }
}

/* ---- against the profile ---- */

/* STUB_CLOCK_3 goes three times as fast as the clock. */
static uint64_t rate_of(const struct hd_event_record *event) {
  const char *number = strrchr(event->name, '_');
  const unsigned long rate = number ? strtoul(number + 1, NULL, 10) : 0;
  return rate ? rate : 1;
}

static bool is_outside(const struct or_path *path, const char *what, uint32_t thread, struct bounds bounds,
                       uint64_t found) {
  return found < bounds.least || found > bounds.most
             ? or_differ(path, what, thread, found < bounds.least ? bounds.least : bounds.most, found)
             : false;
}

static const char *const class_names[HD_COUNT_CLASSES] = {"count while busy", "count while waiting",
                                                          "count in the runtime"};

/* Events that take turns count only in their own. */
static bool event_differs(const struct comparison *c, const struct expected *expected, const struct hd_counts *counts,
                          const struct or_path *path, uint32_t event, uint32_t class) {
  const struct hd_event_record *record = &c->model->events[event];
  const uint64_t rate = rate_of(record);
  const uint64_t count = counts->counts[event * HD_COUNT_CLASSES + class];
  const bool missing = counts->missing[class] >> event & 1;
  struct bounds bounds = {expected->count.least * rate, expected->count.most * rate};
  if (record->slot) {
    const uint64_t turn = counts->slot_ticks[(record->slot - 1) * HD_COUNT_CLASSES + class] * rate;
    bounds = (struct bounds){expected->may_be_missing ? 0 : turn, turn};
  }
  if (c->failing && missing)
    bounds.least = 0;
  else if (missing && !expected->may_be_missing)
    return or_differ(path, "is said to be missing", counts->thread, 0, 1);
  if (!missing && expected->is_missing && !record->slot)
    return or_differ(path, "is not said to be missing", counts->thread, 1, 0);
  return is_outside(path, class_names[class], counts->thread, bounds, count);
}

static bool turns_differ(const struct comparison *c, const struct expected *expected, const struct hd_counts *counts,
                         const struct or_path *path, uint32_t class) {
  uint64_t sum = 0;
  for (uint32_t slot = 0; slot < c->model->header.event_slots; slot++)
    sum += counts->slot_ticks[slot * HD_COUNT_CLASSES + class];
  return c->model->header.event_slots > 0 && is_outside(path, "time of all turns", counts->thread, expected->time, sum);
}

/* The record's part is done with: what is left over in the end is in no record. */
static bool record_differs(const struct comparison *c, const struct hd_counts *counts, const struct or_path *path) {
  for (uint32_t k = 0; k < HD_COUNT_CLASSES; k++) {
    struct expected *expected = &c->expected[counts->node][k];
    for (uint32_t event = 0; event < c->model->header.event_count; event++)
      if (event_differs(c, expected, counts, path, event, k))
        return true;
    if (turns_differ(c, expected, counts, path, k))
      return true;
    *expected = (struct expected){.count = {0, 0}};
  }
  return false;
}

static const struct or_path *path_of(const struct comparison *c, uint32_t node) {
  static const struct or_path unknown;
  for (uint32_t i = 0; i < c->result->node_count; i++)
    if (c->found[i] && c->found[i]->id == node)
      return &c->result->nodes[i].path;
  return &unknown;
}

static bool thread_differs(const struct comparison *c, uint32_t thread) {
  expect_thread(c, &c->result->threads[thread]);
  for (uint32_t i = 0; i < c->model->counts_count; i++) {
    const struct hd_counts *counts = &c->model->counts[i];
    if (counts->thread == thread && record_differs(c, counts, path_of(c, counts->node)))
      return true;
  }
  for (uint32_t i = 0; i < c->model->node_count; i++)
    for (uint32_t k = 0; k < HD_COUNT_CLASSES; k++)
      if (or_differ(path_of(c, i), "no record of its counts", thread, c->expected[i][k].count.least, 0))
        return true;
  return false;
}

static const char *difference_of(const struct or_result *result, const struct hd_model *model, bool failing) {
  static const struct or_path program;
  struct comparison c = {.result = result, .model = model, .failing = failing};
  if (or_differ(&program, "nothing is counted", FK_NONE, 1, model->header.event_count > 0))
    return or_last_difference();
  uint32_t *oracle_node = or_match_nodes(result, model);
  c.found = or_match_back(result, model, oracle_node);
  c.expected = or_grown(NULL, (model->node_count + 1) * sizeof *c.expected);
  bool differs = false;
  for (uint32_t i = 0; i < result->thread_count && !differs; i++)
    differs = thread_differs(&c, i);
  free(c.expected);
  free(c.found);
  free(oracle_node);
  return differs ? or_last_difference() : NULL;
}

const char *or_counts_difference(const struct or_result *result, const struct hd_model *model) {
  return difference_of(result, model, false);
}

const char *or_counts_too_small(const struct or_result *result, const struct hd_model *model) {
  return difference_of(result, model, true);
}
