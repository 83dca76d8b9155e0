/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Comparison of concurrency: time by level, overlaps, the timeline. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_levels.h"

static const struct or_path *path_of(const struct or_result *result, uint32_t node) {
  return &result->nodes[node].path;
}

/* `expected` has `limit` levels, or is NULL: 0 at every level. */
static bool ticks_differ(const struct or_path *path, const char *what, const uint64_t *expected, uint32_t limit,
                         const struct hd_levels *found) {
  char text[60];
  uint32_t count = limit > found->count ? limit : found->count;
  for (uint32_t k = 0; k < count; k++) {
    uint64_t ticks = expected && k < limit ? expected[k] : 0;
    if (ticks == hd_levels_at(found, k))
      continue;
    snprintf(text, sizeof text, "%s at level %u", what, k);
    return or_differ(path, text, FK_NONE, ticks, hd_levels_at(found, k));
  }
  return false;
}

static bool node_differs(const struct or_result *result, const struct hd_node *node, uint32_t expected) {
  static const struct or_path step; /* nobody was ever in a node that the oracle does not know */
  const struct or_levels *levels = result->levels;
  bool known = expected != FK_NONE;
  const struct or_path *path = known ? path_of(result, expected) : &step;
  return ticks_differ(path, "busy", known ? levels->busy_at[expected] : NULL, levels->limit, &node->busy_at) ||
         (node->id && ticks_differ(path, "elapsed", known ? levels->elapsed_at[expected] : NULL, levels->limit,
                                   &node->elapsed_at)) ||
         or_differ(path, "active time", FK_NONE, known ? levels->active[expected] : 0, node->active_ticks);
}

/* Overlaps. */

/* What each node's pairs add up to. */
struct paired {
  uint64_t *expected;
  uint64_t *found;
};

static bool take_overlap(const struct or_result *result, const struct hd_model *model, const uint32_t *oracle_node,
                         const struct hd_overlap *overlap, struct paired *paired) {
  const struct hd_node *nodes = model->nodes;
  if (overlap->a >= overlap->b || overlap->b >= model->node_count || !overlap->ticks)
    return or_differ(path_of(result, 0), "an overlap that is none", FK_NONE, overlap->a, overlap->b);
  uint32_t a = oracle_node[overlap->a], b = oracle_node[overlap->b];
  if (a == FK_NONE || b == FK_NONE)
    return or_differ(path_of(result, 0), "overlap with an unknown node", FK_NONE, 0, overlap->ticks);
  uint64_t expected = or_overlap(result->levels, a, b);
  uint64_t unpaired = nodes[overlap->a].unpaired_ticks < nodes[overlap->b].unpaired_ticks
                          ? nodes[overlap->a].unpaired_ticks
                          : nodes[overlap->b].unpaired_ticks;
  paired->found[a] += overlap->ticks;
  paired->found[b] += overlap->ticks;
  if (overlap->ticks <= expected && expected - overlap->ticks <= unpaired)
    return false;
  return or_differ(path_of(result, a), "overlap with another node", b, expected, overlap->ticks);
}

static void expect_overlaps(const struct or_levels *levels, struct paired *paired) {
  for (size_t i = 0; i < levels->pair_limit; i++) {
    const struct or_pair *pair = &levels->pairs[i];
    if (!pair->ticks)
      continue;
    paired->expected[pair->a] += pair->ticks;
    paired->expected[pair->b] += pair->ticks;
  }
}

/* A pair that is given up goes to its nodes' unpaired time, so each node's sum is exact, and without such all pairs
 * are.
 */
