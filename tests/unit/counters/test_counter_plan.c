/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a list of events becomes: sets that can be counted, slots that take turns, or a reason. On the stub of libpapi.
 */
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <sys/resource.h>

#include "counted_work.h"
#include "counters/event_sets.h"
#include "counters/private_library.h"
#include "output/metrics/event_suggest.h"
#include "papi_cases.h"

static struct hd_event_sets plan;
static struct hd_event_sets_error error;

static bool make(const char *list, bool take_turns) {
  setenv("HEDDLE_PAPI", STUB_PAPI, 0);
  return hd_event_sets_make(&plan, list, take_turns, &error);
}

static void check_made(const char *list, bool take_turns) {
  if (!make(list, take_turns))
    fprintf(stderr, "%s: %s: %s\n", list, error.event, error.why);
  CHECK(!error.why[0]);
}

static void check_error(const char *list, const char *event, bool unknown, const char *why) {
  CHECK(!make(list, false));
  CHECK_TEXT(error.event, event);
  CHECK_TEXT(error.why, why);
  CHECK_EQUAL(error.unknown, unknown);
}

/* As "source slot: EVENT EVENT". */
static void check_set(uint32_t i, const char *expected) {
  char text[1000];
  const struct hd_counter_event *events[HD_EVENTS_MOST];
  CHECK(i < plan.set_count);
  const uint32_t count = hd_event_sets_events(&plan, &plan.sets[i], events);
  int length = snprintf(text, sizeof text, "%s %u:", plan.sets[i].source->name, plan.sets[i].slot);
  CHECK_EQUAL(count, plan.sets[i].count);
  for (uint32_t j = 0; j < count; j++) {
    CHECK(events[j]->source == plan.sets[i].source);
    length += snprintf(text + length, sizeof text - (size_t)length, " %s", events[j]->name);
  }
  CHECK_TEXT(text, expected);
}

/* ---- room ---- */

static void run_on_one_processor(void) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)sched_getcpu(), &one);
  CHECK(!sched_setaffinity(0, sizeof one, &one));
}

static void check_room(void) {
  const struct rlimit limit = {.rlim_cur = 64, .rlim_max = 64};
  run_on_one_processor(); /* as many threads as OMP_NUM_THREADS says */
  CHECK(!setrlimit(RLIMIT_NOFILE, &limit));
  setenv("OMP_NUM_THREADS", "5,2", 1); /* 5 x 3 of the 16 that are taken */
  check_made("page-faults,task-clock,cpu-migrations", false);
  CHECK_EQUAL(plan.set_count, 1);
  check_set(0, "kernel 0: page-faults task-clock cpu-migrations");
  setenv("OMP_NUM_THREADS", "6", 1);
  check_made("page-faults,task-clock,cpu-migrations", false);
  CHECK_EQUAL(plan.set_count, 2);
  check_set(0, "usage 0: page-faults task-clock");
  check_set(1, "kernel 0: cpu-migrations");
}

static void test_where_files_do_not_suffice_for_all_threads_others_count(void **state) {
  (void)state;
  hd_needs(HD_KERNEL_PERF);
  in_each_papi_case(check_room);
}

/* ---- lists ---- */

OWN_PROCESS_TEST(test_an_empty_name_is_refused) {
  static const char *const lists[] = {"", " ", ",", "page-faults,", ",page-faults", "page-faults,,task-clock", "a, ,b"};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    check_error(lists[i], "", false, "an event's name is empty");
}

OWN_PROCESS_TEST(test_a_name_that_is_too_long_is_refused) {
  char list[200] = "page-faults,";
  memset(list + 12, 'x', 128);
  check_error(list, "", false,
              "an event's name is longer than 127 characters: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...");
  list[12 + 127] = '\0';
  CHECK(!make(list, false));
  CHECK_TEXT(error.event, list + 12);
  CHECK(error.unknown);
}

OWN_PROCESS_TEST(test_too_many_events_are_refused) {
  char list[400] = "";
  for (int i = 0; i < 32; i++)
    snprintf(list + strlen(list), 12, "%sevent%d", i ? "," : "", i);
  CHECK(!make(list, false));
  CHECK_TEXT(error.event, "event0");
  strcat(list, ",one_more");
  check_error(list, "", false, "more than 32 events; at one_more");
}

