/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/count_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "output/metrics/metric.h"
#include "support/command/memory.h"

/* ---- their memory ---- */

static size_t slots_of(const struct hd_model *model) {
  return model->header.event_slots;
}

static size_t numbers_of(const struct hd_model *model) {
  return ((size_t)model->header.event_count + 2 * slots_of(model)) * HD_COUNT_CLASSES;
}

static double *turns_of(const struct hd_model *model, const struct hd_count_sum *sum) {
  return sum->numbers + (size_t)model->header.event_count * HD_COUNT_CLASSES;
}

static double *covered_of(const struct hd_model *model, const struct hd_count_sum *sum) {
  return turns_of(model, sum) + slots_of(model) * HD_COUNT_CLASSES;
}

struct hd_count_sum *hd_count_sums_new(const struct hd_model *model, size_t count) {
  const size_t each = numbers_of(model);
  struct hd_count_sum *sums = hd_new(1, (count + 1) * sizeof *sums + count * each * sizeof *sums->numbers);
  for (size_t i = 0; i < count; i++)
    sums[i].numbers = (double *)(void *)(sums + count) + i * each;
  return sums;
}

void hd_count_sum_clear(const struct hd_model *model, struct hd_count_sum *sum) {
  memset(sum->numbers, 0, numbers_of(model) * sizeof *sum->numbers);
  *sum = (struct hd_count_sum){.numbers = sum->numbers};
}

/* ---- adding ---- */

/* Of all slots: 0 without turns. */
static double all_turns(const struct hd_model *model, const struct hd_counts *from, int class) {
  double sum = 0;
  for (size_t slot = 0; slot < slots_of(model); slot++)
    sum += (double)from->slot_ticks[slot * HD_COUNT_CLASSES + (size_t)class];
  return sum;
}

static void add_turns(const struct hd_model *model, struct hd_count_sum *to, const struct hd_counts *from, int class) {
  const double all = all_turns(model, from, class);
  for (size_t slot = 0; slot < slots_of(model); slot++) {
    const size_t at = slot * HD_COUNT_CLASSES + (size_t)class;
    const double turn = (double)from->slot_ticks[at];
    turns_of(model, to)[at] += turn;
    covered_of(model, to)[at] += turn > 0 ? all : 0;
  }
}

void hd_count_sum_add_counts(const struct hd_model *model, struct hd_count_sum *to, const struct hd_counts *from) {
  to->busy_ticks += from->busy_ticks;
  for (int c = 0; c < HD_COUNT_CLASSES; c++) {
    const double all = all_turns(model, from, c);
    to->missing[c] |= from->missing[c];
    to->counted[c] |= from->counted[c];
    for (uint32_t e = 0; e < model->header.event_count; e++) {
      const size_t at = e * (size_t)HD_COUNT_CLASSES + (size_t)c;
      const uint32_t slot = model->events[e].slot;
      const double count = (double)from->counts[at];
      const double turn = slot > 0 ? (double)from->slot_ticks[(slot - 1) * (size_t)HD_COUNT_CLASSES + (size_t)c] : 0;
      to->numbers[at] += slot == 0 ? count : turn > 0 ? count * (all / turn) : 0;
    }
    add_turns(model, to, from, c);
  }
}

void hd_count_sum_add(const struct hd_model *model, struct hd_count_sum *to, const struct hd_count_sum *from) {
  for (int c = 0; c < HD_COUNT_CLASSES; c++) {
    to->missing[c] |= from->missing[c];
    to->counted[c] |= from->counted[c];
  }
  to->busy_ticks += from->busy_ticks;
  to->incomplete |= from->incomplete;
  for (size_t i = 0; i < numbers_of(model); i++)
    to->numbers[i] += from->numbers[i];
}

void hd_count_sum_miss(struct hd_count_sum *to, uint64_t events) {
  for (int c = 0; c < HD_COUNT_CLASSES; c++)
    to->missing[c] |= events;
}

void hd_count_sum_add_own(const struct hd_model *model, struct hd_count_sum *to, const struct hd_node *node) {
  hd_count_sum_miss(to, node->counts_lost);
  to->incomplete |= !hd_node_has_own_counts(node);
  for (uint32_t i = 0; i < node->counts_count; i++)
    hd_count_sum_add_counts(model, to, &model->counts[node->counts_first + i]);
}

void hd_count_sum_add_inclusive(const struct hd_model *model, struct hd_count_sum *to, const struct hd_node *node) {
  hd_count_sum_add(model, to, &model->counts_inclusive[node->id]);
}

/* ---- what they say ---- */

