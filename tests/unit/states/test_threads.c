/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The same scripts on real threads, with the fake clock and with the library's own. */
#include <stdlib.h>
#include <sys/wait.h>

#include "expect.h"
#include "oracle.h"
#include "output/model/memory.h"
#include "random_program.h"
#include "script.h"

static uint64_t seed_count(uint64_t most) {
  const char *text = getenv("HEDDLE_SEEDS");
  uint64_t count = text ? strtoull(text, NULL, 10) : 200;
  return count < most ? count : most; /* each takes as many threads as its program has */
}

static void check(uint64_t seed, const struct fk_options *options, bool exact) {
  /* In a pause entries do not count, and when that is the real clock decides for itself. */
  rp_generate(seed, &(struct rp_options){.routines = true, .no_pauses = options->free_running});
  struct hd_model *model = ex_play_with(options);
  struct or_result *oracle = or_run(sc_script(), 0);
  const char *difference = exact ? or_difference(oracle, model) : or_count_difference(oracle, model);
  if (difference)
    fail_msg("seed %lu: %s", (unsigned long)seed, difference);
  or_free(oracle);
  hd_model_free(model);
}

static void test_threads_in_turn_give_exact_numbers(void **state) {
  (void)state;
  const struct fk_options options = {.pthreads = true};
  for (uint64_t seed = 1; seed <= seed_count(60); seed++)
    check(seed, &options, true);
}

static void test_threads_in_turn_with_the_real_clock_give_exact_counts(void **state) {
  (void)state;
  const struct fk_options options = {.pthreads = true, .real_clock = true};
  for (uint64_t seed = 1; seed <= seed_count(60); seed++)
    check(seed, &options, false);
}

static void test_threads_running_freely_give_exact_counts(void **state) {
  (void)state;
  const struct fk_options options = {.pthreads = true, .real_clock = true, .free_running = true};
  for (uint64_t seed = 1; seed <= seed_count(100); seed++)
    check(seed, &options, false);
}

static void test_runtime_without_thread_data_is_measured(void **state) {
  (void)state;
  const struct fk_options options = {.pthreads = true, .real_clock = true, .no_thread_data = true};
  check(3, &options, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_threads_in_turn_give_exact_numbers),
      cmocka_unit_test(test_threads_in_turn_with_the_real_clock_give_exact_counts),
      cmocka_unit_test(test_threads_running_freely_give_exact_counts),
      cmocka_unit_test(test_runtime_without_thread_data_is_measured),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
