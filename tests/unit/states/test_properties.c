/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random programs: the profile must agree with the oracle in every number, and the identities must hold.
 * HEDDLE_SEEDS=n plays n programs of each sort (default 200), HEDDLE_SEED=n only that one, with its script on stderr.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "expect.h"
#include "oracle.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "random_program.h"
#include "script.h"
#include "switched_program.h"

static unsigned long seed_count(void) {
  const char *text = getenv("HEDDLE_SEEDS");
  return text ? strtoul(text, NULL, 10) : 200;
}

static struct hd_model *play_seed(const struct fk_options *options) {
  struct fk_result result = fk_play(sc_script(), options);
  struct hd_model *model = NULL;
  char error[300] = "no profile was left";
  if (WIFEXITED(result.status) && WEXITSTATUS(result.status) != 0)
    print_error("the child ended with status %d\n", WEXITSTATUS(result.status));
  else if (WIFSIGNALED(result.status) && WTERMSIG(result.status) != 9)
    print_error("the child was killed by signal %d\n", WTERMSIG(result.status));
  else if (!hd_profile_open(result.path, &model, error, sizeof error))
    print_error("%s\n", error);
  const char *broken = model ? ex_broken_identity(model, result.path) : "no profile";
  if (!broken && model->header.unmatched_events + model->header.unknown_events + model->header.folded_paths +
                         model->header.lost_tallies >
                     0)
    broken = "unmatched or unknown events, or something was lost";
  if (!broken)
    return model;
  print_error("%s\n", broken);
  hd_model_free(model);
  return NULL;
}

/* p * elapsed of every region is what its threads did in it: busy, waiting, runtime, and idle before and after. */
static bool capacity_is_told(const struct hd_model *model) {
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    uint64_t told = hd_ticks_all(node->inclusive_ticks) + node->team.idle_ticks;
    if (node->kind != HD_KIND_PARALLEL && node->kind != HD_KIND_TEAMS)
      continue;
    if (node->team.open_instances > 0) /* killed, perhaps before its team size was known */
      continue;
    if (told != node->team.capacity_ticks) {
      print_error("node %u: capacity %llu, told %llu\n", i, (unsigned long long)node->team.capacity_ticks,
                  (unsigned long long)told);
      return false;
    }
  }
  return true;
}

/* HEDDLE_THREADS_APART of a play, if it stands first. */
static unsigned apart_of(const struct fk_options *options) {
  const char *value = options->environment ? strstr(options->environment[0], "THREADS_APART=") : NULL;
  return value ? (unsigned)atoi(strchr(value, '=') + 1) : UINT_MAX;
}

static unsigned number(const char *text, unsigned otherwise) {
  return text ? (unsigned)atoi(text) : otherwise;
}

/* Turns last a million ticks: some of the program's steps shall be longer, some shorter. */
static void make_long(struct fk_script *script) {
  for (size_t i = 0; i < script->count; i++)
    script->events[i].time *= 30000;
}

static bool check_seed(uint64_t seed, const struct rp_options *program, const struct fk_options *options) {
  rp_generate(seed, program);
  if (program->switched) {
    sw_name_sections(sc_script());
    sw_add(sc_script(), seed, program->switched);
  }
  if (options->take_turns)
    make_long(sc_script());
  if (getenv("HEDDLE_SEED"))
    fk_print(sc_script());
  struct hd_model *model = play_seed(options);
  if (!model)
    return false;
  struct or_result *oracle =
      or_run_apart(sc_script(), number(options->depth, 0), number(options->cycle_limit, 1), apart_of(options));
  const char *difference = or_difference(oracle, model);
  if (!difference && options->counters)
    difference = or_counts_difference(oracle, model);
  if (difference)
    print_error("%s\n", difference);
  bool right = !difference && (!program->flat || capacity_is_told(model));
  or_free(oracle);
  hd_model_free(model);
  return right;
}

/* The variants take turns. */
static void check_variants(const char *what, struct rp_options program, const struct fk_options *variants,
                           unsigned count) {
  program.routines = true;
  const char *only = getenv("HEDDLE_SEED");
  unsigned long failed = 0;
  unsigned long first = only ? strtoul(only, NULL, 10) : 1;
  unsigned long last = only ? first : seed_count();
  for (unsigned long seed = first; seed <= last && failed < 5; seed++) {
    if (check_seed(seed, &program, &variants[seed % count]))
      continue;
    print_error("%s: seed %lu failed; again with HEDDLE_SEED=%lu\n", what, seed, seed);
    failed++;
  }
  assert_int_equal(failed, 0);
}

