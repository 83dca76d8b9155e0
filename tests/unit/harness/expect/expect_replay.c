/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile that is made of a run's trace against the one that was made while it ran. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "output/model/lazy_rows.h"
#include "output/model/memory.h"
#include "output/model/samples.h"
#include "output/replay/part.h"
#include "output/trace/entry.h"
#include "output/trace/walk.h"

struct difference {
  char text[600];
};

static void expect_same(struct difference *difference, uint64_t live, uint64_t replayed, const char *what,
                        uint32_t node, uint32_t thread) {
  if (live != replayed && !*difference->text)
    snprintf(difference->text, sizeof difference->text,
             "the replayed trace differs: callpath %u, thread %u: %s %" PRIu64 ", not %" PRIu64, node, thread, what,
             replayed, live);
}

static void compare_entries(struct difference *difference, const struct hd_row *a, const struct hd_row *b) {
  for (int caller = 0; caller < HD_ENTRY_STATES; caller++)
    for (int own = 0; own < HD_ENTRY_STATES; own++) {
      expect_same(difference, a->entries.visits[caller][own], b->entries.visits[caller][own], "entries", a->node,
                  a->thread);
      expect_same(difference, a->entries.ticks[caller][own], b->entries.ticks[caller][own], "time of entries", a->node,
                  a->thread);
    }
}

static void compare_rows(struct difference *difference, const struct hd_model *live, const struct hd_model *replayed) {
  static const struct hd_row none;
  for (uint32_t i = 0; i < live->row_count; i++) {
    const struct hd_row *a = &live->rows[i], *b = hd_model_row(replayed, a->node, a->thread);
    b = b ? b : &none;
    expect_same(difference, a->visits, b->visits, "visits", a->node, a->thread);
    for (int state = 0; state < HD_STATE_COUNT; state++)
      expect_same(difference, a->ticks[state], b->ticks[state], "ticks", a->node, a->thread);
    if (replayed->entries_known)
      compare_entries(difference, a, b);
  }
}

static void compare_levels(struct difference *difference, const struct hd_levels *a, const struct hd_levels *b,
                           const char *what, uint32_t node) {
  for (uint32_t k = 0; k < a->count || k < b->count; k++)
    expect_same(difference, k < a->count ? a->ticks[k] : 0, k < b->count ? b->ticks[k] : 0, what, node, k);
}

static void compare_team(struct difference *difference, const struct hd_team_totals *a, const struct hd_team_totals *b,
                         uint32_t node) {
  expect_same(difference, a->instances, b->instances, "instances", node, 0);
  expect_same(difference, a->open_instances, b->open_instances, "open instances", node, 0);
  expect_same(difference, a->elapsed_ticks, b->elapsed_ticks, "elapsed", node, 0);
  expect_same(difference, a->capacity_ticks, b->capacity_ticks, "capacity", node, 0);
  expect_same(difference, a->busy_ticks, b->busy_ticks, "team's busy time", node, 0);
  expect_same(difference, a->busy_max_ticks, b->busy_max_ticks, "busiest thread's time", node, 0);
  expect_same(difference, a->idle_ticks, b->idle_ticks, "team's idle time", node, 0);
}

static void compare_team_sizes(struct difference *difference, const struct hd_model *a, const struct hd_model *b) {
  for (uint32_t i = 0; i < a->node_count && i < b->node_count; i++) {
    expect_same(difference, a->nodes[i].team.team_min, b->nodes[i].team.team_min, "smallest team", i, 0);
    expect_same(difference, a->nodes[i].team.team_max, b->nodes[i].team.team_max, "largest team", i, 0);
  }
}

static void compare_nodes(struct difference *difference, const struct hd_model *live, const struct hd_model *replayed) {
  for (uint32_t i = 0; i < live->node_count && i < replayed->node_count; i++) {
    const struct hd_node *a = &live->nodes[i], *b = &replayed->nodes[i];
    expect_same(difference, a->visits, b->visits, "visits of all", i, 0);
    if (replayed->entries_known)
      expect_same(difference, a->visits_concurrent, b->visits_concurrent, "concurrent visits", i, 0);
    expect_same(difference, a->running_ticks, b->running_ticks, "running time", i, 0);
    expect_same(difference, a->active_ticks, b->active_ticks, "active time", i, 0);
    compare_levels(difference, &a->busy_at, &b->busy_at, "busy time at a level", i);
    compare_levels(difference, &a->elapsed_at, &b->elapsed_at, "elapsed time at a level", i);
    compare_team(difference, &a->team, &b->team, i);
  }
}

