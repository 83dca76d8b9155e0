/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "oracle_levels.h"

#include <stdlib.h>
#include <string.h>

/* A cut: how many threads more or less are busy in a node from then on, or instances of a region run. */
struct cut {
  uint64_t time;
  uint32_t node;
  int32_t busy;
  int32_t running;
};

struct cuts {
  struct cut *items;
  size_t count;
};

/* How many there are now, by node; and the nodes where that is not 0. */
struct census {
  uint32_t *count;
  uint32_t *present;
  uint32_t present_count;
};

static void *zeroed(size_t count, size_t bytes) {
  void *memory = calloc(count + 1, bytes);
  if (!memory)
    abort();
  return memory;
}

/* Pairs. */

static struct or_pair *place_of(struct or_pair *pairs, size_t limit, uint32_t a, uint32_t b) {
  uint64_t key = (uint64_t)a << 32 | b;
  size_t i = (size_t)(key * 0x9E3779B97F4A7C15u >> 20) & (limit - 1);
  while (pairs[i].ticks && (pairs[i].a != a || pairs[i].b != b))
    i = (i + 1) & (limit - 1);
  return &pairs[i];
}

static void grow_pairs(struct or_levels *levels) {
  size_t limit = levels->pair_limit ? 2 * levels->pair_limit : 256;
  struct or_pair *pairs = zeroed(limit, sizeof *pairs);
  for (size_t i = 0; i < levels->pair_limit; i++)
    if (levels->pairs[i].ticks)
      *place_of(pairs, limit, levels->pairs[i].a, levels->pairs[i].b) = levels->pairs[i];
  free(levels->pairs);
  levels->pairs = pairs;
  levels->pair_limit = limit;
}

static void add_overlap(struct or_levels *levels, uint32_t a, uint32_t b, uint64_t ticks) {
  if (2 * levels->pair_count >= levels->pair_limit)
    grow_pairs(levels);
  struct or_pair *pair = place_of(levels->pairs, levels->pair_limit, a < b ? a : b, a < b ? b : a);
  levels->pair_count += pair->ticks == 0;
  pair->a = a < b ? a : b;
  pair->b = a < b ? b : a;
  pair->ticks += ticks;
}

/* Cuts. */

static void add_cuts(struct cuts *cuts, uint64_t from, uint64_t to, uint32_t node, int32_t busy, int32_t running) {
  cuts->items[cuts->count++] = (struct cut){.time = from, .node = node, .busy = busy, .running = running};
  cuts->items[cuts->count++] = (struct cut){.time = to, .node = node, .busy = -busy, .running = -running};
}

static int by_time(const void *left, const void *right) {
  const struct cut *a = left, *b = right;
  return a->time < b->time ? -1 : a->time > b->time;
}

static struct cuts collect(const struct or_result *result) {
  size_t intervals = result->instance_count + 1;
  for (uint32_t i = 0; i < result->thread_count; i++)
    intervals += result->threads[i].busy_count;
  struct cuts cuts = {.items = zeroed(2 * intervals, sizeof *cuts.items)};
  add_cuts(&cuts, result->begin, result->end, 0, 0, 0); /* the whole run, even if nobody was ever busy */
  for (uint32_t i = 0; i < result->thread_count; i++)
    for (size_t j = 0; j < result->threads[i].busy_count; j++) {
      const struct or_busy *busy = &result->threads[i].busy[j];
      add_cuts(&cuts, busy->from, busy->to, busy->node, 1, 0);
    }
  for (size_t i = 0; i < result->instance_count; i++) {
    const struct or_instance *instance = &result->instances[i];
    add_cuts(&cuts, instance->from, instance->to, instance->node, 0, 1);
  }
  qsort(cuts.items, cuts.count, sizeof *cuts.items, by_time);
  return cuts;
}

/* Between cuts. */

static void change(struct census *census, uint32_t node, int32_t by) {
  uint32_t before = census->count[node];
  census->count[node] += (uint32_t)by;
  if (before == 0 && by > 0)
    census->present[census->present_count++] = node;
  if (census->count[node] > 0 || by >= 0)
    return;
  uint32_t i = 0;
  while (census->present[i] != node)
    i++;
  census->present[i] = census->present[--census->present_count];
}

static void add_census(const struct or_levels *levels, uint64_t **at, const struct census *census, uint32_t level,
                       uint64_t ticks) {
  for (uint32_t i = 0; i < census->present_count; i++) {
    uint32_t node = census->present[i];
    if (!at[node])
      at[node] = zeroed(levels->limit, sizeof *at[node]);
    at[node][level] += census->count[node] * ticks;
  }
}

static void add_active(struct or_levels *levels, const struct census *busy, uint64_t ticks) {
  for (uint32_t i = 0; i < busy->present_count; i++) {
    levels->active[busy->present[i]] += ticks;
    for (uint32_t j = 0; j < i; j++)
      add_overlap(levels, busy->present[i], busy->present[j], ticks);
  }
}