OWN_PROCESS_TEST(test_names_lose_their_blanks_and_double_ones) {
  forbid(EPERM); /* on any machine the same source */
  check_made(" page-faults ,\ttask-clock,Page-Faults,page-faults\n", false);
  CHECK_EQUAL(plan.event_count, 2);
  CHECK_TEXT(plan.events[0].name, "page-faults");
  CHECK_TEXT(plan.events[1].name, "task-clock");
  CHECK_EQUAL(plan.set_count, 1);
  CHECK_EQUAL(plan.slots, 0);
  check_set(0, "usage 0: page-faults task-clock");
}

/* ---- sources ---- */

OWN_PROCESS_TEST(test_events_are_gathered_by_source_and_component) {
  forbid(EPERM);
  check_made("STUB_CLOCK,page-faults,other:::CLOCK,STUB_CLOCK_2,task-clock,other:::CLOCK_7", false);
  CHECK_EQUAL(plan.set_count, 3);
  CHECK_EQUAL(plan.slots, 0);
  check_set(0, "papi 0: STUB_CLOCK STUB_CLOCK_2");
  check_set(1, "usage 0: page-faults task-clock");
  check_set(2, "papi 0: other:::CLOCK other:::CLOCK_7");
  CHECK_TEXT(plan.events[4].unit, "ns");
}

OWN_PROCESS_TEST(test_a_name_that_nobody_knows_is_unknown) {
  check_error("page-faults,NONSENSE", "NONSENSE", true, "no such event");
}

OWN_PROCESS_TEST(test_what_is_not_to_be_had_here_is_told) {
  check_error("PAPI_TLB_DM", "PAPI_TLB_DM", false, "PAPI knows no way to count it on this processor");
  check_error("broken:::X", "broken:::X", false, "PAPI's component broken is disabled: there is no such device");
  CHECK(!make("page-faults,STUB_EPERM", false));
  CHECK_TEXT(error.event, "STUB_EPERM");
  CHECK_CONTAINS(error.why, "perf_event_paranoid");
}

OWN_PROCESS_TEST(test_software_events_need_no_papi) {
  setenv("HEDDLE_PAPI", "/nowhere/libpapi.so", 1);
  check_made("page-faults", false);
  check_error("page-faults,PAPI_TOT_INS", "PAPI_TOT_INS", true,
              "PAPI cannot be used: /nowhere/libpapi.so: cannot open shared object file: No such file or directory");
}

/* ---- what fits together ---- */

OWN_PROCESS_TEST(test_a_misfit_names_what_fits_together) {
  setenv("STUB_PAPI_SET_MOST", "2", 1);
  check_error("PAPI_TOT_INS,page-faults,PAPI_TOT_CYC,STUB_CLOCK,STUB_NEEDS_2,STUB_CLOCK_2", "", false,
              "not all at once: the processor has too few counters; these fit together: PAPI_TOT_INS, PAPI_TOT_CYC or "
              "STUB_CLOCK, STUB_CLOCK_2 or STUB_NEEDS_2; count them in separate runs, or let them take turns "
              "(--multiplex, HEDDLE_MULTIPLEX=1)");
}

OWN_PROCESS_TEST(test_what_fits_does_not_take_turns) {
  setenv("STUB_PAPI_SET_MOST", "2", 1);
  check_made("PAPI_TOT_INS,page-faults,PAPI_TOT_CYC", true);
  CHECK_EQUAL(plan.slots, 0);
}

OWN_PROCESS_TEST(test_components_take_turns_in_step) {
  setenv("STUB_PAPI_SET_MOST", "2", 1);
  setenv("STUB_PAPI_OTHER_MOST", "1", 1);
  forbid(EPERM);
  check_made("PAPI_TOT_INS,page-faults,other:::CLOCK,PAPI_TOT_CYC,STUB_CLOCK,STUB_NEEDS_2,other:::CLOCK_7", true);
  CHECK_EQUAL(plan.slots, 3);
  CHECK_EQUAL(plan.set_count, 6);
  check_set(0, "papi 1: PAPI_TOT_INS PAPI_TOT_CYC");
  check_set(1, "papi 2: STUB_CLOCK");
  check_set(2, "papi 3: STUB_NEEDS_2");
  check_set(3, "usage 0: page-faults");
  check_set(4, "papi 1: other:::CLOCK");
  check_set(5, "papi 2: other:::CLOCK_7");
}

OWN_PROCESS_TEST(test_all_misfits_are_named_by_slot) {
  setenv("STUB_PAPI_SET_MOST", "1", 1);
  setenv("STUB_PAPI_OTHER_MOST", "1", 1);
  CHECK(!make("PAPI_TOT_INS,other:::CLOCK,PAPI_TOT_CYC,other:::CLOCK_7", false));
  CHECK_CONTAINS(error.why, "fit together: PAPI_TOT_INS, other:::CLOCK or PAPI_TOT_CYC, other:::CLOCK_7; count");
}

