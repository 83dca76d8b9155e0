/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Groups of events: what their files may say, what is wrong with others and where, and what their formulas give. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "counters/formula.h"
#include "counters/group.h"
#include "counters/likeness.h"

#define EVENTS "EVENTSET\nINS  PAPI_TOT_INS\nCYC  PAPI_TOT_CYC\n"

static struct hd_group *parse(const char *text) {
  char error[512] = "";
  struct hd_group *group = hd_group_parse("dir/NAME.txt", text, error, sizeof error);
  if (!group)
    fail_msg("%s", error);
  return group;
}

static struct hd_group *parse_formula(const char *formula) {
  char text[2000];
  snprintf(text, sizeof text, EVENTS "METRICS\nvalue\t%s\n", formula);
  return parse(text);
}

/* With INS 6, CYC 4, 2 s busy and 5 s elapsed. */
static double value_of(const char *formula) {
  struct hd_group *group = parse_formula(formula);
  group->values[0] = 6;
  group->values[1] = 4;
  group->busy_s = 2;
  group->elapsed_s = 5;
  const double value = hd_metric_value(group, &group->metrics[0]);
  hd_group_free(group);
  return value;
}

static void expect_error(const char *text, const char *expected) {
  char error[512] = "";
  struct hd_group *group = hd_group_parse("G.txt", text, error, sizeof error);
  if (group)
    fail_msg("parsed, but expected: %s", expected);
  assert_string_equal(error, expected);
}

/* The formula stands in line 5, from column 7 on. */
static void expect_formula_error(const char *formula, const char *expected) {
  char text[3000];
  char whole[600];
  snprintf(text, sizeof text, EVENTS "METRICS\nvalue\t%s\n", formula);
  snprintf(whole, sizeof whole, "G.txt:5: formula of 'value', column %s", expected);
  expect_error(text, whole);
}

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
  assert_true(hd_metric_value(group, &group->metrics[0]) == 3);
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

/* ---- what is wrong with formulas ---- */

static void test_unknown_events_are_named_with_the_nearest(void **state) {
  (void)state;
  expect_formula_error("INST / CYC", "7: 'INST' is no event of this group; nearest: INS");
  expect_formula_error("INS / CYCLES", "13: 'CYCLES' is no event of this group");
  expect_formula_error("INS / cyc", "13: 'cyc' is no event of this group; nearest: CYC");
  expect_formula_error("INS / elasped", "13: 'elasped' is no event of this group; nearest: elapsed");
  expect_formula_error("1e-9 *  PAPI_TOT_INS", "15: 'PAPI_TOT_INS' is no event of this group");
  expect_formula_error("sinus(INS)", "7: 'sinus' is no event of this group; nearest: INS");
}

static void test_columns_are_counted_in_characters(void **state) {
  (void)state;
  expect_error(EVENTS "METRICS\n  Zählung [µs]  INS / X\n",
               "G.txt:5: formula of 'Zählung', column 23: 'X' is no event of this group");
}

static void test_syntax_errors_have_muparsers_words_and_the_column(void **state) {
  (void)state;
  expect_formula_error("INS + * CYC", "13: Unexpected operator \"*\"");
  expect_formula_error("(INS", "11: Missing parenthesis");
  expect_formula_error("INS CYC", "11: Unexpected variable \"CYC\"");
  expect_formula_error("sin(INS, CYC)", "19: Too many parameters for function \"sin\"");
  expect_formula_error("INS % 2", "11: Unexpected token \"% 2\"");
  expect_formula_error("atan2(INS)", "16: Too few parameters for function \"atan2\"");
  expect_formula_error("INS,CYC", "10: ',' stands only between a function's arguments");
  expect_formula_error("INS / ", "12: Unexpected end of expression");
}

