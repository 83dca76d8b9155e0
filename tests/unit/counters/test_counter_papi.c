/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counting through PAPI, on the stub (stub_papi.c). This program is linked with it, too: it uses PAPI itself. */
#include <papi.h>
#include <pthread.h>

#include "counters/source.h"
#include "heddle-format.h"
#include "own_process.h"

static const struct hd_source *const papi = &hd_source_papi;
static uint64_t now; /* of the stub's clock */

/* Further variables: NAME=value. */
static void set_up(char *variable) {
  static char clock[64];
  snprintf(clock, sizeof clock, "STUB_PAPI_CLOCK=%p", (void *)&now);
  putenv(clock);
  setenv("HEDDLE_PAPI", STUB_PAPI, 1);
  if (variable)
    putenv(variable);
}

static void open_with(char *variable) {
  char text[400];
  set_up(variable);
  CHECK(papi->describe(text, sizeof text));
}

static void check_refused(const char *library, const char *reason) {
  struct hd_counter_event event;
  char why[400] = "", again[400] = "", found[400] = "";
  setenv("HEDDLE_PAPI", library, 1);
  CHECK(!papi->describe(why, sizeof why));
  CHECK_CONTAINS(why, "PAPI cannot be used");
  CHECK_CONTAINS(why, library);
  CHECK_CONTAINS(why, reason);
  setenv("HEDDLE_PAPI", STUB_PAPI, 1);
  CHECK(!papi->describe(again, sizeof again)); /* it is tried once */
  CHECK_TEXT(again, why);
  CHECK_EQUAL(papi->find("PAPI_TOT_INS", &event, found, sizeof found), HD_COUNTER_UNKNOWN);
  CHECK_TEXT(found, why);
}

static enum hd_counter_status find(const char *name, struct hd_counter_event *event, char *why) {
  *event = (struct hd_counter_event){.source = papi};
  snprintf(event->name, sizeof event->name, "%s", name);
  return papi->find(name, event, why, 400);
}

static struct hd_event_set *try_create(const char *const *names, uint32_t count, char *why) {
  struct hd_counter_event events[HD_EVENTS_MOST];
  const struct hd_counter_event *pointers[HD_EVENTS_MOST];
  for (uint32_t i = 0; i < count; i++) {
    CHECK_EQUAL(find(names[i], &events[i], why), HD_COUNTER_FOUND);
    pointers[i] = &events[i];
  }
  return papi->create(pointers, count, why, 400);
}

static struct hd_event_set *create(const char *const *names, uint32_t count) {
  char why[400] = "";
  struct hd_event_set *set = try_create(names, count, why);
  CHECK_TEXT(why, "");
  CHECK(set);
  return set;
}

static void start(struct hd_event_set *set) {
  char why[400] = "";
  papi->start(set, why, sizeof why);
  CHECK_TEXT(why, "");
}

static struct hd_event_set *start_one(const char *name) {
  struct hd_event_set *set = create(&name, 1);
  start(set);
  return set;
}

static uint64_t read_one(struct hd_event_set *set) {
  uint64_t counts[HD_EVENTS_MOST];
  CHECK(papi->read(set, counts));
  return counts[0];
}

/* ---- the library ---- */

OWN_PROCESS_TEST(test_a_library_that_is_not_there_is_said_so) {
  check_refused("/nowhere/libpapi.so", "No such file");
}

OWN_PROCESS_TEST(test_a_library_that_is_not_papi_is_refused) {
  check_refused("libm.so.6", "it has no PAPI_library_init");
}

OWN_PROCESS_TEST(test_another_version_is_refused) {
  setenv("STUB_PAPI_VERSION", "0x06010000", 1);
  check_refused(STUB_PAPI, "it is PAPI 6.1, and Heddle was built for PAPI 7.0");
}

OWN_PROCESS_TEST(test_a_library_that_cannot_begin_is_refused) {
  setenv("STUB_PAPI_VERSION", "-1", 1);
  check_refused(STUB_PAPI, "PAPI_library_init: Invalid argument");
}

