/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* PAPI's event sets, on the stub (stub_papi.c): their counts, their failures, their threads. */
#include <pthread.h>

#include "papi_sets.h"

/* ---- counts ---- */

OWN_PROCESS_TEST(test_counts_are_papis_in_the_sets_order) {
  static const char *const names[] = {"STUB_CLOCK_3", "PAPI_TOT_INS", "STUB_CLOCK_5"};
  uint64_t counts[HD_EVENTS_MOST];
  now = 1000;
  open_with(NULL);
  struct hd_event_set *set = create(names, 3);
  now = 2000;
  start(set);
  now = 2010;
  CHECK(papi->read(set, counts));
  CHECK_EQUAL(counts[0], 30);
  CHECK_EQUAL(counts[1], 20);
  CHECK_EQUAL(counts[2], 50);
}

/* PAPI refuses an event that is in the set already. */
OWN_PROCESS_TEST(test_one_event_under_several_names_is_counted) {
  static const char *const names[] = {"STUB_CLOCK_3", "PAPI_TOT_INS", "papi_tot_ins", "STUB_CLOCK_5", "STUB_CLOCK_3"};
  uint64_t counts[HD_EVENTS_MOST];
  open_with("STUB_PAPI_SET_MOST=3");
  struct hd_event_set *set = create(names, 5);
  start(set);
  now += 10;
  CHECK(papi->read(set, counts));
  CHECK_EQUAL(counts[0], 30);
  CHECK_EQUAL(counts[1], 20);
  CHECK_EQUAL(counts[2], 20);
  CHECK_EQUAL(counts[3], 50);
  CHECK_EQUAL(counts[4], 30);
}

OWN_PROCESS_TEST(test_counts_go_on_where_they_stopped) {
  open_with(NULL);
  struct hd_event_set *set = start_one("STUB_CLOCK_2");
  now += 10;
  papi->stop(set);
  now += 1000;
  papi->stop(set);
  start(set);
  CHECK_EQUAL(read_one(set), 20);
  now += 5;
  CHECK_EQUAL(read_one(set), 30);
  papi->stop(set);
  start(set);
  now += 1;
  CHECK_EQUAL(read_one(set), 32);
}

static void check_wrap(const char *name, uint64_t first) {
  struct hd_event_set *set = start_one(name);
  CHECK_EQUAL(read_one(set), first);
  for (int i = 1; i <= 10; i++) {
    now += 100;
    CHECK_EQUAL(read_one(set) - first, (uint64_t)i * 100);
  }
  papi->destroy(set);
}

OWN_PROCESS_TEST(test_differences_are_right_beyond_the_largest_count) {
  open_with(NULL);
  check_wrap("STUB_SIGN", ((uint64_t)1 << 63) - 500);
  check_wrap("STUB_WRAP", (uint64_t)-500);
}

OWN_PROCESS_TEST(test_a_count_that_goes_backwards_shows) {
  open_with(NULL);
  struct hd_event_set *set = start_one("STUB_BACK");
  const uint64_t before = read_one(set);
  now += 10;
  CHECK_EQUAL((int64_t)(read_one(set) - before), -10);
}

/* ---- failures ---- */

static void check_create_fails(char *variable, const char *reason) {
  const char *names[] = {"STUB_SETS", "STUB_THREADS"};
  char why[400] = "";
  open_with(variable);
  CHECK(!try_create(names, 2, why));
  CHECK_TEXT(why, reason);
  struct hd_event_set *set = create(names, 2); /* the next time it works */
  start(set);
  CHECK_EQUAL(read_one(set), 1);
}

OWN_PROCESS_TEST(test_failure_to_register_is_told) {
  check_create_fails("STUB_PAPI_FAIL=register:1", "PAPI_register_thread: Insufficient memory");
}

OWN_PROCESS_TEST(test_failure_to_create_is_told) {
  check_create_fails("STUB_PAPI_FAIL=create:1", "PAPI_create_eventset: Insufficient memory");
}

OWN_PROCESS_TEST(test_failure_to_add_is_told) {
  check_create_fails("STUB_PAPI_FAIL=add:2", "PAPI_add_event: Invalid argument");
}

OWN_PROCESS_TEST(test_failure_to_start_is_told) {
  const char *name = "STUB_SETS";
  char why[400] = "";
  open_with("STUB_PAPI_FAIL=start:1");
  struct hd_event_set *set = create(&name, 1);
  CHECK(!papi->start(set, why, sizeof why));
  CHECK_TEXT(why, "PAPI_start: A System/C library call failed");
  papi->destroy(set);
  CHECK_EQUAL(read_one(start_one(name)), 1);
}

OWN_PROCESS_TEST(test_too_few_counters_are_told) {
  static const char *const names[] = {"STUB_CLOCK", "STUB_NEEDS_2", "STUB_CLOCK_2"};
  char why[400] = "";
  open_with("STUB_PAPI_SET_MOST=3");
  papi->destroy(create(names, 2));
  CHECK(!try_create(names, 3, why));
  CHECK_TEXT(why, "the processor has too few counters");
}

