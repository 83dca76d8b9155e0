/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts of random programs against the oracle. HEDDLE_SEEDS and HEDDLE_SEED: random_plays.h. */
#include "expect.h"
#include "random_plays.h"

/* Counts of an event that is the clock: what was counted somewhere is the time that was spent there. */

#define COUNTED .counters = "STUB_CLOCK,STUB_CLOCK_3", .counters_at
static const struct fk_options counted[] = {{COUNTED = "all"}, {COUNTED = "loop"}, {COUNTED = "region"}};

static void test_counts_match_the_oracle(void **state) {
  (void)state;
  pl_check("counts", (struct rp_options){0}, counted, 3);
  pl_check("counts, without pauses", (struct rp_options){.no_pauses = true}, counted, 3);
  pl_check("counts, recursive", (struct rp_options){.recursive = true}, counted, 3);
  pl_check("counts, large", (struct rp_options){.large_teams = true}, counted, 3);
}

static void test_counts_of_killed_programs_match_the_oracle(void **state) {
  (void)state;
  pl_check("counts, killed", (struct rp_options){.killed = true}, counted, 3);
  pl_check("counts, killed, without pauses", (struct rp_options){.killed = true, .no_pauses = true}, counted, 3);
}

static void test_counts_of_bounded_depth_match_the_oracle(void **state) {
  (void)state;
  static const struct fk_options bounded[] = {
      {COUNTED = "all", .depth = "1"},    {COUNTED = "loop", .depth = "2"},      {COUNTED = "region", .depth = "3"},
      {COUNTED = "region", .depth = "2"}, {COUNTED = "all", .cycle_limit = "2"}, {COUNTED = "loop", .cycle_limit = "3"},
  };
  pl_check("counts, bounded", (struct rp_options){.recursive = true}, bounded, 6);
}

static void test_counts_of_long_programs_match_the_oracle(void **state) {
  (void)state;
  pl_check("counts, long", (struct rp_options){.large_teams = true, .events = 20000}, counted, 3);
}

static void test_counts_in_turns_match_the_oracle(void **state) {
  (void)state;
  static const char *const alone[] = {"STUB_PAPI_SET_MOST=1", NULL};
  static const char *const two[] = {"STUB_PAPI_SET_MOST=2", NULL};
#define IN_TURNS(most, at)                                                                                             \
  { .counters = "STUB_CLOCK,STUB_CLOCK_2,STUB_CLOCK_3", .counters_at = at, .take_turns = true, .environment = most }
  static const struct fk_options turns[] = {IN_TURNS(alone, "all"), IN_TURNS(alone, "loop"), IN_TURNS(two, "region"),
                                            IN_TURNS(two, "all")};
  pl_check("turns", (struct rp_options){0}, turns, 4);
  pl_check("turns, killed", (struct rp_options){.killed = true}, turns, 4);
}

/* Records that threads continue one after the other. */

static const char *const apart_1[] = {"HEDDLE_THREADS_APART=1", NULL};
static const char *const apart_4[] = {"HEDDLE_THREADS_APART=4", NULL};

static void test_counts_of_short_threads_match_the_oracle(void **state) {
  (void)state;
  static const struct fk_options few[] = {{COUNTED = "all", .environment = apart_1},
                                          {COUNTED = "loop", .environment = apart_4},
                                          {COUNTED = "region", .environment = apart_1}};
  pl_check("short, counts", (struct rp_options){.short_threads = true, .no_pauses = true}, few, 3);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_counts_match_the_oracle),
      cmocka_unit_test(test_counts_of_killed_programs_match_the_oracle),
      cmocka_unit_test(test_counts_of_bounded_depth_match_the_oracle),
      cmocka_unit_test(test_counts_of_long_programs_match_the_oracle),
      cmocka_unit_test(test_counts_in_turns_match_the_oracle),
      cmocka_unit_test(test_counts_of_short_threads_match_the_oracle),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
