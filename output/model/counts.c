/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/counts.h"

#include <math.h>
#include <stdlib.h>

#include "output/model/count_sums.h"

/* Whether `node` is `above` or below it: parents have smaller ids. */
static bool is_below(const struct hd_model *model, uint32_t node, uint32_t above) {
  while (node > above)
    node = model->nodes[node].parent;
  return node == above;
}

static bool is_of(const struct hd_model *model, struct hd_count_of of, const struct hd_counts *counts) {
  if (of.thread != HD_NONE && counts->thread != of.thread)
    return false;
  if (of.node == HD_NONE)
    return true;
  return of.inclusive ? is_below(model, counts->node, of.node) : counts->node == of.node;
}

/* Calls `take` for the counts that something consists of. */
static void each_of(const struct hd_model *model, struct hd_count_of of,
                    void (*take)(void *context, const struct hd_counts *counts), void *context) {
  const struct hd_node *node = of.node == HD_NONE ? NULL : &model->nodes[of.node];
  const uint32_t first = node && node->counts_count > 0 ? node->counts_first : 0;
  const uint32_t count = node && !of.inclusive ? node->counts_count : model->counts_count - first;
  for (uint32_t i = first; i < first + count; i++)
    if (is_of(model, of, &model->counts[i]))
      take(context, &model->counts[i]);
}

struct adding {
  const struct hd_model *model;
  struct hd_count_sum *sum;
};

static void add(void *context, const struct hd_counts *counts) {
  struct adding *adding = context;
  hd_count_sum_add_counts(adding->model, adding->sum, counts);
}

/* `room` is one sum to build it in, if there is none ready. */
static const struct hd_count_sum *sum_of(const struct hd_model *model, struct hd_count_of of,
                                         struct hd_count_sum *room) {
  if (of.node == HD_NONE)
    return &model->counts_total->sums[of.thread == HD_NONE ? model->thread_count : of.thread];
  const struct hd_node *node = &model->nodes[of.node];
  if (of.inclusive && of.thread == HD_NONE)
    return &model->counts_inclusive->sums[of.node];
  struct adding adding = {model, room};
  each_of(model, of, add, &adding);
  if (of.thread == HD_NONE)
    hd_count_sum_miss(room, node->counts_lost);
  room->incomplete = of.inclusive ? model->counts_inclusive->sums[of.node].incomplete : !hd_node_has_own_counts(node);
  return room;
}

struct hd_count hd_model_count(const struct hd_model *model, struct hd_count_of of, uint32_t event,
                               enum hd_count_class class) {
  struct hd_count count = {.known = false};
  if (!model->counts_inclusive || event >= model->header.event_count)
    return count;
  struct hd_count_sums *room = hd_count_sums_new(model, 1);
  if (room)
    count = hd_count_sum_of(model, sum_of(model, of, room->sums), event, class);
  hd_count_sums_free(room);
  return count;
}

/* ---- threads that did not count ---- */

struct search {
  const struct hd_model *model;
  uint64_t bit;
  bool *found; /* by thread */
};

static void look(void *context, const struct hd_counts *counts) {
  const struct search *search = context;
  for (int c = 0; c < HD_COUNT_CLASSES; c++)
    if (counts->missing[c] & search->bit)
      search->found[counts->thread] = true;
}

/* Whether threads without rows may have come there. */
static bool lacks_threads(const struct hd_model *model, struct hd_count_of of, uint64_t bit) {
  if (of.thread != HD_NONE || of.node == HD_NONE)
    return of.thread == HD_NONE && (model->nodes[0].counts_lost & bit);
  bool found = model->nodes[of.node].counts_lost & bit;
  for (uint32_t i = of.node + 1; of.inclusive && !found && i < model->node_count; i++)
    found = (model->nodes[i].counts_lost & bit) && is_below(model, i, of.node);
  return found;
}

uint32_t hd_model_uncounted(const struct hd_model *model, struct hd_count_of of, uint32_t event, uint32_t *threads,
                            uint32_t most) {
  uint32_t count = 0;
  struct search search = {model, UINT64_C(1) << event, calloc((size_t)model->thread_count + 1, sizeof *search.found)};
  if (!search.found || event >= model->header.event_count) {
    free(search.found);
    return 0;
  }
  each_of(model, of, look, &search);
  for (uint32_t i = 0; lacks_threads(model, of, search.bit) && i < model->thread_count; i++)
    search.found[i] |= model->threads[i].lost && (model->threads[i].uncounted & search.bit);
  for (uint32_t i = 0; i < model->thread_count; i++)
    if (search.found[i]) {
      if (count < most)
        threads[count] = i;
      count++;
    }
  free(search.found);
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

/* ---- metrics ---- */

static double elapsed_of(const struct hd_model *model, struct hd_count_of of) {
  if (of.node == HD_NONE && of.thread != HD_NONE)
    return hd_count_lifetime(model, of.thread);
  if (of.thread != HD_NONE)
    return NAN;
  if (of.node == HD_NONE || of.node == 0)
    return hd_count_elapsed_of_program(model);
  return hd_count_elapsed(&model->nodes[of.node].team);
}

struct hd_count hd_model_metric(const struct hd_model *model, struct hd_count_of of, const struct hd_group *group,
                                const struct hd_metric *metric) {
  struct hd_count count = {.known = false};
  if (!model->counts_inclusive)
    return count;
  struct hd_count_sums *room = hd_count_sums_new(model, 1);
  if (room)
    count = hd_count_sum_metric(model, sum_of(model, of, room->sums), group, metric, elapsed_of(model, of), NULL);
  hd_count_sums_free(room);
  return count;
}

bool hd_model_add_group(struct hd_model *model, struct hd_group *group) {
  struct hd_group **groups = realloc(model->groups, (model->group_count + 1) * sizeof(struct hd_group *));
  if (!groups) {
    hd_group_free(group);
    return false;
  }
  model->groups = groups;
  groups[model->group_count++] = group;
  return true;
}
