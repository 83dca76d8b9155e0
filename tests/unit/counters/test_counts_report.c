/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_counts_report.c
 * Counts and metrics as people and other programs see them: in every report, and in the JSON.
 */
#include "routine_builder.h"

#include "output/model/memory.h"
#include "output/views/export/export.h"

/* main calls work, which runs a region of two threads with a loop and a critical section in it. A thread has 40 ticks
 * in the region, 40 in the loop and 20 in the critical section, whose counts are the loop's. */
struct sample {
  struct builder builder;
  uint32_t work, region, loop, critical;
  struct hd_counts_record *program_counts, *region_counts[2], *loop_counts[2];
};

enum { INS, NS }; /* the events */

static const char group[] = "/groups/rate.txt\nSHORT Rates\n\nEVENTSET\nINS  PAPI_TOT_INS\n\nMETRICS\n"
                            "ratio [1/tick]  1e-9 * INS / busy\nper instance    INS / elapsed\ninverse  busy / INS\n";

static void fill(struct hd_counts_record *record, uint64_t ins, uint64_t waiting) {
  builder_count(record, INS, HD_COUNT_BUSY, ins);
  builder_count(record, INS, HD_COUNT_WAITING, waiting);
  builder_count(record, NS, HD_COUNT_BUSY, 10 * ins);
}

static void build(struct sample *sample, uint32_t slots) {
  struct builder *builder = &sample->builder;
  routines_start(builder);
  builder_thread(builder, HD_THREAD_WORKER, 1000, 2000);
  builder_counters(builder, 2, slots, HD_COUNTERS_AT_LOOP);
  builder_event(builder, "PAPI_TOT_INS", slots > 0 ? 1 : 0);
  strcpy(builder_event(builder, "perf::TASK-CLOCK", slots)->unit, "ns");
  builder_cell(builder_row(builder, 0, 0), HD_BUSY)->ticks = 10;
  sample->work = routines_call(builder, 0, "work", 1, 10);
  sample->region = routines_node(builder, sample->work, HD_KIND_PARALLEL, "region", 0, 40);
  sample->loop = routines_node(builder, sample->region, HD_KIND_LOOP_STATIC, "loop", 1, 40);
  sample->critical = routines_node(builder, sample->loop, HD_KIND_CRITICAL, "critical", 1, 20);
  for (uint32_t profile = sample->region; profile <= sample->critical; profile++)
    builder_cell(builder_row(builder, profile, 1), HD_BUSY)->ticks = profile == sample->critical ? 20 : 40;
  *builder_total(builder, sample->region, 2) = (struct hd_total_record){
      .profile = sample->region, .team_size = 2, .instances = 1, .elapsed_ticks = 100, .capacity_ticks = 200};
  fill(sample->program_counts = builder_counts(builder, 0, 0), 7, 0);
  fill(sample->region_counts[0] = builder_counts(builder, sample->region, 0), 1000, 50);
  fill(sample->region_counts[1] = builder_counts(builder, sample->region, 1), 2000, 0);
  fill(sample->loop_counts[0] = builder_counts(builder, sample->loop, 0), 123456, 0);
  fill(sample->loop_counts[1] = builder_counts(builder, sample->loop, 1), 1000000, 0);
}

static char *report(struct sample *sample, struct hd_report_options options) {
  struct hd_model *model = builder_read(&sample->builder);
  char *text = routines_report(model, &options, HD_REPORT_MADE);
  hd_model_free(model);
  return text;
}

static void finish(struct sample *sample, char *text) {
  free(text);
  builder_free(&sample->builder);
}

