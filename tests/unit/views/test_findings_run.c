/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is found in tasks, and in the run as a whole; what holds for all findings of any run. */
#include "found.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/views/render/table.h"
#include "random_program.h"

#define TASK SITE(TASK, 0x500)

/* ---- tasks ---- */

/* A region of two, whose thread 0 is in a single from 0 to `until`; at its end both wait for tasks until `last`. The
 * other runs them one after the other. */
struct tasks {
  uint32_t count;
  uint64_t every;    /* one is made each */
  uint64_t creation; /* of that takes so long to make it */
  uint64_t work;
  bool in_loop;  /* instead of the single */
  uint64_t rest; /* both wait for so long behind the last */
};

static void play_tasks(const struct tasks *tasks) {
  uint32_t made[8];
  const uint64_t until = tasks->count * tasks->every;
  uint64_t free_at = 0;
  begin();
  const ompt_work_t creates = tasks->in_loop ? ompt_work_loop_static : ompt_work_single_executor;
  const ompt_work_t waits = tasks->in_loop ? ompt_work_loop_static : ompt_work_single_other;
  sc_work_begin(creates, 0x200);
  for (uint32_t i = 0; i < tasks->count; i++) {
    sc_at((i + 1) * tasks->every - tasks->creation);
    sc_entry_begin(HEDDLE_ENTRY_TASK_CREATION);
    sc_at((i + 1) * tasks->every);
    made[i] = sc_task_create(0x500, 0);
    sc_entry_end(HEDDLE_ENTRY_TASK_CREATION, 0);
  }
  sc_work_end(creates, 0x200);
  as(1, 0);
  sc_work_begin(waits, 0x200);
  sc_work_end(waits, 0x200);
  sc_barrier_begin(sc_work_barrier(), 0x240);
  for (uint32_t i = 0; i < tasks->count; i++) {
    free_at = free_at > (i + 1) * tasks->every ? free_at : (i + 1) * tasks->every;
    sc_at(free_at);
    sc_task_run(made[i]);
    free_at += tasks->work;
    sc_at(free_at);
    sc_task_leave(ompt_task_complete);
  }
  free_at += tasks->rest;
  sc_at(free_at);
  sc_barrier_end(sc_work_barrier(), 0x240);
  as(0, until);
  sc_barrier_begin(sc_work_barrier(), 0x240);
  sc_at(free_at);
  sc_barrier_end(sc_work_barrier(), 0x240);
  join_at(free_at, free_at);
  end(free_at);
}

/* Four tasks of 10, each after 50 of work of the one thread that makes them: the other waits for all but 40 of 210. */
static void test_the_one_who_creates_tasks_is_waited_for(void **state) {
  (void)state;
  play_tasks(&(struct tasks){4, 50, 0, 10, false, 0});
  expect_found(TASK_CREATION, (4 * 40 + 10 + 10) / 2.0, REGION, SITE(SINGLE, 0x200), TASK);
  expect_count(1);
}

/* Eight tasks of 20, each of which takes 10 to make. */
static void test_tasks_smaller_than_their_cost(void **state) {
  (void)state;
  play_tasks(&(struct tasks){8, 10, 10, 20, false, 0});
  const double waits = 10 + 90; /* the other before the first task, the maker after the last */
  expect_found(TASK_GRANULARITY, (waits + 8 * 10) / 2, REGION, SITE(SINGLE, 0x200), TASK);
  expect_count(1);
}

/* Tasks of 10 that take 2 to make are small. But 48 of the 50 in which one is made are other work. */
static void test_tasks_are_not_too_small_for_who_does_other_work(void **state) {
  (void)state;
  play_tasks(&(struct tasks){4, 50, 2, 10, false, 0});
  expect_found(TASK_CREATION, (4 * 40 + 10 + 10 + 4 * 2) / 2.0, REGION, SITE(SINGLE, 0x200), TASK);
  expect_count(1);
}

