/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Callpaths: what is one profile, recursion, bounded depth. */
#include <dlfcn.h>
#include <stdlib.h>

#include "expect.h"
#include "output/model/memory.h"
#include "script.h"

#define A SITE(PARALLEL, 0x100)
#define B SITE(PARALLEL, 0x110)
#define C SITE(CRITICAL, 0x400)

static void begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
}

/* Serialised regions: one thread is enough to make a callpath. */
static void enter(uint64_t code) {
  sc_implicit_begin(sc_parallel_begin(code, 1), 0, 1);
}

static void leave(uint64_t time) {
  sc_join(time, time, time);
}

static void critical(uint64_t from, uint64_t to) {
  sc_at(from);
  sc_acquire(ompt_mutex_critical, 1, 0x400);
  sc_acquired(ompt_mutex_critical, 1, 0x400);
  sc_at(to);
  sc_released(ompt_mutex_critical, 1, 0x440);
}

static void test_same_site_below_two_callers_has_two_profiles(void **state) {
  (void)state;
  begin();
  enter(0x100);
  critical(1, 4);
  leave(5);
  enter(0x110);
  critical(7, 12);
  leave(12);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, A, C), 3);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, B, C), 5);
  assert_int_equal(model->node_count, 5);
  hd_model_free(model);
}

static void test_same_address_as_two_kinds_is_two_sites(void **state) {
  (void)state;
  begin();
  enter(0x100);
  sc_at(3);
  sc_work_begin(ompt_work_scope, 0x100);
  sc_at(5);
  sc_work_end(ompt_work_scope, 0x100);
  leave(6);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, A), 4);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, A, SITE(SCOPE, 0x100)), 2);
  hd_model_free(model);
}

static void test_recursive_region_folds_into_its_ancestor(void **state) {
  (void)state;
  begin();
  enter(0x100);
  sc_at(2);
  enter(0x100);
  critical(5, 9);
  leave(10);
  leave(12);
  sc_finish();
  struct hd_model *model = ex_play();
  const struct hd_node *node = ex_node(model, A);
  assert_int_equal(model->node_count, 3);
  assert_true(node->flags & HD_PROFILE_RECURSIVE);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, A), 2 + 3 + 1 + 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, A, C), 4);
  assert_int_equal(node->team.instances, 2);
  assert_int_equal(node->team.elapsed_ticks, 12); /* the inner one lies inside it */
  hd_model_free(model);
}

static void test_indirect_recursion_folds_too(void **state) {
  (void)state;
  begin();
  enter(0x100);
  enter(0x110);
  sc_at(3);
  enter(0x100);
  critical(5, 9);
  leave(10);
  leave(12);
  leave(14);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, A), 2 + 1 + 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, A, B), 3 + 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, A, C), 4);
  hd_model_free(model);
}

/* A calls B, B calls A, which folds; the B below it is the first B again, though the step to it folds nothing. */
static void test_elapsed_time_counts_outermost_instances_only(void **state) {
  (void)state;
  begin();
  enter(0x100);
  enter(0x110);
  enter(0x100);
  sc_at(5);
  enter(0x110);
  leave(8);
  leave(10);
  leave(12);
  leave(14);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(ex_node(model, A)->team.elapsed_ticks, 14);
  assert_int_equal(ex_node(model, A, B)->team.instances, 2);
  assert_int_equal(ex_node(model, A, B)->team.elapsed_ticks, 12);
  hd_model_free(model);
}

static void test_bounded_depth_counts_outermost_instances_only(void **state) {
  (void)state;
  const struct fk_options options = {.depth = "1"};
  begin();
  enter(0x100);
  enter(0x110);
  sc_at(3);
  enter(0x100);
  leave(9);
  leave(12);
  leave(14);
  sc_finish();
  struct hd_model *model = ex_play_with(&options);
  assert_int_equal(ex_node(model, A)->team.instances, 2);
  assert_int_equal(ex_node(model, A)->team.elapsed_ticks, 14);
  hd_model_free(model);
}

