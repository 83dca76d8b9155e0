/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/resolve/resolve.h"

#include <math.h>
#include <stdlib.h>

#include "output/analysis/resolve/resolve_internal.h"
#include "output/model/accumulate.h"
#include "output/model/format_names.h"
#include "output/model/lazy_rows.h"
#include "output/model/overhead_notes.h"
#include "output/model/rollup.h"
#include "support/command/memory.h"

enum { PAIRS_MOST = 1 << 22 };

/* ---- what is unresolved, and what windows saw ---- */

static double ticks_of(const struct hd_watched *watched, uint32_t state) {
  return fmax((double)(int64_t)watched->ticks[state], 0);
}

/* Ticks of a state that windows saw, without Heddle's. */
static double weight_of(const struct hd_watched *watched, uint32_t state) {
  const enum hd_intrusion_class class = hd_intrusion_class_of(state);
  double sum = 0;
  for (uint32_t other = 0; other < HD_STATE_COUNT; other++)
    sum += hd_intrusion_class_of(other) == class ? (double)(int64_t)watched->ticks[other] : 0;
  const double part = sum > 0 ? fmin(fmax(1 - (double)watched->intrusion[class] / sum, 0), 1) : 0;
  return ticks_of(watched, state) * part;
}

static void survey_watched(struct hd_resolution *of, const struct hd_watched *watched) {
  struct hd_unknown *unknown = hd_unknown_by(of, watched);
  const double times = hd_resolve_times(of, watched);
  for (uint32_t state = 0; state < HD_STATE_COUNT; state++) {
    unknown->raw += times * ticks_of(watched, state);
    unknown->weight += times * weight_of(watched, state);
  }
  unknown->busy_raw += times * ticks_of(watched, HD_BUSY);
  unknown->busy_weight += times * weight_of(watched, HD_BUSY);
  if (watched->of_regions ? watched->node == 0 : of->place[watched->node] == watched->node)
    unknown->spread = &watched->spread;
}

static void survey(struct hd_resolution *of) {
  const struct hd_model *model = of->model;
  for (uint32_t i = 0; i < model->row_count; i++) {
    struct hd_unknown *unknown = hd_unknown_of(of, model->rows[i].node, model->rows[i].thread);
    struct hd_unknown *regions = &of->of_regions[model->rows[i].thread];
    const struct hd_unresolved *unresolved = &model->rows[i].unresolved;
    unknown->ticks += unresolved->ticks - unresolved->regions;
    unknown->waiting += unresolved->waiting;
    regions->ticks += unresolved->regions + unresolved->idle;
    regions->idle += unresolved->idle;
  }
  for (uint32_t i = 0; i < model->watched_count; i++)
    survey_watched(of, &model->watched[i]);
}

/* ---- times ---- */

static void move(struct hd_resolution *of, const struct hd_row *row, uint32_t state, int64_t ticks) {
  struct hd_model *model = of->model;
  struct hd_row *to = (struct hd_row *)row;
  to->ticks[state] += (uint64_t)ticks;
  model->nodes[row->node].ticks[state] += (uint64_t)ticks;
  model->threads[row->thread].ticks[state] += (uint64_t)ticks;
  model->ticks[state] += (uint64_t)ticks;
  of->gained[row->node] += state == HD_BUSY ? ticks : 0;
}

static void take_regions(struct hd_resolution *of, const struct hd_row *row) {
  const struct hd_unresolved *unresolved = &row->unresolved;
  if (unresolved->regions + unresolved->idle == 0 || of->of_regions[row->thread].weight <= 0)
    return;
  move(of, row, HD_BUSY, -(int64_t)unresolved->regions);
  move(of, row, HD_IDLE, -(int64_t)unresolved->idle);
  of->is_estimated[0] = true;
  of->of_refused[row->node] -= (int64_t)unresolved->regions;
}

static void take(struct hd_resolution *of) {
  for (uint32_t i = 0; i < of->model->row_count; i++) {
    const struct hd_row *row = &of->model->rows[i];
    const uint64_t waits = row->unresolved.waiting, busy = row->unresolved.ticks - row->unresolved.regions - waits;
    take_regions(of, row);
    of->as_busy[row->node] += busy;
    of->as_waits[row->node] += waits;
    if (busy + waits == 0 || hd_unknown_of(of, row->node, row->thread)->weight <= 0)
      continue;
    move(of, row, HD_BUSY, -(int64_t)busy);
    move(of, row, HD_WAIT_BARRIER_IMPLICIT, -(int64_t)waits);
    of->is_estimated[of->place[row->node]] = true;
  }
}

/* Of what the thread lacks in the region, as large a part as the state has of what windows saw. The last one gets what
 * is left by rounding. */
static void give_part(struct hd_resolution *of, const struct hd_watched *watched, const struct hd_row *row,
                      uint32_t state, double part) {
  struct hd_unknown *unknown = hd_unknown_by(of, watched);
  unknown->passed += part;
  const double share = fmin(unknown->passed / unknown->weight, 1);
  const uint64_t until = share >= 1 - 1e-12 ? unknown->ticks : (uint64_t)(share * (double)unknown->ticks);
  move(of, row, state, (int64_t)(until - unknown->given));
  if (watched->of_regions)
    hd_resolve_give_region(of, watched, state, until - unknown->given);
  unknown->given = until;
}