/* Creating one takes 7.5 % of its work, halfway between 5 % and twice as much: half of the waits, 136, are for small
 * tasks, and the creation itself, 12. */
static void test_tasks_that_are_rather_small(void **state) {
  (void)state;
  play_tasks(&(struct tasks){.count = 4, .every = 12, .creation = 3, .work = 40, .in_loop = true});
  expect_found(TASK_GRANULARITY, (68 + 12) / 2.0, REGION, SITE(LOOP_STATIC, 0x200), TASK);
  expect_found(IMBALANCE, 68 / 2.0, REGION, SITE(LOOP_STATIC, 0x200), TASK);
  expect_count(2);
}

/* Unless creation was not always observed: it may be all of that. */
static void test_small_tasks_whose_creation_was_off(void **state) {
  (void)state;
  play_tasks(&(struct tasks){4, 50, 2, 10, false, 0});
  model->off_classes = 1u << HD_CLASS_ENTRY;
  look();
  expect_found(TASK_GRANULARITY, (4 * 40 + 10 + 10 + 4 * 2) / 2.0, REGION, SITE(SINGLE, 0x200), TASK);
}

/* One task of 100 that took no time to make: the other waits. */
static void test_too_few_tasks_are_uneven_work(void **state) {
  (void)state;
  play_tasks(&(struct tasks){1, 1, 0, 100, false, 0});
  expect_found(IMBALANCE, 101 / 2.0, REGION, SITE(SINGLE, 0x200), TASK);
  expect_count(1);
}

/* ---- processors ---- */

/* Two threads take turns at a barrier, so that one is busy at any time. */
static void take_turns(void) {
  begin();
  for (uint64_t time = 0; time < 160; time += 40)
    for (uint32_t thread = 0; thread < 2; thread++) {
      as(thread, time + (thread == time / 40 % 2 ? 40 : 10));
      sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x300);
      sc_at(time + 40);
      sc_barrier_end(ompt_sync_region_barrier_explicit, 0x300);
    }
  join_at(160, 160);
}

/* On one processor nothing can be gained: it is always busy. */
static void test_nothing_is_gained_without_processors(void **state) {
  (void)state;
  take_turns();
  play(160, 1, &(struct fk_options){0});
  expect_count(0);
}

/* Threads are busy from 0 to 10, none until 40, four times. */
static void rest_at_barriers(void) {
  begin();
  for (uint64_t time = 0; time < 160; time += 40)
    for (uint32_t thread = 0; thread < 2; thread++) {
      as(thread, time + 10);
      sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x300);
      sc_at(time + 40);
      sc_barrier_end(ompt_sync_region_barrier_explicit, 0x300);
    }
  join_at(160, 160);
}

/* On one processor: time 30 of each is lost to threads. */
static void test_barriers_of_a_crowd_are_the_crowds(void **state) {
  (void)state;
  rest_at_barriers();
  play(160, 1, &(struct fk_options){0});
  expect_found(OVERSUBSCRIPTION, 4 * 30, REGION);
  expect_count(1);
}

static const struct fk_options sleeping = {.environment = (const char *const[]){"OMP_WAIT_POLICY=passive", NULL}};

/* While none of those that sleep works, it is a processor that they lack, for however long. */
static void test_sleepers_of_a_crowd_lack_processors_while_none_works(void **state) {
  (void)state;
  rest_at_barriers();
  play(160, 1, &sleeping);
  model->seconds_per_tick = 1;
  look();
  expect_found(OVERSUBSCRIPTION, 4 * 30, REGION);
  expect_count(1);
}

/* Three threads on two processors: one works for 40 each time, the others for 10. These may be late by 10 of these
 * ticks, because they are three for two; the rest of the 30 for which they wait is the barrier's. Half of the 90 in
 * which one works alone could be gained. */
