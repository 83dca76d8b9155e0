/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/resolve.h"

#include <math.h>
#include <stdlib.h>

#include "output/model/accumulate.h"
#include "output/model/format_names.h"
#include "output/model/lazy_rows.h"
#include "output/model/rollup.h"
#include "support/command/memory.h"

struct resolution {
  struct hd_model *model;
  uint32_t *place;      /* by node: the innermost region that it is, or lies in; 0: none */
  double *weights;      /* [place * threads + thread]: what windows saw, corrected */
  uint64_t *unresolved; /* likewise: ticks */
  uint64_t *given;      /* likewise: of these, so far */
  double *passed;       /* likewise: of the weights */
  bool *is_estimated;   /* by place */
  int64_t *gained;      /* by node: busy ticks of its own, more than before */
  uint64_t *were_busy;  /* by node: unresolved ticks of its own that were resolved and had counted as busy, */
  uint64_t *were_waits; /* and as waits */
};

static size_t at(const struct resolution *of, uint32_t node, uint32_t thread) {
  return (size_t)of->place[node] * of->model->thread_count + thread;
}

/* Ticks of a state that windows saw, without Heddle's. */
static double weight(const struct hd_watched *watched, uint32_t state) {
  const enum hd_intrusion_class class = hd_intrusion_class_of(state);
  double sum = 0;
  for (uint32_t other = 0; other < HD_STATE_COUNT; other++)
    sum += hd_intrusion_class_of(other) == class ? (double)(int64_t)watched->ticks[other] : 0;
  const double part = sum > 0 ? fmin(fmax(1 - (double)watched->intrusion[class] / sum, 0), 1) : 0;
  return fmax((double)(int64_t)watched->ticks[state] * part, 0);
}

static void survey(struct resolution *of) {
  const struct hd_model *model = of->model;
  for (uint32_t i = 0; i < model->node_count; i++)
    of->place[i] = hd_kind_is_region(model->nodes[i].kind) ? i : i == 0 ? 0 : of->place[model->nodes[i].parent];
  for (uint32_t i = 0; i < model->row_count; i++)
    of->unresolved[at(of, model->rows[i].node, model->rows[i].thread)] += model->rows[i].unresolved.ticks;
  for (uint32_t i = 0; i < model->watched_count; i++) {
    const struct hd_watched *watched = &model->watched[i];
    for (uint32_t state = 0; state < HD_STATE_COUNT; state++)
      of->weights[at(of, watched->node, watched->thread)] += weight(watched, state);
  }
}

static bool is_resolved(const struct resolution *of, uint32_t node, uint32_t thread) {
  return of->weights[at(of, node, thread)] > 0;
}

/* ---- times ---- */

static void move(struct resolution *of, const struct hd_row *row, uint32_t state, int64_t ticks) {
  struct hd_model *model = of->model;
  struct hd_row *to = (struct hd_row *)row;
  to->ticks[state] += (uint64_t)ticks;
  model->nodes[row->node].ticks[state] += (uint64_t)ticks;
  model->threads[row->thread].ticks[state] += (uint64_t)ticks;
  model->ticks[state] += (uint64_t)ticks;
  of->gained[row->node] += state == HD_BUSY ? ticks : 0;
}

static void take(struct resolution *of) {
  for (uint32_t i = 0; i < of->model->row_count; i++) {
    const struct hd_row *row = &of->model->rows[i];
    const uint64_t waits = row->unresolved.waiting, busy = row->unresolved.ticks - waits;
    if (row->unresolved.ticks == 0 || !is_resolved(of, row->node, row->thread))
      continue;
    move(of, row, HD_BUSY, -(int64_t)busy);
    move(of, row, HD_WAIT_BARRIER_IMPLICIT, -(int64_t)waits);
    of->were_busy[row->node] += busy;
    of->were_waits[row->node] += waits;
    of->is_estimated[of->place[row->node]] = true;
  }
}

/* Of what the thread lacks in the region, as large a part as the state has of what windows saw. The last one gets what
 * is left by rounding. */
