/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/schedules/loop_cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/model/format_names.h"
#include "output/model/lazy_rows.h"
#include "output/model/loops.h"
#include "support/command/memory.h"

const struct hd_team_totals *hd_loop_team(const struct hd_model *model, const struct hd_node *node) {
  while (node->id != 0 && node->team.instances == 0)
    node = &model->nodes[node->parent];
  return &node->team;
}

double hd_loop_elapsed(const struct hd_node *node) {
  const struct hd_team_totals *team = &node->team;
  const double combining = (double)node->ticks[HD_WAIT_REDUCTION];
  return hd_team_elapsed(team) + (team->team_max > 0 ? combining / (double)team->team_max : 0);
}

/* ---- from chunks ---- */

/* Where the parts begin: as the observed iterations say, if all were, else as many as the number allows in each. */
static void begin_parts(struct hd_loop_cost *cost, const struct hd_model_loop *loop, double count, double seen) {
  double before = 0;
  for (uint32_t i = 0; i <= HD_SPACE_BUCKETS; i++) {
    const double even = ceil(count * i / HD_SPACE_BUCKETS);
    cost->curve.begin[i] = (uint64_t)(seen > 0 ? round(count * before / seen) : even);
    before += i < HD_SPACE_BUCKETS ? (double)loop->iterations[i] : 0;
  }
  cost->curve.begin[HD_SPACE_BUCKETS] = (uint64_t)count;
}

/* Iterations of a part that was not observed cost what those before it do. */
static void add_up_parts(struct hd_loop_cost *cost, const struct hd_model_loop *loop) {
  double each = 0;
  for (uint32_t i = HD_SPACE_BUCKETS; i-- > 0;)
    each = loop->iterations[i] > 0 ? (double)loop->ticks[i] / (double)loop->iterations[i] : each;
  for (uint32_t i = 0; i < HD_SPACE_BUCKETS; i++) {
    each = loop->iterations[i] > 0 ? (double)loop->ticks[i] / (double)loop->iterations[i] : each;
    cost->parts[i] = each;
    cost->curve.before[i + 1] =
        cost->curve.before[i] + each * (double)(cost->curve.begin[i + 1] - cost->curve.begin[i]);
  }
}

static double cost_of(const struct hd_cost_curve *curve, uint32_t first, uint32_t end) {
  return curve->before[end] - curve->before[first];
}

static double count_of(const struct hd_cost_curve *curve, uint32_t first, uint32_t end) {
  return (double)(curve->begin[end] - curve->begin[first]);
}

/* The first of `width` parts that cost most together. */
static uint32_t dearest(const struct hd_cost_curve *curve, uint32_t width) {
  uint32_t most = 0;
  for (uint32_t i = 1; i + width <= curve->parts; i++)
    if (cost_of(curve, i, i + width) > cost_of(curve, most, most + width))
      most = i;
  return most;
}

/* Puts an iteration that costs `ticks` in the middle of these parts, whose others share the rest. */
static void put_spike(struct hd_cost_curve *curve, uint32_t from, uint32_t end, double ticks) {
  const uint64_t first = curve->begin[from], place = first + (curve->begin[end] - first) / 2;
  const double each = (cost_of(curve, from, end) - ticks) / (count_of(curve, from, end) - 1);
  struct hd_cost_curve with = hd_curve_new(from + 3 + curve->parts - end);
  for (uint32_t i = 0; i <= curve->parts; i++) {
    const uint32_t to = i <= from ? i : i < end ? from + 1 : i - end + from + 3;
    with.begin[to] = curve->begin[i];
    with.before[to] = curve->before[i];
  }
  with.begin[from + 1] = place;
  with.before[from + 1] = with.before[from] + each * (double)(place - first);
  with.begin[from + 2] = place + 1;
  with.before[from + 2] = with.before[from + 1] + ticks;
  hd_curve_free(curve);
  *curve = with;
}

