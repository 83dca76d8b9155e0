/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/comparison/compared_counts.h"

#include <stdlib.h>

#include "support/command/memory.h"

static bool match_events(struct hd_compared_counts *counts) {
  const struct hd_comparison *comparison = counts->comparison;
  const struct hd_model *first = comparison->runs[0].model;
  const uint32_t events = first->header.event_count;
  for (uint32_t run = 0; run < comparison->run_count; run++) {
    const struct hd_model *model = comparison->runs[run].model;
    if (model->header.event_count != events || !model->counts_total || !model->counts_inclusive)
      return false;
    for (uint32_t i = 0; i < events; i++) {
      counts->event_of[run * events + i] = hd_count_find_event(model, first->events[i].name);
      if (counts->event_of[run * events + i] == HD_NONE)
        return false;
    }
  }
  return true;
}

struct hd_compared_counts hd_compared_counts_new(const struct hd_comparison *comparison) {
  const uint32_t events = comparison->runs[0].model->header.event_count;
  struct hd_compared_counts counts = {.comparison = comparison};
  counts.event_of = hd_new((size_t)comparison->run_count * events, sizeof *counts.event_of);
  counts.event_count = match_events(&counts) ? events : 0;
  return counts;
}

void hd_compared_counts_free(struct hd_compared_counts *counts) {
  free(counts->event_of);
}

/* Nodes outside all regions are of no row: their own counts are what is outside. */
static void sum_nodes(const struct hd_comparison *comparison, uint32_t row, uint32_t index, struct hd_count_sum *sum) {
  const struct hd_run *run = &comparison->runs[index];
  for (uint32_t i = 0; i < run->model->node_count; i++) {
    const struct hd_node *node = &run->model->nodes[i];
    if (row == 1 && run->book->place[i] == HD_PLACE_OUTSIDE && hd_node_has_own_counts(node))
      hd_count_sum_add_own(run->model, sum, node);
    else if (row > 1 && hd_comparison_is_of_row(comparison, index, i, row))
      hd_count_sum_add_inclusive(run->model, sum, node);
  }
}

struct hd_count_sum *hd_compared_count(const struct hd_compared_counts *counts, uint32_t row, uint32_t point) {
  const struct hd_comparison *comparison = counts->comparison;
  const struct hd_compared *at = &comparison->rows[row].at[point];
  if (counts->event_count == 0 || at->runs == 0)
    return NULL;
  const struct hd_model *model = comparison->runs[at->run].model;
  struct hd_count_sum *sums = hd_count_sums_new(model, 1);
  if (row == 0)
    hd_count_sum_add(model, sums, &model->counts_total[model->thread_count]);
  else
    sum_nodes(comparison, row, at->run, sums);
  return sums;
}

struct hd_count hd_compared_count_of(const struct hd_compared_counts *counts, const struct hd_count_sum *sums,
                                     uint32_t row, uint32_t point, uint32_t event) {
  const uint32_t run = counts->comparison->rows[row].at[point].run;
  return hd_count_sum_of(counts->comparison->runs[run].model, sums, counts->event_of[run * counts->event_count + event],
                         HD_COUNT_BUSY);
}
