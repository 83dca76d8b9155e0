/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Groups of events: what their files may say, and what is wrong with others and where. */
#include <string.h>

#include "group_text.h"
#include "output/metrics/formula.h"
#include "output/metrics/metric.h"

/* ---- what a file holds ---- */

static void test_all_sections_are_read(void **state) {
  (void)state;
  struct hd_group *group =
      parse("# a comment\n\nSHORT  Instructions per cycle\n\nEVENTSET\n  # another\nINS   PAPI_TOT_INS\n"
            "PAPI_TOT_CYC\nFAULTS\tperf::PAGE-FAULTS\n\nMETRICS\nIPC   INS / PAPI_TOT_CYC\n"
            "Clock rate [GHz]\t1e-9 * PAPI_TOT_CYC / busy\nAll  INS / time\n"
            "\nLONG\n\n  Two\nlines.\n\n");
  assert_string_equal(group->path, "dir/NAME.txt");
  assert_string_equal(group->name, "NAME");
  assert_string_equal(group->short_text, "Instructions per cycle");
  assert_string_equal(group->long_text, "  Two\nlines.");
  assert_int_equal(group->event_count, 3);
  assert_string_equal(group->events[0].alias, "INS");
  assert_string_equal(group->events[0].event, "PAPI_TOT_INS");
  assert_int_equal(group->events[0].line, 7);
  assert_string_equal(group->events[1].alias, "PAPI_TOT_CYC");
  assert_string_equal(group->events[1].event, "PAPI_TOT_CYC");
  assert_string_equal(group->events[2].event, "perf::PAGE-FAULTS");
  assert_int_equal(group->metric_count, 3);
  assert_string_equal(group->metrics[0].name, "IPC");
  assert_string_equal(group->metrics[0].unit, "");
  assert_string_equal(group->metrics[0].formula, "INS / PAPI_TOT_CYC");
  assert_int_equal(group->metrics[0].line, 12);
  assert_int_equal(group->metrics[0].event_count, 2);
  assert_false(group->metrics[0].uses_elapsed);
  assert_string_equal(group->metrics[1].name, "Clock rate");
  assert_string_equal(group->metrics[1].unit, "GHz");
  assert_int_equal(group->metrics[1].event_count, 1);
  assert_int_equal(group->metrics[1].events[0], 1);
  assert_false(group->metrics[1].uses_elapsed);
  assert_int_equal(group->metrics[2].events[0], 0);
  assert_true(group->metrics[2].uses_elapsed);
  hd_group_free(group);
}

static void test_only_events_and_metrics_are_needed(void **state) {
  (void)state;
  struct hd_group *group = parse("EVENTSET\nA\nMETRICS\nm  A");
  assert_string_equal(group->short_text, "");
  assert_string_equal(group->long_text, "");
  hd_group_free(group);
}

static void test_line_ends_of_other_systems_change_nothing(void **state) {
  (void)state;
  struct hd_group *group = parse("\xef\xbb\xbfSHORT a b\r\nEVENTSET\r\n\tINS\tPAPI_TOT_INS\t\r\nMETRICS\r\n \tRate\t "
                                 "\tINS  /  busy \r\nLONG\r\none\r\ntwo");
  assert_string_equal(group->short_text, "a b");
  assert_string_equal(group->events[0].event, "PAPI_TOT_INS");
  assert_string_equal(group->metrics[0].name, "Rate");
  assert_string_equal(group->metrics[0].formula, "INS  /  busy");
  assert_string_equal(group->long_text, "one\ntwo");
  hd_group_free(group);
}

static void test_names_may_be_in_any_language(void **state) {
  (void)state;
  struct hd_group *group = parse("SHORT Zyklen für α\nEVENTSET\nA\nMETRICS\nDurchsatz ⌀ [µs]  A\n");
  assert_string_equal(group->metrics[0].name, "Durchsatz ⌀");
  assert_string_equal(group->metrics[0].unit, "µs");
  hd_group_free(group);
}

static void test_long_text_may_hold_anything(void **state) {
  (void)state;
  struct hd_group *group = parse("EVENTSET\nA\nMETRICS\nm  A\nLONG\nEVENTSET\n# not a comment\nMETRICS\n");
  assert_string_equal(group->long_text, "EVENTSET\n# not a comment\nMETRICS");
  assert_int_equal(group->event_count, 1);
  hd_group_free(group);
}

