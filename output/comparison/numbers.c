/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file numbers.c
 * What each run had in each row, the medians of repeats, and what is lost against the baseline.
 */
#include <math.h>
#include <stdlib.h>

#include "output/comparison/comparison_internal.h"
#include "output/model/format_names.h"
#include "support/command/memory.h"

/** A row in one run, in common ticks. */
struct cell {
  bool present;
  uint64_t calls;
  uint64_t elapsed_ticks; /* 0 of constructs */
  uint64_t untold_ticks;  /* hd_node.untold_ticks */
  uint32_t marks;         /* enum hd_mark */
  struct hd_losses losses;
};

struct table {
  struct hd_comparison *comparison;
  struct cell *cells; /* [row][run] */
};

static struct cell *cell_of(const struct table *table, uint32_t row, uint32_t run) {
  return &table->cells[(size_t)row * table->comparison->run_count + run];
}

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* ---- one run ---- */

/* How often a team came to a construct: all its threads do. */
static uint64_t calls_of(const struct hd_model *model, const struct hd_node *node) {
  if (hd_kind_is_region(node->kind))
    return node->visits;
  uint64_t most = 0;
  for (uint32_t row = node->row_first; row < node->row_first + node->row_count; row++)
    if (model->rows[row].visits > most)
      most = model->rows[row].visits;
  return most;
}

static void add_node(struct cell *cell, const struct hd_run *run, const struct hd_node *node) {
  cell->present = true;
  cell->marks |= node->marks[HD_MARKS_OF_CONSTRUCTS];
  cell->untold_ticks += node->untold_ticks * run->factor;
  cell->calls += calls_of(run->model, node);
  if (hd_kind_is_region(node->kind))
    cell->elapsed_ticks += node->team.elapsed_ticks * run->factor;
  hd_losses_add(&cell->losses, &run->book->inclusive[node->id], (int64_t)run->factor);
}

static void add_program(struct table *table, uint32_t index) {
  const struct hd_run *run = &table->comparison->runs[index];
  const struct hd_model *model = run->model;
  struct cell *program = cell_of(table, 0, index);
  struct cell *outside = cell_of(table, 1, index);
  *program = (struct cell){.present = true,
                           .calls = 1,
                           .elapsed_ticks = model->elapsed_ticks * run->factor,
                           .untold_ticks = model->nodes[0].untold_ticks * run->factor,
                           .marks = model->nodes[0].marks[HD_MARKS_OF_CONSTRUCTS]};
  hd_losses_add(&program->losses, &run->book->program, (int64_t)run->factor);
  *outside = *program;
  uint64_t inside = 0; /* of all initial threads */
  for (uint32_t row = 2; row < table->comparison->row_count; row++)
    if (table->comparison->rows[row].kind == HD_COMPARED_REGION) {
      const struct cell *region = cell_of(table, row, index);
      hd_losses_add(&outside->losses, &region->losses, -1);
      outside->untold_ticks -= smaller(outside->untold_ticks, region->untold_ticks);
      inside += region->elapsed_ticks;
    }
  if (outside->untold_ticks == 0 && model->header.lost_switches == 0)
    outside->marks = 0;
  if (inside > model->inside_ticks * run->factor)
    inside = model->inside_ticks * run->factor;
  outside->elapsed_ticks -= inside < outside->elapsed_ticks ? inside : outside->elapsed_ticks;
}

static void add_run(struct table *table, uint32_t index) {
  struct hd_comparison *comparison = table->comparison;
  const struct hd_run *run = &comparison->runs[index];
  for (uint32_t i = 1; i < run->model->node_count; i++) {
    const uint32_t united = comparison->united->node_of[index][i];
    if (comparison->heads[united])
      add_node(cell_of(table, comparison->row_of[united], index), run, &run->model->nodes[i]);
  }
  add_program(table, index);
}

/* ---- repeats ---- */

static double seconds_of(const struct hd_comparison *comparison, int64_t ticks) {
  return (double)ticks * comparison->seconds_per_tick;
}

static int64_t time_of(const struct hd_comparison *comparison, enum hd_compared_kind kind, const struct cell *cell,
                       uint32_t run) {
  if (kind == HD_COMPARED_CONSTRUCT)
    return cell->losses.capacity / (int64_t)comparison->runs[run].book->threads;
  return (int64_t)cell->elapsed_ticks;
}

/* The time of all threads, divided among them: of what rows with the elapsed time of their own add up from, it. */
static double share_of(const struct hd_comparison *comparison, const struct cell *cell, uint32_t run) {
  return seconds_of(comparison, cell->losses.capacity) / comparison->runs[run].book->threads;
}

/* `runs` and `shares` have room for one of every run of the point. */
static void take_repeats(const struct table *table, uint32_t row, uint32_t point, uint32_t *runs, double *shares) {
  const struct hd_comparison *comparison = table->comparison;
  const struct hd_point *of = &comparison->points[point];
  const enum hd_compared_kind kind = comparison->rows[row].kind;
  struct hd_compared *at = &comparison->rows[row].at[point];
  at->seconds = hd_new((size_t)of->run_count + 1, sizeof *at->seconds);
  for (uint32_t run = of->run_first; run < of->run_first + of->run_count; run++) {
    const struct cell *cell = cell_of(table, row, run);
    if (!cell->present)
      continue;
    shares[at->runs] = share_of(comparison, cell, run);
    runs[at->runs] = run;
    at->seconds[at->runs++] = seconds_of(comparison, time_of(comparison, kind, cell, run));
  }
}

