/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file compared_runs.h
 * For tests of comparisons: plays runs with a number of threads that was asked for, compares them, and checks what
 * holds for every comparison.
 */
#ifndef HEDDLE_TESTS_COMPARED_RUNS_H
#define HEDDLE_TESTS_COMPARED_RUNS_H

#include <math.h>
#include <stdio.h>

#include "losses_expect.h"
#include "output/comparison/comparison.h"
#include "output/model/lazy_rows.h"
#include "output/model/memory.h"
#include "script.h"

enum { RUNS_MOST = 16 };

static struct {
  struct hd_model *models[RUNS_MOST];
  struct hd_compare_input inputs[RUNS_MOST];
  size_t count;
  struct hd_comparison *comparison;
} compared;

static inline int forget_runs(void **state) {
  (void)state;
  hd_comparison_free(compared.comparison);
  for (size_t i = 0; i < compared.count; i++)
    hd_model_free(compared.models[i]);
  memset(&compared, 0, sizeof compared);
  return 0;
}

static inline void keep_run(struct hd_model *model, uint32_t side, const char *label) {
  assert_in_range(compared.count, 0, RUNS_MOST - 1);
  compared.models[compared.count] = model;
  compared.inputs[compared.count++] = (struct hd_compare_input){.model = model, .side = side, .label = label};
}

/* Plays the current script as a program that was asked to use so many threads. */
static inline struct hd_model *play_asked(uint32_t threads) {
  char variable[64];
  snprintf(variable, sizeof variable, "OMP_NUM_THREADS=%u", threads);
  const char *const environment[] = {variable, NULL};
  fk_sort(sc_script());
  return ex_play_with(&(struct fk_options){.environment = environment});
}

/* Ends the script at `time`, plays it and keeps the run. */
static inline void run_ends(uint64_t time, uint32_t threads) {
  sc_at(time);
  sc_finish();
  keep_run(play_asked(threads), 0, NULL);
}

/* ---- what holds for every comparison, to the tick ---- */

/* A region's instances; how often the thread that came to a construct most came there. */
static inline uint64_t most_visits(const struct hd_model *model, const struct hd_node *node) {
  uint64_t most = 0;
  if (node->kind == HD_KIND_PARALLEL || node->kind == HD_KIND_TEAMS)
    return node->visits;
  for (uint32_t thread = 0; thread < model->thread_count; thread++) {
    const struct hd_row *row = hd_model_row(model, node->id, thread);
    most = row && row->visits > most ? row->visits : most;
  }
  return most;
}

static inline bool row_is_sum_of_nodes(const struct hd_comparison *comparison, uint32_t row, uint32_t point) {
  const struct hd_compared *at = &comparison->rows[row].at[point];
  const struct hd_run *run = &comparison->runs[at->run];
  struct hd_losses sum = {0};
  uint64_t calls = 0;
  for (uint32_t node = 1; node < run->model->node_count; node++)
    if (hd_comparison_is_of_row(comparison, at->run, node, row)) {
      hd_losses_add(&sum, &run->book->inclusive[node], (int64_t)run->factor);
      calls += most_visits(run->model, &run->model->nodes[node]);
    }
  if (memcmp(&sum, &at->losses, sizeof sum) || calls != at->calls) {
    print_error("row %u, point %u: calls %" PRIu64 ", of its nodes %" PRIu64 "\n", row, point, at->calls, calls);
    print_losses("row", &at->losses);
    print_losses("nodes", &sum);
    return false;
  }
  return true;
}

static inline const char *broken_difference(const struct hd_compared *base, const struct hd_compared *at) {
  int64_t sum = 0;
  for (int loss = 0; loss < HD_LOSS_COUNT; loss++) {
    sum += at->lost_ticks[loss];
    if (loss != HD_LOSS_INFLATION && at->lost_ticks[loss] != at->losses.lost[loss] - base->losses.lost[loss])
      return "a cause is not the difference of what was lost";
  }
  if (at->lost_ticks[HD_LOSS_INFLATION] != at->losses.busy - base->losses.busy)
    return "work inflation is not the difference of busy time";
  if (sum != at->lost_total_ticks || sum != at->losses.capacity - base->losses.capacity)
    return "lost ticks by cause do not add up to the difference of capacity";
  if (at->main_cause != HD_LOSS_COUNT && at->lost_total_ticks == 0)
    return "a main cause though nothing was lost";
  for (int loss = 0; loss < HD_LOSS_COUNT && at->lost_total_ticks > 0; loss++)
    if (at->main_cause == HD_LOSS_COUNT || at->lost_ticks[loss] > at->lost_ticks[at->main_cause])
      return "the main cause is not the largest";
  return NULL;
}