static void test_assignments_are_refused(void **state) {
  (void)state;
  expect_formula_error("INS = 3", "11: a formula cannot assign; == compares");
  expect_formula_error("INS == 6 ? (CYC = 7) : 1", "23: a formula cannot assign; == compares");
  expect_formula_error("(busy)=1", "13: a formula cannot assign; == compares");
  assert_true(value_of("(INS == 6) + (INS <= 6) + (INS >= 6) + (INS != 5)") == 4);
}

static void test_division_by_a_constant_zero_is_refused(void **state) {
  (void)state;
  expect_formula_error("INS / 0", "11: division by zero");
  expect_formula_error("INS/0.0 + 1", "10: division by zero");
  expect_formula_error("INS / (3 - 3)", "11: division by zero");
  expect_formula_error("INS / -0e5", "11: division by zero");
  expect_formula_error("1 / (CYC / sin(0))", "16: division by zero");
  expect_formula_error("INS / 0^2", "11: division by zero");
  expect_formula_error("INS / (1-1)^(1+1) * CYC", "11: division by zero");
  assert_true(value_of("INS / 2^0") == 6);
  assert_true(value_of("INS / 0.5 + 0") == 12);
  assert_true(value_of("INS / (0 + CYC)") == 1.5);
}

static void test_formulas_without_end_are_refused(void **state) {
  (void)state;
  char formula[1200];
  memset(formula, '(', sizeof formula);
  formula[1001] = '\0';
  char text[2000], error[200];
  snprintf(text, sizeof text, EVENTS "METRICS\nvalue\t%s\n", formula);
  expect_error(text, "G.txt:5: the formula of 'value' is longer than 1000 bytes");
  formula[1000] = '\0';
  snprintf(text, sizeof text, EVENTS "METRICS\nvalue\t%s\n", formula);
  assert_null(hd_group_parse("G.txt", text, error, sizeof error));
  memset(formula, '%', 1000);
  snprintf(text, sizeof text, EVENTS "METRICS\nvalue\t%s\n", formula);
  assert_null(hd_group_parse("G.txt", text, error, sizeof error));
  assert_true(strlen(error) < sizeof error);
}

/* ---- what formulas give ---- */

static void test_formulas_know_events_and_times(void **state) {
  (void)state;
  assert_true(value_of("INS / CYC") == 1.5);
  assert_true(value_of("busy") == 2);
  assert_true(value_of("elapsed + time") == 10);
  assert_true(value_of("1e-3 * INS / busy") == 0.003);
  assert_true(value_of("INS > CYC ? 10 : 20") == 10);
  assert_true(value_of("max(INS, CYC, 7)") == 7);
  assert_true(value_of("2^3 + -1") == 7);
}

static void test_values_follow_the_group(void **state) {
  (void)state;
  struct hd_group *group = parse_formula("INS / CYC");
  for (int i = 1; i < 5; i++) {
    group->values[0] = 1e15 * i;
    group->values[1] = 2;
    assert_true(hd_metric_value(group, &group->metrics[0]) == 5e14 * i);
  }
  hd_group_free(group);
}

static void test_what_has_no_value_is_nan(void **state) {
  (void)state;
  assert_true(isnan(value_of("INS / (CYC - 4)")));
  assert_true(isnan(value_of("(INS - 6) / (CYC - 4)")));
  assert_true(isnan(value_of("sqrt(CYC - INS)")));
  assert_true(isnan(value_of("log(INS - 6)")));
  assert_true(isnan(value_of("exp(1000 * INS)")));
  assert_true(isnan(value_of("1e308 * 10 + INS"))); /* muParser has worked out the constant beforehand */
  assert_true(isnan(value_of("(CYC - 4)^-1")));
}

/* A quotient without a value does not become a number again. */
static void test_a_division_by_zero_inside_is_nan(void **state) {
  (void)state;
  assert_true(isnan(value_of("1 / (INS / (CYC - 4))")));
  assert_true(isnan(value_of("min(INS / (CYC - 4), 100)")));
  assert_true(isnan(value_of("INS / (CYC - 4) > 1 ? 3 : 4")));
  assert_true(value_of("CYC == 4 ? 0 : INS / (CYC - 4)") == 0);
}