/* Of outermost regions' instances it is known how many a thread has begun. */
static void give_visits(struct hd_resolution *of, const struct hd_watched *watched, const struct hd_row *row) {
  const struct hd_unknown *unknown = hd_unknown_by(of, watched);
  const double scale = watched->of_regions ? hd_resolve_times(of, watched) : (double)unknown->ticks / unknown->weight;
  const uint64_t refused = row->shares.refused;
  const uint64_t more = refused > 0 ? refused : (uint64_t)llround((double)watched->visits * scale);
  ((struct hd_row *)row)->visits += more;
  if (hd_kind_is_region(of->model->nodes[row->node].kind) && (!watched->of_regions || refused > 0))
    return;
  of->model->nodes[row->node].visits += more;
  of->visits[row->node] += more;
}

static void sum_busy(struct hd_resolution *of) {
  for (uint32_t i = 0; i < of->model->row_count; i++)
    hd_unknown_of(of, of->model->rows[i].node, of->model->rows[i].thread)->busy += of->model->rows[i].ticks[HD_BUSY];
}

static void give(struct hd_resolution *of) {
  for (uint32_t i = 0; i < of->model->watched_count; i++) {
    const struct hd_watched *watched = &of->model->watched[i];
    const struct hd_unknown *unknown = hd_unknown_by(of, watched);
    const struct hd_row *row = hd_model_row(of->model, watched->node, watched->thread);
    if (!row || unknown->weight <= 0 || unknown->ticks == 0)
      continue;
    for (uint32_t state = 0; state < HD_STATE_COUNT; state++) {
      const double part = hd_resolve_times(of, watched) * weight_of(watched, state);
      if (part > 0)
        give_part(of, watched, row, state, part);
    }
    give_visits(of, watched, row);
    of->is_estimated[of->place[watched->node]] |= watched->of_regions != 0;
  }
}

/* ---- what was handed out and created ---- */

static void scale(uint64_t *count, double factor) {
  *count = (uint64_t)llround((double)*count * factor);
}

/* Chunks, iterations and tasks were counted in the visits that were observed: as many for each of those that were not. */
static void give_shares(struct hd_resolution *of) {
  const struct hd_model *model = of->model;
  for (uint32_t i = 0; i < model->node_count; i++)
    if (of->visits[i] > 0)
      model->nodes[i].shares = (struct hd_shares){0};
  for (uint32_t i = 0; i < model->row_count; i++) {
    struct hd_node *node = &model->nodes[model->rows[i].node];
    struct hd_shares *shares = (struct hd_shares *)&model->rows[i].shares;
    const uint64_t more = of->visits[model->rows[i].node];
    if (more == 0)
      continue;
    const double factor = (double)node->visits / (double)(node->visits - more);
    scale(&shares->chunks, factor);
    scale(&shares->iterations, factor);
    scale(&shares->created, factor);
    scale(&shares->elsewhere, factor);
    hd_accumulate_shares(&node->shares, shares);
  }
}

/* ---- all ---- */

static void make(struct hd_resolution *of) {
  const size_t nodes = of->model->node_count;
  of->is_estimated = hd_new(nodes, sizeof *of->is_estimated);
  of->gained = hd_new(nodes, sizeof *of->gained);
  of->as_busy = hd_new(nodes, sizeof *of->as_busy);
  of->as_waits = hd_new(nodes, sizeof *of->as_waits);
  of->visits = hd_new(nodes, sizeof *of->visits);
  of->given = hd_new(nodes, sizeof *of->given);
  of->of_refused = hd_new(nodes, sizeof *of->of_refused);
  of->times = hd_new(nodes, sizeof *of->times);
}

/* False: there are so many that what is unresolved stays so. */
static bool find_places(struct hd_resolution *of) {
  const struct hd_model *model = of->model;
  uint32_t count = 0;
  of->place = hd_new(model->node_count, sizeof *of->place);
  of->number = hd_new(model->node_count, sizeof *of->number);
  for (uint32_t i = 0; i < model->node_count; i++) {
    const bool is_place = i == 0 || hd_kind_is_region(model->nodes[i].kind);
    of->place[i] = is_place ? i : of->place[model->nodes[i].parent];
    of->number[i] = is_place ? count++ : 0;
  }
  const size_t pairs = (size_t)count * model->thread_count;
  of->unknown = pairs < PAIRS_MOST ? hd_new(pairs + model->thread_count + 1, sizeof *of->unknown) : NULL;
  of->of_regions = of->unknown ? of->unknown + pairs : NULL;
  return of->unknown;
}

static void free_all(struct hd_resolution *of) {
  free(of->place);
  free(of->number);
  free(of->unknown);
  free(of->is_estimated);
  free(of->gained);
  free(of->as_busy);
  free(of->as_waits);
  free(of->visits);
  free(of->given);
  free(of->of_refused);
  free(of->times);
}

static void resolve(struct hd_resolution *of) {
  hd_model_need_rows(of->model);
  make(of);
  hd_resolve_count_regions(of);
  survey(of);
  take(of);
  give(of);
  give_shares(of);
  sum_busy(of);
  hd_resolve_gains(of);
  hd_model_roll_up(of->model);
  hd_resolve_busy_intervals(of);
  of->model->estimated = true;
  hd_model_note_overhead(of->model);
}

void hd_resolve(struct hd_model *model) {
  struct hd_resolution of = {.model = model};
  if (model->estimated || model->unresolved.ticks + model->unresolved.idle == 0 || model->watched_count == 0)
    return;
  if (find_places(&of))
    resolve(&of);
  free_all(&of);
}