static void test_recursive_tasks_are_one_profile(void **state) {
  (void)state;
  begin();
  for (int i = 0; i < 20; i++)
    sc_task_run(sc_task_create(0x500, ompt_task_undeferred));
  sc_at(7);
  for (int i = 0; i < 20; i++)
    sc_task_leave(ompt_task_complete);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(model->node_count, 2);
  assert_int_equal(ex_visits(model, 0, SITE(TASK, 0x500)), 20);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(TASK, 0x500)), 7);
  hd_model_free(model);
}

/* Two functions that create tasks, here: addresses in them stand for their sites. */
__attribute__((noinline)) static int sort(int n) {
  return n < 2 ? n : (int)strtol("17", NULL, 10) + n * 5;
}

__attribute__((noinline)) static int merge(int n) {
  return n < 2 ? n : (int)strtol("19", NULL, 10) + n * 7;
}

static uint64_t in(int function(int n), uint64_t offset) {
  return (uint64_t)(uintptr_t)function + offset;
}

/* Each in the one before. */
static void nest_tasks(uint64_t end, const uint64_t *sites, size_t count) {
  for (size_t i = 0; i < count; i++)
    sc_task_run(sc_task_create(sites[i], ompt_task_undeferred));
  sc_at(end);
  for (size_t i = 0; i < count; i++)
    sc_task_leave(ompt_task_complete);
}

/* In any order: the function is called again in a task that it has created itself. */
static void test_tasks_of_a_function_that_is_called_again_lie_beside_each_other(void **state) {
  (void)state;
  assert_true(sort(3) > 0 && merge(3) > 0);
  const uint64_t a = in(sort, 4), b = in(sort, 5), m = in(merge, 4), n = in(merge, 5);
  begin();
  enter(0x100);
  nest_tasks(10, (const uint64_t[]){a, b, a, a}, 4);
  nest_tasks(20, (const uint64_t[]){b, a, b, m, n, m, a, m}, 8);
  leave(50);
  sc_finish();
  struct hd_model *model = ex_play();
  assert_int_equal(model->node_count, 2 + 2 + 3); /* a, b, m and n in b, m in a */
  assert_int_equal(ex_visits(model, 0, A, SITE(TASK, a)), 3 + 2);
  assert_int_equal(ex_visits(model, 0, A, SITE(TASK, b)), 1 + 2);
  assert_int_equal(ex_visits(model, 0, A, SITE(TASK, b), SITE(TASK, m)), 2);
  assert_int_equal(ex_visits(model, 0, A, SITE(TASK, b), SITE(TASK, n)), 1);
  assert_int_equal(ex_visits(model, 0, A, SITE(TASK, a), SITE(TASK, m)), 1);
  assert_true(ex_node(model, A, SITE(TASK, b))->flags & HD_PROFILE_RECURSIVE);
  assert_false(ex_node(model, A, SITE(TASK, a), SITE(TASK, m))->flags & HD_PROFILE_RECURSIVE);
  hd_model_free(model);
}

static void play_path_of_three(void) {
  begin();
  enter(0x100);
  sc_at(1);
  enter(0x110);
  critical(3, 7);
  leave(7);
  leave(7);
  enter(0x110);
  critical(9, 14);
  leave(14);
  sc_finish();
}

static void test_depth_1_has_one_profile_for_each_site(void **state) {
  (void)state;
  const struct fk_options options = {.depth = "1"};
  play_path_of_three();
  struct hd_model *model = ex_play_with(&options);
  assert_int_equal(model->header.callpath_depth, 1);
  assert_int_equal(model->node_count, 4);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, C), 4 + 5);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, B), 2 + 2);
  hd_model_free(model);
}

static void test_depth_2_tells_callers_apart_but_not_theirs(void **state) {
  (void)state;
  const struct fk_options options = {.depth = "2"};
  play_path_of_three();
  struct hd_model *model = ex_play_with(&options);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, B, C), 4 + 5);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, A, B), 2);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, B), 2);
  assert_false(ex_has_node(model, A, B, C));
  hd_model_free(model);
}

