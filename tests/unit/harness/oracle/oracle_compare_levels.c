/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Comparison of concurrency: time by level, overlaps, the timeline. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_levels.h"
#include "output/model/levels.h"

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

/* What is promised: so many profiles are paired at once, so many pairs are kept. */
enum { MOST_PAIRED = 64, MOST_PAIRS = 16384 };

static int by_pair(const void *left, const void *right) {
  const struct hd_overlap *a = left, *b = right;
  if (a->a != b->a)
    return a->a < b->a ? -1 : 1;
  return a->b < b->b ? -1 : a->b > b->b;
}

static uint64_t find_overlap(const struct hd_model *model, uint32_t a, uint32_t b) {
  const struct hd_overlap key = {.a = a < b ? a : b, .b = a < b ? b : a};
  if (!model->overlap_count)
    return 0;
  const struct hd_overlap *found = bsearch(&key, model->overlaps, model->overlap_count, sizeof key, by_pair);
  return found ? found->ticks : 0;
}

/* A pair may lack what was given up, and the time during which one of the two was not paired with others. */
static bool pair_differs(const struct or_result *result, const struct hd_model *model, const struct or_pair *pair,
                         uint32_t a, uint32_t b) {
  uint64_t found = find_overlap(model, a, b);
  uint64_t slack = model->header.lost_overlap_ticks + model->nodes[a].unpaired_ticks + model->nodes[b].unpaired_ticks;
  if (found <= pair->ticks && pair->ticks - found <= slack)
    return false;
  char text[60];
  snprintf(text, sizeof text, "overlap with node %u (not paired: %" PRIu64 ")", b, slack);
  return or_differ(path_of(result, pair->a), text, FK_NONE, pair->ticks, found);
}

/* The profile's node of each of the oracle's; the caller frees it. */
static uint32_t *match_back(const struct or_result *result, const struct hd_model *model, const uint32_t *oracle_node) {
  uint32_t *found = calloc(result->node_count, sizeof *found);
  if (!found)
    abort();
  for (uint32_t i = model->node_count; i-- > 0;)
    if (oracle_node[i] != FK_NONE)
      found[oracle_node[i]] = i;
  return found;
}

static bool limits_differ(const struct or_result *result, const struct hd_model *model) {
  const struct or_path *program = path_of(result, 0);
  bool enough = result->thread_count <= MOST_PAIRED; /* each is in one profile at a time */
  for (uint32_t i = 0; i < model->node_count && enough; i++)
    if (or_differ(program, "time not paired", FK_NONE, 0, model->nodes[i].unpaired_ticks))
      return true;
  return result->levels->pair_count <= MOST_PAIRS &&
         or_differ(program, "overlap given up", FK_NONE, 0, model->header.lost_overlap_ticks);
}

static bool overlaps_differ(const struct or_result *result, const struct hd_model *model, const uint32_t *oracle_node) {
  uint32_t *node = match_back(result, model, oracle_node);
  const struct or_levels *levels = result->levels;
  bool differs = limits_differ(result, model);
  uint32_t seen = 0;
  for (size_t i = 0; i < levels->pair_limit && !differs; i++) {
    const struct or_pair *pair = &levels->pairs[i];
    if (!pair->ticks)
      continue;
    differs = pair_differs(result, model, pair, node[pair->a], node[pair->b]);
    seen += find_overlap(model, node[pair->a], node[pair->b]) > 0;
  }
  free(node);
  return differs || or_differ(path_of(result, 0), "number of overlaps", FK_NONE, seen, model->overlap_count);
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
  if (!memcmp(expected, found, sizeof *found))
    return false;
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