static void test_a_value_comes_back_after_nan(void **state) {
  (void)state;
  struct hd_group *group = parse_formula("INS / CYC");
  group->values[0] = 1;
  assert_true(isnan(hd_metric_value(group, &group->metrics[0])));
  group->values[1] = 4;
  assert_true(hd_metric_value(group, &group->metrics[0]) == 0.25);
  hd_group_free(group);
}

/* ---- finding groups ---- */

struct folder {
  char path[64];
};

static void write_file(const char *folder, const char *name, const char *text, size_t bytes) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, bytes, file), bytes);
  assert_int_equal(fclose(file), 0);
}

static void write_text(const char *folder, const char *name, const char *text) {
  write_file(folder, name, text, strlen(text));
}

static int make_folder(void **state) {
  static struct folder folder;
  strcpy(folder.path, "/tmp/heddle-groups-XXXXXX");
  *state = &folder;
  if (!mkdtemp(folder.path) || chdir(folder.path) != 0)
    return -1;
  return setenv("HEDDLE_GROUPS", folder.path, 1);
}

static int remove_folder(void **state) {
  const struct folder *folder = *state;
  char command[100];
  unsetenv("HEDDLE_GROUPS");
  snprintf(command, sizeof command, "rm -rf %s", folder->path);
  return chdir("/") + system(command);
}

static void expect_read(const char *name, const char *short_text) {
  char error[5000] = "";
  struct hd_group *group = hd_group_read(name, error, sizeof error);
  if (!group)
    fail_msg("%s", error);
  assert_string_equal(group->short_text, short_text);
  hd_group_free(group);
}

static const char *read_error(const char *name) {
  static char error[5000];
  struct hd_group *group = hd_group_read(name, error, sizeof error);
  assert_null(group);
  return error;
}

static void test_groups_are_found_by_name_in_any_case(void **state) {
  const struct folder *folder = *state;
  write_text(folder->path, "Mine.txt", "SHORT mine\nEVENTSET\nA\nMETRICS\nm  A\n");
  expect_read("Mine", "mine");
  expect_read("mINE", "mine");
  expect_read("Mine.txt", "mine");
  expect_read("./Mine.txt", "mine");
}

static void test_users_groups_come_before_heddles(void **state) {
  const struct folder *folder = *state;
  write_text(folder->path, "ipc.txt", "SHORT another\nEVENTSET\nA\nMETRICS\nm  A\n");
  expect_read("IPC", "another");
}

static void test_names_come_before_files(void **state) {
  const struct folder *folder = *state;
  mkdir("OS", 0700);
  unsetenv("HEDDLE_GROUPS");
  write_text(folder->path, "IPC", "SHORT not this\nEVENTSET\nA\nMETRICS\nm  A\n");
  write_text(folder->path, "word", "SHORT a file\nEVENTSET\nA\nMETRICS\nm  A\n");
  char error[500];
  struct hd_group *group = hd_group_read("IPC", error, sizeof error);
  assert_non_null(group);
  assert_string_not_equal(group->short_text, "not this");
  hd_group_free(group);
  group = hd_group_read("OS", error, sizeof error);
  assert_non_null(group);
  hd_group_free(group);
  expect_read("word", "a file");
}

static void test_unknown_groups_are_answered_with_names(void **state) {
  (void)state;
  assert_string_equal(read_error("BRANHC"), "no group of events 'BRANHC'; nearest: BRANCH");
  assert_string_equal(
      read_error("nothing-like-it"),
      "no group of events 'nothing-like-it'; there are: BRANCH, CACHE, FLOPS, FLOPS_DP, FLOPS_SP, IPC, MEM, OS");
  setenv("HEDDLE_GROUPS", "/nowhere", 1);
  assert_string_equal(read_error("BRANHC"),
                      "no group of events 'BRANHC' (and HEDDLE_GROUPS=/nowhere is no folder); nearest: BRANCH");
}