OWN_PROCESS_TEST(test_the_source_describes_itself) {
  char text[400];
  open_with("STUB_PAPI_SET_MOST=6");
  papi->describe(text, sizeof text);
  CHECK_TEXT(text, "PAPI 7.0.0 (" STUB_PAPI "); 6 counters of the processor, read with a system call");
}

/* Whatever PAPI there is on this machine, it writes nothing where the program's output goes. */
OWN_PROCESS_TEST(test_opening_the_real_one_writes_no_output) {
  char why[400] = "", text[16];
  int ends[2];
  CHECK(!pipe(ends) && dup2(ends[1], STDOUT_FILENO) >= 0);
  close(ends[1]);
  papi->describe(why, sizeof why);
  fflush(stdout);
  close(STDOUT_FILENO);
  CHECK_EQUAL(read(ends[0], text, sizeof text), 0);
}

/* ---- the program's own use ---- */

static int start_own(void) {
  int set = PAPI_NULL, code = 0;
  CHECK_EQUAL(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  CHECK_EQUAL(PAPI_event_name_to_code("STUB_CLOCK", &code), PAPI_OK);
  CHECK_EQUAL(PAPI_create_eventset(&set), PAPI_OK);
  CHECK_EQUAL(PAPI_add_event(set, code), PAPI_OK);
  CHECK_EQUAL(PAPI_start(set), PAPI_OK);
  return set;
}

OWN_PROCESS_TEST(test_a_program_that_began_before_keeps_its_papi) {
  long long value;
  set_up("STUB_PAPI_ONE_SET=1");
  const int own = start_own();
  now = 100;
  open_with(NULL);
  struct hd_event_set *set = start_one("STUB_CLOCK");
  now = 150;
  CHECK_EQUAL(read_one(set), 50);
  CHECK_EQUAL(PAPI_read(own, &value), PAPI_OK);
  CHECK_EQUAL(value, 150);
  PAPI_shutdown();
  now = 190;
  CHECK_EQUAL(read_one(set), 90);
}

OWN_PROCESS_TEST(test_a_program_that_begins_later_finds_its_papi_untouched) {
  long long value;
  open_with("STUB_PAPI_ONE_SET=1");
  struct hd_event_set *set = start_one("STUB_CLOCK");
  now = 100;
  CHECK_EQUAL(PAPI_is_initialized(), PAPI_NOT_INITED);
  const int own = start_own();
  CHECK_EQUAL(own, 0); /* its first set */
  now = 130;
  CHECK_EQUAL(PAPI_stop(own, &value), PAPI_OK);
  CHECK_EQUAL(value, 30);
  CHECK_EQUAL(read_one(set), 130);
}

/* ---- events ---- */

OWN_PROCESS_TEST(test_presets_are_known_in_any_case) {
  struct hd_counter_event event, other;
  char why[400] = "";
  open_with(NULL);
  CHECK_EQUAL(find("PAPI_TOT_INS", &event, why), HD_COUNTER_FOUND);
  CHECK_TEXT(event.description, "Instructions completed");
  CHECK_TEXT(event.unit, "");
  CHECK_EQUAL(find("Papi_tot_ins", &other, why), HD_COUNTER_FOUND);
  CHECK_EQUAL(other.code, event.code);
  CHECK_TEXT(other.name, "Papi_tot_ins");
}

OWN_PROCESS_TEST(test_native_events_are_described_in_one_line) {
  struct hd_counter_event event;
  char why[400] = "";
  open_with(NULL);
  CHECK_EQUAL(find("STUB_CLOCK", &event, why), HD_COUNTER_FOUND);
  CHECK_TEXT(event.description, "time");
  CHECK_TEXT(event.unit, "ns");
  CHECK_EQUAL(event.component, 0);
  CHECK_EQUAL(find("other:::CLOCK", &event, why), HD_COUNTER_FOUND);
  CHECK_EQUAL(event.component, 1);
}

static void check_status(const char *name, enum hd_counter_status status, const char *reason) {
  struct hd_counter_event event;
  char why[400] = "";
  CHECK_EQUAL(find(name, &event, why), status);
  CHECK_TEXT(why, reason);
}

OWN_PROCESS_TEST(test_reasons_say_why_an_event_is_not_to_be_had) {
  open_with(NULL);
  check_status("PAPI_TLB_DM", HD_COUNTER_UNAVAILABLE, "PAPI knows no way to count it on this processor");
  check_status("STUB_ABSENT", HD_COUNTER_UNAVAILABLE, "PAPI cannot count it here");
  check_status("broken:::TEMPERATURE", HD_COUNTER_UNAVAILABLE,
               "PAPI's component broken is disabled: there is no such device");
  check_status("stranger:::TEMPERATURE", HD_COUNTER_UNKNOWN, "");
  check_status("PAPI_TOT_INX", HD_COUNTER_UNKNOWN, "");
}

OWN_PROCESS_TEST(test_without_the_processors_component_its_reason_is_told) {
  open_with("STUB_PAPI_DISABLED=no default PMU");
  const char *reason = "PAPI's component perf_event is disabled: no default PMU";
  check_status("PAPI_TOT_INS", HD_COUNTER_UNAVAILABLE, reason);
  check_status("STUB_CLOCK", HD_COUNTER_UNKNOWN, reason);
  check_status("other:::CLOCK", HD_COUNTER_FOUND, "");
}

OWN_PROCESS_TEST(test_missing_permission_names_the_setting) {
  const char *name = "STUB_EPERM";
  char why[400] = "";
  open_with(NULL);
  CHECK(!try_create(&name, 1, why));
  CHECK_CONTAINS(why, "/proc/sys/kernel/perf_event_paranoid");
}

struct visited {
  uint32_t most, count, unavailable;
  char names[1000];
};

static bool visit(void *context, const struct hd_counter_event *event, bool available, const char *why) {
  struct visited *visited = context;
  CHECK(event->source == papi);
  CHECK(available == !why[0]);
  strcat(strcat(visited->names, event->name), " ");
  visited->unavailable += !available;
  return ++visited->count < visited->most;
}

#define DIGITS "0123456789"
#define LONG DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS

OWN_PROCESS_TEST(test_walk_visits_presets_and_all_components) {
  struct visited all = {.most = 100}, some = {.most = 7};
  open_with(NULL);
  papi->each(visit, &all);
  CHECK_TEXT(all.names, "PAPI_TOT_CYC PAPI_TOT_INS PAPI_L3_TCM PAPI_BR_INS PAPI_TLB_DM STUB_CLOCK STUB_CLOCK_2 "
                        "STUB_CLOCK_3 STUB_CLOCK_5 STUB_READS STUB_SIGN STUB_WRAP STUB_BACK STUB_SETS STUB_THREADS "
                        "STUB_NEEDS_2 STUB_EPERM STUB_ABSENT STUB_MASKED:ODD STUB_MASKED:EVEN "
                        "STUB_LONG_A_" LONG " STUB_LONG_B_" LONG " other:::CLOCK other:::CLOCK_7 ");
  CHECK_EQUAL(all.unavailable, 3);
  papi->each(visit, &some);
  CHECK_EQUAL(some.count, 7);
}

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
      cmocka_unit_test(test_a_library_that_is_not_there_is_said_so),
      cmocka_unit_test(test_a_library_that_is_not_papi_is_refused),
      cmocka_unit_test(test_another_version_is_refused),
      cmocka_unit_test(test_a_library_that_cannot_begin_is_refused),
      cmocka_unit_test(test_the_source_describes_itself),
      cmocka_unit_test(test_opening_the_real_one_writes_no_output),
      cmocka_unit_test(test_a_program_that_began_before_keeps_its_papi),
      cmocka_unit_test(test_a_program_that_begins_later_finds_its_papi_untouched),
      cmocka_unit_test(test_presets_are_known_in_any_case),
      cmocka_unit_test(test_native_events_are_described_in_one_line),
      cmocka_unit_test(test_reasons_say_why_an_event_is_not_to_be_had),
      cmocka_unit_test(test_without_the_processors_component_its_reason_is_told),
      cmocka_unit_test(test_missing_permission_names_the_setting),
      cmocka_unit_test(test_walk_visits_presets_and_all_components),
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
