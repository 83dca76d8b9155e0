/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Random programs compared: whatever runs they are, capacity is busy time and losses in every node, no loss is
 * negative, every difference adds up to the tick, and the rows make up the program. HEDDLE_SEEDS=n compares n pairs or
 * triples of each sort (default 100), HEDDLE_SEED=n only that one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "compared_runs.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "random_program.h"

/* How runs of one comparison differ. */
enum likeness {
  SAME_PROGRAM_OTHER_TIMES, /* all times are multiplied: what waits for what stays the same */
  OTHER_PROGRAMS            /* with sites in common */
};

struct sort {
  const char *what;
  struct rp_options program;
  enum likeness likeness;
  enum hd_comparison_mode mode;
  bool callpaths;
  bool unasked; /* OMP_NUM_THREADS is not set */
};

static void stretch(uint64_t factor) {
  for (size_t i = 0; i < sc_script()->count; i++)
    sc_script()->events[i].time *= factor;
}

static struct hd_model *play_run(const struct sort *sort, uint64_t seed, uint32_t run) {
  char variable[64];
  char error[512] = "no profile";
  const char *const environment[] = {variable, NULL};
  struct hd_model *model = NULL;
  rp_generate(sort->likeness == OTHER_PROGRAMS ? seed * 3 + run : seed, &sort->program);
  stretch(1 + run);
  snprintf(variable, sizeof variable, "OMP_NUM_THREADS=%u", 1 + run * 2);
  const struct fk_options options = {.environment = sort->unasked ? NULL : environment};
  const struct fk_result result = fk_play(sc_script(), &options);
  if (!hd_profile_open(result.path, &model, error, sizeof error))
    print_error("run %u: %s\n", run, error);
  return model;
}

/* Is only one thread outside of regions? Not where a routine that is called again from a region of its own folds into
 * its first call: what is in the region then lies outside of it, too. */
static bool is_sequential_outside(const struct hd_loss_book *book) {
  const struct hd_model *model = book->model;
  uint32_t initials = 0;
  for (uint32_t i = 0; i < model->thread_count; i++)
    initials += model->threads[i].kind == HD_THREAD_INITIAL;
  for (uint32_t i = 0; i < model->node_count; i++)
    if (book->place[i] == HD_PLACE_OUTSIDE && (model->nodes[i].flags & HD_PROFILE_RECURSIVE))
      return false;
  return initials == 1;
}

/* Then it is the time between regions, and nothing in it can be below zero. */
static const char *broken_outside(const struct hd_comparison *comparison) {
  for (uint32_t point = 0; point < comparison->point_count; point++) {
    const struct hd_compared *at = &comparison->rows[1].at[point];
    const struct hd_run *run = &comparison->runs[at->run];
    if (!is_sequential_outside(run->book))
      continue;
    for (int loss = 0; loss < HD_LOSS_COUNT; loss++)
      if (at->losses.lost[loss] < 0) {
        print_losses("outside", &at->losses);
        return "a loss outside of regions is negative";
      }
    if (at->time_ticks != (int64_t)((run->model->elapsed_ticks - run->model->inside_ticks) * run->factor) ||
        at->losses.capacity != run->book->threads * at->time_ticks)
      return "what is outside of regions is not the rest of the elapsed time";
  }
  return NULL;
}

/* Nothing is hidden: rows are of all regions, and every node's time is in the row that is told. */
static const char *broken_rows(const struct hd_comparison *comparison) {
  for (uint32_t i = 0; i < comparison->run_count; i++)
    for (uint32_t node = 1; node < comparison->runs[i].model->node_count; node++) {
      const uint32_t united = comparison->united->node_of[i][node];
      const enum hd_loss_place place = comparison->runs[i].book->place[node];
      const uint32_t row = comparison->row_of[united];
      if (place == HD_PLACE_OUTSIDE ? row != HD_NONE : row < 2 || row >= comparison->row_count)
        return "a callpath is in no row, or in one though it is outside";
      if (place == HD_PLACE_REGION && !hd_comparison_is_of_row(comparison, i, node, row))
        return "a region is in no row";
    }
  return NULL;
}