static void add_segment(struct or_levels *levels, const struct census *busy, const struct census *running,
                        struct or_segment segment) {
  uint64_t ticks = segment.to - segment.from;
  levels->segments[levels->segment_count++] = segment;
  levels->time_at[segment.level] += ticks;
  add_census(levels, levels->busy_at, busy, segment.level, ticks);
  add_census(levels, levels->elapsed_at, running, segment.level, ticks);
  add_active(levels, busy, ticks);
}

static void walk(struct or_levels *levels, const struct cuts *cuts, struct census *busy, struct census *running) {
  uint32_t level = 0;
  for (size_t i = 0; i < cuts->count; i++) {
    const struct cut *cut = &cuts->items[i];
    if (i > 0 && cut[-1].time < cut->time)
      add_segment(levels, busy, running, (struct or_segment){.from = cut[-1].time, .to = cut->time, .level = level});
    change(busy, cut->node, cut->busy);
    change(running, cut->node, cut->running);
    level += (uint32_t)cut->busy;
  }
}

static struct census new_census(const struct or_result *result) {
  return (struct census){.count = zeroed(result->node_count, sizeof(uint32_t)),
                         .present = zeroed(result->node_count, sizeof(uint32_t))};
}

struct or_levels *or_integrate(const struct or_result *result) {
  struct or_levels *levels = zeroed(1, sizeof *levels);
  struct cuts cuts = collect(result);
  struct census busy = new_census(result);
  struct census running = new_census(result);
  levels->limit = result->thread_count + 1;
  levels->time_at = zeroed(levels->limit, sizeof *levels->time_at);
  levels->busy_at = zeroed(result->node_count, sizeof *levels->busy_at);
  levels->elapsed_at = zeroed(result->node_count, sizeof *levels->elapsed_at);
  levels->active = zeroed(result->node_count, sizeof *levels->active);
  levels->segments = zeroed(cuts.count, sizeof *levels->segments);
  walk(levels, &cuts, &busy, &running);
  free(cuts.items);
  free(busy.count);
  free(busy.present);
  free(running.count);
  free(running.present);
  return levels;
}

/* The oracle's own consistency: nothing here looks at a profile. */

static uint64_t sum_of(const uint64_t *ticks, uint32_t limit) {
  uint64_t sum = 0;
  for (uint32_t k = 0; ticks && k < limit; k++)
    sum += ticks[k];
  return sum;
}

static uint64_t busy_of(const struct or_node *node) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < node->row_count; i++)
    sum += node->rows[i].ticks[HD_BUSY];
  return sum;
}

static bool is_region(const struct or_node *node) {
  uint32_t kind = node->path.count ? node->path.sites[node->path.count - 1].kind : HD_KIND_PROGRAM;
  return kind == HD_KIND_PARALLEL || kind == HD_KIND_TEAMS;
}

static const char *broken_node(const struct or_result *result, uint32_t i) {
  const struct or_levels *levels = result->levels;
  const struct or_node *node = &result->nodes[i];
  if (sum_of(levels->busy_at[i], levels->limit) != busy_of(node))
    return "the oracle's thread-time at all levels is not busy time";
  if (is_region(node) && sum_of(levels->elapsed_at[i], levels->limit) != node->team.elapsed_ticks)
    return "the oracle's elapsed time at all levels is not elapsed time";
  return NULL;
}

const char *or_contradiction(const struct or_result *result) {
  const struct or_levels *levels = result->levels;
  if (sum_of(levels->time_at, levels->limit) != result->end - result->begin)
    return "the oracle's time at all levels is not the program's";
  for (uint32_t k = 0; k < levels->limit; k++) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < result->node_count; i++)
      sum += levels->busy_at[i] ? levels->busy_at[i][k] : 0;
    if (sum != k * levels->time_at[k])
      return "the oracle's thread-time at a level is not the program's";
  }
  const char *broken = NULL;
  for (uint32_t i = 0; i < result->node_count && !broken; i++)
    broken = broken_node(result, i);
  for (size_t i = 0; i < levels->pair_limit && !broken; i++)
    if (levels->pairs[i].ticks > levels->active[levels->pairs[i].a] ||
        levels->pairs[i].ticks > levels->active[levels->pairs[i].b])
      broken = "an overlap of the oracle is longer than one of its nodes was active";
  return broken;
}

void or_free_levels(const struct or_result *result, struct or_levels *levels) {
  for (uint32_t i = 0; levels && i < result->node_count; i++) {
    free(levels->busy_at[i]);
    free(levels->elapsed_at[i]);
  }
  if (!levels)
    return;
  free(levels->time_at);
  free(levels->busy_at);
  free(levels->elapsed_at);
  free(levels->active);
  free(levels->segments);
  free(levels->pairs);
  free(levels);
}
