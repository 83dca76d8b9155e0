/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers are never below zero, where a reading of a running program came a moment too early. */
#include "output/live/interval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/live/interval_parts.h"
#include "output/model/accumulate.h"
#include "output/model/format_names.h"
#include "output/model/lazy_rows.h"
#include "output/model/memory.h"
#include "output/model/rollup.h"
#include "output/reader/gains.h"
#include "output/reader/open.h"
#include "support/command/memory.h"

/* ---- rows, callpaths, threads ---- */

static void take_states(uint64_t from[HD_STATE_COUNT], const uint64_t ticks[HD_STATE_COUNT]) {
  for (int state = 0; state < HD_STATE_COUNT; state++)
    hd_take(&from[state], ticks[state]);
}

/* The number of the thread that did static loops stays what it is. */
static void take_shares(struct hd_shares *from, const struct hd_shares *shares) {
  hd_take(&from->chunks, shares->chunks);
  hd_take(&from->iterations, shares->iterations);
  hd_take(&from->created, shares->created);
  hd_take(&from->elsewhere, shares->elsewhere);
  hd_take(&from->mpi_bytes, shares->mpi_bytes);
  hd_take(&from->static_iterations, shares->static_iterations);
  hd_take(&from->refused, shares->refused);
}

static void take_entries(struct hd_entries *from, const struct hd_entries *entries) {
  for (int caller = 0; caller < HD_ENTRY_STATES; caller++)
    for (int own = 0; own < HD_ENTRY_STATES; own++) {
      hd_take(&from->visits[caller][own], entries->visits[caller][own]);
      hd_take(&from->ticks[caller][own], entries->ticks[caller][own]);
    }
}

static void take_intrusion(struct hd_intrusion *from, const struct hd_intrusion *intrusion) {
  for (int class = 0; class < HD_INTRUSION_CLASSES; class ++)
    hd_take_signed(&from->ticks[class], intrusion->ticks[class]);
  hd_take_signed(&from->merged, intrusion->merged);
}

static void take_unresolved(struct hd_unresolved *from, const struct hd_unresolved *unresolved) {
  hd_take(&from->ticks, unresolved->ticks);
  hd_take(&from->waiting, unresolved->waiting);
  hd_take(&from->regions, unresolved->regions);
  hd_take(&from->idle, unresolved->idle);
}