OWN_PROCESS_TEST(test_an_event_that_never_fits_is_named_even_in_turns) {
  setenv("STUB_PAPI_SET_MOST", "1", 1);
  CHECK(!make("STUB_CLOCK,STUB_NEEDS_2", true));
  CHECK_TEXT(error.event, "STUB_NEEDS_2");
  CHECK_TEXT(error.why, "the processor has too few counters");
  CHECK(!error.unknown);
}

OWN_PROCESS_TEST(test_a_long_list_of_misfits_is_cut_before_the_advice) {
  char list[1000] = "";
  static const char *const names[] = {"STUB_CLOCK", "STUB_CLOCK_2", "STUB_CLOCK_3", "STUB_CLOCK_5",    "PAPI_TOT_INS",
                                      "STUB_SIGN",  "STUB_WRAP",    "STUB_BACK",    "STUB_READS",      "PAPI_TOT_CYC",
                                      "STUB_SETS",  "STUB_THREADS", "PAPI_L3_TCM",  "STUB_MASKED:ODD", "PAPI_BR_INS"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    snprintf(list + strlen(list), 100, "%s%s", i ? "," : "", names[i]);
  setenv("STUB_PAPI_SET_MOST", "1", 1);
  for (char letter = 'A'; letter <= 'B'; letter++) {
    snprintf(list + strlen(list), 20, ",STUB_LONG_%c_", letter);
    for (int i = 0; i < 10; i++)
      strcat(list, "0123456789");
  }
  CHECK(!make(list, false));
  CHECK_CONTAINS(error.why, "STUB_CLOCK or STUB_CLOCK_2 or");
  const char *advice = strstr(error.why, "; count them in separate runs");
  CHECK(advice);
  CHECK_TEXT(advice, "; count them in separate runs, or let them take turns (--multiplex, HEDDLE_MULTIPLEX=1)");
  CHECK_EQUAL(strlen(error.why), sizeof error.why - 2);
}

OWN_PROCESS_TEST(test_a_failure_that_passes_makes_no_turns) {
  setenv("STUB_PAPI_FAIL", "start:3", 1); /* each alone, then both */
  check_made("STUB_CLOCK,STUB_CLOCK_2", false);
  CHECK_EQUAL(plan.slots, 0);
  CHECK_EQUAL(plan.set_count, 1);
  check_set(0, "papi 0: STUB_CLOCK STUB_CLOCK_2");
}

OWN_PROCESS_TEST(test_sets_that_cannot_start_are_no_plan) {
  setenv("STUB_PAPI_FAIL", "start:1+", 1);
  check_error("STUB_CLOCK,STUB_CLOCK_2", "STUB_CLOCK", false, "PAPI_start: A System/C library call failed");
}

OWN_PROCESS_TEST(test_sets_that_cannot_be_read_are_no_plan) {
  setenv("STUB_PAPI_FAIL", "read:1+", 1);
  check_error("STUB_CLOCK", "STUB_CLOCK", false, "the counts cannot be read");
}

OWN_PROCESS_TEST(test_trying_out_leaves_nothing_behind) {
  const struct hd_counter_event *events[HD_EVENTS_MOST];
  uint64_t counts[HD_EVENTS_MOST];
  char why[400] = "";
  setenv("STUB_PAPI_SET_MOST", "2", 1);
  setenv("STUB_PAPI_ONE_SET", "1", 1);
  check_made("STUB_SETS,STUB_THREADS,STUB_CLOCK,STUB_CLOCK_2,STUB_CLOCK_3", true);
  const struct hd_source *source = plan.sets[0].source;
  struct hd_event_set *set =
      source->create(events, hd_event_sets_events(&plan, &plan.sets[0], events), why, sizeof why);
  CHECK(set && source->start(set, why, sizeof why) && source->read(set, counts));
  CHECK_EQUAL(counts[0], 1);
  CHECK_EQUAL(counts[1], 1);
}

/* ---- the private copy of a library ---- */

OWN_PROCESS_TEST(test_a_copy_is_not_found_by_its_name) {
  char why[400] = "";
  const struct hd_private_library copy = hd_private_library_load(STUB_PAPI, why, sizeof why);
  CHECK_TEXT(why, "");
  CHECK(copy.library);
  CHECK_TEXT(copy.path, STUB_PAPI);
  CHECK(!dlopen("libstub-papi.so", RTLD_NOW | RTLD_NOLOAD));
  void *original = dlopen(STUB_PAPI, RTLD_NOW | RTLD_GLOBAL);
  CHECK(original && original != copy.library);
  CHECK(dlsym(original, "PAPI_read") != dlsym(copy.library, "PAPI_read"));
  CHECK(dlopen("libstub-papi.so", RTLD_NOW | RTLD_NOLOAD) == original);
}

OWN_PROCESS_TEST(test_a_file_that_is_no_library_is_refused) {
  char why[400] = "";
  CHECK(!hd_private_library_load("/proc/self/cmdline", why, sizeof why).library);
  CHECK_CONTAINS(why, "/proc/self/cmdline");
}

/* ---- nearest names ---- */

static void check_nearest(const char *name, const char *expected) {
  char names[3][128], text[400] = "";
  setenv("HEDDLE_PAPI", STUB_PAPI, 0);
  const uint32_t count = hd_event_suggest(name, 3, names);
  CHECK(count <= 3);
  for (uint32_t i = 0; i < count; i++)
    strcat(strcat(text, names[i]), " ");
  CHECK_TEXT(text, expected);
}

OWN_PROCESS_TEST(test_misspelt_names_have_near_ones) {
  check_nearest("PAPI_TOT_INX", "PAPI_TOT_INS ");
  check_nearest("papi_l3_tcn", "PAPI_L3_TCM ");
  check_nearest("TOT_INS", "PAPI_TOT_INS ");
  check_nearest("perf::PAGE_FAULT", "perf::PAGE-FAULTS ");
  check_nearest("cpu_clk", "perf::CPU-CLOCK ");
  check_nearest("contextswitches", "perf::CONTEXT-SWITCHES ");
  check_nearest("STUB_CLOK_5", "STUB_CLOCK_5 STUB_CLOCK_2 STUB_CLOCK_3 ");
}

OWN_PROCESS_TEST(test_parts_of_names_have_near_ones) {
  check_nearest("L3", "");
  check_nearest("TCM", "PAPI_L3_TCM ");
}

OWN_PROCESS_TEST(test_nonsense_has_no_near_names) {
  check_nearest("nonsense", "");
  check_nearest("xyz", "");
  check_nearest("", "");
  check_nearest("PAPI_", "");
  check_nearest("perf::", "");
}

OWN_PROCESS_TEST(test_no_more_names_than_asked_for) {
  char names[40][128];
  setenv("HEDDLE_PAPI", STUB_PAPI, 0);
  CHECK_EQUAL(hd_event_suggest("STUB_CLOCK_X", 0, names), 0);
  CHECK_EQUAL(hd_event_suggest("STUB_CLOCK_X", 1, names), 1);
  CHECK(hd_event_suggest("STUB", 40, names) <= 16);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_where_files_do_not_suffice_for_all_threads_others_count),
      cmocka_unit_test(test_an_empty_name_is_refused),
      cmocka_unit_test(test_a_name_that_is_too_long_is_refused),
      cmocka_unit_test(test_too_many_events_are_refused),
      cmocka_unit_test(test_names_lose_their_blanks_and_double_ones),
      cmocka_unit_test(test_events_are_gathered_by_source_and_component),
      cmocka_unit_test(test_a_name_that_nobody_knows_is_unknown),
      cmocka_unit_test(test_what_is_not_to_be_had_here_is_told),
      cmocka_unit_test(test_software_events_need_no_papi),
      cmocka_unit_test(test_a_misfit_names_what_fits_together),
      cmocka_unit_test(test_what_fits_does_not_take_turns),
      cmocka_unit_test(test_components_take_turns_in_step),
      cmocka_unit_test(test_all_misfits_are_named_by_slot),
      cmocka_unit_test(test_an_event_that_never_fits_is_named_even_in_turns),
      cmocka_unit_test(test_a_long_list_of_misfits_is_cut_before_the_advice),
      cmocka_unit_test(test_a_failure_that_passes_makes_no_turns),
      cmocka_unit_test(test_sets_that_cannot_start_are_no_plan),
      cmocka_unit_test(test_sets_that_cannot_be_read_are_no_plan),
      cmocka_unit_test(test_trying_out_leaves_nothing_behind),
      cmocka_unit_test(test_a_copy_is_not_found_by_its_name),
      cmocka_unit_test(test_a_file_that_is_no_library_is_refused),
      cmocka_unit_test(test_misspelt_names_have_near_ones),
      cmocka_unit_test(test_parts_of_names_have_near_ones),
      cmocka_unit_test(test_nonsense_has_no_near_names),
      cmocka_unit_test(test_no_more_names_than_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
