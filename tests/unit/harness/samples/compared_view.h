/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file compared_view.h
 * For tests of comparisons as they are shown. The runs: 200 ns outside and one region of E ns, in which the primary is
 * busy all the time and the worker for W of it; it waits at the end for the rest.
 */
#ifndef HEDDLE_TESTS_COMPARED_VIEW_H
#define HEDDLE_TESTS_COMPARED_VIEW_H

#include "profile_builder.h"

#include <stdio.h>

#include "output/model/memory.h"
#include "output/views/compare/compare.h"

enum { OUTSIDE = 200, RUNS_MOST = 64 };

static struct {
  struct builder builder;
  struct hd_model *models[RUNS_MOST];
  struct hd_compare_input inputs[RUNS_MOST];
  size_t count;
  struct hd_comparison *comparison;
  char *text;
} test;

static inline int forget(void **state) {
  (void)state;
  hd_comparison_free(test.comparison);
  for (size_t i = 0; i < test.count; i++)
    hd_model_free(test.models[i]);
  free(test.text);
  memset(&test, 0, sizeof test);
  return 0;
}

/* ---- runs ---- */

static inline void add_total(uint32_t region, uint32_t threads, uint64_t elapsed, uint64_t busy) {
  struct hd_total_record *total = builder_total(&test.builder, region, threads);
  total->instances = 1;
  total->elapsed_ticks = elapsed;
  total->capacity_ticks = threads * elapsed;
  total->busy_ticks = busy;
  total->busy_max_ticks = threads * elapsed;
}

static inline void add_region(uint32_t threads, uint64_t elapsed, uint64_t worker_busy, const char *function) {
  const uint32_t region = builder_profile(&test.builder, 0, HD_KIND_PARALLEL)->id;
  builder_name(&test.builder, region, function, "/src/app.c", region == 1 ? "10" : "20");
  for (uint32_t thread = 0; thread < threads; thread++) {
    struct hd_row_record *row = builder_row(&test.builder, region, thread);
    row->visits = 1;
    builder_cell(row, HD_BUSY)->ticks = thread == 0 ? elapsed : worker_busy;
    builder_cell(row, HD_WAIT_BARRIER_IMPLICIT)->ticks = thread == 0 ? 0 : elapsed - worker_busy;
  }
  add_total(region, threads, elapsed, elapsed + (threads - 1) * worker_busy);
}

static inline void begin_run(uint32_t threads) {
  char variable[64];
  const size_t length = (size_t)snprintf(variable, sizeof variable, "OMP_NUM_THREADS=%u", threads);
  builder_init(&test.builder);
  builder_profile(&test.builder, 0, HD_KIND_PROGRAM);
  builder_text(&test.builder, HD_TEXT_ENVIRONMENT, 0, variable, length);
  builder_text(&test.builder, HD_TEXT_ARGUMENT, 0, "./app", 5);
}

static inline void end_run(uint32_t threads, uint64_t inside, const char *label, uint32_t side) {
  const uint64_t end = 1000 + OUTSIDE + inside;
  test.builder.header->end_ticks = end;
  for (uint32_t thread = 0; thread < threads; thread++) {
    builder_thread(&test.builder, thread == 0 ? HD_THREAD_INITIAL : HD_THREAD_WORKER, 1000, end);
    builder_cell(builder_row(&test.builder, 0, thread), thread == 0 ? HD_BUSY : HD_IDLE)->ticks = OUTSIDE;
  }
  test.models[test.count] = builder_read(&test.builder);
  test.inputs[test.count] = (struct hd_compare_input){test.models[test.count], side, label};
  test.count++;
  builder_free(&test.builder);
}

static inline void add_run(uint32_t threads, uint64_t elapsed, uint64_t worker_busy) {
  begin_run(threads);
  add_region(threads, elapsed, worker_busy, "main");
  end_run(threads, elapsed, NULL, 0);
}

/* 1000 ns with one thread; 700 ns with two, of whose 1400 - 1000 lost ones 200 are serial and 200 imbalance. */
static inline void add_scaling_runs(uint32_t repeats) {
  for (uint32_t i = 0; i < repeats; i++) {
    add_run(1, 800, 0);
    add_run(2, 500, 300);
  }
}

static inline void add_side(uint64_t worker_busy, const char *label, uint32_t side, const char *function) {
  begin_run(2);
  add_region(2, 500, worker_busy, function);
  end_run(2, 500, label, side);
}

static inline void compare(enum hd_comparison_mode mode) {
  char error[256] = "";
  const struct hd_compare_options options = {.mode = mode};
  test.comparison = hd_comparison_new(test.inputs, test.count, &options, error, sizeof error);
  if (!test.comparison)
    fail_msg("%s", error);
}

/* Into a file: a stream in memory would be as wide as the terminal that the test runs in. */
static const char *print_with(const struct hd_compare_view_options *options, const char *title) {
  FILE *out = tmpfile();
  assert_non_null(out);
  const struct hd_compare_series series = {test.comparison, title};
  hd_compare_print(&series, 1, options, out);
  const long bytes = ftell(out);
  free(test.text);
  test.text = calloc(1, (size_t)bytes + 1);
  assert_non_null(test.text);
  rewind(out);
  assert_int_equal(fread(test.text, 1, (size_t)bytes, out), bytes);
  fclose(out);
  return test.text;
}

static const char *print(enum hd_compare_format format) {
  return print_with(&(struct hd_compare_view_options){.format = format}, NULL);
}

static inline void expect_text(const char *expected) {
  if (!strstr(test.text, expected))
    fail_msg("expected\n%s\nin\n%s", expected, test.text);
}

static inline void expect_no_text(const char *unexpected) {
  if (strstr(test.text, unexpected))
    fail_msg("unexpected\n%s\nin\n%s", unexpected, test.text);
}

#endif