static void test_many_sleepers_are_late_but_not_for_long(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x100, 3, 1, 0);
  for (uint64_t time = 0; time < 120; time += 40)
    for (uint32_t thread = 0; thread < 3; thread++) {
      as(thread, time + (thread == time / 40 ? 40 : 10));
      sc_barrier_begin(ompt_sync_region_barrier_explicit, 0x300);
      sc_at(time + 40);
      sc_barrier_end(ompt_sync_region_barrier_explicit, 0x300);
    }
  as(2, 120);
  sc_join_begin();
  join_at(120, 120);
  play(120, 2, &sleeping);
  model->seconds_per_tick = 1.5 * 125e-6 / 10;
  look();
  const double late = 9 * 10 / 0.75, waits = 6 * 30;
  expect_found(OVERSUBSCRIPTION, late / waits * 45, REGION);
  expect_found(BARRIER, (1 - late / waits) * 45, REGION, SITE(BARRIER_EXPLICIT, 0x300));
  expect_count(2);
}

/* Of a run that takes seconds, not nanoseconds as the script: what threads may wait for at their start is nothing. */
static void set_account(uint64_t ran_s, uint64_t queued_s) {
  const uint64_t waits_ns = (uint64_t)model->thread_count * HD_ACCOUNT_START_MS * 1000000;
  for (uint32_t i = 0; i < model->thread_count; i++)
    model->threads[i].account = (struct hd_account){.known = true};
  model->threads[0].account.ran_ns = ran_s * 1000000000;
  model->threads[0].account.queued_ns = queued_s * 1000000000 + waits_ns;
  look();
}

/* One task of 100 for which the other waits, and 400 in which both wait. Where others take the processors, none of that
 * is due to uneven tasks. */
static void test_nobody_has_more_to_do_while_nobody_is_busy(void **state) {
  (void)state;
  play_tasks(&(struct tasks){.count = 1, .every = 1, .work = 100, .rest = 400});
  expect_found(IMBALANCE, (101 + 2 * 400) / 2.0, REGION, SITE(SINGLE, 0x200), TASK);
  set_account(200, 800);
  expect_found(IMBALANCE, 101 / 2.0, REGION, SITE(SINGLE, 0x200), TASK);
  expect_found(OVERSUBSCRIPTION, (501 - 101 / 2.0) * 0.8, PROGRAM);
  assert_int_equal(found->items[0].cause, HD_CAUSE_OVERSUBSCRIPTION);
}

/* A machine's number of processors is not the script's. */
static void even(uint32_t processors, const char *const *environment) {
  begin();
  join_at(1000, 1000);
  play(1000, processors, &(struct fk_options){.environment = environment});
  model->header.online_processors = processors;
}

/* They had a processor for 3/4 of the time they wanted one: without others the run takes 3/4 of its time. */
static void test_others_take_the_processors(void **state) {
  (void)state;
  even(2, NULL);
  set_account(1500, 500);
  expect_found(OVERSUBSCRIPTION, 250, PROGRAM);
  expect_count(1);
  assert_int_equal(found->items[0].basis, HD_BASIS_MODEL);
  assert_memory_equal(found->items[0].attempt[0], "an idle machine, or fewer threads:", 34);
  model->header.ranks = 2;
  set_account(750, 250);
  assert_memory_equal(found->items[0].attempt[0], "an idle machine, or fewer ranks or threads:", 43);
}

/* Both leave the barrier late, or only come to it late, for 20: none of that is the barrier's if others worked. */
static void test_what_others_may_have_caused_is_theirs(void **state) {
  (void)state;
  begin();
  for (uint32_t thread = 0; thread < 2; thread++) {
    as(thread, 0);
    sc_work_begin(ompt_work_loop_static, 0x200);
    sc_at(80);
    sc_work_end(ompt_work_loop_static, 0x200);
    sc_barrier_begin(sc_work_barrier(), 0x240);
    sc_at(100);
    sc_barrier_end(sc_work_barrier(), 0x240);
  }
  join_at(100, 100);
  end(100);
  expect_found(BARRIER, 20, REGION, SITE(LOOP_STATIC, 0x200));
  expect_count(1);
  set_account(70, 30);
  expect_found(OVERSUBSCRIPTION, 30, PROGRAM);
  expect_count(1);
  assert_true(found->unexplained_ticks == 0);
}

