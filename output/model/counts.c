/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/counts.h"

#include <math.h>
#include <stdlib.h>

#include "output/model/accumulate.h"
#include "output/model/memory.h"
#include "support/command/memory.h"

/* Sums are kept in fresh memory: what is added up may be shared. A sum that is too large is said to be incomplete. */
static void join(struct hd_model *model, struct hd_counts *to, const struct hd_counts *from) {
  const size_t events = (size_t)model->header.event_count * HD_COUNT_CLASSES;
  const size_t all = events + (size_t)model->header.event_slots * HD_COUNT_CLASSES;
  uint64_t *sums = hd_model_allocate(model, (all + 1) * sizeof *sums);
  for (int c = 0; c < HD_COUNT_CLASSES; c++) {
    to->missing[c] |= from->missing[c];
    to->counted[c] |= from->counted[c];
  }
  for (size_t i = 0; i < all; i++)
    if (__builtin_add_overflow(to->counts[i], from->counts[i], &sums[i])) {
      sums[i] = UINT64_MAX;
      if (i < events)
        to->missing[i % HD_COUNT_CLASSES] |= UINT64_C(1) << i / HD_COUNT_CLASSES;
    }
  to->busy_ticks += from->busy_ticks;
  to->counts = sums;
  to->slot_ticks = sums + events;
}

void hd_model_sort_counts(struct hd_model *model) {
  uint32_t kept = 0;
  if (model->counts_count > 0)
    qsort(model->counts, model->counts_count, sizeof *model->counts, hd_compare_pairs);
  for (uint32_t i = 0; i < model->counts_count; i++) {
    const struct hd_counts counts = model->counts[i];
    if (kept == 0 || hd_compare_pairs(&model->counts[kept - 1], &counts) != 0)
      model->counts[kept++] = counts;
    else
      join(model, &model->counts[kept - 1], &counts);
  }
  model->counts_count = kept;
  for (uint32_t i = 0; i < model->node_count; i++)
    model->nodes[i].counts_first = model->nodes[i].counts_count = 0;
  for (uint32_t i = 0; i < kept; i++) {
    struct hd_node *node = &model->nodes[model->counts[i].node];
    if (node->counts_count++ == 0)
      node->counts_first = i;
  }
}

/* How far up one must go from any node of a subtree decides whether its counts are all inside. Children have larger
 * ids. */
static void sum_nodes(const struct hd_model *model, struct hd_count_sum *sums) {
  int32_t *reach = hd_new(model->node_count, sizeof *reach);
  for (uint32_t i = 0; i < model->node_count; i++)
    reach[i] = model->nodes[i].counts_reach;
  for (uint32_t i = model->node_count; i-- > 0;) {
    const struct hd_node *node = &model->nodes[i];
    struct hd_count_sum *sum = &sums[i];
    hd_count_sum_miss(sum, node->counts_lost);
    for (uint32_t j = 0; j < node->counts_count; j++)
      hd_count_sum_add_counts(model, sum, &model->counts[node->counts_first + j]);
    if (i > 0) {
      hd_count_sum_add(model, &sums[node->parent], sum);
      reach[node->parent] = reach[i] < reach[node->parent] ? reach[i] : reach[node->parent];
    }
    sum->incomplete = reach[i] < (int32_t)node->depth;
  }
  free(reach);
}

static void sum_threads(const struct hd_model *model, struct hd_count_sum *sums) {
  struct hd_count_sum *all = &sums[model->thread_count];
  for (uint32_t i = 0; i < model->counts_count; i++)
    hd_count_sum_add_counts(model, &sums[model->counts[i].thread], &model->counts[i]);
  for (uint32_t i = 0; i < model->thread_count; i++) {
    hd_count_sum_miss(&sums[i], model->threads[i].lost ? model->threads[i].uncounted : 0);
    hd_count_sum_add(model, all, &sums[i]);
  }
  hd_count_sum_miss(all, model->nodes[0].counts_lost);
}

