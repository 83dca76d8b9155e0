/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/html/trace/fold.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/command/memory.h"

/* ---- what is folded ---- */

struct part {
  struct hd_trace_place place;
  uint64_t ticks;
};

/* Short stretches of a thread, one behind the other. Fewer than HD_FOLD_WEIGHT would not become less. */
struct pending {
  uint64_t from_ticks, to_ticks;
  uint32_t count; /* 0: none */
  struct hd_stretch first[HD_FOLD_WEIGHT - 1];
  struct part *parts; /* if somebody takes what remains */
  uint32_t part_count, part_limit;
};

struct hd_fold {
  uint64_t resolution_ticks;
  hd_stretch_taker *take;
  void *context;
  uint64_t weight;
  uint32_t thread_count;
  struct pending threads[];
};

struct hd_fold *hd_fold_new(uint32_t thread_count, uint64_t resolution_ticks, hd_stretch_taker *take, void *context) {
  struct hd_fold *fold = hd_new(1, sizeof *fold + thread_count * sizeof fold->threads[0]);
  fold->resolution_ticks = resolution_ticks;
  fold->take = take;
  fold->context = context;
  fold->thread_count = thread_count;
  return fold;
}

void hd_fold_free(struct hd_fold *fold) {
  for (uint32_t i = 0; fold && i < fold->thread_count; i++)
    free(fold->threads[i].parts);
  free(fold);
}

uint64_t hd_fold_weight(const struct hd_fold *fold) {
  return fold->weight;
}

static void add_part(struct pending *pending, const struct hd_stretch *stretch) {
  const uint64_t ticks = stretch->to_ticks - stretch->from_ticks;
  for (uint32_t i = 0; i < pending->part_count; i++) {
    struct part *part = &pending->parts[i];
    if (part->place.node == stretch->place.node && part->place.state == stretch->place.state) {
      part->ticks += ticks;
      return;
    }
  }
  if (pending->part_count == pending->part_limit) {
    pending->part_limit = 2 * pending->part_limit + 4;
    pending->parts = hd_grow(pending->parts, pending->part_limit, sizeof *pending->parts);
  }
  pending->parts[pending->part_count++] = (struct part){stretch->place, ticks};
}

static void add(const struct hd_fold *fold, struct pending *pending, const struct hd_stretch *stretch) {
  if (pending->count == 0)
    pending->from_ticks = stretch->from_ticks;
  if (pending->count < HD_FOLD_WEIGHT - 1)
    pending->first[pending->count] = *stretch;
  pending->to_ticks = stretch->to_ticks;
  pending->count++;
  if (fold->take)
    add_part(pending, stretch);
}

/* The state that it had longest, and where it had it longest. */
static struct hd_trace_place foremost(const struct pending *pending, const uint64_t ticks[HD_STATE_COUNT]) {
  const struct part *found = &pending->parts[0];
  for (uint32_t i = 1; i < pending->part_count; i++) {
    const struct part *part = &pending->parts[i];
    const uint64_t of_part = ticks[part->place.state], of_found = ticks[found->place.state];
    if (of_part > of_found || (part->place.state == found->place.state && part->ticks > found->ticks))
      found = part;
  }
  return found->place;
}

static void give_folded(const struct hd_fold *fold, uint32_t thread, const struct pending *pending) {
  uint64_t ticks[HD_STATE_COUNT] = {0};
  for (uint32_t i = 0; i < pending->part_count; i++)
    ticks[pending->parts[i].place.state] += pending->parts[i].ticks;
  fold->take(fold->context, &(struct hd_stretch){.thread = thread,
                                                 .from_ticks = pending->from_ticks,
                                                 .to_ticks = pending->to_ticks,
                                                 .place = foremost(pending, ticks),
                                                 .count = pending->count,
                                                 .ticks = ticks});
}

static void give(const struct hd_fold *fold, uint32_t thread, const struct pending *pending) {
  if (pending->count >= HD_FOLD_WEIGHT) {
    give_folded(fold, thread, pending);
    return;
  }
  for (uint32_t i = 0; i < pending->count; i++)
    fold->take(fold->context, &pending->first[i]);
}

static void flush(struct hd_fold *fold, uint32_t thread) {
  struct pending *pending = &fold->threads[thread];
  if (pending->count == 0)
    return;
  fold->weight += pending->count < HD_FOLD_WEIGHT ? pending->count : HD_FOLD_WEIGHT;
  if (fold->take)
    give(fold, thread, pending);
  pending->count = pending->part_count = 0;
}

void hd_fold_take(void *of, const struct hd_stretch *stretch) {
  struct hd_fold *fold = of;
  struct pending *pending = &fold->threads[stretch->thread];
  const bool is_short = stretch->to_ticks - stretch->from_ticks < fold->resolution_ticks;
  if (!is_short || pending->to_ticks != stretch->from_ticks)
    flush(fold, stretch->thread);
  if (is_short) {
    add(fold, pending, stretch);
    if (pending->to_ticks - pending->from_ticks >= fold->resolution_ticks)
      flush(fold, stretch->thread);
    return;
  }
  fold->weight++;
  if (fold->take)
    fold->take(fold->context, stretch);
}

void hd_fold_finish(struct hd_fold *fold) {
  for (uint32_t i = 0; i < fold->thread_count; i++)
    flush(fold, i);
}

/* ---- how much ---- */

enum { RESOLUTIONS = 31 }; /* up to 1000 s */

static double resolution_of(int number) {
  static const double steps[] = {1, 2, 5};
  const int power = number / 3;
  return 1e-7 * pow(10, power) * steps[number % 3];
}

/* One fold for each resolution, from the finest that may still fit. */
struct choice {
  struct hd_fold *folds[RESOLUTIONS];
  uint64_t limit;
  int finest;
};

static void take_all(void *context, const struct hd_stretch *stretch) {
  struct choice *choice = context;
  while (choice->finest < RESOLUTIONS - 1 && hd_fold_weight(choice->folds[choice->finest]) > choice->limit)
    choice->finest++;
  for (int i = choice->finest; i < RESOLUTIONS; i++)
    hd_fold_take(choice->folds[i], stretch);
}

double hd_fold_choose(const struct hd_model *model, uint64_t limit) {
  struct choice choice = {.limit = limit};
  struct hd_stretch_walk walk = {.take = take_all, .context = &choice};
  char error[PATH_MAX + 256];
  for (int i = 0; i < RESOLUTIONS; i++)
    choice.folds[i] =
        hd_fold_new(model->thread_count, (uint64_t)(resolution_of(i) / model->seconds_per_tick) + 1, NULL, NULL);
  hd_stretches_walk(model, &walk, error, sizeof error);
  int chosen = RESOLUTIONS - 1;
  for (int i = RESOLUTIONS - 1; i >= 0; i--) {
    hd_fold_finish(choice.folds[i]);
    if (i >= choice.finest && hd_fold_weight(choice.folds[i]) <= limit)
      chosen = i;
    hd_fold_free(choice.folds[i]);
  }
  return resolution_of(chosen);
}