static void give_part(struct resolution *of, const struct hd_row *row, uint32_t state, double part) {
  const size_t index = at(of, row->node, row->thread);
  const uint64_t whole = of->unresolved[index];
  of->passed[index] += part;
  const double share = fmin(of->passed[index] / of->weights[index], 1);
  const uint64_t until = share >= 1 - 1e-12 ? whole : (uint64_t)(share * (double)whole);
  move(of, row, state, (int64_t)(until - of->given[index]));
  of->given[index] = until;
}

static void give(struct resolution *of) {
  for (uint32_t i = 0; i < of->model->watched_count; i++) {
    const struct hd_watched *watched = &of->model->watched[i];
    const size_t index = at(of, watched->node, watched->thread);
    const struct hd_row *row = hd_model_row(of->model, watched->node, watched->thread);
    if (!row || of->weights[index] <= 0 || of->unresolved[index] == 0)
      continue;
    for (uint32_t state = 0; state < HD_STATE_COUNT; state++) {
      const double part = weight(watched, state);
      if (part > 0)
        give_part(of, row, state, part);
    }
    const uint64_t visits =
        (uint64_t)llround((double)watched->visits * (double)of->unresolved[index] / of->weights[index]);
    ((struct hd_row *)row)->visits += visits;
    if (!hd_kind_is_region(of->model->nodes[watched->node].kind))
      of->model->nodes[watched->node].visits += visits;
  }
}

/* ---- what follows ---- */

/* Of a region, or a construct in it: less busy time is more lost time. */
static double gain_of(const struct hd_node *node, double lost_ticks) {
  const double team =
      hd_team_elapsed(&node->team) > 0 ? (double)node->team.capacity_ticks / hd_team_elapsed(&node->team) : 0;
  return team > 0 ? lost_ticks / team * node->gain_share : 0;
}

static double within(double value, double most) {
  return fmin(fmax(value, 0), most);
}

static void set_gain(const struct hd_model *model, struct hd_node *node, double gained, double busy, double waits) {
  const double elapsed = hd_team_elapsed(&node->team), most = fmin(model->gain_limit_ticks, elapsed);
  const double before = node->team.gain_ticks;
  node->team.busy_ticks += (uint64_t)(int64_t)llround(gained);
  node->gain_interval.low = within(before - gain_of(node, waits), most);
  node->gain_interval.high = within(before + gain_of(node, busy), elapsed);
  node->team.gain_ticks = within(before - gain_of(node, gained), most);
}

/* Of what lies in a region and in no other in that; its threads are the team's. */
static void sum_up_regions(struct resolution *of, double *gained, double *busy, double *waits) {
  for (uint32_t i = 0; i < of->model->node_count; i++) {
    gained[of->place[i]] += (double)of->gained[i];
    busy[of->place[i]] += (double)of->were_busy[i];
    waits[of->place[i]] += (double)of->were_waits[i];
  }
}

static double processors_of(const struct hd_model *model) {
  return model->header.max_threads > 0 ? model->header.max_threads : 1;
}

static void resolve_gains(struct resolution *of) {
  struct hd_model *model = of->model;
  double *gained = hd_new(model->node_count, sizeof *gained), *busy = hd_new(model->node_count, sizeof *busy);
  double *waits = hd_new(model->node_count, sizeof *waits), more = 0;
  sum_up_regions(of, gained, busy, waits);
  for (uint32_t i = 0; i < model->node_count; i++)
    more -= (double)of->gained[i];
  model->gain_limit_ticks = within(model->gain_limit_ticks + more / processors_of(model), (double)model->elapsed_ticks);
  model->gain_interval = (struct hd_possible){model->gain_ticks, model->gain_ticks};
  for (uint32_t i = 1; i < model->node_count; i++) {
    struct hd_node *node = &model->nodes[i];
    const double before = node->team.gain_ticks;
    if (of->place[i] != i || node->team.capacity_ticks == 0 || !of->is_estimated[i])
      continue;
    set_gain(model, node, gained[i], busy[i], waits[i]);
    if (of->place[node->parent] != 0)
      continue;
    model->gain_ticks += node->team.gain_ticks - before;
    model->gain_interval.low += node->gain_interval.low - before;
    model->gain_interval.high += node->gain_interval.high - before;
  }
  free(gained);
  free(busy);
  free(waits);
}