static void test_regions_show_counts_with_the_lines_below(void **state) {
  (void)state;
  struct sample sample;
  build(&sample, 0);
  char *text = report(&sample, (struct hd_report_options){.question = HD_ASK_REGIONS});
  routines_expect(text, "PAPI_TOT_INS TASK-CLOCK Id Region");
  routines_expect(text, "1.126 M 11.265 ms 2 parallel");
  routines_expect(text, "1.123 M 11.235 ms 3 ");
  routines_expect(text, "- - 4 "); /* the critical section: not told apart */
  routines_expect(text, "'-' in a counter's column: not counted, counted in a line above");
  routines_expect(text, "1.126 M 50 0 0.0 PAPI_TOT_INS"); /* the whole run */
  routines_expect(
      text, "Counters: while busy, with the lines below; counted separately for regions, phases, loops and tasks.");
  routines_expect(text, "Not shown: PAPI_TOT_INS waiting; --csv has all.");
  assert_null(strstr(text, ">="));
  assert_null(strstr(text, "'~'"));
  finish(&sample, text);
}

static void test_without_counters_nothing_is_said(void **state) {
  (void)state;
  struct builder builder;
  routines_start(&builder);
  routines_node(&builder, 0, HD_KIND_LOOP, "loop", 3, 20);
  struct hd_model *model = builder_read(&builder);
  for (enum hd_question question = HD_ASK_REGIONS; question <= HD_ASK_TREE; question++) {
    const struct hd_report_options options = {.question = question, .with = "1"};
    char *text = routines_report(model, &options, HD_REPORT_MADE);
    assert_null(strstr(text, "Count"));
    assert_null(strstr(text, "counter"));
    free(text);
  }
  hd_model_free(model);
  builder_free(&builder);
}

static void test_groups_come_first(void **state) {
  (void)state;
  struct sample sample;
  build(&sample, 0);
  builder_text(&sample.builder, HD_TEXT_GROUP, 0, group, sizeof group - 1);
  char *text = report(&sample, (struct hd_report_options){.question = HD_ASK_REGIONS});
  routines_expect(text, "ratio [1/tick] per instance inverse TASK-CLOCK Id");
  routines_expect(text, "5632 11.26 T 1.78e-13 11.265 ms 2 parallel"); /* 1126456 / 200 */
  routines_expect(text, "Not shown: PAPI_TOT_INS, PAPI_TOT_INS waiting; --csv has all.");
  finish(&sample, text);
}

static size_t longest_line(const char *text) {
  size_t longest = 0;
  for (const char *end; (end = strchr(text, '\n')); text = end + 1)
    if ((size_t)(end - text) > longest)
      longest = (size_t)(end - text);
  return longest;
}

/* Where there is no terminal, too. */
static void test_tables_fit_the_page(void **state) {
  (void)state;
  struct sample sample;
  build(&sample, 0);
  builder_text(&sample.builder, HD_TEXT_GROUP, 0, group, sizeof group - 1);
  for (enum hd_question question = HD_ASK_REGIONS; question <= HD_ASK_TREE; question++) {
    if (question == HD_ASK_HISTOGRAM || (question >= HD_ASK_AT_LEVEL && question <= HD_ASK_OVERHEAD))
      continue;
    setenv("COLUMNS", "90", 1);
    char *made = report(&sample, (struct hd_report_options){.question = question});
    char *text = strdup(made);
    setenv("COLUMNS", "1000", 1);
    char *table = strstr(text, "imes in ");
    char *end = table ? strstr(table, "Left out") : NULL;
    if (question != HD_ASK_THREADS) {
      assert_non_null(end);
      routines_expect(end, "Left out, because a line has 90 characters: ");
      *end = '\0';
      assert_in_range(longest_line(table), 1, 90);
      routines_expect(table, "parallel");
    }
    free(made);
    free(text);
  }
  builder_free(&sample.builder);
}

static void test_threads_have_a_table_of_counts(void **state) {
  (void)state;
  struct sample sample;
  build(&sample, 0);
  char *text = report(&sample, (struct hd_report_options){.question = HD_ASK_THREADS});
  routines_expect(text, "PAPI_TOT_INS TASK-CLOCK PAPI_TOT_INS waiting Thread");
  routines_expect(text, "124.5 k 1.245 ms 50 0");
  routines_expect(text, "1.002 M 10.020 ms 0 1");
  finish(&sample, text);
}

