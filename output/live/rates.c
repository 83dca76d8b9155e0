/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events and what they cost, from the accounts that threads keep of them in the live profile. */
#include "output/live/rates.h"

#include <math.h>

#include "output/model/memory.h"
#include "output/model/model.h"

/* Of one thread, or of all, in an interval. */
struct sums {
  uint64_t count[HD_CLASS_COUNT + 1];
  double ticks[HD_CLASS_COUNT + 1];
};

static const enum hd_event_class class_of[HD_EVENT_KINDS] = {
#define HD_ROW(name, id, event_class) HD_CLASS_##event_class,
    HD_EVENT_TABLE(HD_ROW)
#undef HD_ROW
};

/* What is not charged yet costs what the last ones did. */
static double ticks_of(const struct hd_event_cost *cost) {
  const uint64_t left = cost->count > cost->charged ? cost->count - cost->charged : 0;
  return (double)cost->total_ticks + (double)left * cost->ticks;
}

static const struct hd_costs_record *record_of(const struct hd_model *model, uint32_t thread) {
  for (uint32_t i = 0; model && i < model->cost_count; i++)
    if (model->costs[i].thread == thread)
      return &model->costs[i];
  return NULL;
}

static uint64_t count_since(const struct hd_event_cost *before, const struct hd_event_cost *after) {
  const uint64_t count = before ? before->count : 0;
  return after->count > count ? after->count - count : 0;
}

/* A region's last barrier is told like all others and goes off with its region: there is one for each implicit task. */
static double part_of_regions(const struct hd_event_cost *before, const struct hd_event_cost *after, int kind,
                              uint64_t implicit) {
  if (kind != HD_EVENT_WAIT_BEGIN && kind != HD_EVENT_WAIT_END)
    return 0;
  const uint64_t count = count_since(before, after);
  return count > implicit ? (double)implicit / (double)count : 1;
}

static void add(struct sums *sums, enum hd_event_class event_class, double count, double ticks) {
  sums->count[event_class] += (uint64_t)llround(count);
  sums->ticks[event_class] += ticks;
}

static struct sums sums_of(const struct hd_costs_record *before, const struct hd_costs_record *after) {
  struct sums sums = {0};
  const struct hd_event_cost *first = before ? before->kinds : NULL, *last = after->kinds;
  const uint64_t implicit = count_since(first ? &first[HD_EVENT_IMPLICIT_BEGIN] : NULL, &last[HD_EVENT_IMPLICIT_BEGIN]);
  for (int kind = 0; kind < HD_EVENT_KINDS; kind++) {
    const struct hd_event_cost *was = first ? &first[kind] : NULL;
    const double count = (double)count_since(was, &last[kind]);
    const double ticks = fmax(ticks_of(&last[kind]) - (was ? ticks_of(was) : 0), 0);
    const double fixed = part_of_regions(was, &last[kind], kind, implicit);
    add(&sums, HD_CLASS_REGION, count * fixed, ticks * fixed);
    add(&sums, class_of[kind], count * (1 - fixed), ticks * (1 - fixed));
  }
  return sums;
}

static void take(struct hd_live_rate *rate, double count, double ticks, double whole, uint32_t thread) {
  rate->per_second += count;
  rate->ns += ticks;
  if (whole > 0 && ticks / whole > rate->share) {
    rate->share = ticks / whole;
    rate->thread = thread;
  }
}

static void finish(struct hd_live_rate *rate, const struct hd_model *model, double seconds) {
  rate->ns = rate->per_second > 0 ? 1e9 * rate->ns * model->seconds_per_tick / rate->per_second : NAN;
  rate->per_second = seconds > 0 ? rate->per_second / seconds : 0;
}

struct hd_live_rates hd_live_rates_between(const struct hd_model *before, const struct hd_model *after) {
  const uint64_t begin = before ? before->end_ticks : after->header.loaded_ticks;
  const double whole = after->end_ticks > begin ? (double)(after->end_ticks - begin) : 0;
  struct hd_live_rates rates = {.seconds = whole * after->seconds_per_tick};
  for (uint32_t i = 0; i < after->cost_count; i++) {
    const uint32_t thread = after->costs[i].thread;
    const struct sums sums = sums_of(record_of(before, thread), &after->costs[i]);
    double all = 0, all_ticks = 0;
    for (int c = 0; c <= HD_CLASS_COUNT; c++) {
      take(&rates.classes[c], (double)sums.count[c], sums.ticks[c], whole, thread);
      all += (double)sums.count[c];
      all_ticks += sums.ticks[c];
    }
    take(&rates.all, all, all_ticks, whole, thread);
  }
  for (int c = 0; c <= HD_CLASS_COUNT; c++)
    finish(&rates.classes[c], after, rates.seconds);
  finish(&rates.all, after, rates.seconds);
  return rates;
}

struct hd_live_off hd_live_off_now(const struct hd_model *model, enum hd_event_class event_class) {
  struct hd_live_off off = {0};
  for (uint32_t i = 0; i < model->switch_count; i++) {
    const struct hd_switch *from = &model->switches[i];
    if (from->event_class != event_class || from->on_ticks != 0)
      continue;
    off.asked = off.asked || from->asked;
    off.in_part = off.in_part || from->in_part;
    off.regions += !from->asked;
    off.share = fmax(off.share, (double)from->cost_ppm / 1e6);
  }
  return off;
}
