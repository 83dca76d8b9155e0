/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles of parts, from traces that do not have the whole run: what they say a whole trace of the same program says
 * of the same part. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "output/replay/part.h"
#include "output/trace/entry.h"
#include "output/trace/stretches.h"
#include "output/trace/walk.h"
#include "random_program.h"
#include "script.h"

static const char *const all[] = {"HEDDLE_TRACE=16M", NULL};
static const char *const of_phase[] = {"HEDDLE_TRACE=16M", "HEDDLE_TRACE_WHEN=phase phase 1", NULL};
static const char *const of_region[] = {"HEDDLE_TRACE=16M", "HEDDLE_TRACE_WHEN=region 1000ff-100100,1010ff-101100",
                                        NULL};
static const char *const last[] = {"HEDDLE_TRACE_LAST=4k", NULL};
static void play(const char *const *environment, char path[512]) {
  const struct fk_options options = {.environment = environment};
  const struct fk_result result = fk_play(sc_script(), &options);
  snprintf(path, 512, "%s", result.path);
}

static struct hd_model *open_whole(const char *path) {
  struct hd_model *model;
  char error[600];
  if (!hd_profile_open(path, &model, error, sizeof error))
    fail_msg("%s", error);
  return model;
}

/* ---- of one part ---- */

struct counts {
  uint32_t same;    /* parts that say what a whole trace does */
  uint32_t refused; /* a region was open all the time */
  uint32_t shorter; /* it was when the part would begin */
};

/* As it was asked for, or from a later moment on: that is asked of the whole trace. */
static void check_part(const char *whole, const char *path, struct hd_run_part wanted, uint64_t seed,
                       struct counts *counts) {
  struct hd_model *part, *expected;
  char error[600];
  if (!hd_part_open(path, &wanted, &part, error, sizeof error)) {
    if (!strstr(error, "there is no moment without an open parallel region"))
      fail_msg("seed %llu: %s", (unsigned long long)seed, error);
    counts->refused++;
    return;
  }
  const double from = hd_model_from_seconds(part);
  counts->shorter += from > wanted.from_seconds + 1.5 * part->seconds_per_tick;
  wanted.from_seconds = from;
  if (!hd_part_open(whole, &wanted, &expected, error, sizeof error))
    fail_msg("seed %llu: %s", (unsigned long long)seed, error);
  const char *broken = ex_broken_part_of(expected, part);
  if (broken)
    fail_msg("seed %llu: from %.9f s to %.9f s: %s", (unsigned long long)seed, from, wanted.to_seconds, broken);
  counts->same++;
  hd_model_free(part);
  hd_model_free(expected);
}

/* All of each stretch, and its middle. */
static void check_parts(const char *const *environment, uint64_t seed, struct counts *counts) {
  char whole[512], path[512];
  play(all, whole);
  play(environment, path);
  struct hd_model *model = open_whole(path);
  struct hd_trace_stretches stretches = hd_trace_stretches_find(model);
  for (uint32_t i = 0; i < stretches.count; i++) {
    const double from = hd_trace_seconds(model, stretches.items[i].from_ticks),
                 to = hd_trace_seconds(model, stretches.items[i].to_ticks), third = (to - from) / 3;
    if (stretches.items[i].to_ticks < stretches.items[i].from_ticks + 10)
      continue;
    check_part(whole, path, (struct hd_run_part){from, to}, seed, counts);
    check_part(whole, path, (struct hd_run_part){from + third, to - third}, seed, counts);
  }
  hd_trace_stretches_free(&stretches);
  hd_model_free(model);
}

/* ---- random programs ---- */

static unsigned long number(const char *variable, unsigned long otherwise) {
  const char *text = getenv(variable);
  return text ? strtoul(text, NULL, 10) : otherwise;
}

static struct counts check_random(const char *const *environment, uint32_t events) {
  const unsigned long only = number("HEDDLE_SEED", 0), seeds = only ? only : number("HEDDLE_SEEDS", 60);
  struct counts counts = {0};
  for (uint64_t seed = only ? only : 1; seed <= seeds; seed++) {
    const struct rp_options program = {.events = events,
                                       .recursive = seed % 3 == 0,
                                       .large_teams = seed % 3 == 1,
                                       .routines = seed % 2 == 0,
                                       .short_threads = seed % 4 == 2};
    rp_generate(seed, &program);
    if (only)
      fk_print(sc_script());
    check_parts(environment, seed, &counts);
  }
  assert_true(only || counts.same >= seeds / 10);
  return counts;
}

static void test_random_regions(void **state) {
  (void)state;
  check_random(of_region, 2000);
}

static void test_random_ends(void **state) {
  (void)state;
  const struct counts counts = check_random(last, 4000);
  assert_true(counts.shorter > 0 || getenv("HEDDLE_SEED"));
}

/* ---- one by one ---- */

static void region(uint64_t at) {
  sc_at(at);
  sc_fork(0x1000, 2, 1, at + 10);
  sc_thread(1);
  sc_at(at + 30);
  sc_join_begin();
  sc_thread(0);
  sc_join(at + 50, at + 60, at + 70);
}

/* A phase around a region and one with a whole region that begins in another's, and one that ends before that does. */
static void play_phases(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_at(100);
  sc_phase_begin(1);
  region(200);
  sc_at(300);
  sc_phase_end(1);
  sc_at(400);
  sc_fork(0x1000, 2, 1, 410);
  sc_at(500);
  sc_phase_begin(1);
  sc_at(600);
  sc_phase_end(1);
  sc_thread(1);
  sc_at(700);
  sc_join_begin();
  sc_thread(0);
  sc_join(750, 760, 770);
  sc_at(1000);
  sc_finish();
}

static void test_phases(void **state) {
  (void)state;
  struct counts counts = {0};
  play_phases();
  check_parts(of_phase, 0, &counts);
  assert_int_equal(counts.same, 2);
  assert_int_equal(counts.refused, 2);
  assert_int_equal(counts.shorter, 0);
}

/* Two regions in a phase; the trace's end begins where it may. */
static void test_what_is_not_in_the_trace(void **state) {
  (void)state;
  struct hd_model *part;
  char path[512], error[600];
  play_phases();
  play(of_phase, path);
  assert_false(hd_part_open(path, &(struct hd_run_part){400e-9, 450e-9}, &part, error, sizeof error));
  assert_non_null(strstr(error, "nothing lies between 4e-07 s and 4.5e-07 s: its trace has several stretches"));
  assert_false(hd_part_open(path, &(struct hd_run_part){150e-9, 550e-9}, &part, error, sizeof error));
  assert_non_null(strstr(error, "its trace has 2 stretches of that part ('--trace-when')"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_regions),
      cmocka_unit_test(test_random_ends),
      cmocka_unit_test(test_phases),
      cmocka_unit_test(test_what_is_not_in_the_trace),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