static void test_flat_shows_what_is_in_the_line_itself(void **state) {
  (void)state;
  struct sample sample;
  build(&sample, 0);
  char *text = report(&sample, (struct hd_report_options){.question = HD_ASK_FLAT, .sort = HD_SORT_SELF});
  routines_expect(text, "3000 30.000 us parallel");
  routines_expect(text, "1.123 M 11.235 ms loop static");
  routines_expect(text, "- - work"); /* routines are told apart with `all` only */
  finish(&sample, text);
}

/* It has nothing of its own, whatever is told apart. */
static void test_a_routine_known_from_the_stack_has_inclusive_counts(void **state) {
  (void)state;
  struct sample sample;
  build(&sample, 0);
  sample.builder.header->counters_at = HD_COUNTERS_AT_ALL;
  const uint32_t caller = routines_unwound(&sample.builder, 0, "caller");
  const uint32_t region = routines_node(&sample.builder, caller, HD_KIND_PARALLEL, "other", 0, 40);
  fill(builder_counts(&sample.builder, region, 0), 5000, 0);
  char *text = report(&sample, (struct hd_report_options){.question = HD_ASK_FLAT, .sort = HD_SORT_SELF});
  routines_expect(text, "- - caller");
  free(text);
  text = report(&sample, (struct hd_report_options){.question = HD_ASK_TREE, .sort = HD_SORT_INCLUSIVE});
  routines_expect(text, "5000 50.000 us `-caller");
  finish(&sample, text);
}

static void test_tree_and_callgraph_show_counts_with_what_is_below(void **state) {
  (void)state;
  struct sample sample;
  build(&sample, 0);
  char *text = report(&sample, (struct hd_report_options){.question = HD_ASK_TREE, .sort = HD_SORT_INCLUSIVE});
  routines_expect(text, "0 1.126 M 11.265 ms program app");
  routines_expect(text, "1 - - `-work");
  free(text);
  text = report(&sample, (struct hd_report_options){.question = HD_ASK_CALLGRAPH, .sort = HD_SORT_INCLUSIVE});
  routines_expect(text, "1.126 M 11.265 ms parallel");
  routines_expect(text, "1.123 M 11.235 ms loop static");
  finish(&sample, text);
}

static void test_missing_counts_are_marked(void **state) {
  (void)state;
  struct sample sample;
  build(&sample, 0);
  builder_text(&sample.builder, HD_TEXT_GROUP, 0, group, sizeof group - 1);
  sample.loop_counts[1]->missing[HD_COUNT_BUSY] = 1 << INS;
  char *text = report(&sample, (struct hd_report_options){.question = HD_ASK_REGIONS});
  routines_expect(text, "- - - 11.265 ms 2 parallel");
  assert_null(strchr(text, '?'));
  routines_expect(text, "'>=': a lower bound");
  routines_expect(text, "not counted, counted in a line above");
  finish(&sample, text);
}

static void test_estimates_are_marked_with_their_fraction(void **state) {
  (void)state;
  struct sample sample;
  build(&sample, 2);
  struct hd_counts_record *const records[] = {sample.program_counts, sample.region_counts[0], sample.region_counts[1],
                                              sample.loop_counts[0], sample.loop_counts[1]};
  for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
    builder_turns(&sample.builder, records[i], 1, HD_COUNT_BUSY, 10);
    builder_turns(&sample.builder, records[i], 2, HD_COUNT_BUSY, 30);
  }
  char *text = report(&sample, (struct hd_report_options){.question = HD_ASK_REGIONS});
  routines_expect(text, "~4.506 M ~15.019 ms");
  routines_expect(text, "'~': an estimate: events took turns, each counted for 25 to 75 % of the time.");
  routines_expect(text,
                  "note these events took turns, and their counts are estimates: PAPI_TOT_INS / perf::TASK-CLOCK");
  finish(&sample, text);
}

