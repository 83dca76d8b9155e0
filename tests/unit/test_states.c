/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which state a thread is in, and in whose row its time lands. */
#include "expect.h"
#include "script.h"

/* Thread 0: serial 10, forks at 10, busy 12..40, waits to 50, region ends at 53, serial to 60. Worker: busy 14..45. */
static void play_one_region(enum sc_runtime runtime) {
  sc_start(runtime);
  sc_initial_begin();
  sc_at(10);
  uint32_t region = sc_parallel_begin(0x100, 2);
  sc_at(12);
  sc_implicit_begin(region, 0, 2);
  sc_thread(1);
  sc_at(14);
  sc_implicit_begin(region, 1, 2);
  sc_at(45);
  sc_join_begin();
  sc_thread(0);
  sc_at(40);
  sc_join(40, 50, 53);
  sc_at(60);
}

static void test_initial_thread_outside_regions_is_busy_in_the_program(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_at(5);
  sc_initial_begin();
  sc_at(42);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(model->thread_count, 1);
  assert_int_equal(model->threads[0].kind, HD_THREAD_INITIAL);
  assert_int_equal(model->threads[0].lifetime_ticks, 37);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), 37);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_initial_thread_outside_regions_is_busy_in_the_program),
  };
  (void)play_one_region;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