static void check_seeds(const char *what, const struct rp_options *program, const char *depth) {
  check_variants(what, *program, &(struct fk_options){.depth = depth}, 1);
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
  check_variants("limits", (struct rp_options){.recursive = true}, limits, 2);
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
  check_variants("bounded", (struct rp_options){0}, depths, 3);
  check_variants("bounded, recursive", (struct rp_options){.recursive = true}, depths, 3);
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

/* Counts of an event that is the clock: what was counted somewhere is the time that was spent there. */

#define COUNTED .counters = "STUB_CLOCK,STUB_CLOCK_3", .counters_at
static const struct fk_options counted[] = {{COUNTED = "all"}, {COUNTED = "loop"}, {COUNTED = "region"}};

static void test_counts_match_the_oracle(void **state) {
  (void)state;
  check_variants("counts", (struct rp_options){0}, counted, 3);
  check_variants("counts, without pauses", (struct rp_options){.no_pauses = true}, counted, 3);
  check_variants("counts, recursive", (struct rp_options){.recursive = true}, counted, 3);
  check_variants("counts, large", (struct rp_options){.large_teams = true}, counted, 3);
}

static void test_counts_of_killed_programs_match_the_oracle(void **state) {
  (void)state;
  check_variants("counts, killed", (struct rp_options){.killed = true}, counted, 3);
  check_variants("counts, killed, without pauses", (struct rp_options){.killed = true, .no_pauses = true}, counted, 3);
}

static void test_counts_of_bounded_depth_match_the_oracle(void **state) {
  (void)state;
  static const struct fk_options bounded[] = {
      {COUNTED = "all", .depth = "1"},    {COUNTED = "loop", .depth = "2"},      {COUNTED = "region", .depth = "3"},
      {COUNTED = "region", .depth = "2"}, {COUNTED = "all", .cycle_limit = "2"}, {COUNTED = "loop", .cycle_limit = "3"},
  };
  check_variants("counts, bounded", (struct rp_options){.recursive = true}, bounded, 6);
}

static void test_counts_of_long_programs_match_the_oracle(void **state) {
  (void)state;
  check_variants("counts, long", (struct rp_options){.large_teams = true, .events = 20000}, counted, 3);
}

static void test_counts_in_turns_match_the_oracle(void **state) {
  (void)state;
  static const char *const alone[] = {"STUB_PAPI_SET_MOST=1", NULL};
  static const char *const two[] = {"STUB_PAPI_SET_MOST=2", NULL};
#define IN_TURNS(most, at)                                                                                             \
  { .counters = "STUB_CLOCK,STUB_CLOCK_2,STUB_CLOCK_3", .counters_at = at, .take_turns = true, .environment = most }
  static const struct fk_options turns[] = {IN_TURNS(alone, "all"), IN_TURNS(alone, "loop"), IN_TURNS(two, "region"),
                                            IN_TURNS(two, "all")};
  check_variants("turns", (struct rp_options){0}, turns, 4);
  check_variants("turns, killed", (struct rp_options){.killed = true}, turns, 4);
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
  check_variants("windows", (struct rp_options){0}, windows, 5);
  check_variants("windows, large", (struct rp_options){.large_teams = true, .events = 5000}, windows, 5);
  check_variants("windows, recursive", (struct rp_options){.recursive = true}, windows, 5);
  check_variants("windows, killed", (struct rp_options){.large_teams = true, .killed = true, .events = 5000}, windows,
                 5);
}

/* Records that threads continue one after the other. */

static const char *const apart_1[] = {"HEDDLE_THREADS_APART=1", NULL};
static const char *const apart_4[] = {"HEDDLE_THREADS_APART=4", NULL};
static const char *const apart_0[] = {"HEDDLE_THREADS_APART=0", NULL};

static void test_short_threads_match_the_oracle(void **state) {
  (void)state;
  static const struct fk_options few[] = {{.environment = apart_1}, {.environment = apart_4}, {.environment = apart_0}};
  check_variants("short", (struct rp_options){.short_threads = true, .no_pauses = true}, few, 3);
  check_variants("short, recursive", (struct rp_options){.short_threads = true, .no_pauses = true, .recursive = true},
                 few, 3);
  check_variants("short, killed", (struct rp_options){.short_threads = true, .no_pauses = true, .killed = true}, few,
                 3);
}

static void test_counts_of_short_threads_match_the_oracle(void **state) {
  (void)state;
  static const struct fk_options few[] = {{COUNTED = "all", .environment = apart_1},
                                          {COUNTED = "loop", .environment = apart_4},
                                          {COUNTED = "region", .environment = apart_1}};
  check_variants("short, counts", (struct rp_options){.short_threads = true, .no_pauses = true}, few, 3);
}

/* Classes of events that the budget switches off and on. */

static void check_switched(const char *what, struct rp_options program, uint32_t classes) {
  program.switched = classes;
  program.no_jumps = classes >> HD_CLASS_CALL & 1;
  check_variants(what, program, &(struct fk_options){0}, 1);
}

static void test_switched_classes_match_the_oracle(void **state) {
  (void)state;
  static const char *const names[] = {"entry points", "mutexes", "tasks", "calls", "loops", "waits"};
  for (uint32_t c = 0; c < HD_CLASS_REGION; c++) { /* test_refused_regions.c has these */
    check_switched(names[c], (struct rp_options){0}, 1u << c);
    check_switched(names[c], (struct rp_options){.recursive = true}, 1u << c);
  }
}

static void test_all_classes_switched_match_the_oracle(void **state) {
  (void)state;
  const uint32_t all = (1u << HD_CLASS_COUNT) - 1;
  check_switched("all classes", (struct rp_options){0}, all);
  check_switched("all classes, recursive", (struct rp_options){.recursive = true}, all);
  check_switched("all classes, large", (struct rp_options){.large_teams = true, .events = 10000}, all);
  check_switched("all but calls", (struct rp_options){0}, all & ~(1u << HD_CLASS_CALL));
  check_switched("tasks and waits", (struct rp_options){.recursive = true}, 1u << HD_CLASS_TASK | 1u << HD_CLASS_SYNC);
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
      cmocka_unit_test(test_counts_match_the_oracle),
      cmocka_unit_test(test_counts_of_killed_programs_match_the_oracle),
      cmocka_unit_test(test_counts_of_bounded_depth_match_the_oracle),
      cmocka_unit_test(test_counts_of_long_programs_match_the_oracle),
      cmocka_unit_test(test_counts_in_turns_match_the_oracle),
      cmocka_unit_test(test_tiny_windows_match_the_oracle),
      cmocka_unit_test(test_short_threads_match_the_oracle),
      cmocka_unit_test(test_counts_of_short_threads_match_the_oracle),
      cmocka_unit_test(test_switched_classes_match_the_oracle),
      cmocka_unit_test(test_all_classes_switched_match_the_oracle),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
