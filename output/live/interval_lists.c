/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>
#include <stdlib.h>

#include "output/live/interval_parts.h"
#include "output/model/accumulate.h"
#include "output/model/samples.h"
#include "output/model/watched.h"

void hd_take_levels(struct hd_levels *from, const struct hd_levels *levels) {
  for (uint32_t k = 0; k < from->count && k < levels->count; k++)
    hd_take(&from->ticks[k], levels->ticks[k]);
}

static void take_overlaps(struct hd_model *later, const struct hd_model *earlier) {
  uint32_t kept = 0;
  for (uint32_t i = 0, at = 0; i < later->overlap_count; i++) {
    struct hd_overlap overlap = later->overlaps[i];
    while (at < earlier->overlap_count && hd_compare_pairs(&earlier->overlaps[at], &overlap) < 0)
      at++;
    if (at < earlier->overlap_count && hd_compare_pairs(&earlier->overlaps[at], &overlap) == 0)
      hd_take(&overlap.ticks, earlier->overlaps[at].ticks);
    if (overlap.ticks > 0)
      later->overlaps[kept++] = overlap;
  }
  later->overlap_count = kept;
}

static void take_samples(struct hd_model *later, const struct hd_model *earlier) {
  uint32_t kept = 0;
  for (uint32_t i = 0, at = 0; i < later->sample_count; i++) {
    struct hd_model_sample sample = later->samples[i];
    while (at < earlier->sample_count && hd_samples_compare(&earlier->samples[at], &sample) < 0)
      at++;
    if (at < earlier->sample_count && hd_samples_compare(&earlier->samples[at], &sample) == 0) {
      hd_take(&sample.count, earlier->samples[at].count);
      hd_take(&sample.taken, earlier->samples[at].taken);
    }
    if (sample.count > 0)
      later->samples[kept++] = sample;
  }
  later->sample_count = kept;
}

/* The longest stays the run's. */
static void take_lengths(struct hd_lengths *from, const struct hd_lengths *lengths) {
  hd_take(&from->ticks, lengths->ticks);
  for (uint32_t i = 0; i < HD_LENGTH_BUCKETS; i++)
    hd_take(&from->counts[i], lengths->counts[i]);
}

static void take_loop(struct hd_model_loop *from, const struct hd_model_loop *loop) {
  take_lengths(&from->lengths, &loop->lengths);
  for (uint32_t i = 0; i < HD_SPACE_BUCKETS; i++) {
    hd_take(&from->ticks[i], loop->ticks[i]);
    hd_take(&from->iterations[i], loop->iterations[i]);
  }
}

static void take_loops(struct hd_model *later, const struct hd_model *earlier) {
  for (uint32_t i = 0, at = 0; i < later->loop_count; i++) {
    while (at < earlier->loop_count && earlier->loops[at].node < later->loops[i].node)
      at++;
    if (at < earlier->loop_count && earlier->loops[at].node == later->loops[i].node)
      take_loop(&later->loops[i], &earlier->loops[at]);
  }
}

static void take_tasks(struct hd_model *later, const struct hd_model *earlier) {
  for (uint32_t i = 0, at = 0; i < later->task_count; i++) {
    while (at < earlier->task_count && earlier->tasks[at].node < later->tasks[i].node)
      at++;
    if (at == earlier->task_count || earlier->tasks[at].node != later->tasks[i].node)
      continue;
    take_lengths(&later->tasks[i].run, &earlier->tasks[at].run);
    take_lengths(&later->tasks[i].delay, &earlier->tasks[at].delay);
  }
}

static void take_costs(struct hd_model *later, const struct hd_model *earlier) {
  for (int kind = 0; kind < HD_EVENT_KINDS; kind++) {
    hd_take(&later->cost_of[kind].count, earlier->cost_of[kind].count);
    hd_take(&later->cost_of[kind].ticks, earlier->cost_of[kind].ticks);
  }
  hd_take(&later->cost_ticks, earlier->cost_ticks);
}