/* A thread that has no processor makes its team wait for it. */
static void test_uneven_work_may_be_due_to_others(void **state) {
  (void)state;
  begin();
  join_at(100, 60);
  end(100);
  for (uint64_t queued = 0; queued <= 30; queued += 30) {
    set_account(160, queued);
    expect_found(IMBALANCE, 20, REGION);
    assert_int_equal(found->items[0].low_ticks, queued ? 0 : 20);
    assert_int_equal(strstr(found->items[0].evidence[1], "may be the whole reason") != NULL, queued != 0);
  }
}

static void test_bound_threads_that_share_a_processor_are_pinned(void **state) {
  (void)state;
  even(2, (const char *const[]){"OMP_PLACES={0}", NULL});
  set_account(1000, 1000);
  expect_found(PINNED, 500, PROGRAM);
  expect_count(1);
}

/* Two threads on one processor of a machine of two: half of the time they had none. */
static void test_a_process_that_may_not_use_all_processors_is_pinned(void **state) {
  (void)state;
  even(1, NULL);
  model->header.online_processors = 2;
  set_account(1000, 1000);
  expect_found(PINNED, 500, REGION);
  expect_count(1);
}

/* On a machine of one processor, which both want all the time: it does as much as it can. */
static void test_a_crowd_that_works_all_the_time_loses_nothing(void **state) {
  (void)state;
  even(1, NULL);
  set_account(1000, 1000);
  expect_count(0);
}

static void test_what_a_crowd_spins_is_lost(void **state) {
  (void)state;
  begin();
  join_at(1000, 600);
  play(1000, 1, &(struct fk_options){0});
  model->header.online_processors = 1;
  set_account(1000, 1000); /* of 1600 that were busy half had the processor */
  expect_found(OVERSUBSCRIPTION, (1000 - 800) / 4.0, REGION);
  expect_count(1);
}

/* Of 1000 the one processor worked 500 for both threads. */
static void test_what_others_take_is_not_the_crowds(void **state) {
  (void)state;
  even(1, NULL);
  set_account(0, 0);
  model->threads[0].account.ran_ns = 500;
  model->threads[0].account.queued_ns += 500;
  look();
  expect_found(OVERSUBSCRIPTION, 500, PROGRAM);
  expect_count(1);
}

/* The kernel says of a thread that the runtime did not make that it hardly wanted a processor: it waits for another. */
static void test_a_thread_that_only_waits_makes_no_crowd(void **state) {
  (void)state;
  even(1, NULL);
  set_account(1000, 0);
  assert_true(hd_losses_have_too_many_threads(model));
  model->threads[0].account = (struct hd_account){.known = true};
  assert_false(hd_losses_have_too_many_threads(model));
}

/* ---- Heddle ---- */

static void test_heddles_own_work_is_found(void **state) {
  (void)state;
  even(2, NULL);
  model->threads[0].late_ticks = 60;
  model->cost_ticks = 100;
  look();
  expect_found(MEASUREMENT, 60, PROGRAM);
  expect_count(1);
  assert_non_null(strstr(found->items[0].attempt[0], "--overhead"));
}

/* Of 100 ticks 30 are for regions, and of 5 waits, which took 40, 4 are at the ends of regions: 62. */
static void test_no_smaller_budget_is_advised_where_regions_cost(void **state) {
  (void)state;
  even(2, NULL);
  model->threads[0].late_ticks = 60;
  model->cost_ticks = 100;
  memset(model->cost_of, 0, sizeof model->cost_of);
  model->cost_of[HD_EVENT_IMPLICIT_BEGIN] = (struct hd_cost){.count = 4, .ticks = 30};
  model->cost_of[HD_EVENT_WAIT_BEGIN] = (struct hd_cost){.count = 5, .ticks = 40};
  model->cost_of[HD_EVENT_MUTEX_ACQUIRE] = (struct hd_cost){.count = 1, .ticks = 30};
  look();
  expect_found(MEASUREMENT, 60, PROGRAM);
  assert_non_null(strstr(found->items[0].evidence[1], "62 % of it is for the begins and ends of regions"));
  assert_null(strstr(found->items[0].attempt[0], "--overhead 1"));
}