static void test_files_that_are_no_groups_are_refused(void **state) {
  const struct folder *folder = *state;
  char *large = calloc(1, (1 << 20) + 1);
  assert_non_null(large);
  memset(large, '#', (1 << 20) + 1);
  write_file(folder->path, "large.txt", large, (1 << 20) + 1);
  write_file(folder->path, "zero.txt", "SHORT\0x", 7);
  assert_string_equal(read_error("./large.txt"), "./large.txt: larger than 1 MiB: this is no group of events");
  assert_string_equal(read_error("./zero.txt"), "./zero.txt: has a zero byte: this is no text file");
  assert_string_equal(read_error("./missing.txt"), "./missing.txt: No such file or directory");
  assert_string_equal(read_error("/tmp"), "/tmp: Is a directory");
  write_file(folder->path, "most.txt", large, 1 << 20);
  assert_string_equal(read_error("./most.txt"), "./most.txt:1: EVENTSET is missing");
  free(large);
}

struct seen {
  char names[500];
  unsigned broken;
};

static void see(void *context, const struct hd_group *group, const char *error) {
  struct seen *seen = context;
  assert_true((group == NULL) == (error != NULL));
  seen->broken += group == NULL;
  snprintf(seen->names + strlen(seen->names), sizeof seen->names - strlen(seen->names), "%s ",
           group ? group->name : "?");
}

static void test_all_groups_are_listed_in_order(void **state) {
  const struct folder *folder = *state;
  struct seen seen = {0};
  write_text(folder->path, "ipc.txt", "SHORT another\nEVENTSET\nA\nMETRICS\nm  A\n");
  write_text(folder->path, "DAMAGED.txt", "nonsense");
  write_text(folder->path, "notes.md", "nonsense");
  hd_group_each(see, &seen);
  assert_string_equal(seen.names, "BRANCH CACHE ? FLOPS FLOPS_DP FLOPS_SP ipc MEM OS ");
  assert_int_equal(seen.broken, 1);
}

static void test_likeness(void **state) {
  (void)state;
  assert_int_equal(hd_likeness_distance("kitten", "sitting"), 3);
  assert_int_equal(hd_likeness_distance("abc", "ABC"), 0);
  assert_int_equal(hd_likeness_distance("", "abc"), 3);
  assert_true(hd_likeness_is_near("PAPI_TOT_INZ", "PAPI_TOT_INS"));
  assert_false(hd_likeness_is_near("A", "B"));
}

int main(void) {
  unsetenv("HEDDLE_GROUPS");
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
      cmocka_unit_test(test_unknown_events_are_named_with_the_nearest),
      cmocka_unit_test(test_columns_are_counted_in_characters),
      cmocka_unit_test(test_syntax_errors_have_muparsers_words_and_the_column),
      cmocka_unit_test(test_assignments_are_refused),
      cmocka_unit_test(test_division_by_a_constant_zero_is_refused),
      cmocka_unit_test(test_formulas_without_end_are_refused),
      cmocka_unit_test(test_formulas_know_events_and_times),
      cmocka_unit_test(test_values_follow_the_group),
      cmocka_unit_test(test_what_has_no_value_is_nan),
      cmocka_unit_test(test_a_division_by_zero_inside_is_nan),
      cmocka_unit_test(test_a_value_comes_back_after_nan),
      cmocka_unit_test_setup_teardown(test_groups_are_found_by_name_in_any_case, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_users_groups_come_before_heddles, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_names_come_before_files, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_unknown_groups_are_answered_with_names, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_files_that_are_no_groups_are_refused, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_all_groups_are_listed_in_order, make_folder, remove_folder),
      cmocka_unit_test(test_likeness),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
