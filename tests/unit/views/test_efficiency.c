/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How well threads are used, as factors. */
#include "expect.h"
#include "output/analysis/losses/efficiency.h"
#include "output/model/memory.h"
#include "output/views/report/report.h"
#include "script.h"

#include <math.h>

static void expect_factors(const struct hd_losses *losses, double serialization, double balance, double synchronization,
                           double scheduling) {
  const struct hd_efficiency efficiency = hd_efficiency_of(losses);
  const double expected[] = {serialization, balance, synchronization, scheduling};
  double product = 1;
  for (int i = 0; i < HD_FACTOR_COUNT; i++) {
    assert_float_equal(efficiency.factors[i], expected[i], 1e-6);
    product *= efficiency.factors[i];
  }
  assert_float_equal(efficiency.parallel, product, 1e-6);
}

static void test_factors_multiply_to_the_whole(void **state) {
  (void)state;
  struct hd_losses losses = {.capacity = 1000, .busy = 100};
  losses.lost[HD_LOSS_SERIAL] = 100;
  expect_factors(&losses, 0.5, 1, 1, 1);
  losses.lost[HD_LOSS_IMBALANCE] = 50;
  expect_factors(&losses, 0.5, 0.8, 1, 1);
  losses.lost[HD_LOSS_BARRIER] = 10;
  losses.lost[HD_LOSS_LOCKS] = 20;
  losses.lost[HD_LOSS_TASKS] = 30;
  losses.lost[HD_LOSS_OTHER] = 190;
  expect_factors(&losses, 0.5, 0.8, 0.5, 1);
  losses.lost[HD_LOSS_RUNTIME] = 100;
  losses.lost[HD_LOSS_SCHEDULING] = 200;
  losses.lost[HD_LOSS_TASK_CREATION] = 200;
  expect_factors(&losses, 0.5, 0.8, 0.5, 0.5);
}

static void test_nothing_has_no_efficiency(void **state) {
  (void)state;
  const struct hd_efficiency efficiency = hd_efficiency_of(&(struct hd_losses){0});
  assert_true(isnan(efficiency.parallel));
  for (int i = 0; i < HD_FACTOR_COUNT; i++)
    assert_true(isnan(efficiency.factors[i]));
}

/* Alone for 100; then two threads, of which one works 300 and the other 100 in a region. */
static void test_run_and_regions_are_listed(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_at(100);
  sc_fork(0x100, 2, 1, 100);
  sc_thread(1);
  sc_at(200);
  sc_join_begin();
  sc_thread(0);
  sc_join(400, 400, 400);
  sc_finish();
  fk_sort(sc_script());
  struct hd_model *model = ex_play();
  const struct hd_report_options options = {.question = HD_ASK_EFFICIENCY, .csv = true};
  char text[4096] = "";
  FILE *out = fmemopen(text, sizeof text, "w");
  assert_int_equal(hd_report_print(model, &options, out, out), HD_REPORT_MADE);
  fclose(out);
  /* 800 of thread time: 500 useful, 100 of them alone, 200 of imbalance */
  assert_non_null(strstr(text, "\n0,0,,program,"));
  assert_non_null(strstr(text, "false,false,0.625,0.833333"));
  assert_non_null(strstr(text, ",0.75,1,1,4.0"));
  assert_non_null(strstr(text, "false,false,0.66666"));
  assert_non_null(strstr(text, ",1,0.66666"));
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_factors_multiply_to_the_whole),
      cmocka_unit_test(test_nothing_has_no_efficiency),
      cmocka_unit_test(test_run_and_regions_are_listed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