static double only(const double medians[], void *context) {
  (void)context;
  return medians[0];
}

/* Thread time in which waits may count as work, or as other waits: as long as events that tell were off there, of all
 * threads. Never more than all that the row has. */
static uint64_t untold_ticks(const struct hd_comparison *comparison, const struct hd_compared *at, uint64_t off_ticks) {
  const struct hd_run *run = &comparison->runs[at->run];
  const uint64_t all = at->losses.capacity > 0 ? (uint64_t)at->losses.capacity : 0;
  uint64_t ticks = 0;
  if (!(at->marks & HD_MARKS_OF_UNTOLD))
    return 0;
  if (run->model->header.lost_switches > 0 || __builtin_mul_overflow(off_ticks, (uint64_t)run->book->threads, &ticks))
    return all;
  return smaller(ticks, all);
}

static void take_median(const struct table *table, uint32_t row, struct hd_compared *at, const uint32_t *runs) {
  const struct hd_comparison *comparison = table->comparison;
  at->run = runs[hd_median_index(at->seconds, at->runs)];
  const struct cell *cell = cell_of(table, row, at->run);
  at->calls = cell->calls;
  at->losses = cell->losses;
  at->time_ticks = time_of(comparison, comparison->rows[row].kind, cell, at->run);
  at->time_s = seconds_of(comparison, at->time_ticks);
  at->marks = cell->marks;
  at->untold_ticks = untold_ticks(comparison, at, cell->untold_ticks);
  at->busy_concurrency = at->time_ticks > 0 ? (double)at->losses.busy / (double)at->time_ticks : NAN;
  at->time_interval = hd_bootstrap(&(struct hd_sample){at->seconds, at->runs}, 1, only, NULL);
}

/* ---- against the baseline ---- */

/** What intervals are made of: [0] at the baseline, [1] here. */
struct pair {
  struct hd_sample times[2];
  struct hd_sample shares[2];
  double threads_ratio; /* baseline's / here */
};

static double quotient(const double medians[], void *context) {
  const double *factor = context;
  return medians[1] > 0 ? *factor * medians[0] / medians[1] : NAN;
}

static double shortfall(const double medians[], void *context) {
  const double *ratio = context;
  return medians[1] - *ratio * medians[0];
}

static void find_intervals(struct hd_compared *at, enum hd_compared_kind kind, struct pair *pair) {
  double one = 1;
  at->speedup_interval = hd_bootstrap(pair->times, 2, quotient, &one);
  at->efficiency_interval = (struct hd_interval){at->speedup_interval.low * pair->threads_ratio,
                                                 at->speedup_interval.high * pair->threads_ratio};
  if (kind == HD_COMPARED_NESTED) /* its elapsed times are of instances that overlap */
    at->efficiency_interval = hd_bootstrap(pair->shares, 2, quotient, &pair->threads_ratio);
  at->lost_total_interval = hd_bootstrap(pair->shares, 2, shortfall, &pair->threads_ratio);
  at->noise_known = isfinite(at->lost_total_interval.low) && isfinite(at->lost_total_interval.high);
  at->in_noise = at->noise_known && at->lost_total_interval.low <= 0 && at->lost_total_interval.high >= 0;
}

/* The largest in the direction of the whole: of what was lost or, if there was a gain, of what was gained. `lead`: by
 * how much more than any other. */
static enum hd_loss main_cause(const struct hd_compared *at, uint64_t *lead) {
  const int64_t sign = at->lost_total_ticks < 0 ? -1 : 1;
  enum hd_loss cause = HD_LOSS_COUNT;
  int64_t most = 0, second = 0;
  for (int loss = 0; at->lost_total_ticks != 0 && loss < HD_LOSS_COUNT; loss++) {
    const int64_t ticks = sign * at->lost_ticks[loss];
    if (ticks > most) {
      second = most;
      most = ticks;
      cause = (enum hd_loss)loss;
    } else if (ticks > second) {
      second = ticks;
    }
  }
  *lead = (uint64_t)(most - second);
  return cause;
}

static double ratio(double a, double b) {
  return b != 0 ? a / b : NAN;
}