static void test_depth_3_is_enough_for_three_sites(void **state) {
  (void)state;
  const struct fk_options options = {.depth = "3"};
  play_path_of_three();
  struct hd_model *model = ex_play_with(&options);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, A, B, C), 4);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, B, C), 5);
  hd_model_free(model);
}

static void test_unreadable_depth_is_ignored(void **state) {
  (void)state;
  const struct fk_options options = {.depth = "deep"};
  play_path_of_three();
  struct hd_model *model = ex_play_with(&options);
  assert_int_equal(model->header.callpath_depth, 0);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, A, B, C), 4);
  hd_model_free(model);
}

/* An address inside a module called libomp*, as the runtime's own calls have. */
static uint64_t runtime_address(void) {
  void *module = dlopen(FAKE_RUNTIME, RTLD_NOW);
  assert_non_null(module);
  void *function = dlsym(module, "fake_runtime_function");
  assert_non_null(function);
  return (uint64_t)(uintptr_t)function + 1;
}

static void test_address_inside_the_runtime_is_marked(void **state) {
  (void)state;
  uint64_t address = runtime_address();
  begin();
  enter(0x100);
  enter(address);
  leave(5);
  leave(5);
  sc_finish();
  struct hd_model *model = ex_play();
  const struct hd_node *node = ex_node(model, A, SITE(PARALLEL, address));
  assert_true(node->flags & HD_PROFILE_IN_RUNTIME);
  assert_int_not_equal(node->module, HD_NONE);
  assert_int_equal(node->offset, address - model->modules[node->module].base);
  assert_false(ex_node(model, A)->flags & HD_PROFILE_IN_RUNTIME);
  hd_model_free(model);
}

/* libomp's hidden helper threads (target nowait): a second "initial" thread forks from inside the runtime and for as
 * long as the program runs. They are idle but for the tasks that they run. */
static void test_hidden_helpers_are_idle_but_for_their_tasks(void **state) {
  (void)state;
  begin();
  sc_thread(1);
  sc_initial_begin();
  sc_at(2);
  sc_fork(runtime_address(), 3, 2, 3);
  sc_masked_begin(runtime_address());
  sc_at(4);
  sc_masked_end();
  sc_thread(0);
  sc_at(5);
  uint32_t task = sc_task_create(0x500, 0);
  sc_thread(2);
  sc_at(6);
  sc_task_run(task);
  sc_at(10);
  sc_task_leave(ompt_task_complete);
  sc_thread(0);
  sc_at(20);
  sc_finalize();
  struct hd_model *model = ex_play_rough(NULL);
  assert_int_equal(model->ticks[HD_BUSY], 20 + 4);
  assert_int_equal(ex_ticks(model, 2, HD_BUSY, SITE(TASK, 0x500)) + ex_ticks(model, 3, HD_BUSY, SITE(TASK, 0x500)), 4);
  assert_int_equal(model->threads[1].kind, HD_THREAD_OTHER);
  assert_int_equal(model->threads[1].ticks[HD_IDLE] + model->threads[1].ticks[HD_RUNTIME_FORK_JOIN], 20);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_site_below_two_callers_has_two_profiles),
      cmocka_unit_test(test_same_address_as_two_kinds_is_two_sites),
      cmocka_unit_test(test_recursive_region_folds_into_its_ancestor),
      cmocka_unit_test(test_indirect_recursion_folds_too),
      cmocka_unit_test(test_elapsed_time_counts_outermost_instances_only),
      cmocka_unit_test(test_bounded_depth_counts_outermost_instances_only),
      cmocka_unit_test(test_recursive_tasks_are_one_profile),
      cmocka_unit_test(test_tasks_of_a_function_that_is_called_again_lie_beside_each_other),
      cmocka_unit_test(test_depth_1_has_one_profile_for_each_site),
      cmocka_unit_test(test_depth_2_tells_callers_apart_but_not_theirs),
      cmocka_unit_test(test_depth_3_is_enough_for_three_sites),
      cmocka_unit_test(test_unreadable_depth_is_ignored),
      cmocka_unit_test(test_address_inside_the_runtime_is_marked),
      cmocka_unit_test(test_hidden_helpers_are_idle_but_for_their_tasks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