static void compare_program(struct difference *difference, const struct hd_model *live,
                            const struct hd_model *replayed) {
  expect_same(difference, live->elapsed_ticks, replayed->elapsed_ticks, "elapsed time of the run", 0, 0);
  expect_same(difference, live->inside_ticks, replayed->inside_ticks, "time in regions", 0, 0);
  compare_levels(difference, &live->time_at, &replayed->time_at, "the run's time at a level", 0);
}

static void compare_overlaps(struct difference *difference, const struct hd_model *live,
                             const struct hd_model *replayed) {
  expect_same(difference, live->overlap_count, replayed->overlap_count, "overlaps", 0, 0);
  for (uint32_t i = 0; i < live->overlap_count && i < replayed->overlap_count; i++)
    expect_same(difference, live->overlaps[i].ticks, replayed->overlaps[i].ticks, "overlap", live->overlaps[i].a,
                live->overlaps[i].b);
}

static void compare_path(struct difference *difference, const struct hd_model *live, const struct hd_model *replayed) {
  expect_same(difference, live->path_count, replayed->path_count, "callpaths on the critical path", 0, 0);
  for (uint32_t i = 0; i < live->path_count && i < replayed->path_count; i++) {
    const struct hd_model_path *a = &live->paths[i], *b = &replayed->paths[i];
    expect_same(difference, a->node, b->node, "place on the critical path", a->node, 0);
    expect_same(difference, a->own_ticks, b->own_ticks, "time on the critical path", a->node, 0);
    expect_same(difference, a->span_ticks, b->span_ticks, "span", a->node, 0);
    expect_same(difference, a->work_ticks, b->work_ticks, "work", a->node, 0);
    expect_same(difference, a->instances, b->instances, "instances with a span", a->node, 0);
    expect_same(difference, a->earliest_ticks, b->earliest_ticks, "earliest time", a->node, 0);
    expect_same(difference, a->slack_ticks, b->slack_ticks, "slack", a->node, 0);
  }
  expect_same(difference, live->step_count, replayed->step_count, "steps of the critical path", 0, 0);
  for (uint32_t i = 0; i < live->step_count && i < replayed->step_count; i++)
    expect_same(difference, live->steps[i].ticks, replayed->steps[i].ticks, "step", live->steps[i].from,
                live->steps[i].to);
}

static void compare_locks(struct difference *difference, const struct hd_model *live, const struct hd_model *replayed) {
  expect_same(difference, live->lock_count, replayed->lock_count, "callpaths with locks", 0, 0);
  for (uint32_t i = 0; i < live->lock_count && i < replayed->lock_count; i++) {
    const struct hd_model_lock *a = &live->locks[i], *b = &replayed->locks[i];
    expect_same(difference, a->waits, b->waits, "waits for locks", a->node, 0);
    expect_same(difference, a->handover_ticks, b->handover_ticks, "hand-overs", a->node, 0);
    expect_same(difference, a->free_ticks, b->free_ticks, "waits for free locks", a->node, 0);
    expect_same(difference, a->hold_ticks, b->hold_ticks, "holds", a->node, 0);
    expect_same(difference, a->holds, b->holds, "number of holds", a->node, 0);
  }
  expect_same(difference, live->lock_pair_count, replayed->lock_pair_count, "pairs of waiters and holders", 0, 0);
  for (uint32_t i = 0; i < live->lock_pair_count && i < replayed->lock_pair_count; i++)
    expect_same(difference, live->lock_pairs[i].ticks, replayed->lock_pairs[i].ticks, "wait for a holder",
                live->lock_pairs[i].node, live->lock_pairs[i].holder);
}

/* Of samples that found room in the profile's table. */
static void compare_samples(struct difference *difference, const struct hd_model *live,
                            const struct hd_model *replayed) {
  if (live->header.unplaced_samples > 0)
    return;
  expect_same(difference, live->sample_count, replayed->sample_count, "samples", 0, 0);
  for (uint32_t i = 0; i < live->sample_count && i < replayed->sample_count; i++) {
    const struct hd_model_sample *a = &live->samples[i], *b = &replayed->samples[i];
    expect_same(difference, 0, (uint64_t)abs(hd_samples_compare(a, b)), "place of a sample", a->node, a->state);
    expect_same(difference, a->count, b->count, "count of a sample", a->node, a->state);
    expect_same(difference, a->taken, b->taken, "samples that make it", a->node, a->state);
  }
}

