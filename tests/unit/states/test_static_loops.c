/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is kept of static loops: each thread's number in the team, and the iterations of the loops that it came to. The
 * script's loops have 4 iterations. */
#include "expect.h"
#include "output/model/lazy_rows.h"
#include "output/model/memory.h"
#include "script.h"

#define REGION SITE(PARALLEL, 0x100)
#define LOOP SITE(LOOP_STATIC, 0x500)

static void loop(uint32_t thread, uint64_t time, ompt_work_t kind) {
  sc_thread(thread);
  sc_at(time);
  sc_work_begin(kind, 0x500);
  sc_at(time + 5);
  sc_work_end(kind, 0x500);
}

/* A region of two threads with that loop, twice. */
static struct hd_model *run(ompt_work_t kind) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x100, 2, 1, 0);
  for (uint32_t thread = 0; thread < 2; thread++)
    for (uint32_t i = 0; i < 2; i++)
      loop(thread, 10 + 10 * i, kind);
  sc_thread(1);
  sc_join_begin();
  sc_thread(0);
  sc_join(40, 50, 50);
  sc_finish();
  fk_sort(sc_script());
  return ex_play();
}

static void test_iterations_and_numbers(void **state) {
  (void)state;
  struct hd_model *model = run(ompt_work_loop_static);
  const struct hd_node *node = ex_node(model, REGION, LOOP);
  hd_model_need_rows(model);
  assert_int_equal(node->row_count, 2);
  for (uint32_t thread = 0; thread < 2; thread++) {
    const struct hd_shares *shares = &model->rows[node->row_first + thread].shares;
    assert_int_equal(shares->static_iterations, 8);
    assert_int_equal(shares->number, thread + 1);
  }
  assert_int_equal(node->shares.static_iterations, 16);
  hd_model_free(model);
}

static void test_other_loops_have_none(void **state) {
  (void)state;
  struct hd_model *model = run(ompt_work_loop_dynamic);
  const struct hd_node *node = ex_node(model, REGION, SITE(LOOP_DYNAMIC, 0x500));
  assert_int_equal(node->shares.static_iterations, 0);
  assert_int_equal(node->shares.number, 0);
  hd_model_free(model);
}

static void test_numbers_join(void **state) {
  (void)state;
  assert_int_equal(hd_numbers_join(0, 3), 3);
  assert_int_equal(hd_numbers_join(3, 0), 3);
  assert_int_equal(hd_numbers_join(3, 3), 3);
  assert_int_equal(hd_numbers_join(3, 2), HD_NUMBERS_VARY);
  assert_int_equal(hd_numbers_join(HD_NUMBERS_VARY, 2), HD_NUMBERS_VARY);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_iterations_and_numbers),
      cmocka_unit_test(test_other_loops_have_none),
      cmocka_unit_test(test_numbers_join),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
