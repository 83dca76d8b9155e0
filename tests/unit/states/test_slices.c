/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A trace's entries as slices: which begin and end, in what order. "+3" begins node 3's, "-3" ends it; with an "!" it
 * is a wait there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "output/trace/slices.h"

enum { PROGRAM, PARALLEL, SINGLE, TASK, TASKWAIT, NESTED, NODES };

static struct hd_node nodes[NODES] = {
    [PROGRAM] = {.kind = HD_KIND_PROGRAM},
    [PARALLEL] = {.kind = HD_KIND_PARALLEL, .parent = PROGRAM},
    [SINGLE] = {.kind = HD_KIND_SINGLE, .parent = PARALLEL},
    [TASK] = {.kind = HD_KIND_TASK, .parent = SINGLE},
    [TASKWAIT] = {.kind = HD_KIND_TASKWAIT, .parent = TASK},
    [NESTED] = {.kind = HD_KIND_PARALLEL, .parent = TASK},
};

struct play {
  struct hd_model model;
  struct hd_slices slices;
  struct hd_trace_place at;
  char said[256];
};

static void say(struct play *play, char sign, const struct hd_slice *slice) {
  const size_t used = strlen(play->said);
  snprintf(play->said + used, sizeof play->said - used, "%s%c%u%s", used > 0 ? " " : "", sign, slice->node,
           slice->state == HD_BUSY ? "" : "!");
}

static void say_begin(void *context, const struct hd_slice *slice) {
  say(context, '+', slice);
}

static void say_end(void *context, const struct hd_slice *slice) {
  say(context, '-', slice);
}

static void start(struct play *play) {
  *play = (struct play){.model = {.nodes = nodes, .node_count = NODES, .thread_count = 1}, .at = {0, HD_STATE_COUNT}};
  play->slices = (struct hd_slices){
      .model = &play->model, .begin = say_begin, .end = say_end, .context = play, .teams_alone = true};
  hd_slices_start(&play->slices);
}

/* What the entry began and ended. */
static const char *take(struct play *play, uint32_t node, uint32_t state, uint32_t what) {
  const struct hd_trace_entry entry = {.before = play->at, .now = {node, state}, .what = what, .operand = node};
  play->said[0] = '\0';
  play->at = entry.now;
  hd_slices_take(&play->slices, &entry);
  return play->said;
}

static void switch_to(struct play *play, uint64_t task) {
  hd_slices_take(
      &play->slices,
      &(struct hd_trace_entry){
          .before = play->at, .now = play->at, .what = HD_WHAT_ORDER, .operand = HD_ORDER_SWITCH, .b = task});
}

static const char *finish(struct play *play) {
  play->said[0] = '\0';
  hd_slices_finish(&play->slices, 0);
  return play->said;
}

static void test_constructs_are_in_one_another(void **state) {
  struct play play;
  (void)state;
  start(&play);
  assert_string_equal(take(&play, PROGRAM, HD_BUSY, HD_WHAT_NOTHING), "+0");
  assert_string_equal(take(&play, SINGLE, HD_BUSY, HD_WHAT_ENTER), "+1 +2");
  assert_string_equal(take(&play, SINGLE, HD_WAIT_LOCK, HD_WHAT_NOTHING), "+2!");
  assert_string_equal(take(&play, PARALLEL, HD_WAIT_BARRIER_IMPLICIT, HD_WHAT_NOTHING), "-2! -2 +1!");
  assert_string_equal(take(&play, PARALLEL, HD_BUSY, HD_WHAT_REGION_BEGIN), "-1! -1 +1"); /* the next instance */
  assert_string_equal(take(&play, PROGRAM, HD_STATE_COUNT, HD_WHAT_NOTHING), "-1 -0");
  assert_string_equal(finish(&play), "");
}

static void test_a_worker_is_in_its_region_alone(void **state) {
  struct play play;
  (void)state;
  start(&play);
  assert_string_equal(take(&play, PROGRAM, HD_IDLE, HD_WHAT_NOTHING), "");
  assert_string_equal(take(&play, PARALLEL, HD_BUSY, HD_WHAT_TEAM), "+1");
  assert_string_equal(take(&play, PROGRAM, HD_IDLE, HD_WHAT_NOTHING), "-1");
  assert_string_equal(finish(&play), "");
}

/* Both are at the same place; the second runs while the first waits for it. */
static void test_a_task_that_waits_ends_its_slices_for_another(void **state) {
  struct play play;
  (void)state;
  start(&play);
  take(&play, SINGLE, HD_WAIT_TASKWAIT, HD_WHAT_NOTHING);
  switch_to(&play, 1);
  assert_string_equal(take(&play, TASK, HD_BUSY, HD_WHAT_TASK), "-2! +3");
  assert_string_equal(take(&play, TASKWAIT, HD_WAIT_TASKWAIT, HD_WHAT_ENTER), "+4 +4!");
  switch_to(&play, 2);
  assert_string_equal(take(&play, TASK, HD_BUSY, HD_WHAT_TASK), "-4! -4 -3 +3");
  switch_to(&play, 1);
  assert_string_equal(take(&play, TASKWAIT, HD_WAIT_TASKWAIT, HD_WHAT_NOTHING), "-3 +3 +4 +4!");
  assert_string_equal(take(&play, TASK, HD_BUSY, HD_WHAT_NOTHING), "-4! -4");
  switch_to(&play, 0);
  assert_string_equal(take(&play, SINGLE, HD_WAIT_TASKWAIT, HD_WHAT_NOTHING), "-3 +2!");
  assert_string_equal(finish(&play), "-2! -2 -1 -0");
}

/* The task that is in the inner region ends, not the one that began the region. */
static void test_a_region_in_a_task_has_tasks_of_its_own(void **state) {
  struct play play;
  (void)state;
  start(&play);
  take(&play, SINGLE, HD_BUSY, HD_WHAT_ENTER);
  switch_to(&play, 1);
  assert_string_equal(take(&play, TASK, HD_BUSY, HD_WHAT_TASK), "+3");
  assert_string_equal(take(&play, NESTED, HD_WAIT_BARRIER_IMPLICIT, HD_WHAT_NESTED_BEGIN), "+5 +5!");
  switch_to(&play, 2);
  assert_string_equal(take(&play, TASK, HD_BUSY, HD_WHAT_TASK), "-5! +3");
  switch_to(&play, 0);
  assert_string_equal(take(&play, NESTED, HD_WAIT_BARRIER_IMPLICIT, HD_WHAT_NOTHING), "-3 +5!");
  assert_string_equal(take(&play, TASK, HD_BUSY, HD_WHAT_NESTED_END), "-5! -5");
  switch_to(&play, 0);
  assert_string_equal(take(&play, SINGLE, HD_BUSY, HD_WHAT_NOTHING), "-3");
  assert_string_equal(finish(&play), "-2 -1 -0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_constructs_are_in_one_another),
      cmocka_unit_test(test_a_worker_is_in_its_region_alone),
      cmocka_unit_test(test_a_task_that_waits_ends_its_slices_for_another),
      cmocka_unit_test(test_a_region_in_a_task_has_tasks_of_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