void hd_model_sum_counts(struct hd_model *model) {
  if (model->header.event_count == 0)
    return;
  if (!model->counts_total) {
    model->counts_total = hd_count_sums_new(model, (size_t)model->thread_count + 1);
    sum_threads(model, model->counts_total);
  }
  free(model->counts_inclusive);
  model->counts_inclusive = hd_count_sums_new(model, model->node_count);
  sum_nodes(model, model->counts_inclusive);
}

/* ---- threads that did not count ---- */

/* Whether `node` is `above` or below it: parents have smaller ids. */
static bool is_below(const struct hd_model *model, uint32_t node, uint32_t above) {
  while (node > above)
    node = model->nodes[node].parent;
  return node == above;
}

/* Whether threads without rows may have come there. */
static bool lacks_threads(const struct hd_model *model, struct hd_count_of of, uint64_t bit) {
  bool found = of.node == HD_NONE && (model->nodes[0].counts_lost & bit);
  for (uint32_t i = of.node; !found && i < model->node_count && (of.inclusive || i == of.node); i++)
    found = (model->nodes[i].counts_lost & bit) && is_below(model, i, of.node);
  return found && of.thread == HD_NONE;
}

static bool is_missing(const struct hd_counts *counts, uint64_t bit) {
  uint64_t missing = 0;
  for (int c = 0; c < HD_COUNT_CLASSES; c++)
    missing |= counts->missing[c];
  return missing & bit;
}

uint32_t hd_model_uncounted(const struct hd_model *model, struct hd_count_of of, uint32_t event, uint32_t *threads) {
  const uint64_t bit = UINT64_C(1) << event;
  bool *found = hd_new(model->thread_count, sizeof *found);
  for (uint32_t i = of.node == HD_NONE ? 0 : model->nodes[of.node].counts_first; i < model->counts_count; i++) {
    const struct hd_counts *counts = &model->counts[i];
    if (!of.inclusive && counts->node != of.node)
      break; /* counts are in the order of nodes */
    if (is_missing(counts, bit) && (of.thread == HD_NONE || counts->thread == of.thread) &&
        (of.node == HD_NONE || is_below(model, counts->node, of.node)))
      found[counts->thread] = true;
  }
  for (uint32_t i = 0; lacks_threads(model, of, bit) && i < model->thread_count; i++)
    found[i] |= model->threads[i].lost && (model->threads[i].uncounted & bit);
  uint32_t count = 0;
  for (uint32_t i = 0; i < model->thread_count; i++)
    if (found[i])
      threads[count++] = i;
  free(found);
  return count;
}

/* ---- readings ---- */

uint64_t hd_model_readings(const struct hd_model *model) {
  uint64_t readings = 0;
  for (uint32_t i = 0; i < model->thread_count; i++)
    readings += model->threads[i].readings;
  return readings;
}

double hd_model_reading_seconds(const struct hd_model *model) {
  const double ticks = (double)model->header.reading_ticks;
  return ticks > 0 ? ticks * (double)hd_model_readings(model) * model->seconds_per_tick : NAN;
}

/* ---- division by zero ---- */

static bool is_empty(const struct hd_model *model, const struct hd_count_sum *sum) {
  for (uint32_t e = 0; e < model->header.event_count; e++)
    if (sum->numbers[e * (size_t)HD_COUNT_CLASSES + HD_COUNT_BUSY] > 0)
      return false;
  return sum->busy_ticks == 0;
}

static bool divides(const struct hd_model *model, const struct hd_group *group, const struct hd_metric *metric,
                    const struct hd_node *node, const struct hd_count_sum *sum) {
  bool zero = false;
  const double elapsed = node->id == 0 ? hd_count_elapsed_of_program(model) : hd_count_elapsed(&node->team);
  if (!is_empty(model, sum))
    hd_count_sum_metric(model, sum, group, metric, elapsed, &zero);
  return zero;
}

uint32_t hd_model_divisions_by_zero(const struct hd_model *model, const struct hd_group *group,
                                    const struct hd_metric *metric) {
  uint32_t count = 0;
  struct hd_count_sum *own = hd_count_sums_new(model, 1);
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    hd_count_sum_clear(model, own);
    hd_count_sum_add_own(model, own, node);
    count +=
        divides(model, group, metric, node, own) || divides(model, group, metric, node, &model->counts_inclusive[i]);
  }
  free(own);
  return count;
}