/* ---- what is shown ---- */

static void test_small_findings_are_left_out(void **state) {
  (void)state;
  begin();
  join_at(1000, 970); /* 15 of 1500 to gain */
  end(1500);
  expect_found(SERIAL, 250, PROGRAM);
  expect_found(IMBALANCE, 15, REGION);
  expect_count(2);
  assert_int_equal(found->items[0].cause, HD_CAUSE_SERIAL);
  hd_findings_free(found);
  found = hd_findings_new(model, HD_FINDING_LEAST);
  expect_count(1);
  assert_true(found->unexplained_ticks == 0);
}

enum { SENTENCE_WIDTH = 91 };

static void check_words(const char (*sentences)[HD_FINDING_BYTES], bool needed) {
  assert_true(!needed || sentences[0][0] != '\0');
  for (int i = 0; i < HD_EVIDENCE_MOST; i++)
    if (hd_text_width(sentences[i]) > SENTENCE_WIDTH)
      fail_msg("a sentence of %zu characters: %s", hd_text_width(sentences[i]), sentences[i]);
}

/* Waits that may be missing. */
static void test_events_that_were_off_make_an_estimate(void **state) {
  (void)state;
  begin();
  join_at(60, 20);
  end(60);
  model->off_classes = 1u << HD_CLASS_MUTEX;
  model->nodes[ex_node(model, REGION)->id].marks[HD_MARKS_OF_CALLPATHS] |= HD_MARK_QUEUES;
  look();
  expect_found(IMBALANCE, 20, REGION);
  assert_int_equal(found->items[0].basis, HD_BASIS_ESTIMATED);
  assert_non_null(strstr(found->items[0].evidence[1], "--overhead off"));
  model->estimated = true;
  look();
  assert_non_null(strstr(found->items[0].evidence[1], "short windows only: from 33 to 33 % of the run"));
  check_words(found->items[0].evidence, true);
}

static void test_causes_have_names(void **state) {
  (void)state;
  static const char *const ids[HD_CAUSE_COUNT] = {
      "serial",           "serial-in-region", "imbalance",      "too-few-iterations", "scheduling", "fork-join",
      "wake-up",          "barrier",          "reduction",      "critical",           "lock",       "atomic",
      "ordered",          "task-granularity", "task-creation",  "task-dependences",   "mpi-wait",   "mpi-imbalance",
      "oversubscription", "pinned",           "work-inflation", "measurement"};
  for (int cause = 0; cause < HD_CAUSE_COUNT; cause++)
    assert_string_equal(hd_cause_id((enum hd_cause)cause), ids[cause]);
}

/* ---- random programs ---- */

enum { SEEDS = 60 };

/* What can be gained in regions and outside is what would be saved if all processors were busy: with what is
 * unexplained, no more and, but for what is known twice in nested regions, no less. */