/* If chunks have one size. A longest chunk that cannot be that of most instances was disturbed. */
static bool find_spike(struct hd_loop_cost *cost, const struct hd_model_loop *loop) {
  const struct hd_cost_curve *curve = &cost->curve;
  const double parts = ceil(cost->chunk * curve->parts / (double)hd_curve_iterations(curve));
  const uint32_t width = parts < curve->parts ? (uint32_t)parts : curve->parts, first = dearest(curve, width);
  const double count = count_of(curve, first, first + width), all = cost_of(curve, first, first + width);
  const double rest = (double)hd_curve_iterations(curve) - count;
  if (count < 2 || rest < 1 || (double)loop->lengths.longest_ticks > 1.5 * all)
    return false;
  const double others = (hd_curve_all(curve) - all) / rest; /* what an iteration costs elsewhere */
  const double spike = fmin((double)loop->lengths.longest_ticks, all) - (cost->chunk - 1) * others;
  if (spike <= 4 * cost->chunk * others || spike <= 3 * (all - spike) / (count - 1))
    return false;
  put_spike(&cost->curve, first, first + width, spike);
  return true;
}

/* What chunks' times differ beyond what the curve says, and beyond what the histogram's steps make of them. */
static double variation_of(const struct hd_loop_cost *cost, const struct hd_model_loop *loop) {
  static const double STEPS = 0.12;
  const struct hd_cost_curve *curve = &cost->curve;
  const double iterations = (double)hd_curve_iterations(curve), ticks = hd_curve_all(curve);
  double chunks = 0, sum = 0, squares = 0, between = 0;
  for (uint32_t i = 0; i < HD_LENGTH_BUCKETS; i++) {
    const double count = (double)loop->lengths.counts[i], length = ldexp(1.5, (int)i);
    chunks += count;
    sum += count * length;
    squares += count * length * length;
  }
  for (uint32_t i = 0; i < curve->parts; i++) {
    const double count = (double)(curve->begin[i + 1] - curve->begin[i]),
                 part = curve->before[i + 1] - curve->before[i];
    between += count > 0 ? part * part / count : 0;
  }
  if (chunks <= 0 || sum <= 0 || ticks <= 0)
    return 0;
  const double more = squares * chunks / (sum * sum) - between * iterations / (ticks * ticks) - STEPS;
  return more > 0 ? sqrt(more) : 0;
}

