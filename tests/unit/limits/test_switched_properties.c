/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random programs whose classes are switched, against the oracle. HEDDLE_SEEDS and HEDDLE_SEED: random_plays.h. */
#include "expect.h"
#include "include/heddle-format.h"
#include "random_plays.h"

static void check_switched(const char *what, struct rp_options program, uint32_t classes) {
  program.switched = classes;
  program.no_jumps = classes >> HD_CLASS_CALL & 1;
  pl_check(what, program, &(struct fk_options){0}, 1);
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
      cmocka_unit_test(test_switched_classes_match_the_oracle),
      cmocka_unit_test(test_all_classes_switched_match_the_oracle),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