static bool is_of_one(const struct hd_switch *a, const struct hd_switch *b) {
  return a->event_class == b->event_class && a->thread == b->thread && a->node == b->node && a->asked == b->asked &&
         a->in_part == b->in_part;
}

/* Those of one class, thread and callpath keep their order. */
static const struct hd_switch *find_switch(const struct hd_model *model, const struct hd_switch *like,
                                           uint32_t number) {
  for (uint32_t i = 0; i < model->switch_count; i++)
    if (is_of_one(&model->switches[i], like) && number-- == 0)
      return &model->switches[i];
  return NULL;
}

static void take_switches(struct hd_model *later, const struct hd_model *earlier) {
  for (uint32_t i = 0; i < later->switch_count; i++) {
    struct hd_switch *from = &later->switches[i];
    uint32_t number = 0;
    for (uint32_t j = 0; j < i; j++)
      number += is_of_one(&later->switches[j], from);
    const struct hd_switch *known = find_switch(earlier, from, number);
    if (!known)
      continue;
    hd_take(&from->times, known->times);
    hd_take(&from->ticks, known->ticks);
  }
}

/* With regions all was off that is in them. */
static uint32_t classes_off(const struct hd_model *interval) {
  uint32_t classes = interval->header.lost_switches > 0 ? UINT32_MAX : 0;
  for (uint32_t i = 0; i < interval->switch_count; i++)
    if (interval->switches[i].times > 0 || interval->switches[i].ticks > 0)
      classes |= 1u << interval->switches[i].event_class;
  return classes >> HD_CLASS_REGION & 1 ? UINT32_MAX : classes;
}

/* What was off before is known now. */
static void limit_refused(struct hd_model *interval) {
  const uint32_t on = ((1u << HD_CLASS_COUNT) - 1) & ~classes_off(interval);
  interval->off_classes &= ~on;
  interval->refused &= ~on;
  for (uint32_t i = 0; i < interval->node_count; i++)
    interval->nodes[i].refused &= ~on;
  for (uint32_t i = 0; i < interval->thread_count; i++)
    interval->threads[i].refused &= ~on;
  for (uint32_t i = 0; i < interval->row_count; i++)
    interval->rows[i].refused &= ~on;
}

/* Counts are taken when a thread reads its counters, not when somebody looks: no difference is one of the interval. */
static void drop_counts(struct hd_model *model) {
  free(model->counts_inclusive);
  free(model->counts_total);
  model->counts_inclusive = model->counts_total = NULL;
  model->counts_count = model->header.event_count = 0;
  for (uint32_t i = 0; i < model->node_count; i++)
    model->nodes[i].counts_count = 0;
}

static void take_watched_of(struct hd_watched *from, const struct hd_watched *watched) {
  hd_take(&from->visits, watched->visits);
  for (int state = 0; state < HD_STATE_COUNT; state++)
    hd_take(&from->ticks[state], watched->ticks[state]);
  for (int class = 0; class < HD_INTRUSION_CLASSES; class ++)
    hd_take_signed(&from->intrusion[class], watched->intrusion[class]);
  hd_take(&from->spread.windows, watched->spread.windows);
  for (int i = 0; i < 2; i++)
    hd_take(&from->spread.sums[i], watched->spread.sums[i]);
  for (int i = 0; i < 3; i++)
    from->spread.products[i] = fmax(from->spread.products[i] - watched->spread.products[i], 0);
}

static void take_watched(struct hd_model *later, const struct hd_model *earlier) {
  for (uint32_t i = 0; i < later->watched_count; i++) {
    struct hd_watched *from = &later->watched[i];
    const struct hd_watched *known =
        hd_watched_find(earlier->watched, earlier->watched_count, from->node, from->thread, from->of_regions);
    if (known)
      take_watched_of(from, known);
  }
}

void hd_take_lists(struct hd_model *later, const struct hd_model *earlier) {
  take_overlaps(later, earlier);
  take_samples(later, earlier);
  take_loops(later, earlier);
  take_tasks(later, earlier);
  take_costs(later, earlier);
  take_switches(later, earlier);
  limit_refused(later);
  take_watched(later, earlier);
  drop_counts(later);
}