static int by_value(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

/* In chunks of several parts a single dear iteration looks like many that are dearer than others. */
static double hidden_in(const struct hd_loop_cost *cost) {
  static const double DEAR = 2.5;
  const struct hd_cost_curve *curve = &cost->curve;
  double sorted[HD_SPACE_BUCKETS], sum = 0;
  memcpy(sorted, cost->parts, sizeof sorted);
  qsort(sorted, HD_SPACE_BUCKETS, sizeof *sorted, by_value);
  const double usual = sorted[HD_SPACE_BUCKETS / 2];
  for (uint32_t i = 0; i < curve->parts; i++)
    if (cost->parts[i] > DEAR * usual)
      sum += cost_of(curve, i, i + 1) - usual * count_of(curve, i, i + 1);
  return cost->chunk * curve->parts >= 2 * (double)hd_curve_iterations(curve) ? sum : 0;
}

static const char *take_chunks(struct hd_loop_cost *cost, const struct hd_node *node,
                               const struct hd_model_loop *loop) {
  double seen = 0;
  for (uint32_t i = 0; i < HD_SPACE_BUCKETS; i++)
    seen += (double)loop->iterations[i];
  const double all = (double)node->shares.iterations, count = round(all / cost->instances);
  if (seen <= 0 || count < 1 || count > 1e15)
    return "none of its chunks was observed from its begin to its end";
  cost->curve = hd_curve_new(HD_SPACE_BUCKETS);
  cost->part_count = HD_SPACE_BUCKETS;
  cost->parts = hd_new(HD_SPACE_BUCKETS, sizeof *cost->parts);
  cost->bounds_vary = loop->flags & HD_CHUNKS_VARY;
  cost->chunk = all / (double)node->shares.chunks;
  begin_parts(cost, loop, count, seen >= all && !cost->bounds_vary ? seen : 0);
  add_up_parts(cost, loop);
  cost->longest = (double)loop->lengths.longest_ticks;
  cost->hidden = hidden_in(cost);
  if (node->kind == HD_KIND_LOOP_GUIDED) /* its chunks have many sizes */
    return NULL;
  if (!cost->bounds_vary && find_spike(cost, loop))
    cost->hidden = 0;
  cost->variation = cost->instances > 1.5 ? variation_of(cost, loop) : 0;
  return NULL;
}

/* ---- from blocks ---- */

/* A thread's time with a loop, but its waits at the end: for others, and to combine a reduction. */
static double ticks_in(const struct hd_row *row, bool is_loop) {
  const uint64_t waits = is_loop ? row->ticks[HD_WAIT_BARRIER_IMPLICIT] + row->ticks[HD_WAIT_REDUCTION] : 0;
  return (double)hd_ticks_all(row->ticks) - (double)waits;
}

/* What lies below the loop: its own nested regions' workers are none of its threads. */
static void add_below(const struct hd_model *model, uint32_t loop, const uint32_t *number_of, double *ticks) {
  bool *below = hd_new(model->node_count, sizeof *below);
  below[loop] = true;
  for (uint32_t i = loop + 1; i < model->node_count; i++) { /* children have larger numbers */
    const struct hd_node *node = &model->nodes[i];
    below[i] = below[node->parent] && i != node->parent;
    for (uint32_t row = 0; below[i] && row < node->row_count; row++) {
      const struct hd_row *at = &model->rows[node->row_first + row];
      if (number_of[at->thread] > 0)
        ticks[number_of[at->thread] - 1] += ticks_in(at, false);
    }
  }
  free(below);
}

/* Times by number in the team. False: threads had several, or a number had several threads. */
static bool take_rows(const struct hd_model *model, const struct hd_loop_cost *cost, const struct hd_node *node,
                      double *ticks) {
  uint32_t *number_of = hd_new(model->thread_count, sizeof *number_of);
  uint32_t found = 0;
  bool known = true;
  for (uint32_t i = 0; i < node->row_count; i++) {
    const struct hd_row *row = &model->rows[node->row_first + i];
    const int64_t number = row->shares.number;
    if (row->visits == 0 && number == 0)
      continue;
    known = known && number >= 1 && number <= (int64_t)cost->threads && ticks[number - 1] <= 0 &&
            fabs((double)row->visits - cost->instances) <= 0.01 * cost->instances;
    if (!known)
      break;
    number_of[row->thread] = (uint32_t)number;
    ticks[number - 1] = ticks_in(row, true);
    found++;
  }
  known = known && found == cost->threads;
  if (known)
    add_below(model, node->id, number_of, ticks);
  free(number_of);
  return known;
}

/* Cost of an iteration at a place among the blocks, which has the mean of a block in its middle. */
static double steady(const double *means, uint32_t blocks, double place) {
  const double from_first = place - 0.5, last = blocks - 2.0;
  const double left = floor(fmin(fmax(from_first, 0), last));
  const double first = means[(uint32_t)left], second = means[(uint32_t)left + 1];
  return fmax(first + (second - first) * (from_first - left), 0);
}

/* A block in `parts`, which add up to what it costs. */
static void put_block(struct hd_cost_curve *curve, const double *means, uint32_t block, uint64_t first, uint64_t count,
                      uint32_t blocks) {
  const uint32_t each = curve->parts / blocks, at = block * each;
  double sum = 0;
  for (uint32_t i = 0; i < each; i++) {
    const uint64_t begin = count * i / each, end = count * (i + 1) / each;
    curve->begin[at + i] = first + begin;
    curve->before[at + i + 1] = steady(means, blocks, block + (i + 0.5) / each) * (double)(end - begin);
    sum += curve->before[at + i + 1];
  }
  for (uint32_t i = 0; i < each; i++)
    curve->before[at + i + 1] =
        curve->before[at + i] + (sum > 0 ? curve->before[at + i + 1] / sum * means[block] * (double)count : 0);
}

enum { PARTS_OF_BLOCK = 16 };
static void put_blocks(struct hd_loop_cost *cost, const double *ticks, uint64_t count) {
  const uint32_t threads = cost->threads;
  cost->curve = hd_curve_new(threads * PARTS_OF_BLOCK);
  uint64_t first = 0;
  for (uint32_t i = 0; i < threads; i++) {
    const uint64_t block = count / threads + (i < count % threads);
    cost->parts[i] = block > 0 ? ticks[i] / cost->instances / (double)block : 0;
  }
  for (uint32_t i = 0; i < threads; i++) {
    const uint64_t block = count / threads + (i < count % threads);
    put_block(&cost->curve, cost->parts, i, first, block, threads);
    first += block;
  }
  cost->curve.begin[cost->curve.parts] = count;
}

static const char *take_blocks(struct hd_loop_cost *cost, const struct hd_model *model, const struct hd_node *node) {
  const double count = (double)node->shares.static_iterations / (double)node->visits;
  if (count < 1 || count > 1e15)
    return "how many iterations it has is not known";
  hd_model_need_rows(model);
  double *ticks = hd_new(cost->threads, sizeof *ticks);
  cost->from_blocks = true;
  cost->longest = INFINITY;
  cost->bounds_vary = count != floor(count);
  cost->part_count = cost->threads;
  cost->parts = hd_new(cost->threads, sizeof *cost->parts);
  const bool known = take_rows(model, cost, node, ticks);
  if (known)
    put_blocks(cost, ticks, (uint64_t)round(count));
  free(ticks);
  return known ? NULL : "its threads had different numbers in their teams, so their blocks are not known";
}

/* ---- either ---- */

enum { THREADS_MOST = 4096 }; /* whose chunks are simulated in a moment */

static const char *take(struct hd_loop_cost *cost, const struct hd_model *model, const struct hd_node *node) {
  const struct hd_team_totals *team = hd_loop_team(model, node);
  const struct hd_model_loop *loop = hd_loops_find(model, node->id);
  if (hd_kind_of_site(node->kind) != HD_KIND_LOOP)
    return "it is no worksharing loop";
  if (team->team_min != team->team_max || team->instances == 0)
    return "its teams have different sizes";
  if (team->team_max < 2)
    return "its team has one thread";
  if (team->team_max > THREADS_MOST)
    return "its team is too large";
  cost->threads = team->team_max;
  cost->instances = (double)node->visits / cost->threads;
  if (cost->instances <= 0)
    return "it was never observed";
  if (node->shares.chunks > 0 && loop && (loop->flags & HD_CHUNKS_BOUNDS))
    return take_chunks(cost, node, loop);
  if (node->shares.chunks == 0 && node->kind == HD_KIND_LOOP_STATIC && node->shares.static_iterations > 0)
    return take_blocks(cost, model, node);
  return node->kind == HD_KIND_LOOP ? "its schedule is not known (libomp reports it from version 17 on)"
                                    : "its chunks were not observed (see heddle run --handout)";
}

struct hd_loop_cost hd_loop_cost_of(const struct hd_model *model, const struct hd_node *node) {
  struct hd_loop_cost cost = {0};
  cost.unknown = take(&cost, model, node);
  if (!cost.unknown && hd_curve_all(&cost.curve) <= 0)
    cost.unknown = "its iterations took no time";
  return cost;
}

void hd_loop_cost_free(struct hd_loop_cost *cost) {
  if (cost->curve.begin)
    hd_curve_free(&cost->curve);
  free(cost->parts);
}
