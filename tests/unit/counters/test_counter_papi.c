/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * PAPI's library and its events, on the stub (stub_papi.c). This program is linked with it, too: it uses PAPI itself.
 */
#include <errno.h>
#include <papi.h>

#include "counted_work.h"
#include "papi_sets.h"

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

/* perf_event_open fails with `error`. */
static void check_described(int error, enum hd_source_state state, const char *counters) {
  char text[400];
  forbid(error);
  open_with("STUB_PAPI_SET_MOST=6");
  CHECK_EQUAL(papi->describe(text, sizeof text), state);
  CHECK_CONTAINS(text, "PAPI 7.0.0 (" STUB_PAPI "); ");
  CHECK_TEXT(strstr(text, "); ") + 3, counters);
}

OWN_PROCESS_TEST(test_the_source_describes_itself) {
  check_described(EACCES, HD_SOURCE_WHOLE, "6 counters of the processor, read with a system call");
}

/* As in a virtual machine: PAPI knows the processor's model. */
OWN_PROCESS_TEST(test_counters_that_the_machine_keeps_back_are_none) {
  check_described(ENOENT, HD_SOURCE_LACKING, "this machine exposes no hardware counters");
}

OWN_PROCESS_TEST(test_a_disabled_processor_has_no_counters) {
  setenv("STUB_PAPI_DISABLED", "no default PMU", 1);
  check_described(EACCES, HD_SOURCE_LACKING, "no counters of the processor");
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

OWN_PROCESS_TEST(test_the_kernels_names_are_left_to_the_kernel) {
  static const char *const names[] = {"perf::CPU-MIGRATIONS", "perf::PAGE-FAULTS", "Perf::cpu-migrations"};
  open_with(NULL);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    check_status(names[i], HD_COUNTER_UNKNOWN, "");
  check_status("perf::CYCLES", HD_COUNTER_FOUND, "");
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

static struct visited visited_of(char *variable) {
  struct visited all = {.most = 100};
  open_with(variable);
  papi->each(visit, &all);
  return all;
}

static void check_agreement(const char *name, char *variable) {
  struct hd_counter_event event = {0};
  char why[400] = "";
  const struct visited all = visited_of(variable);
  CHECK(all.count > 10);
  CHECK_EQUAL(all.unavailable, all.count);
  CHECK_EQUAL(hd_source_ask(papi, name, &event, why, sizeof why), HD_COUNTER_UNAVAILABLE);
  CHECK(why[0]);
}

/* A set can be created where nothing can be counted. */
OWN_PROCESS_TEST(test_what_cannot_be_started_is_not_available) {
  check_agreement("STUB_CLOCK", "STUB_PAPI_FAIL=start:1+");
}

OWN_PROCESS_TEST(test_what_cannot_be_read_is_not_available) {
  check_agreement("STUB_CLOCK", "STUB_PAPI_FAIL=read:1+");
}

#define DIGITS "0123456789"
#define LONG DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS

OWN_PROCESS_TEST(test_walk_visits_presets_and_all_components) {
  struct visited all = {.most = 100}, some = {.most = 7};
  open_with(NULL);
  papi->each(visit, &all);
  CHECK_TEXT(all.names, "PAPI_TOT_CYC PAPI_TOT_INS PAPI_L3_TCM PAPI_BR_INS PAPI_TLB_DM STUB_CLOCK STUB_CLOCK_2 "
                        "STUB_CLOCK_3 STUB_CLOCK_5 STUB_READS STUB_SIGN STUB_WRAP STUB_BACK STUB_SETS STUB_THREADS "
                        "STUB_NEEDS_2 STUB_EPERM STUB_ABSENT perf::CYCLES STUB_MASKED:ODD STUB_MASKED:EVEN "
                        "STUB_LONG_A_" LONG " STUB_LONG_B_" LONG " other:::CLOCK other:::CLOCK_7 ");
  CHECK_EQUAL(all.unavailable, 3);
  papi->each(visit, &some);
  CHECK_EQUAL(some.count, 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_library_that_is_not_there_is_said_so),
      cmocka_unit_test(test_a_library_that_is_not_papi_is_refused),
      cmocka_unit_test(test_another_version_is_refused),
      cmocka_unit_test(test_a_library_that_cannot_begin_is_refused),
      cmocka_unit_test(test_the_source_describes_itself),
      cmocka_unit_test(test_counters_that_the_machine_keeps_back_are_none),
      cmocka_unit_test(test_a_disabled_processor_has_no_counters),
      cmocka_unit_test(test_opening_the_real_one_writes_no_output),
      cmocka_unit_test(test_a_program_that_began_before_keeps_its_papi),
      cmocka_unit_test(test_a_program_that_begins_later_finds_its_papi_untouched),
      cmocka_unit_test(test_presets_are_known_in_any_case),
      cmocka_unit_test(test_native_events_are_described_in_one_line),
      cmocka_unit_test(test_reasons_say_why_an_event_is_not_to_be_had),
      cmocka_unit_test(test_without_the_processors_component_its_reason_is_told),
      cmocka_unit_test(test_missing_permission_names_the_setting),
      cmocka_unit_test(test_the_kernels_names_are_left_to_the_kernel),
      cmocka_unit_test(test_what_cannot_be_started_is_not_available),
      cmocka_unit_test(test_what_cannot_be_read_is_not_available),
      cmocka_unit_test(test_walk_visits_presets_and_all_components),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