/* An estimate's parts without a turn are as the others are. */
static struct hd_count of_class(const struct hd_model *model, const struct hd_count_sum *sum, uint32_t event,
                                int class) {
  const uint64_t bit = UINT64_C(1) << event;
  const uint32_t slot = model->events[event].slot;
  struct hd_count count = {.value = sum->numbers[event * (size_t)HD_COUNT_CLASSES + (size_t)class],
                           .fraction = 1,
                           .known = true,
                           .partial = sum->missing[class] & bit};
  if (sum->incomplete || (count.partial && !(sum->counted[class] & bit)))
    return (struct hd_count){.known = false};
  if (slot == 0)
    return count;
  double all = 0;
  for (size_t i = 0; i < slots_of(model); i++)
    all += turns_of(model, sum)[i * HD_COUNT_CLASSES + (size_t)class];
  const size_t at = (slot - 1) * (size_t)HD_COUNT_CLASSES + (size_t)class;
  const double covered = covered_of(model, sum)[at];
  if (all <= 0)
    return count;
  if (covered <= 0)
    return (struct hd_count){.known = false};
  count.value *= all / covered;
  count.fraction = turns_of(model, sum)[at] / all;
  return count;
}

/* Part of the time of all classes that was this event's turn. */
static double whole_fraction(const struct hd_model *model, const struct hd_count_sum *sum, uint32_t event) {
  const uint32_t slot = model->events[event].slot;
  double all = 0, turn = 0;
  for (size_t i = 0; i < slots_of(model) * HD_COUNT_CLASSES; i++) {
    all += turns_of(model, sum)[i];
    turn += i / HD_COUNT_CLASSES + 1 == slot ? turns_of(model, sum)[i] : 0;
  }
  return slot > 0 && all > 0 ? turn / all : 1;
}

struct hd_count hd_count_sum_of(const struct hd_model *model, const struct hd_count_sum *sum, uint32_t event,
                                enum hd_count_class class) {
  if (class < HD_COUNT_CLASSES)
    return of_class(model, sum, event, (int)class);
  struct hd_count all = {.fraction = whole_fraction(model, sum, event)};
  for (int c = 0; c < HD_COUNT_CLASSES; c++) {
    const struct hd_count count = of_class(model, sum, event, c);
    all.value += count.value;
    all.known |= count.known;
    all.partial |= count.partial || !count.known;
  }
  return all.known ? all : (struct hd_count){.known = false};
}

double hd_count_elapsed(const struct hd_team_totals *team) {
  return team->team_max > 0 ? hd_team_elapsed(team) : NAN;
}

static double counted_part(const struct hd_model *model, uint64_t ticks) {
  return ticks > model->uncounted_ticks ? (double)(ticks - model->uncounted_ticks) : 0;
}

double hd_count_elapsed_of_program(const struct hd_model *model) {
  return counted_part(model, model->elapsed_ticks);
}

double hd_count_lifetime(const struct hd_model *model, uint32_t thread) {
  const uint64_t ticks = model->threads[thread].lifetime_ticks;
  return thread == 0 ? counted_part(model, ticks) : (double)ticks;
}

uint32_t hd_count_find_event(const struct hd_model *model, const char *name) {
  for (uint32_t i = 0; model->events && i < model->header.event_count; i++)
    if (strcasecmp(model->events[i].name, name) == 0)
      return i;
  return HD_NONE;
}

struct hd_count hd_count_sum_metric(const struct hd_model *model, const struct hd_count_sum *sum,
                                    const struct hd_group *group, const struct hd_metric *metric, double elapsed_ticks,
                                    bool *zero) {
  struct hd_group *variables = (struct hd_group *)group; /* the model's own */
  struct hd_count result = {.fraction = 1, .known = true};
  for (uint32_t i = 0; i < metric->event_count; i++) {
    const uint32_t event = hd_count_find_event(model, group->events[metric->events[i]].event);
    struct hd_count count = {.known = false};
    if (event != HD_NONE)
      count = hd_count_sum_of(model, sum, event, HD_COUNT_BUSY);
    variables->values[metric->events[i]] = count.value;
    result.known &= count.known && !count.partial;
    result.fraction = fmin(result.fraction, count.fraction);
  }
  if (!result.known || metric->problem || sum->incomplete || (metric->uses_elapsed && isnan(elapsed_ticks)))
    return (struct hd_count){.known = false};
  variables->busy_s = hd_model_seconds(model, sum->busy_ticks);
  variables->elapsed_s = isnan(elapsed_ticks) ? 0 : elapsed_ticks * model->seconds_per_tick;
  result.value = hd_metric_value(metric);
  if (isfinite(result.value))
    return result;
  if (zero)
    *zero = true;
  return (struct hd_count){.known = false};
}