static bool compare_runs_of(const struct sort *sort, struct hd_model **models, uint32_t count) {
  struct hd_compare_input inputs[3];
  static const char *const labels[] = {"a", "b", "c"};
  const struct hd_compare_options options = {.mode = sort->mode, .callpaths = sort->callpaths};
  char error[512] = "";
  for (uint32_t i = 0; i < count; i++)
    inputs[i] = (struct hd_compare_input){.model = models[i], .side = i, .label = labels[i]};
  struct hd_comparison *comparison = hd_comparison_new(inputs, count, &options, error, sizeof error);
  if (!comparison && sort->unasked && strstr(error, "nothing to compare"))
    return true;
  if (!comparison) {
    print_error("%s\n", error);
    return false;
  }
  const char *broken = broken_comparison(comparison);
  broken = broken ? broken : broken_outside(comparison);
  broken = broken ? broken : broken_rows(comparison);
  if (broken)
    print_error("%s\n", broken);
  hd_comparison_free(comparison);
  return !broken;
}

static bool check_seed(const struct sort *sort, uint64_t seed) {
  struct hd_model *models[3] = {NULL};
  const uint32_t count = 2 + seed % 2;
  bool right = true;
  for (uint32_t i = 0; i < count; i++) {
    models[i] = play_run(sort, seed, i);
    right = right && models[i];
  }
  right = right && compare_runs_of(sort, models, count);
  for (uint32_t i = 0; i < count; i++)
    hd_model_free(models[i]);
  return right;
}

static void check_seeds(struct sort sort) {
  const char *only = getenv("HEDDLE_SEED"), *many = getenv("HEDDLE_SEEDS");
  const unsigned long first = only ? strtoul(only, NULL, 10) : 1;
  const unsigned long last = only ? first : many ? strtoul(many, NULL, 10) : 100;
  unsigned long failed = 0;
  sort.program.routines = true;
  for (unsigned long seed = first; seed <= last && failed < 5; seed++)
    if (!check_seed(&sort, seed)) {
      print_error("%s: seed %lu failed; again with HEDDLE_SEED=%lu\n", sort.what, seed, seed);
      failed++;
    }
  assert_int_equal(failed, 0);
}

static void test_same_program_at_other_thread_counts(void **state) {
  (void)state;
  check_seeds((struct sort){.what = "scaled"});
}

static void test_different_runs(void **state) {
  (void)state;
  check_seeds((struct sort){.what = "different", .likeness = OTHER_PROGRAMS});
}

static void test_thread_counts_that_nobody_asked_for(void **state) {
  (void)state;
  check_seeds((struct sort){.what = "unasked", .likeness = OTHER_PROGRAMS, .unasked = true});
}

static void test_sides(void **state) {
  (void)state;
  check_seeds((struct sort){.what = "sides", .likeness = OTHER_PROGRAMS, .mode = HD_COMPARE_SIDES});
}

static void test_callpaths(void **state) {
  (void)state;
  check_seeds((struct sort){
      .what = "callpaths", .program = {.recursive = true}, .likeness = OTHER_PROGRAMS, .callpaths = true});
}

static void test_recursive_programs(void **state) {
  (void)state;
  check_seeds((struct sort){.what = "recursive", .program = {.recursive = true}, .likeness = OTHER_PROGRAMS});
}

static void test_large_teams(void **state) {
  (void)state;
  check_seeds((struct sort){.what = "large", .program = {.large_teams = true}});
}

static void test_killed_programs(void **state) {
  (void)state;
  check_seeds((struct sort){.what = "killed", .program = {.killed = true}, .likeness = OTHER_PROGRAMS});
}

static void test_long_programs(void **state) {
  (void)state;
  check_seeds((struct sort){.what = "long", .program = {.large_teams = true, .events = 5000}});
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_program_at_other_thread_counts),
      cmocka_unit_test(test_different_runs),
      cmocka_unit_test(test_thread_counts_that_nobody_asked_for),
      cmocka_unit_test(test_sides),
      cmocka_unit_test(test_callpaths),
      cmocka_unit_test(test_recursive_programs),
      cmocka_unit_test(test_large_teams),
      cmocka_unit_test(test_killed_programs),
      cmocka_unit_test(test_long_programs),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