OWN_PROCESS_TEST(test_readings_may_fail_and_work_again) {
  uint64_t counts[HD_EVENTS_MOST];
  open_with("STUB_PAPI_FAIL=read:2");
  struct hd_event_set *set = start_one("STUB_CLOCK");
  CHECK_EQUAL(read_one(set), 0);
  now = 10;
  CHECK(!papi->read(set, counts));
  CHECK_EQUAL(read_one(set), 10);
}

OWN_PROCESS_TEST(test_a_second_set_against_papis_rule_is_told) {
  const char *name = "STUB_CLOCK";
  char why[400] = "";
  open_with("STUB_PAPI_ONE_SET=1");
  struct hd_event_set *first = start_one(name);
  struct hd_event_set *second = create(&name, 1);
  CHECK(!papi->start(second, why, sizeof why));
  CHECK_TEXT(why, "PAPI already counts on this thread");
  papi->destroy(second); /* is not running */
  papi->stop(first);
  papi->destroy(first);
  start_one(name);
}

/* ---- threads ---- */

static const char *const census[] = {"STUB_THREADS", "STUB_SETS"};

/* Sets come and go; with the last one the thread is forgotten. */
static void *come_and_go(void *others) {
  uint64_t counts[HD_EVENTS_MOST];
  struct hd_event_set *first = create(census, 2);
  struct hd_event_set *second = create(census, 2);
  papi->destroy(first);
  start(second);
  CHECK(papi->read(second, counts));
  CHECK_EQUAL(counts[0], *(uint64_t *)others + 1);
  CHECK_EQUAL(counts[1], *(uint64_t *)others + 1);
  papi->destroy(second); /* though it runs */
  return NULL;
}

static void run_thread(void *(*body)(void *), void *argument) {
  pthread_t thread;
  CHECK(!pthread_create(&thread, NULL, body, argument));
  CHECK(!pthread_join(thread, NULL));
}

OWN_PROCESS_TEST(test_threads_are_registered_while_they_have_sets) {
  uint64_t counts[HD_EVENTS_MOST], others = 1;
  open_with(NULL);
  struct hd_event_set *set = create(census, 2);
  start(set);
  for (int i = 0; i < 3; i++)
    run_thread(come_and_go, &others);
  CHECK(papi->read(set, counts));
  CHECK_EQUAL(counts[0], 1);
  CHECK_EQUAL(counts[1], 1);
}

static void *fail_to_register(void *reason) {
  const char *name = "STUB_CLOCK";
  CHECK(!try_create(&name, 1, reason));
  return NULL;
}

OWN_PROCESS_TEST(test_a_thread_that_papi_does_not_take_leaves_the_others_alone) {
  char why[400] = "";
  uint64_t others = 1;
  open_with("STUB_PAPI_FAIL_THREAD=2");
  struct hd_event_set *set = start_one("STUB_CLOCK");
  run_thread(fail_to_register, why);
  CHECK_TEXT(why, "PAPI_register_thread: Insufficient memory");
  run_thread(come_and_go, &others);
  now = 5;
  CHECK_EQUAL(read_one(set), 5);
}

static void *read_on(void *forever) {
  struct hd_event_set *set = start_one("STUB_CLOCK");
  while (__atomic_load_n((bool *)forever, __ATOMIC_RELAXED))
    read_one(set);
  return NULL;
}

OWN_PROCESS_TEST(test_program_ends_while_threads_read) {
  static bool forever = true;
  open_with(NULL);
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, read_on, &forever));
  }
  usleep(20000);
}

OWN_PROCESS_TEST(test_forked_child_ends_like_any_other) {
  int status = -1;
  open_with(NULL);
  struct hd_event_set *set = start_one("STUB_CLOCK");
  const pid_t child = fork();
  if (child == 0)
    exit(7);
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK_EQUAL(WEXITSTATUS(status), 7);
  now = 9;
  CHECK_EQUAL(read_one(set), 9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_counts_are_papis_in_the_sets_order),
      cmocka_unit_test(test_one_event_under_several_names_is_counted),
      cmocka_unit_test(test_counts_go_on_where_they_stopped),
      cmocka_unit_test(test_differences_are_right_beyond_the_largest_count),
      cmocka_unit_test(test_a_count_that_goes_backwards_shows),
      cmocka_unit_test(test_failure_to_register_is_told),
      cmocka_unit_test(test_failure_to_create_is_told),
      cmocka_unit_test(test_failure_to_add_is_told),
      cmocka_unit_test(test_failure_to_start_is_told),
      cmocka_unit_test(test_too_few_counters_are_told),
      cmocka_unit_test(test_readings_may_fail_and_work_again),
      cmocka_unit_test(test_a_second_set_against_papis_rule_is_told),
      cmocka_unit_test(test_threads_are_registered_while_they_have_sets),
      cmocka_unit_test(test_a_thread_that_papi_does_not_take_leaves_the_others_alone),
      cmocka_unit_test(test_program_ends_while_threads_read),
      cmocka_unit_test(test_forked_child_ends_like_any_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