static void test_division_by_zero_leaves_a_cell_empty(void **state) {
  (void)state;
  struct sample sample;
  build(&sample, 0);
  builder_text(&sample.builder, HD_TEXT_GROUP, 0, group, sizeof group - 1);
  fill(sample.loop_counts[0], 0, 0);
  fill(sample.loop_counts[1], 0, 0);
  char *text = report(&sample, (struct hd_report_options){.question = HD_ASK_REGIONS});
  routines_expect(text, "note group rate (/groups/rate.txt:9): 'inverse' divided by zero in 1 callpath: left empty");
  routines_expect(text, "0.000 - - 0 3 "); /* the loop: ratio, per instance, inverse, counts */
  finish(&sample, text);
}

static void test_many_events_are_limited_and_said(void **state) {
  (void)state;
  struct builder builder;
  routines_start(&builder);
  builder_counters(&builder, HD_EVENTS_MOST, 0, HD_COUNTERS_AT_REGION);
  for (uint32_t i = 0; i < HD_EVENTS_MOST; i++) {
    char name[64];
    snprintf(name, sizeof name, "pmu::A_VERY_LONG_NAME_OF_AN_EVENT:UMASK_%u", i);
    builder_event(&builder, name, 0);
  }
  routines_node(&builder, 0, HD_KIND_PARALLEL, "region", 0, 20);
  builder_count(builder_counts(&builder, 1, 0), HD_EVENTS_MOST - 1, HD_COUNT_BUSY, UINT64_MAX);
  struct hd_model *model = builder_read(&builder);
  for (enum hd_question question = HD_ASK_REGIONS; question <= HD_ASK_TREE; question++) {
    const struct hd_report_options options = {.question = question};
    if (question == HD_ASK_HISTOGRAM || (question >= HD_ASK_AT_LEVEL && question <= HD_ASK_OVERHEAD))
      continue;
    char *text = routines_report(model, &options, HD_REPORT_MADE);
    routines_expect(text, "Not shown: 8 more columns of counters; --csv has all.");
    routines_expect(text, "A_VERY_LON..MASK_0 A_VERY_LON..MASK_1");
    free(text);
  }
  hd_model_free(model);
  builder_free(&builder);
}

/* ---- comma-separated values ---- */

static void test_csv_is_exact(void **state) {
  (void)state;
  struct sample sample;
  build(&sample, 0);
  builder_text(&sample.builder, HD_TEXT_GROUP, 0, group, sizeof group - 1);
  sample.region_counts[1]->missing[HD_COUNT_BUSY] = 1 << NS;
  char *text = report(&sample, (struct hd_report_options){.question = HD_ASK_REGIONS, .csv = true});
  routines_expect(text, ",PAPI_TOT_INS inclusive,PAPI_TOT_INS waiting inclusive,PAPI_TOT_INS runtime inclusive,"
                        "PAPI_TOT_INS at least inclusive,perf::TASK-CLOCK inclusive,");
  routines_expect(text, ",perf::TASK-CLOCK at least inclusive,rate: ratio inclusive,rate: per instance inclusive,"
                        "rate: inverse inclusive");
  routines_expect(text, ",1126456,50,0,,,0,0,11264560,5632.");
  free(text);
  text = report(&sample, (struct hd_report_options){.question = HD_ASK_THREADS, .csv = true});
  routines_expect(text, ",0,initial,1.0");
  free(text);
  text = report(&sample, (struct hd_report_options){.question = HD_ASK_FLAT, .csv = true});
  routines_expect(text, ",3000,50,0,,,0,0,30000,");
  routines_expect(text, ",PAPI_TOT_INS self,PAPI_TOT_INS waiting self,");
  routines_expect(text, ",PAPI_TOT_INS inclusive,PAPI_TOT_INS at least inclusive,");
  free(text);
  text = report(&sample, (struct hd_report_options){.question = HD_ASK_TREE, .csv = true});
  routines_expect(text, ",perf::TASK-CLOCK inclusive,perf::TASK-CLOCK waiting inclusive,");
  routines_expect(text, ",perf::TASK-CLOCK self,");
  free(text);
  text = report(&sample, (struct hd_report_options){.question = HD_ASK_CALLGRAPH, .csv = true});
  routines_expect(text, ",1126463,50,0,,,0,0,11264630,");
  unsigned found = 0;
  for (const char *at = text; (at = strstr(at, ",1126456,50,0,")); at++)
    found++;
  assert_int_equal(found, 3); /* the region, its caller, and itself as that one's callee */
  finish(&sample, text);
}