static void test_most_events_fit(void **state) {
  (void)state;
  char text[4000] = "EVENTSET\n";
  for (unsigned i = 0; i < HD_EVENTS_MOST; i++)
    sprintf(text + strlen(text), "E%u  event:%u\n", i, i);
  char *end = text + strlen(text);
  strcpy(end, "METRICS\nm  E0 + E31\n");
  struct hd_group *group = parse(text);
  assert_int_equal(group->event_count, HD_EVENTS_MOST);
  group->values[0] = 1;
  group->values[31] = 2;
  assert_true(hd_metric_value(&group->metrics[0]) == 3);
  hd_group_free(group);
  strcpy(end, "E32  more\nMETRICS\nm  E0\n");
  expect_error(text, "G.txt:34: more than 32 events");
}

/* ---- what is wrong with files ---- */

static void test_missing_sections_are_named(void **state) {
  (void)state;
  expect_error("", "G.txt:1: EVENTSET is missing");
  expect_error("SHORT x\n\n", "G.txt:2: EVENTSET is missing");
  expect_error("SHORT x\nEVENTSET\nA\n", "G.txt:3: METRICS is missing");
  expect_error("SHORT x\nEVENTSET\nA\nLONG\nMETRICS\nm  A\n", "G.txt:4: METRICS is missing");
  expect_error("METRICS\nm  1\nEVENTSET\nA\n", "G.txt:1: METRICS needs an EVENTSET before it");
  expect_error("EVENTSET\n#A\nMETRICS\nm  1\n", "G.txt:1: EVENTSET has no event");
  expect_error("EVENTSET\nA\n\nMETRICS\n#m  1\n", "G.txt:4: METRICS has no metric");
}

static void test_unknown_sections_are_named(void **state) {
  (void)state;
  const char *rest = "': there are SHORT, EVENTSET, METRICS and LONG";
  const struct {
    const char *text, *where;
  } cases[] = {{"TITLE x\n", "G.txt:1: unknown section 'TITLE"},
               {"short x\nEVENTSET\n", "G.txt:1: unknown section 'short"},
               {"EVENTSET\nA\nMETRIC\nm  A\n", "G.txt:3: unknown section 'METRIC"},
               {"EVENTSET\nA\nMETRICS\nm  A\n\nLong\n", "G.txt:6: unknown section 'Long"},
               {"EVENTSET\nA\nSHORT x\nB\n", "G.txt:4: unknown section 'B"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char expected[200];
    snprintf(expected, sizeof expected, "%s%s", cases[i].where, rest);
    expect_error(cases[i].text, expected);
  }
}

static void test_sections_come_once_and_alone(void **state) {
  (void)state;
  expect_error("SHORT a\nSHORT b\n", "G.txt:2: a second SHORT: the first is in line 1");
  expect_error("EVENTSET\nA\nEVENTSET\nB\n", "G.txt:3: a second EVENTSET: the first is in line 1");
  expect_error("EVENTSET A\n", "G.txt:1: EVENTSET stands alone on its line");
  expect_error(EVENTS "METRICS IPC  INS/CYC\n", "G.txt:4: METRICS stands alone on its line");
}

static void test_names_of_events_are_checked(void **state) {
  (void)state;
  expect_error("EVENTSET\nA x\nB y\nA z\n", "G.txt:4: the name 'A' is taken: it is an event's in line 2");
  expect_error("EVENTSET\n1A x\n", "G.txt:2: '1A' is no name for formulas: a letter, then letters, digits and _");
  expect_error("EVENTSET\na-b x\n", "G.txt:2: 'a-b' is no name for formulas: a letter, then letters, digits and _");
  expect_error("EVENTSET\nperf::PAGE-FAULTS\n",
               "G.txt:2: event 'perf::PAGE-FAULTS' needs a name for formulas before it: a "
               "letter, then letters, digits and _");
  expect_error("EVENTSET\nA x y\n", "G.txt:2: more than a name and an event: 'y'");
  expect_error("EVENTSET\nA x,y\n", "G.txt:2: 'x,y': no event has a ',' in its name; one event on each line");
}

static void test_names_that_formulas_have_already_are_refused(void **state) {
  (void)state;
  expect_error("EVENTSET\nbusy x\n", "G.txt:2: the name 'busy' is taken: in formulas it is the busy time");
  expect_error("EVENTSET\nelapsed x\n", "G.txt:2: the name 'elapsed' is taken: in formulas it is the elapsed time");
  expect_error("EVENTSET\ntime x\n", "G.txt:2: the name 'time' is taken: in formulas it is the elapsed time");
  const char *const taken[] = {"sin",  "atan2", "log", "ln",  "exp", "sqrt", "sign",
                               "rint", "abs",   "min", "max", "sum", "avg"};
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    char text[100], expected[200];
    snprintf(text, sizeof text, "EVENTSET\n%s x\n", taken[i]);
    snprintf(expected, sizeof expected, "G.txt:2: the name '%s' is taken: in formulas it is a function", taken[i]);
    expect_error(text, expected);
  }
  expect_error("EVENTSET\n_pi x\n", "G.txt:2: the name '_pi' is taken: in formulas it is a constant");
  hd_group_free(parse("EVENTSET\nif x\nand y\ne z\nMETRICS\nm  if + and + e\n"));
}