static uint64_t lesser(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* What is not known is a part of where it was booked. */
static void limit_unresolved(struct hd_unresolved *unresolved, const uint64_t ticks[HD_STATE_COUNT]) {
  uint64_t busy = unresolved->ticks > unresolved->waiting ? unresolved->ticks - unresolved->waiting : 0;
  unresolved->waiting = lesser(unresolved->waiting, ticks[HD_WAIT_BARRIER_IMPLICIT]);
  unresolved->idle = lesser(unresolved->idle, ticks[HD_IDLE]);
  busy = lesser(busy, ticks[HD_BUSY]);
  unresolved->regions = lesser(unresolved->regions, busy);
  unresolved->ticks = busy + unresolved->waiting;
}

static void take_row(struct hd_row *from, const struct hd_row *row) {
  hd_take(&from->visits, row->visits);
  hd_take(&from->cpu_ns, row->cpu_ns);
  take_shares(&from->shares, &row->shares);
  take_entries(&from->entries, &row->entries);
  take_states(from->ticks, row->ticks);
  take_intrusion(&from->intrusion, &row->intrusion);
  take_unresolved(&from->unresolved, &row->unresolved);
  limit_unresolved(&from->unresolved, from->ticks);
}

static void take_rows(struct hd_model *later, const struct hd_model *earlier) {
  hd_model_need_rows(later);
  for (uint32_t i = 0; i < later->row_count; i++) {
    struct hd_row *row = &later->rows[i];
    const bool is_new = row->node >= earlier->node_count;
    const struct hd_row *before = is_new ? NULL : hd_model_row(earlier, row->node, row->thread);
    if (before)
      take_row(row, before);
  }
}

static void take_node(struct hd_node *from, const struct hd_node *node) {
  if (from->id != 0)
    hd_take(&from->visits, node->visits);
  hd_take(&from->visits_concurrent, node->visits_concurrent);
  take_entries(&from->entries, &node->entries);
  hd_take(&from->cpu_ns, node->cpu_ns);
  take_shares(&from->shares, &node->shares);
  take_intrusion(&from->intrusion, &node->intrusion);
  hd_take(&from->untold_ticks, node->untold_ticks);
  hd_take_levels(&from->busy_at, &node->busy_at);
  hd_take_levels(&from->elapsed_at, &node->elapsed_at);
  hd_take(&from->running_ticks, node->running_ticks);
  hd_take(&from->active_ticks, node->active_ticks);
  hd_take(&from->unpaired_ticks, node->unpaired_ticks);
}

static void take_account(struct hd_account *from, const struct hd_account *account) {
  from->known = from->known && account->known;
  hd_take(&from->ran_ns, account->ran_ns);
  hd_take(&from->queued_ns, account->queued_ns);
  hd_take(&from->preemptions, account->preemptions);
}

static void take_thread(struct hd_model_thread *from, const struct hd_model_thread *thread) {
  from->took_part = hd_ticks_all(thread->ticks) > thread->ticks[HD_IDLE];
  hd_take(&from->before_ticks, thread->before_ticks);
  hd_take(&from->apart_ticks, thread->apart_ticks);
  take_account(&from->account, &thread->account);
  hd_take(&from->lifetime_ticks, thread->lifetime_ticks);
  hd_take(&from->readings, thread->readings);
  hd_take_signed(&from->late_ticks, thread->late_ticks);
  take_intrusion(&from->intrusion, &thread->intrusion);
  hd_take(&from->cost_ticks, thread->cost_ticks);
}

static void take_threads(struct hd_model *later, const struct hd_model *earlier) {
  for (uint32_t i = 0; i < later->thread_count; i++) {
    struct hd_model_thread *thread = &later->threads[i];
    if (i < earlier->thread_count)
      take_thread(thread, &earlier->threads[i]);
    if (thread->begin_ticks < earlier->end_ticks)
      thread->begin_ticks = earlier->end_ticks;
  }
}

/* ---- teams ---- */

static int by_team(const void *a, const void *b) {
  const struct hd_team_part *left = a, *right = b;
  const int order = hd_compare_pairs(a, b);
  return order != 0
             ? order
             : (left->totals.team_min > right->totals.team_min) - (left->totals.team_min < right->totals.team_min);
}

static void take_part(struct hd_team_totals *from, const struct hd_team_totals *part) {
  hd_take(&from->instances, part->instances);
  hd_take(&from->elapsed_ticks, part->elapsed_ticks);
  hd_take(&from->capacity_ticks, part->capacity_ticks);
  hd_take(&from->busy_ticks, part->busy_ticks);
  hd_take(&from->busy_max_ticks, part->busy_max_ticks);
  hd_take(&from->idle_ticks, part->idle_ticks);
  hd_take_signed(&from->intrusion_ticks, part->intrusion_ticks);
  if (from->busy_max_ticks < from->busy_ticks) /* another thread was the busiest of an instance that went on */
    from->busy_max_ticks = from->busy_ticks;
}

/* In order, with those of one node, thread and size as one. Returns how many there are. */
static uint32_t join_parts(struct hd_team_part *parts, uint32_t count) {
  uint32_t joined = 0;
  if (count > 0)
    qsort(parts, count, sizeof *parts, by_team);
  for (uint32_t i = 0; i < count; i++)
    if (joined > 0 && by_team(&parts[joined - 1], &parts[i]) == 0)
      hd_accumulate_team(&parts[joined - 1].totals, &parts[i].totals);
    else
      parts[joined++] = parts[i];
  return joined;
}

/* What became of a part. If the size of its team was not known yet, it is one of those of the same node and thread, of
 * whatever size, that are new. */
static struct hd_team_part *find_part(const struct hd_model *model, const struct hd_team_part *wanted) {
  const uint32_t count = model->team_part_count;
  struct hd_team_part *found = count ? bsearch(wanted, model->team_parts, count, sizeof *wanted, by_team) : NULL;
  for (uint32_t i = 0; !found && wanted->totals.team_min == 0 && i < count; i++)
    if (hd_compare_pairs(&model->team_parts[i], wanted) == 0 && model->team_parts[i].totals.instances > 0)
      found = &model->team_parts[i];
  return found;
}

static void take_parts(struct hd_model *later, const struct hd_model *earlier) {
  struct hd_team_part *before = hd_new((size_t)earlier->team_part_count + 1, sizeof *before);
  if (earlier->team_part_count > 0)
    memcpy(before, earlier->team_parts, earlier->team_part_count * sizeof *before);
  const uint32_t count = join_parts(before, earlier->team_part_count);
  later->team_part_count = join_parts(later->team_parts, later->team_part_count);
  for (uint32_t i = 0; i < later->node_count; i++)
    later->nodes[i].team = (struct hd_team_totals){0};
  for (uint32_t i = count; i-- > 0;) { /* those of unknown size come last */
    struct hd_team_part *part = find_part(later, &before[i]);
    if (part)
      take_part(&part->totals, &before[i].totals);
  }
  for (uint32_t i = 0; i < later->team_part_count; i++)
    hd_accumulate_team_part(&later->nodes[later->team_parts[i].node].team, &later->team_parts[i].totals);
  free(before);
}

static void limit_gains(struct hd_model *model) {
  bool *in_region = hd_new(model->node_count, sizeof *in_region);
  for (uint32_t i = 1; i < model->node_count; i++) {
    const struct hd_node *parent = &model->nodes[model->nodes[i].parent];
    in_region[i] = in_region[parent->id] || hd_kind_is_region(parent->kind);
    if (model->nodes[i].team.gain_ticks < 0)
      model->nodes[i].team.gain_ticks = 0;
  }
  hd_gains_limit(model, in_region);
  free(in_region);
}

/* ---- all ---- */

static void take_span(struct hd_model *later, const struct hd_model *earlier) {
  const uint64_t paused_ticks = hd_model_paused_ticks(earlier);
  hd_take(&later->header.paused_ticks, paused_ticks);
  hd_take(&later->header.stop_paused_ticks, paused_ticks);
  hd_take(&later->header.pauses, earlier->header.pauses);
  later->since_ticks = earlier->elapsed_ticks + paused_ticks;
}

static bool are_of_one_run(const struct hd_model *later, const struct hd_model *earlier) {
  if ((later->header.flags | earlier->header.flags) & HD_FILE_MERGED || later->header.pid != earlier->header.pid ||
      later->header.begin_ns != earlier->header.begin_ns ||
      later->header.loaded_ticks != earlier->header.loaded_ticks || later->node_count < earlier->node_count ||
      later->thread_count < earlier->thread_count || later->end_ticks < earlier->end_ticks)
    return false;
  for (uint32_t i = 0; i < earlier->node_count; i++)
    if (later->nodes[i].parent != earlier->nodes[i].parent) /* which kind of loop it is may turn out later */
      return false;
  return true;
}

/* Times and what of them is unresolved are sums of rows, to the tick. */
static void sum_rows(struct hd_model *model) {
  memset(model->ticks, 0, sizeof model->ticks);
  model->unresolved = (struct hd_unresolved){0};
  for (uint32_t i = 0; i < model->node_count; i++) {
    memset(model->nodes[i].ticks, 0, sizeof model->nodes[i].ticks);
    model->nodes[i].unresolved = (struct hd_unresolved){0};
  }
  for (uint32_t i = 0; i < model->thread_count; i++) {
    memset(model->threads[i].ticks, 0, sizeof model->threads[i].ticks);
    model->threads[i].unresolved = (struct hd_unresolved){0};
  }
  for (uint32_t i = 0; i < model->row_count; i++) {
    const struct hd_row *row = &model->rows[i];
    hd_accumulate_ticks(model->ticks, row->ticks);
    hd_accumulate_ticks(model->nodes[row->node].ticks, row->ticks);
    hd_accumulate_ticks(model->threads[row->thread].ticks, row->ticks);
    hd_accumulate_unresolved(&model->unresolved, &row->unresolved);
    hd_accumulate_unresolved(&model->nodes[row->node].unresolved, &row->unresolved);
    hd_accumulate_unresolved(&model->threads[row->thread].unresolved, &row->unresolved);
  }
}

static void take_program(struct hd_model *later, const struct hd_model *earlier) {
  hd_take(&later->before_ticks, earlier->before_ticks);
  hd_take(&later->elapsed_ticks, earlier->elapsed_ticks);
  hd_take(&later->uncounted_ticks, earlier->uncounted_ticks);
  hd_take(&later->inside_ticks, earlier->inside_ticks);
  take_intrusion(&later->intrusion, &earlier->intrusion);
  later->history_count = 0;
  later->timeline = NULL; /* times by level are those of the program's callpath */
  later->path_known = later->locks_known = false;
  later->path_count = later->step_count = later->lock_count = later->lock_pair_count = 0;
}

bool hd_interval_make(struct hd_model *later, const struct hd_model *earlier) {
  if (!are_of_one_run(later, earlier))
    return false;
  take_rows(later, earlier);
  for (uint32_t i = 0; i < earlier->node_count; i++)
    take_node(&later->nodes[i], &earlier->nodes[i]);
  take_threads(later, earlier);
  sum_rows(later);
  take_parts(later, earlier);
  take_program(later, earlier);
  take_span(later, earlier);
  hd_take_lists(later, earlier);
  limit_gains(later);
  hd_model_roll_up(later);
  return true;
}

/* ---- of two files ---- */

static void note_interval(struct hd_model *model, const char *since) {
  const double from = hd_model_from_seconds(model);
  const double length = hd_model_seconds(model, model->elapsed_ticks + hd_model_paused_ticks(model));
  hd_model_add_note(model,
                    "this is the part of the run from %.3f s to %.3f s, since %s was saved: what is longest, and other "
                    "notes, are of the whole run; counters, critical path and holders of locks are not known of parts",
                    from, from + length, since);
}

static bool reduce(struct hd_model *model, const char *since, char *error, size_t error_bytes) {
  struct hd_model *earlier;
  if (!hd_profile_open(since, &earlier, error, error_bytes))
    return false;
  const bool done = hd_interval_make(model, earlier);
  hd_model_free(earlier);
  model->since = since;
  if (done)
    note_interval(model, since);
  else
    snprintf(error, error_bytes, "%s is no earlier profile of the run of %s", since, model->path);
  return done;
}

bool hd_interval_open(const char *path, const char *since, struct hd_model **model, char *error, size_t error_bytes) {
  if (!hd_profile_open(path, model, error, error_bytes))
    return false;
  if (!since || reduce(*model, since, error, error_bytes))
    return true;
  hd_model_free(*model);
  *model = NULL;
  return false;
}