static inline const char *broken_cell(const struct hd_comparison *comparison, uint32_t row, uint32_t point) {
  const struct hd_compared *base = &comparison->rows[row].at[0];
  const struct hd_compared *at = &comparison->rows[row].at[point];
  const enum hd_compared_kind kind = comparison->rows[row].kind;
  if (at->matched != (at->runs > 0 && base->runs > 0))
    return "matched, though not in both";
  if (at->runs == 0)
    return NULL;
  if (at->losses.capacity != at->losses.busy + lost_in_all(&at->losses))
    return "capacity is not busy time and losses";
  if (kind != HD_COMPARED_PROGRAM && kind != HD_COMPARED_OUTSIDE && !row_is_sum_of_nodes(comparison, row, point))
    return "a row is not the sum of its nodes";
  return at->matched ? broken_difference(base, at) : NULL;
}

/* With one run for each point: the rows of regions that are in no other, and what is outside, are the program. */
static inline const char *broken_sum(const struct hd_comparison *comparison, uint32_t point) {
  struct hd_losses sum = {0};
  for (uint32_t row = 1; row < comparison->row_count; row++)
    if (comparison->rows[row].kind == HD_COMPARED_OUTSIDE || comparison->rows[row].kind == HD_COMPARED_REGION)
      hd_losses_add(&sum, &comparison->rows[row].at[point].losses, 1);
  return memcmp(&sum, &comparison->rows[0].at[point].losses, sizeof sum) ? "the rows are not the program" : NULL;
}

static inline const char *broken_program(const struct hd_comparison *comparison, uint32_t point) {
  const struct hd_compared *program = &comparison->rows[0].at[point];
  const struct hd_run *run = &comparison->runs[program->run];
  const int64_t elapsed = (int64_t)(run->model->elapsed_ticks * run->factor);
  if (comparison->rows[0].kind != HD_COMPARED_PROGRAM || comparison->rows[1].kind != HD_COMPARED_OUTSIDE)
    return "the first rows are not the program and what is outside";
  if (program->time_ticks != elapsed || program->losses.capacity != (int64_t)run->book->threads * elapsed)
    return "the program's capacity is not p * elapsed";
  return comparison->points[point].run_count == 1 ? broken_sum(comparison, point) : NULL;
}

/* NULL when all is well. */
static inline const char *broken_comparison(const struct hd_comparison *comparison) {
  const char *broken = NULL;
  for (uint32_t i = 0; i < comparison->run_count && !broken; i++)
    broken = broken_loss(comparison->runs[i].book);
  for (uint32_t point = 0; point < comparison->point_count && !broken; point++) {
    broken = broken_program(comparison, point);
    for (uint32_t row = 0; row < comparison->row_count && !broken; row++)
      broken = broken_cell(comparison, row, point);
  }
  return broken;
}

/* Compares all runs that were kept; all that must hold does. */
static inline struct hd_comparison *compare_with_options(const struct hd_compare_options *options) {
  char error[512] = "";
  hd_comparison_free(compared.comparison);
  compared.comparison = hd_comparison_new(compared.inputs, compared.count, options, error, sizeof error);
  if (!compared.comparison)
    fail_msg("%s", error);
  const char *broken = broken_comparison(compared.comparison);
  if (broken)
    fail_msg("%s", broken);
  return compared.comparison;
}

static inline struct hd_comparison *compare_scaling(void) {
  return compare_with_options(&(struct hd_compare_options){.mode = HD_COMPARE_SCALING});
}

/* But for rounding. */
static inline bool same(double a, double b) {
  return fabs(a - b) <= 1e-12 * fabs(b);
}

/* The only row of a site that is the innermost of its path. */
static inline uint32_t row_of_code(const struct hd_comparison *comparison, uint64_t code) {
  uint32_t found = HD_NONE;
  for (uint32_t row = 2; row < comparison->row_count; row++)
    if (comparison->united->nodes[comparison->rows[row].united].node->address == code) {
      assert_int_equal(found, HD_NONE);
      found = row;
    }
  if (found == HD_NONE)
    fail_msg("no row of %" PRIx64, code);
  return found;
}

#endif
