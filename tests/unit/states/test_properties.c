/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random programs against the oracle. HEDDLE_SEEDS and HEDDLE_SEED: random_plays.h. */
#include "expect.h"
#include "random_plays.h"

static void check_seeds(const char *what, const struct rp_options *program, const char *depth) {
  pl_check(what, *program, &(struct fk_options){.depth = depth}, 1);
}

static void test_random_programs_match_the_oracle(void **state) {
  (void)state;
  check_seeds("any", &(struct rp_options){0}, NULL);
}

static void test_recursive_programs_match_the_oracle(void **state) {
  (void)state;
  check_seeds("recursive", &(struct rp_options){.recursive = true}, NULL);
}

static void test_cycle_limits_match_the_oracle(void **state) {
  (void)state;
  static const struct fk_options limits[] = {{.cycle_limit = "2"}, {.cycle_limit = "3"}};
  pl_check("limits", (struct rp_options){.recursive = true}, limits, 2);
}

static void test_large_teams_match_the_oracle(void **state) {
  (void)state;
  check_seeds("large", &(struct rp_options){.large_teams = true}, NULL);
}

static void test_killed_programs_match_the_oracle(void **state) {
  (void)state;
  check_seeds("killed", &(struct rp_options){.killed = true}, NULL);
}

static void test_bounded_depth_matches_the_oracle(void **state) {
  (void)state;
  static const struct fk_options depths[] = {{.depth = "1"}, {.depth = "2"}, {.depth = "3"}};
  pl_check("bounded", (struct rp_options){0}, depths, 3);
  pl_check("bounded, recursive", (struct rp_options){.recursive = true}, depths, 3);
}

static void test_capacity_of_flat_regions_is_fully_told(void **state) {
  (void)state;
  check_seeds("flat", &(struct rp_options){.flat = true}, NULL);
  check_seeds("flat, killed", &(struct rp_options){.flat = true, .killed = true}, NULL);
}

static void test_killed_recursive_programs_of_bounded_depth_match_the_oracle(void **state) {
  (void)state;
  check_seeds("all", &(struct rp_options){.recursive = true, .large_teams = true, .killed = true}, "2");
}

/* Rings of transitions are full long before the end. */
static void test_long_programs_match_the_oracle(void **state) {
  (void)state;
  check_seeds("long", &(struct rp_options){.large_teams = true, .events = 100000}, NULL);
  check_seeds("long, recursive", &(struct rp_options){.recursive = true, .events = 10000}, NULL);
}

static void test_long_killed_programs_match_the_oracle(void **state) {
  (void)state;
  check_seeds("long, killed", &(struct rp_options){.large_teams = true, .killed = true, .events = 20000}, NULL);
}

static void test_long_programs_of_bounded_depth_match_the_oracle(void **state) {
  (void)state;
  check_seeds("long, depth 2", &(struct rp_options){.large_teams = true, .events = 20000}, "2");
}

/* Sweeps cut into windows of a few transitions, in another order than that of time, and into parts of fewer. */

static void test_tiny_windows_match_the_oracle(void **state) {
  (void)state;
  static const char *const habits[][2] = {{"HEDDLE_TEST_WINDOWS=1,1,40,2"},
                                          {"HEDDLE_TEST_WINDOWS=2,1,7,5"},
                                          {"HEDDLE_TEST_WINDOWS=3,2,63,8"},
                                          {"HEDDLE_TEST_WINDOWS=5,3,16,3"},
                                          {"HEDDLE_TEST_WINDOWS=20,100,3,4"}};
  static const struct fk_options windows[] = {{.environment = habits[0]},
                                              {.environment = habits[1]},
                                              {.environment = habits[2]},
                                              {.environment = habits[3]},
                                              {.environment = habits[4]}};
  pl_check("windows", (struct rp_options){0}, windows, 5);
  pl_check("windows, large", (struct rp_options){.large_teams = true, .events = 5000}, windows, 5);
  pl_check("windows, recursive", (struct rp_options){.recursive = true}, windows, 5);
  pl_check("windows, killed", (struct rp_options){.large_teams = true, .killed = true, .events = 5000}, windows,
                 5);
}

/* Records that threads continue one after the other. */

static const char *const apart_1[] = {"HEDDLE_THREADS_APART=1", NULL};
static const char *const apart_4[] = {"HEDDLE_THREADS_APART=4", NULL};
static const char *const apart_0[] = {"HEDDLE_THREADS_APART=0", NULL};

static void test_short_threads_match_the_oracle(void **state) {
  (void)state;
  static const struct fk_options few[] = {{.environment = apart_1}, {.environment = apart_4}, {.environment = apart_0}};
  pl_check("short", (struct rp_options){.short_threads = true, .no_pauses = true}, few, 3);
  pl_check("short, recursive", (struct rp_options){.short_threads = true, .no_pauses = true, .recursive = true},
                 few, 3);
  pl_check("short, killed", (struct rp_options){.short_threads = true, .no_pauses = true, .killed = true}, few,
                 3);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_programs_match_the_oracle),
      cmocka_unit_test(test_recursive_programs_match_the_oracle),
      cmocka_unit_test(test_cycle_limits_match_the_oracle),
      cmocka_unit_test(test_large_teams_match_the_oracle),
      cmocka_unit_test(test_killed_programs_match_the_oracle),
      cmocka_unit_test(test_bounded_depth_matches_the_oracle),
      cmocka_unit_test(test_capacity_of_flat_regions_is_fully_told),
      cmocka_unit_test(test_killed_recursive_programs_of_bounded_depth_match_the_oracle),
      cmocka_unit_test(test_long_programs_match_the_oracle),
      cmocka_unit_test(test_long_killed_programs_match_the_oracle),
      cmocka_unit_test(test_long_programs_of_bounded_depth_match_the_oracle),
      cmocka_unit_test(test_tiny_windows_match_the_oracle),
      cmocka_unit_test(test_short_threads_match_the_oracle),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
