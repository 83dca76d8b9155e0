/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Identities of exact concurrency: they hold for every profile, whatever was played and on whatever clock. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "expect.h"
#include "output/model/format_names.h"
#include "output/model/histories.h"
#include "output/model/levels.h"

static char text[300];

static const char *broken(const char *what, uint32_t node, uint64_t expected, uint64_t found) {
  snprintf(text, sizeof text, "node %u: %s: expected %" PRIu64 ", found %" PRIu64, node, what, expected, found);
  return text;
}

static uint64_t sum_of(const struct hd_levels *levels) {
  return hd_levels_up_to(levels, UINT32_MAX - 1);
}

/* Thread-time that time at each level stands for. */
static uint64_t weighted(const struct hd_levels *levels) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < levels->count; k++)
    sum += k * levels->ticks[k];
  return sum;
}

static const char *broken_program(const struct hd_model *model) {
  const struct hd_levels *time_at = &model->time_at;
  if (sum_of(time_at) != model->elapsed_ticks)
    return broken("time at all levels is not the elapsed time", 0, model->elapsed_ticks, sum_of(time_at));
  if (weighted(time_at) != model->ticks[HD_BUSY])
    return broken("k times the time at k is not busy time", 0, model->ticks[HD_BUSY], weighted(time_at));
  for (uint32_t k = 0; k < time_at->count; k++) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < model->node_count; i++)
      sum += hd_levels_at(&model->nodes[i].busy_at, k);
    if (sum != k * time_at->ticks[k])
      return broken("thread-time at a level is not k times the time at it", k, k * time_at->ticks[k], sum);
    if (hd_levels_at(&model->nodes[0].elapsed_at, k) != time_at->ticks[k])
      return broken("the program's elapsed time at a level is not its time there", k, time_at->ticks[k],
                    hd_levels_at(&model->nodes[0].elapsed_at, k));
  }
  return NULL;
}

static const char *broken_elapsed(const struct hd_node *node) {
  if (node->id == 0)
    return NULL;
  uint64_t expected = hd_kind_is_region(node->kind) ? node->team.elapsed_ticks : 0;
  if (sum_of(&node->elapsed_at) != expected)
    return broken("elapsed time at all levels is not elapsed time", node->id, expected, sum_of(&node->elapsed_at));
  return NULL;
}

static const char *broken_node(const struct hd_model *model, const struct hd_node *node) {
  uint64_t busy = node->ticks[HD_BUSY];
  if (sum_of(&node->busy_at) != busy)
    return broken("thread-time at all levels is not busy time", node->id, busy, sum_of(&node->busy_at));
  if (hd_levels_at(&node->busy_at, 0) != 0)
    return broken("thread-time at level 0", node->id, 0, hd_levels_at(&node->busy_at, 0));
  if (node->busy_at.count > model->time_at.count)
    return broken("more levels than the program's", node->id, model->time_at.count, node->busy_at.count);
  if (sum_of(&node->busy_at_inclusive) != node->inclusive_ticks[HD_BUSY])
    return broken("inclusive thread-time", node->id, node->inclusive_ticks[HD_BUSY], sum_of(&node->busy_at_inclusive));
  if (node->active_ticks > busy || node->active_ticks > model->elapsed_ticks || !node->active_ticks != !busy)
    return broken("time of activity against busy time", node->id, busy, node->active_ticks);
  return broken_elapsed(node);
}

/* Inclusive = exclusive + the children's inclusive, level by level: what is left of it has to be 0. */
static const char *broken_tree(const struct hd_model *model, uint32_t k) {
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    uint64_t sum = hd_levels_at(&node->busy_at, k);
    for (uint32_t j = i + 1; j < model->node_count; j++)
      if (model->nodes[j].parent == i)
        sum += hd_levels_at(&model->nodes[j].busy_at_inclusive, k);
    if (sum != hd_levels_at(&node->busy_at_inclusive, k))
      return broken("inclusive thread-time at a level", i, sum, hd_levels_at(&node->busy_at_inclusive, k));
  }
  return NULL;
}

static long double share_of(const struct hd_levels *levels) {
  long double sum = 0;
  for (uint32_t k = 1; k < levels->count; k++)
    sum += (long double)levels->ticks[k] / k;
  return sum;
}

static bool close_to(long double a, long double b) {
  return fabsl(a - b) <= 1e-12L * (fabsl(a) + fabsl(b));
}

static const char *broken_shares(const struct hd_model *model) {
  long double sum = hd_levels_at(&model->time_at, 0);
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    if (!close_to(node->wall_share_ticks, share_of(&node->busy_at)) ||
        !close_to(node->wall_share_inclusive_ticks, share_of(&node->busy_at_inclusive)))
      return broken("wall share", i, (uint64_t)share_of(&node->busy_at), (uint64_t)node->wall_share_ticks);
    sum += node->wall_share_ticks;
  }
  if (!close_to(sum, model->elapsed_ticks))
    return broken("wall shares and time at 0 are not the elapsed time", 0, model->elapsed_ticks, (uint64_t)sum);
  return NULL;
}