static void test_long_names_are_refused(void **state) {
  (void)state;
  char text[400], expected[100];
  snprintf(text, sizeof text, "EVENTSET\nA %0128d\n", 0);
  expect_error(text, "G.txt:2: the event's name is longer than 127 bytes");
  snprintf(text, sizeof text, "EVENTSET\nA%063d x\n", 0);
  snprintf(expected, sizeof expected, "G.txt:2: the name is longer than %d bytes", HD_ALIAS_BYTES_MOST);
  expect_error(text, expected);
  snprintf(text, sizeof text, EVENTS "METRICS\n%0101d  INS\n", 0);
  expect_error(text, "G.txt:5: the metric's name is longer than 100 bytes");
}

static void test_metrics_have_a_name_and_a_formula(void **state) {
  (void)state;
  expect_error(EVENTS "METRICS\nIPC INS/CYC\n",
               "G.txt:5: 'IPC INS/CYC' has no formula: a metric is a name, two or more blanks or a tab, a formula");
  expect_error(EVENTS "METRICS\nIPC\n",
               "G.txt:5: 'IPC' has no formula: a metric is a name, two or more blanks or a tab, a formula");
  expect_error(EVENTS "METRICS\n[GHz]  CYC\n", "G.txt:5: a metric without a name");
  expect_error(EVENTS "METRICS\na  INS\nb  CYC\na [x]  CYC\n", "G.txt:7: a second metric 'a': the first is in line 5");
}

static void test_bytes_that_are_no_text_are_refused(void **state) {
  (void)state;
  expect_error("SHORT a\nSHORT \xff\n", "G.txt:2: byte 0xff is not UTF-8");
  expect_error("SHORT \xc3(\n", "G.txt:1: byte 0xc3 is not UTF-8");
  expect_error("SHORT \xed\xa0\x80\n", "G.txt:1: byte 0xed is not UTF-8");
  expect_error("SHORT \xf0\x9f\x98", "G.txt:1: byte 0xf0 is not UTF-8");
  expect_error("SHORT \x1b[31mred\n", "G.txt:1: control character 0x1b");
  expect_error("\nSHORT a\x1e"
               "b\n",
               "G.txt:2: control character 0x1e");
  expect_error("SHORT a\rEVENTSET\r", "G.txt:1: control character 0x0d");
}

static void test_a_short_buffer_for_the_error_is_enough(void **state) {
  (void)state;
  char error[8];
  for (size_t bytes = 1; bytes <= sizeof error; bytes++) {
    memset(error, 'x', sizeof error);
    assert_null(hd_group_parse("a/long/path.txt", "nonsense", error, bytes));
    assert_true(strlen(error) == bytes - 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_sections_are_read),
      cmocka_unit_test(test_only_events_and_metrics_are_needed),
      cmocka_unit_test(test_line_ends_of_other_systems_change_nothing),
      cmocka_unit_test(test_names_may_be_in_any_language),
      cmocka_unit_test(test_long_text_may_hold_anything),
      cmocka_unit_test(test_most_events_fit),
      cmocka_unit_test(test_missing_sections_are_named),
      cmocka_unit_test(test_unknown_sections_are_named),
      cmocka_unit_test(test_sections_come_once_and_alone),
      cmocka_unit_test(test_names_of_events_are_checked),
      cmocka_unit_test(test_names_that_formulas_have_already_are_refused),
      cmocka_unit_test(test_long_names_are_refused),
      cmocka_unit_test(test_metrics_have_a_name_and_a_formula),
      cmocka_unit_test(test_bytes_that_are_no_text_are_refused),
      cmocka_unit_test(test_a_short_buffer_for_the_error_is_enough),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