static unsigned commas(const char *line) {
  unsigned count = 0;
  for (; *line && *line != '\n'; line++)
    count += *line == ',';
  return count;
}

/* All lines have as many fields as the first. */
static void test_csv_lines_have_all_fields(void **state) {
  (void)state;
  static const enum hd_question questions[] = {HD_ASK_REGIONS, HD_ASK_THREADS, HD_ASK_FLAT, HD_ASK_CALLGRAPH,
                                               HD_ASK_TREE};
  struct sample sample;
  build(&sample, 2);
  builder_text(&sample.builder, HD_TEXT_GROUP, 0, group, sizeof group - 1);
  routines_back(&sample.builder, sample.work, "work", 3, sample.work);
  for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
    char *text = report(&sample, (struct hd_report_options){.question = questions[i], .csv = true});
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
      assert_int_equal(commas(line), commas(text));
    free(text);
  }
  builder_free(&sample.builder);
}

/* ---- JSON ---- */

static char *json_of(const struct sample *sample) {
  char *text = NULL;
  size_t bytes = 0, kept = 0;
  struct hd_model *model = builder_read(&sample->builder);
  FILE *out = open_memstream(&text, &bytes);
  assert_true(hd_exporters[0]->write(model, HD_WEIGHT_WALL, out));
  fclose(out);
  for (size_t i = 0; i < bytes; i++)
    if (text[i] != ' ' && text[i] != '\n')
      text[kept++] = text[i];
  text[kept] = '\0';
  hd_model_free(model);
  return text;
}

static void expect_json(const char *text, const char *part) {
  if (!strstr(text, part))
    fail_msg("no %s in %s", part, text);
}

static void test_json_holds_counts(void **state) {
  (void)state;
  struct sample sample;
  build(&sample, 0);
  builder_text(&sample.builder, HD_TEXT_GROUP, 0, group, sizeof group - 1);
  char *text = json_of(&sample);
  expect_json(text, "\"counters\":{\"at\":\"loop\",\"multiplexed\":false,\"readings\":0,\"reading_s\":null,\"events\":["
                    "{\"name\":\"PAPI_TOT_INS\",\"source\":"
                    "\"kernel\",\"unit\":null,\"description\":\"\",\"cost_per_reading\":0,\"slot\":null}");
  expect_json(text, "\"groups\":[{\"name\":\"rate\"");
  expect_json(text, "\"counters\":{\"PAPI_TOT_INS\":3000,\"perf::TASK-CLOCK\":30000},\"counters_waiting\":{"
                    "\"PAPI_TOT_INS\":50,\"perf::TASK-CLOCK\":0}");
  expect_json(text, "\"counters_inclusive\":{\"PAPI_TOT_INS\":1126456,\"perf::TASK-CLOCK\":11264560}");
  expect_json(text, "\"counters\":{\"PAPI_TOT_INS\":null,\"perf::TASK-CLOCK\":null}");        /* the critical section */
  expect_json(text, "\"counters\":{\"PAPI_TOT_INS\":1002000,\"perf::TASK-CLOCK\":10020000}"); /* a thread */
  expect_json(text, "\"metrics_inclusive\":{\"rate:ratio\":5632.");
  assert_null(strstr(text, "_partial"));
  assert_null(strstr(text, "_fraction"));
  finish(&sample, text);
}