static bool overlaps_differ(const struct or_result *result, const struct hd_model *model, const uint32_t *oracle_node) {
  struct paired paired = {.expected = calloc(result->node_count, sizeof(uint64_t)),
                          .found = calloc(result->node_count, sizeof(uint64_t))};
  bool differs = false;
  if (!paired.expected || !paired.found)
    abort();
  expect_overlaps(result->levels, &paired);
  for (uint32_t i = 0; i < model->overlap_count && !differs; i++)
    differs = take_overlap(result, model, oracle_node, &model->overlaps[i], &paired);
  for (uint32_t i = 0; i < model->node_count && !differs; i++) {
    uint32_t node = oracle_node[i];
    uint64_t unpaired = model->nodes[i].unpaired_ticks;
    if (node != FK_NONE)
      differs = or_differ(path_of(result, node), "all overlaps", FK_NONE, paired.expected[node],
                          paired.found[node] + unpaired);
  }
  free(paired.expected);
  free(paired.found);
  return differs;
}

/* The timeline. */

static void add_to_bucket(struct hd_timeline_bucket *bucket, uint64_t ticks, uint32_t level) {
  bucket->none_ticks += level == 0 ? ticks : 0;
  bucket->sequential_ticks += level == 1 ? ticks : 0;
  bucket->busy_ticks += level * ticks;
}

static bool segment_fits(struct hd_timeline_record *expected, struct or_segment segment) {
  while (segment.from < segment.to) {
    uint64_t index = (segment.from - expected->origin_ticks) / expected->width_ticks;
    uint64_t end = expected->origin_ticks + (index + 1) * expected->width_ticks;
    end = end < segment.to ? end : segment.to;
    if (segment.from < expected->origin_ticks || index >= HD_TIMELINE_BUCKETS)
      return false;
    add_to_bucket(&expected->buckets[index], end - segment.from, segment.level);
    segment.from = end;
  }
  return true;
}

static bool bucket_differs(const struct or_path *program, uint32_t i, const struct hd_timeline_bucket *expected,
                           const struct hd_timeline_bucket *found) {
  char text[60];
  snprintf(text, sizeof text, "bucket %u (none, sequential, busy)", i);
  return or_differ(program, text, FK_NONE, expected->none_ticks, found->none_ticks) ||
         or_differ(program, text, FK_NONE, expected->sequential_ticks, found->sequential_ticks) ||
         or_differ(program, text, FK_NONE, expected->busy_ticks, found->busy_ticks);
}

static bool timeline_differs(const struct or_result *result, const struct hd_model *model) {
  static struct hd_timeline_record expected;
  const struct hd_timeline_record *found = model->timeline;
  const struct or_path *program = path_of(result, 0);
  if (!found || !found->width_ticks)
    return or_differ(program, "timeline", FK_NONE, 1, 0);
  memset(&expected, 0, sizeof expected);
  expected.origin_ticks = found->origin_ticks;
  expected.width_ticks = found->width_ticks;
  for (size_t i = 0; i < result->levels->segment_count; i++)
    if (!segment_fits(&expected, result->levels->segments[i]))
      return or_differ(program, "timeline that holds time", FK_NONE, result->levels->segments[i].from, 0);
  for (uint32_t i = 0; i < HD_TIMELINE_BUCKETS; i++)
    if (bucket_differs(program, i, &expected.buckets[i], &found->buckets[i]))
      return true;
  /* Half of the buckets are in use, or the width was never doubled. */
  uint64_t used = (result->end - found->origin_ticks + found->width_ticks - 1) / found->width_ticks;
  return used < HD_TIMELINE_BUCKETS / 2 && found->width_ticks > 1024 &&
         or_differ(program, "buckets in use", FK_NONE, HD_TIMELINE_BUCKETS / 2, used);
}

bool or_levels_differ(const struct or_result *result, const struct hd_model *model, const uint32_t *oracle_node) {
  const struct or_path *program = path_of(result, 0);
  if (!model->levels_known)
    return or_differ(program, "concurrency is known", FK_NONE, 1, 0);
  if (ticks_differ(program, "program", result->levels->time_at, result->levels->limit, &model->time_at) ||
      ticks_differ(program, "elapsed", result->levels->time_at, result->levels->limit, &model->nodes[0].elapsed_at))
    return true;
  for (uint32_t i = 0; i < model->node_count; i++)
    if (node_differs(result, &model->nodes[i], oracle_node[i]))
      return true;
  return overlaps_differ(result, model, oracle_node) || timeline_differs(result, model);
}