static void check_findings(uint64_t seed) {
  double sum = 0;
  const double elapsed = (double)model->elapsed_ticks, limit = model->gain_limit_ticks;
  for (size_t i = 0; i < found->count; i++) {
    const struct hd_finding *finding = &found->items[i];
    if (!(finding->gain_ticks > 0 && finding->gain_ticks <= elapsed) || finding->low_ticks > finding->gain_ticks ||
        finding->high_ticks < finding->gain_ticks)
      fail_msg("seed %" PRIu64 ": a gain of %f (%f to %f) of %f", seed, finding->gain_ticks, finding->low_ticks,
               finding->high_ticks, elapsed);
    assert_true(i == 0 || finding[-1].gain_ticks >= finding->gain_ticks);
    for (size_t j = 0; j < i; j++)
      assert_true(found->items[j].cause != finding->cause || found->items[j].place != finding->place);
    sum += finding->basis == HD_BASIS_MODEL ? 0 : finding->gain_ticks - finding->own_ticks;
    check_words(finding->evidence, true);
    check_words(finding->attempt, true);
  }
  if (sum > limit * (1 + 1e-9) + 1e-6 || found->unexplained_ticks > limit * (1 + 1e-9) + 1e-6)
    fail_msg("seed %" PRIu64 ": %f to gain and %f unexplained, of %f", seed, sum, found->unexplained_ticks, limit);
}

static size_t check_program(const struct rp_options *program, uint64_t seed) {
  rp_generate(seed, program);
  model = play_on(seed % 2 == 0 ? 64 : 2);
  look();
  check_findings(seed);
  const size_t count = found->count;
  forget(NULL);
  return count;
}

static void test_no_time_is_gained_twice(void **state) {
  (void)state;
  static const struct rp_options programs[] = {
      {0}, {.recursive = true}, {.large_teams = true}, {.short_threads = true}};
  const char *seeds = getenv("HEDDLE_SEEDS");
  size_t count = 0;
  for (uint64_t seed = 1; seed <= (seeds ? strtoul(seeds, NULL, 10) : SEEDS); seed++)
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
      count += check_program(&programs[i], seed);
  assert_true(count > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_the_one_who_creates_tasks_is_waited_for, forget),
      cmocka_unit_test_teardown(test_tasks_smaller_than_their_cost, forget),
      cmocka_unit_test_teardown(test_tasks_are_not_too_small_for_who_does_other_work, forget),
      cmocka_unit_test_teardown(test_small_tasks_whose_creation_was_off, forget),
      cmocka_unit_test_teardown(test_tasks_that_are_rather_small, forget),
      cmocka_unit_test_teardown(test_too_few_tasks_are_uneven_work, forget),
      cmocka_unit_test_teardown(test_nothing_is_gained_without_processors, forget),
      cmocka_unit_test_teardown(test_barriers_of_a_crowd_are_the_crowds, forget),
      cmocka_unit_test_teardown(test_sleepers_of_a_crowd_lack_processors_while_none_works, forget),
      cmocka_unit_test_teardown(test_many_sleepers_are_late_but_not_for_long, forget),
      cmocka_unit_test_teardown(test_others_take_the_processors, forget),
      cmocka_unit_test_teardown(test_what_others_may_have_caused_is_theirs, forget),
      cmocka_unit_test_teardown(test_uneven_work_may_be_due_to_others, forget),
      cmocka_unit_test_teardown(test_nobody_has_more_to_do_while_nobody_is_busy, forget),
      cmocka_unit_test_teardown(test_bound_threads_that_share_a_processor_are_pinned, forget),
      cmocka_unit_test_teardown(test_a_process_that_may_not_use_all_processors_is_pinned, forget),
      cmocka_unit_test_teardown(test_a_crowd_that_works_all_the_time_loses_nothing, forget),
      cmocka_unit_test_teardown(test_what_a_crowd_spins_is_lost, forget),
      cmocka_unit_test_teardown(test_what_others_take_is_not_the_crowds, forget),
      cmocka_unit_test_teardown(test_a_thread_that_only_waits_makes_no_crowd, forget),
      cmocka_unit_test_teardown(test_heddles_own_work_is_found, forget),
      cmocka_unit_test_teardown(test_no_smaller_budget_is_advised_where_regions_cost, forget),
      cmocka_unit_test_teardown(test_small_findings_are_left_out, forget),
      cmocka_unit_test_teardown(test_events_that_were_off_make_an_estimate, forget),
      cmocka_unit_test(test_causes_have_names),
      cmocka_unit_test_teardown(test_no_time_is_gained_twice, forget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