static void compare_with(const struct hd_comparison *comparison, const struct hd_compared *base,
                         struct hd_compared *at) {
  struct hd_losses more = at->losses;
  const uint32_t threads = comparison->runs[at->run].book->threads;
  hd_losses_add(&more, &base->losses, -1);
  at->lost_total_ticks = more.capacity;
  at->lost_total_s = seconds_of(comparison, more.capacity) / threads;
  for (int loss = 0; loss < HD_LOSS_COUNT; loss++) {
    at->lost_ticks[loss] = loss == HD_LOSS_INFLATION ? more.busy : more.lost[loss];
    at->lost_s[loss] = seconds_of(comparison, at->lost_ticks[loss]) / threads;
  }
  uint64_t lead = 0;
  const uint64_t untold = base->untold_ticks + at->untold_ticks;
  at->main_cause = main_cause(at, &lead);
  at->causes_unknown = untold > 0 && lead / 2 <= untold; /* what one cause lacks another has */
  if (at->causes_unknown)
    at->main_cause = HD_LOSS_COUNT;
  at->speedup = ratio((double)base->time_ticks, (double)at->time_ticks);
  at->efficiency = ratio((double)base->losses.capacity, (double)at->losses.capacity);
  at->work_efficiency = ratio((double)base->losses.busy, (double)at->losses.busy);
}

static void fill_against(struct hd_comparison *comparison, struct hd_compared_row *row, uint32_t point,
                         const double *base_shares, const double *shares) {
  const struct hd_compared *base = &row->at[0];
  struct hd_compared *at = &row->at[point];
  at->matched = base->runs > 0 && at->runs > 0;
  at->main_cause = HD_LOSS_COUNT;
  if (!at->matched)
    return;
  compare_with(comparison, base, at);
  struct pair pair = {
      .times = {{base->seconds, base->runs}, {at->seconds, at->runs}},
      .shares = {{base_shares, base->runs}, {shares, at->runs}},
      .threads_ratio = (double)comparison->runs[base->run].book->threads / comparison->runs[at->run].book->threads,
  };
  if (point > 0)
    find_intervals(at, row->kind, &pair);
  else
    at->speedup_interval = at->efficiency_interval = at->lost_total_interval = HD_INTERVAL_UNKNOWN;
  const double weight = fabs(at->lost_total_s);
  if (weight > row->weight_s)
    row->weight_s = weight;
}

/* `runs` has room for one run each, `shares` for one of the baseline's and one of a point's. */
static void fill_row(const struct table *table, uint32_t index, uint32_t *runs, double *shares) {
  struct hd_comparison *comparison = table->comparison;
  struct hd_compared_row *row = &comparison->rows[index];
  double *base_shares = shares + comparison->run_count;
  row->at = hd_new(comparison->point_count, sizeof *row->at);
  for (uint32_t point = 0; point < comparison->point_count; point++) {
    double *taken = point == 0 ? base_shares : shares;
    take_repeats(table, index, point, runs, taken);
    if (row->at[point].runs > 0)
      take_median(table, index, &row->at[point], runs);
    fill_against(comparison, row, point, base_shares, taken);
  }
}

/* ---- laws ---- */

static void fit_row(struct hd_comparison *comparison, struct hd_compared_row *row) {
  size_t count = 0;
  row->scaling_points = hd_new(comparison->point_count, sizeof *row->scaling_points);
  for (uint32_t i = 0; i < comparison->point_count; i++)
    if (row->at[i].runs > 0)
      row->scaling_points[count++] =
          (struct hd_scaling_point){comparison->points[i].threads, {row->at[i].seconds, row->at[i].runs}};
  hd_scaling_fit(row->scaling_points, count, &row->scaling);
}

/* In the baseline's median run: outside regions, and what one thread does for all, but not the tasks it makes, which
 * any may run. */
static void find_serial(const struct table *table) {
  struct hd_comparison *comparison = table->comparison;
  const uint32_t index = comparison->rows[0].at[0].run;
  const struct hd_run *run = &comparison->runs[index];
  bool *counted = hd_new(run->model->node_count, sizeof *counted); /* it or one above it */
  struct hd_losses serial = {.busy = (int64_t)cell_of(table, 1, index)->elapsed_ticks};
  for (uint32_t i = 1; i < run->model->node_count; i++) {
    const struct hd_node *node = &run->model->nodes[i];
    const bool above = counted[node->parent];
    const bool for_one = hd_kind_is_for_one(node->kind) && run->book->place[i] == HD_PLACE_INSIDE;
    counted[i] = (above || for_one) && node->kind != HD_KIND_TASK;
    if (counted[i] != above)
      hd_losses_add(&serial, &run->book->inclusive[i], (above ? -1 : 1) * (int64_t)run->factor);
  }
  comparison->serial_ticks = serial.busy;
  free(counted);
}

void hd_comparison_fill_rows(struct hd_comparison *comparison) {
  const size_t cells = (size_t)comparison->row_count * comparison->run_count;
  struct table table = {.comparison = comparison, .cells = hd_new(cells, sizeof *table.cells)};
  uint32_t *runs = hd_new(comparison->run_count, sizeof *runs);
  double *shares = hd_new((size_t)comparison->run_count * 2, sizeof *shares);
  for (uint32_t i = 0; i < comparison->run_count; i++)
    add_run(&table, i);
  for (uint32_t i = 0; i < comparison->row_count; i++) {
    fill_row(&table, i, runs, shares);
    if (comparison->options.mode == HD_COMPARE_SCALING)
      fit_row(comparison, &comparison->rows[i]);
  }
  find_serial(&table);
  free(table.cells);
  free(runs);
  free(shares);
}