static void compare_all(struct difference *difference, const struct hd_model *live, const struct hd_model *replayed) {
  hd_model_need_rows(live);
  compare_rows(difference, live, replayed);
  compare_nodes(difference, live, replayed);
  compare_program(difference, live, replayed);
  compare_samples(difference, live, replayed);
}

/* Sizes of teams are those of the whole trace, or of all that is known; so is what never overlapped in the part. */
const char *ex_broken_part_of(const struct hd_model *whole, const struct hd_model *part) {
  static struct difference difference;
  *difference.text = '\0';
  compare_all(&difference, whole, part);
  for (uint32_t i = 0; i < part->thread_count; i++)
    expect_same(&difference, whole->threads[i].lifetime_ticks, part->threads[i].lifetime_ticks, "lifetime", 0, i);
  return *difference.text ? difference.text : NULL;
}

const char *ex_broken_replay_of(const struct hd_model *live, const struct hd_model *traced) {
  static struct difference difference;
  struct hd_model *replayed;
  *difference.text = '\0';
  if (!hd_part_until(traced, live->end_ticks, &replayed, difference.text, sizeof difference.text))
    return difference.text;
  compare_all(&difference, live, replayed);
  compare_team_sizes(&difference, live, replayed);
  compare_overlaps(&difference, live, replayed);
  /* What has no order on a clock on which much happens at one instant has any. */
  const bool is_ordered = live->header.clock_kind != HD_CLOCK_EXTERNAL;
  if (live->path_known && is_ordered)
    compare_path(&difference, live, replayed);
  if (live->locks_known && is_ordered)
    compare_locks(&difference, live, replayed);
  hd_model_free(replayed);
  return *difference.text ? difference.text : NULL;
}

/* ---- traces of concurrency ---- */

struct levels {
  uint64_t ticks[FK_MAX_THREADS + 1];
  uint32_t busy;
  uint64_t at;
  bool has_more; /* than changes of the number of busy threads */
};

static bool add_level(void *context, const struct hd_trace_entry *entry) {
  struct levels *levels = context;
  const bool was_busy = entry->before.state == HD_BUSY, is_busy = entry->now.state == HD_BUSY;
  const bool lives = entry->before.state != HD_STATE_COUNT && entry->now.state != HD_STATE_COUNT;
  levels->ticks[levels->busy] += entry->ticks - levels->at;
  levels->at = entry->ticks;
  levels->busy += (uint32_t)is_busy - (uint32_t)was_busy;
  levels->has_more = levels->has_more || (lives && was_busy == is_busy) || entry->what != HD_WHAT_NOTHING;
  return true;
}

const char *ex_broken_concurrency(const struct hd_model *live) {
  static struct difference difference;
  struct levels levels = {.at = live->header.loaded_ticks};
  *difference.text = '\0';
  if (!hd_trace_walk(live, add_level, &levels, difference.text, sizeof difference.text))
    return difference.text;
  levels.ticks[levels.busy] += live->end_ticks - levels.at;
  levels.ticks[live->thread_count > 0] += live->before_ticks;
  for (uint32_t k = 0; k < live->time_at.count; k++)
    expect_same(&difference, live->time_at.ticks[k], levels.ticks[k], "the trace's time at a level", 0, k);
  if (levels.has_more)
    return "a trace of concurrency tells more";
  return *difference.text ? difference.text : NULL;
}

/* What must hold in any profile, at some time within the run. */
static const char *check_within(const struct hd_model *live) {
  static struct difference difference;
  const uint64_t middle = live->header.loaded_ticks + (live->end_ticks - live->header.loaded_ticks) / 2;
  struct hd_model *then;
  if (!hd_part_until(live, middle, &then, difference.text, sizeof difference.text))
    return difference.text;
  const char *broken = ex_broken_levels(then);
  for (uint32_t i = 0; !broken && i < then->thread_count; i++)
    if (!hd_model_thread_is_whole(then, i))
      broken = "a thread's states do not sum to its lifetime, in the middle of the run";
  hd_model_free(then);
  return broken;
}

const char *ex_broken_replay(const struct hd_model *live) {
  const char *broken = ex_broken_replay_of(live, live);
  return broken ? broken : check_within(live);
}