static void mark(struct hd_node *node) {
  for (int kind = 0; kind < HD_MARKS_KINDS; kind++)
    node->marks[kind] = (node->marks[kind] & ~(uint32_t)HD_MARK_GAIN_UNKNOWN) | HD_MARK_ESTIMATED;
}

/* Up to the program: parents come before their children. */
static void mark_all(struct resolution *of) {
  struct hd_model *model = of->model;
  for (uint32_t i = model->node_count; i-- > 0;) {
    struct hd_node *node = &model->nodes[i], *parent = &model->nodes[node->parent];
    node->resolved_ticks -= (double)of->gained[i];
    node->busy_interval.low += (double)of->gained[i] + (double)of->were_busy[i];
    node->busy_interval.high += (double)of->were_waits[i] - (double)of->gained[i];
    if (of->is_estimated[of->place[i]] || node->marks[0] & HD_MARK_ESTIMATED) {
      mark(node);
      parent->marks[0] |= HD_MARK_ESTIMATED;
    }
    if (i == 0)
      continue;
    parent->resolved_ticks += node->resolved_ticks;
    parent->busy_interval.low += node->busy_interval.low;
    parent->busy_interval.high += node->busy_interval.high;
  }
}

/* Here `low` and `high` are what it may be less, or more, than the estimate. What is unresolved anywhere in a region
 * may have been spent in any construct of it. */
static void set_intervals(struct resolution *of) {
  struct hd_model *model = of->model;
  double *unresolved = hd_new(model->node_count, sizeof *unresolved); /* by place */
  for (uint32_t i = 0; i < model->node_count; i++)
    unresolved[of->place[i]] += (double)(of->were_busy[i] + of->were_waits[i]);
  for (uint32_t i = 0; i < model->node_count; i++) {
    struct hd_node *node = &model->nodes[i];
    const double busy = (double)node->inclusive_ticks[HD_BUSY], elsewhere = unresolved[of->place[i]];
    node->busy_interval =
        (struct hd_possible){.low = fmax(busy - node->busy_interval.low, 0),
                             .high = busy + node->busy_interval.high + (of->place[i] == i ? 0 : elsewhere)};
  }
  free(unresolved);
}

void hd_resolve(struct hd_model *model) {
  struct resolution of = {.model = model};
  const size_t pairs = (size_t)model->node_count * model->thread_count + 1;
  if (model->estimated || model->unresolved.ticks == 0 || model->watched_count == 0 || pairs > UINT32_MAX / 8)
    return;
  hd_model_need_rows(model);
  of.place = hd_new(model->node_count, sizeof *of.place);
  of.weights = hd_new(pairs, sizeof *of.weights);
  of.passed = hd_new(pairs, sizeof *of.passed);
  of.unresolved = hd_new(pairs, sizeof *of.unresolved);
  of.given = hd_new(pairs, sizeof *of.given);
  of.is_estimated = hd_new(model->node_count, sizeof *of.is_estimated);
  of.gained = hd_new(model->node_count, sizeof *of.gained);
  of.were_busy = hd_new(model->node_count, sizeof *of.were_busy);
  of.were_waits = hd_new(model->node_count, sizeof *of.were_waits);
  survey(&of);
  take(&of);
  give(&of);
  resolve_gains(&of);
  mark_all(&of);
  hd_model_roll_up(model);
  set_intervals(&of);
  model->estimated = true;
  free(of.place), free(of.weights), free(of.passed), free(of.unresolved), free(of.given);
  free(of.is_estimated), free(of.gained), free(of.were_busy), free(of.were_waits);
}