static const char *broken_overlaps(const struct hd_model *model) {
  for (uint32_t i = 0; i < model->overlap_count; i++) {
    const struct hd_overlap *overlap = &model->overlaps[i];
    if (overlap->a >= overlap->b || overlap->b >= model->node_count)
      return broken("an overlap's nodes", overlap->a, overlap->a + 1, overlap->b);
    if (overlap->ticks > model->nodes[overlap->a].active_ticks ||
        overlap->ticks > model->nodes[overlap->b].active_ticks)
      return broken("overlap longer than activity", overlap->a, model->nodes[overlap->b].active_ticks, overlap->ticks);
    if (i > 0 && overlap[-1].a == overlap->a && overlap[-1].b >= overlap->b)
      return broken("overlaps are not in order", overlap->a, overlap[-1].b, overlap->b);
  }
  return NULL;
}

static const char *broken_timeline(const struct hd_model *model) {
  struct hd_timeline_bucket sum = {0};
  struct hd_run_stretch all;
  uint64_t before = model->before_ticks;
  if (model->header.flags & HD_FILE_MERGED)
    return model->timeline ? "a sum of runs has a timeline" : NULL;
  if (!model->timeline)
    return "there is no timeline";
  for (uint32_t i = 0; i < HD_TIMELINE_BUCKETS; i++) {
    sum.none_ticks += model->timeline->buckets[i].none_ticks;
    sum.sequential_ticks += model->timeline->buckets[i].sequential_ticks;
    sum.busy_ticks += model->timeline->buckets[i].busy_ticks;
  }
  if (sum.none_ticks != hd_levels_at(&model->time_at, 0))
    return broken("timeline, none busy", 0, hd_levels_at(&model->time_at, 0), sum.none_ticks);
  if (sum.sequential_ticks + before != hd_levels_at(&model->time_at, 1))
    return broken("timeline, one busy", 0, hd_levels_at(&model->time_at, 1), sum.sequential_ticks + before);
  if (sum.busy_ticks + before != weighted(&model->time_at))
    return broken("timeline, busy", 0, weighted(&model->time_at), sum.busy_ticks + before);
  if (!hd_model_stretch(model, 0, (double)model->elapsed_ticks, &all) ||
      fabs(all.busy_ticks - (double)weighted(&model->time_at)) > 1e-9 * all.busy_ticks)
    return broken("the whole stretch", 0, weighted(&model->time_at), (uint64_t)all.busy_ticks);
  return NULL;
}

/* What is known of all its time adds up to it. */
static const char *broken_history(const struct hd_model *model, const struct hd_history *history) {
  const struct hd_levels *levels = &model->nodes[history->node].elapsed_at;
  struct hd_history_bucket sum = {0};
  uint64_t elapsed = 0;
  for (uint32_t k = 0; k < levels->count; k++)
    elapsed += levels->ticks[k];
  for (uint32_t i = 0; i < HD_HISTORY_BUCKETS; i++) {
    sum.elapsed_ticks += history->buckets[i].elapsed_ticks;
    sum.busy_ticks += history->buckets[i].busy_ticks;
    if (i >= hd_history_buckets_in_use(model) && history->buckets[i].elapsed_ticks > 0)
      return broken("a bucket behind the end", history->node, 0, history->buckets[i].elapsed_ticks);
  }
  if (history->since_ticks > 0 ? sum.elapsed_ticks > elapsed : sum.elapsed_ticks != elapsed)
    return broken("history, elapsed", history->node, elapsed, sum.elapsed_ticks);
  if (history->since_ticks > 0 ? sum.busy_ticks > weighted(levels) : sum.busy_ticks != weighted(levels))
    return broken("history, busy", history->node, weighted(levels), sum.busy_ticks);
  return NULL;
}

static const char *broken_histories(const struct hd_model *model) {
  const char *wrong = NULL;
  for (uint32_t i = 0; i < model->history_count && !wrong; i++)
    wrong = broken_history(model, &model->histories[i]);
  return wrong;
}

const char *ex_broken_levels(const struct hd_model *model) {
  const char *wrong = NULL;
  if (!model->levels_known)
    return "concurrency is not known";
  if (model->header.lost_tallies > 0)
    return NULL; /* there was no space, and it is said */
  wrong = broken_program(model);
  for (uint32_t i = 0; i < model->node_count && !wrong; i++)
    wrong = broken_node(model, &model->nodes[i]);
  for (uint32_t k = 0; k < model->time_at.count && model->node_count < 200 && !wrong; k++)
    wrong = broken_tree(model, k);
  wrong = wrong ? wrong : broken_shares(model);
  wrong = wrong ? wrong : broken_overlaps(model);
  wrong = wrong ? wrong : broken_histories(model);
  return wrong ? wrong : broken_timeline(model);
}

void ex_expect_levels_at(const struct hd_levels *levels, const uint64_t *expected, size_t count, const char *file,
                         int line) {
  for (uint32_t k = 0; k < count || k < levels->count; k++) {
    uint64_t wanted = k < count ? expected[k] : 0;
    if (hd_levels_at(levels, k) == wanted)
      continue;
    print_error("level %u:\n", k);
    _assert_int_equal(hd_levels_at(levels, k), wanted, file, line);
  }
}

uint64_t ex_overlap(const struct hd_model *model, const struct hd_node *a, const struct hd_node *b) {
  for (uint32_t i = 0; i < model->overlap_count; i++) {
    const struct hd_overlap *overlap = &model->overlaps[i];
    if ((overlap->a == a->id && overlap->b == b->id) || (overlap->a == b->id && overlap->b == a->id))
      return overlap->ticks;
  }
  return 0;
}