static void test_json_never_gives_a_part_as_the_whole(void **state) {
  (void)state;
  struct sample sample;
  build(&sample, 0);
  sample.region_counts[1]->missing[HD_COUNT_BUSY] = 1 << INS;
  sample.region_counts[1]->missing[HD_COUNT_WAITING] = 1 << INS;
  char *text = json_of(&sample);
  expect_json(text, "\"counters\":{\"PAPI_TOT_INS\":null,\"perf::TASK-CLOCK\":30000},\"counters_partial\":{"
                    "\"PAPI_TOT_INS\":{\"counted\":3000,\"threads_missing\":[1]}},\"counters_waiting\":{"
                    "\"PAPI_TOT_INS\":null");
  expect_json(text, "\"counters_waiting_partial\":{\"PAPI_TOT_INS\":{\"counted\":50,\"threads_missing\":[1]}}");
  expect_json(text, "\"counters_inclusive_partial\":{\"PAPI_TOT_INS\":{\"counted\":1126456,\"threads_missing\":[1]}}");
  finish(&sample, text);
}

static void test_json_tells_the_fraction_of_estimates(void **state) {
  (void)state;
  struct sample sample;
  build(&sample, 2);
  builder_turns(&sample.builder, sample.region_counts[0], 1, HD_COUNT_BUSY, 10);
  builder_turns(&sample.builder, sample.region_counts[0], 2, HD_COUNT_BUSY, 30);
  char *text = json_of(&sample);
  expect_json(text, "\"multiplexed\":true");
  expect_json(text, "\"counters\":{\"PAPI_TOT_INS\":4000,\"perf::TASK-CLOCK\":13333},\"counters_fraction\":{"
                    "\"PAPI_TOT_INS\":0.25,\"perf::TASK-CLOCK\":0.75}");
  finish(&sample, text);
}

static void test_names_of_events_cannot_break_the_json(void **state) {
  (void)state;
  struct sample sample;
  build(&sample, 0);
  struct hd_event_record *event = (void *)((char *)sample.builder.newest[HD_BLOCK_EVENTS] + HD_BLOCK_HEADER_BYTES);
  memset(event->name, 0xff, sizeof event->name);
  event->name[0] = '"';
  char *text = json_of(&sample);
  expect_json(text, "\"\\\"????");
  finish(&sample, text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_regions_show_counts_with_the_lines_below),
      cmocka_unit_test(test_without_counters_nothing_is_said),
      cmocka_unit_test(test_groups_come_first),
      cmocka_unit_test(test_tables_fit_the_page),
      cmocka_unit_test(test_threads_have_a_table_of_counts),
      cmocka_unit_test(test_flat_shows_what_is_in_the_line_itself),
      cmocka_unit_test(test_a_routine_known_from_the_stack_has_inclusive_counts),
      cmocka_unit_test(test_tree_and_callgraph_show_counts_with_what_is_below),
      cmocka_unit_test(test_missing_counts_are_marked),
      cmocka_unit_test(test_estimates_are_marked_with_their_fraction),
      cmocka_unit_test(test_division_by_zero_leaves_a_cell_empty),
      cmocka_unit_test(test_many_events_are_limited_and_said),
      cmocka_unit_test(test_csv_is_exact),
      cmocka_unit_test(test_csv_lines_have_all_fields),
      cmocka_unit_test(test_json_holds_counts),
      cmocka_unit_test(test_json_never_gives_a_part_as_the_whole),
      cmocka_unit_test(test_json_tells_the_fraction_of_estimates),
      cmocka_unit_test(test_names_of_events_cannot_break_the_json),
  };
  setenv("COLUMNS", "1000", 1); /* room for all columns */
  return cmocka_run_group_tests(tests, NULL, NULL);
}
