/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_report.c
 * Which lines a report shows, in which order, and how they are written.
 */
#include "profile_builder.h"

#include <stdio.h>

#include "output/analysis/lines/lines.h"
#include "output/model/memory.h"
#include "output/views/export/export.h"
#include "output/views/report/report.h"

/* Adds a region with one instance in a team of two that was busy for `busy` of 2 * `elapsed` ticks. */
static uint32_t add_region(struct builder *builder, uint32_t parent, const char *line, uint64_t elapsed,
                           uint64_t busy) {
  const uint32_t id = builder_profile(builder, parent, HD_KIND_PARALLEL)->id;
  struct hd_total_record *total = builder_total(builder, id, 2);
  total->instances = 1;
  total->elapsed_ticks = elapsed;
  total->capacity_ticks = 2 * elapsed;
  total->busy_ticks = total->busy_max_ticks = busy;
  builder_name(builder, id, "main", "/src/app.c", line);
  return id;
}

static struct hd_row_record *add_construct(struct builder *builder, uint32_t parent, enum hd_kind kind,
                                           const char *line) {
  const uint32_t id = builder_profile(builder, parent, kind)->id;
  struct hd_row_record *row = builder_row(builder, id, 0);
  row->visits = 1;
  builder_name(builder, id, "main", "/src/app.c", line);
  return row;
}

static void start_with(struct builder *builder, uint32_t units) {
  builder_init_with(builder, units);
  builder_profile(builder, 0, HD_KIND_PROGRAM);
  builder_thread(builder, HD_THREAD_INITIAL, 1000, 1000);
}

static void start(struct builder *builder) {
  start_with(builder, BUILDER_UNITS);
}

/* The caller frees *text. */
static void print(const struct hd_model *model, const struct hd_report_options *options, char **text) {
  size_t bytes = 0;
  FILE *out = open_memstream(text, &bytes);
  assert_non_null(out);
  assert_int_equal(hd_report_print(model, options, out, out), HD_REPORT_MADE);
  fclose(out);
}

static void test_same_place_is_one_line(void **state) {
  (void)state;
  struct builder builder;
  start(&builder);
  const uint32_t first = add_region(&builder, 0, "10", 100, 150);
  const uint32_t second = add_region(&builder, 0, "10", 50, 60); /* the same line, inlined elsewhere */
  add_region(&builder, 0, "11", 50, 60);
  builder_cell(add_construct(&builder, first, HD_KIND_CRITICAL, "12"), HD_WAIT_CRITICAL)->ticks = 5;
  builder_cell(add_construct(&builder, second, HD_KIND_CRITICAL, "12"), HD_WAIT_CRITICAL)->ticks = 6;
  struct hd_model *model = builder_read(&builder);
  struct hd_lines *view = hd_lines_new(model, HD_SORT_ELAPSED, HD_LINES_CONSTRUCTS);
  assert_int_equal(view->count, 4);
  assert_int_equal(view->lines[1].visits, 2);
  assert_int_equal(view->lines[1].team.elapsed_ticks, 150);
  assert_int_equal(view->lines[1].subtree, 2);
  assert_int_equal(view->lines[2].ticks[HD_WAIT_CRITICAL], 11);
  assert_int_equal(view->lines[2].parent, 1);
  assert_int_equal(view->lines[3].node->name.line, 11);
  assert_int_equal(view->line_of_node[second], 1);
  hd_lines_free(view);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_without_a_line_only_equal_addresses_are_joined(void **state) {
  (void)state;
  enum { SITES = 500 }; /* many enough to meet in the hash table */
  struct builder builder;
  start(&builder);
  for (uint32_t i = 1; i <= SITES; i++) {
    builder_profile(&builder, 0, HD_KIND_CRITICAL);
    builder_name(&builder, i, "main", "", "");
  }
  builder_profile(&builder, 0, HD_KIND_CRITICAL)->offset = 0x1001; /* that of profile 1 */
  builder_name(&builder, SITES + 1, "main", "", "");
  struct hd_model *model = builder_read(&builder);
  struct hd_lines *view = hd_lines_new(model, HD_SORT_GAIN, HD_LINES_CONSTRUCTS);
  assert_int_equal(view->count, 1 + SITES);
  assert_int_equal(view->line_of_node[SITES + 1], view->line_of_node[1]);
  hd_lines_free(view);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_regions_are_sorted_by_gain(void **state) {
  (void)state;
  struct builder builder;
  start(&builder);
  add_region(&builder, 0, "10", 100, 190); /* gain 5 */
  add_region(&builder, 0, "20", 50, 60);   /* gain 20 */
  add_region(&builder, 0, "30", 60, 100);  /* gain 10 */
  struct hd_model *model = builder_read(&builder);
  struct hd_lines *view = hd_lines_new(model, HD_SORT_GAIN, HD_LINES_CONSTRUCTS);
  assert_int_equal(view->lines[1].node->name.line, 20);
  assert_int_equal(view->lines[2].node->name.line, 30);
  assert_int_equal(view->lines[3].node->name.line, 10);
  hd_lines_free(view);
  view = hd_lines_new(model, HD_SORT_ELAPSED, HD_LINES_CONSTRUCTS);
  assert_int_equal(view->lines[1].node->name.line, 10);
  hd_lines_free(view);
  view = hd_lines_new(model, HD_SORT_NAME, HD_LINES_CONSTRUCTS);
  assert_int_equal(view->lines[3].node->name.line, 30);
  hd_lines_free(view);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_limit_keeps_the_foremost_with_those_above(void **state) {
  (void)state;
  struct builder builder;
  start(&builder);
  const uint32_t big = add_region(&builder, 0, "10", 100, 100); /* gain 50 */
  add_region(&builder, 0, "20", 100, 180);                      /* gain 10 */
  builder_cell(add_construct(&builder, big, HD_KIND_CRITICAL, "11"), HD_WAIT_CRITICAL)->ticks = 60;
  builder_cell(add_construct(&builder, big, HD_KIND_CRITICAL, "12"), HD_WAIT_CRITICAL)->ticks = 1;
  struct hd_model *model = builder_read(&builder);
  struct hd_lines *view = hd_lines_new(model, HD_SORT_GAIN, HD_LINES_CONSTRUCTS);
  assert_int_equal(hd_lines_select(view, HD_SORT_GAIN, 3, false), 1);
  assert_true(view->lines[1].shown && view->lines[2].shown && view->lines[4].shown);
  assert_false(view->lines[3].shown);
  assert_int_equal(view->lines[3].node->name.line, 12);
  hd_lines_free(view);
  hd_model_free(model);
  builder_free(&builder);
}

/* A loop that is all of its region's work waits for nobody; a few short waits beside it must not hide it. */
static void test_the_busiest_is_chosen_too(void **state) {
  (void)state;
  struct builder builder;
  start(&builder);
  const uint32_t region = add_region(&builder, 0, "10", 500, 990);
  builder_cell(add_construct(&builder, region, HD_KIND_CRITICAL, "11"), HD_WAIT_CRITICAL)->ticks = 6;
  builder_cell(add_construct(&builder, region, HD_KIND_CRITICAL, "12"), HD_WAIT_CRITICAL)->ticks = 4;
  builder_cell(add_construct(&builder, region, HD_KIND_LOOP_STATIC, "13"), HD_BUSY)->ticks = 990;
  struct hd_model *model = builder_read(&builder);
  struct hd_lines *view = hd_lines_new(model, HD_SORT_GAIN, HD_LINES_CONSTRUCTS);
  assert_int_equal(hd_lines_select(view, HD_SORT_GAIN, 3, false), 1);
  assert_true(view->lines[1].shown && view->lines[2].shown && view->lines[4].shown);
  assert_int_equal(view->lines[4].node->name.line, 13);
  hd_lines_free(view);
  view = hd_lines_new(model, HD_SORT_WAIT, HD_LINES_CONSTRUCTS); /* asked for: nothing but that */
  assert_int_equal(hd_lines_select(view, HD_SORT_WAIT, 3, false), 1);
  assert_false(view->lines[4].shown);
  hd_lines_free(view);
  hd_model_free(model);
  builder_free(&builder);
}

static void expect_part(const char *text, const char *part) {
  if (!strstr(text, part))
    fail_msg("no \"%s\" in:\n%s", part, text);
}

/* Criticals were switched off for a time: there were more of them, and what is around them waited more, worked less. */
static void test_what_rests_on_incomplete_data_is_marked(void **state) {
  (void)state;
  struct builder builder;
  start(&builder);
  const uint32_t region = add_region(&builder, 0, "10", 100, 190);
  struct hd_row_record *critical = add_construct(&builder, region, HD_KIND_CRITICAL, "11");
  critical->visits = 734113;
  builder_cell(critical, HD_BUSY)->ticks = 60;
  builder_cell(critical, HD_WAIT_CRITICAL)->ticks = 40;
  add_region(&builder, 0, "20", 50, 60);
  builder_switch(&builder, HD_CLASS_MUTEX, 0, region)->on_ticks = 1010;
  builder_refuse(&builder, HD_CLASS_MUTEX, region);
  struct hd_model *model = builder_read(&builder);
  char *text = NULL, *csv = NULL, *json = NULL;
  size_t bytes = 0;
  print(model, &(struct hd_report_options){.question = HD_ASK_REGIONS}, &text);
  expect_part(text, ">=734113");
  expect_part(text, "<=0.060 "); /* the region's busy time, with the critical's */
  expect_part(text, ">=0.060 "); /* the critical's own */
  expect_part(text, ">=0.005 "); /* the region's gain */
  expect_part(text, " 0.020 ");  /* that of the other one */
  print(model, &(struct hd_report_options){.question = HD_ASK_REGIONS, .csv = true}, &csv);
  expect_part(csv, ",incomplete,busy_at_most,calls,");
  expect_part(csv, ",11,,,true,false,734113,");
  expect_part(csv, ",10,,,false,true,1,");
  expect_part(csv, ",20,,,false,false,1,");
  expect_part(
      csv,
      ",wait_at_most,misplaced,own_at_most,levels_at_most,gain_at_least,gain_unknown,waits_unreported,estimated\n");
  expect_part(csv, ",false,false,true,true,true,false,false,false\n");    /* the region */
  expect_part(csv, ",false,false,false,true,true,false,false,false\n");   /* the critical */
  expect_part(csv, ",false,false,false,false,false,false,false,false\n"); /* the other one */
  FILE *out = open_memstream(&json, &bytes);
  assert_true(hd_exporters[0]->write(model, HD_WEIGHT_WALL, out));
  fclose(out);
  const char *found = json;
  int count = 0;
  while ((found = strstr(found, "\"busy_at_most\": true")) && ++count)
    found++;
  assert_int_equal(count, 4); /* the program, as such and as a profile; the region; the thread */
  free(text);
  free(csv);
  free(json);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_only_regions_may_be_chosen(void **state) {
  (void)state;
  struct builder builder;
  start(&builder);
  const uint32_t outer = add_region(&builder, 0, "10", 100, 100);
  const uint32_t loop = add_construct(&builder, outer, HD_KIND_LOOP, "11")->profile;
  add_region(&builder, loop, "12", 10, 10);
  add_region(&builder, 0, "13", 10, 10);
  struct hd_model *model = builder_read(&builder);
  struct hd_lines *view = hd_lines_new(model, HD_SORT_GAIN, HD_LINES_CONSTRUCTS);
  assert_int_equal(hd_lines_select(view, HD_SORT_GAIN, 2, true), 1);
  assert_true(view->lines[1].shown && view->lines[3].shown);
  assert_false(view->lines[2].shown || view->lines[4].shown);
  hd_lines_free(view);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_deep_callpaths_are_laid_out(void **state) {
  (void)state;
  struct builder builder;
  start_with(&builder, 4096);
  for (uint32_t i = 0; i < 100000; i++)
    builder_profile(&builder, i, HD_KIND_TASK);
  struct hd_model *model = builder_read(&builder);
  struct hd_lines *view = hd_lines_new(model, HD_SORT_GAIN, HD_LINES_CONSTRUCTS);
  assert_int_equal(view->count, 100001);
  assert_int_equal(view->lines[100000].depth, 100000);
  assert_int_equal(hd_lines_select(view, HD_SORT_GAIN, 25, false), 100000 - 25);
  assert_true(view->lines[25].shown && !view->lines[26].shown);
  hd_lines_free(view);
  hd_model_free(model);
  builder_free(&builder);
}

/* Callpaths cut to one site: a barrier's waits stand beside the region that they are part of, and it has no gain. */
static void test_lines_with_a_gain_come_before_those_without(void **state) {
  (void)state;
  struct builder builder;
  start(&builder);
  add_region(&builder, 0, "10", 100, 190);
  builder_cell(add_construct(&builder, 0, HD_KIND_BARRIER_EXPLICIT, "11"), HD_WAIT_BARRIER_EXPLICIT)->ticks = 90;
  struct hd_model *model = builder_read(&builder);
  struct hd_lines *view = hd_lines_new(model, HD_SORT_GAIN, HD_LINES_CONSTRUCTS);
  assert_int_equal(view->lines[1].node->name.line, 10);
  assert_int_equal(view->lines[2].node->name.line, 11);
  hd_lines_free(view);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_report_shows_places_and_only_causes_that_occur(void **state) {
  (void)state;
  struct builder builder;
  start(&builder);
  const uint32_t region = add_region(&builder, 0, "10", 900, 1200);
  builder_cell(add_construct(&builder, region, HD_KIND_CRITICAL, "12"), HD_WAIT_CRITICAL)->ticks = 300;
  struct hd_model *model = builder_read(&builder);
  const struct hd_report_options options = {.limit = 1};
  char *text = NULL;
  print(model, &options, &text);
  assert_non_null(strstr(text, "parallel app.c:10 in main"));
  assert_non_null(strstr(text, " critical "));
  assert_null(strstr(text, "taskwait"));
  assert_non_null(strstr(text, "1 more line is not shown"));
  assert_null(strstr(strstr(text, "command"), "app.c:12")); /* but among the findings */
  assert_non_null(strstr(text, " 0.300 "));                 /* microseconds: the gain */
  free(text);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_csv_quotes_and_leaves_unmeasured_fields_empty(void **state) {
  (void)state;
  struct builder builder;
  start(&builder);
  const uint32_t module = builder_module(&builder, "/a,\"b\"");
  struct hd_profile_record *record = builder_profile(&builder, 0, HD_KIND_CRITICAL);
  record->module = module;
  record->offset = 0x10;
  builder_name(&builder, 1, "f(int, int)", "", "");
  struct hd_model *model = builder_read(&builder);
  const struct hd_report_options options = {.csv = true};
  char *text = NULL;
  print(model, &options, &text);
  const char *row = strchr(text, '\n') + 1;
  const char *expected = "1,1,0,critical,\"f(int, int)\",,,\"/a,\"\"b\"\"\",0x10,false,false,0,,,,,,,,,,,0,0,";
  assert_memory_equal(row, expected, strlen(expected));
  unsigned head = 0, body = 0;
  for (const char *at = text; at < row; at++)
    head += *at == ',';
  for (const char *at = row; *at; at++)
    body += *at == ',';
  assert_int_equal(head, body - 2); /* one is in the function's name, one in the module's */
  free(text);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_summary_is_short(void **state) {
  (void)state;
  struct builder builder;
  start(&builder);
  builder_levels(&builder);
  for (uint64_t i = 0; i < 40; i++)
    add_region(&builder, 0, "10", 10 + i, 10);
  for (int i = 0; i < 40; i++)
    builder_text(&builder, HD_TEXT_NOTE, 0, "note", 4);
  for (uint32_t i = 0; i < 40; i++)
    builder_name(&builder, 1 + i, "main", "/src/app.c", (char[]){(char)('1' + i / 9), (char)('1' + i % 9), '\0'});
  struct hd_model *model = builder_read(&builder);
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  hd_report_summary(model, out);
  fclose(out);
  unsigned lines = 0;
  for (const char *at = text; *at; at++)
    lines += *at == '\n';
  assert_in_range(lines, 15, 20);
  assert_non_null(strstr(text, "\nserial    1.000 us (100.0 %) with at most one thread busy"));
  assert_non_null(strstr(text, "32 more regions are not shown"));
  free(text);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_json_says_null_where_nothing_was_measured(void **state) {
  (void)state;
  struct builder builder;
  start(&builder);
  add_region(&builder, 0, "10", 100, 150);
  builder_cell(add_construct(&builder, 1, HD_KIND_CRITICAL, "12"), HD_WAIT_CRITICAL)->ticks = 5;
  builder_text(&builder, HD_TEXT_ARGUMENT, 0, "caf\xe9", 4);                           /* not UTF-8 */
  builder_text(&builder, HD_TEXT_ARGUMENT, 0, "\xc3\xa4 \xff\xe2\x82\xac\xf0\x9f", 9); /* in part */
  struct hd_model *model = builder_read(&builder);
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_true(hd_exporter_find("json")->write(model, HD_WEIGHT_WALL, out));
  fclose(out);
  assert_non_null(strstr(text, "\"caf\xef\xbf\xbd\""));
  assert_non_null(strstr(text, "\"\xc3\xa4 \xef\xbf\xbd\xe2\x82\xac\xef\xbf\xbd\xef\xbf\xbd\""));
  const char *region = strstr(text, "\"id\": 1,");
  const char *critical = strstr(text, "\"id\": 2,");
  assert_true(region && critical && region < critical);
  assert_non_null(strstr(region, "\"potential_gain_s\": 2.5"));
  assert_non_null(strstr(critical, "\"potential_gain_s\": null"));
  assert_non_null(strstr(critical, "\"critical\": 5"));
  assert_non_null(strstr(text, "\"time_at_k_s\": null"));
  assert_null(hd_exporter_find("xml"));
  free(text);
  hd_model_free(model);
  builder_free(&builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_place_is_one_line),
      cmocka_unit_test(test_without_a_line_only_equal_addresses_are_joined),
      cmocka_unit_test(test_regions_are_sorted_by_gain),
      cmocka_unit_test(test_limit_keeps_the_foremost_with_those_above),
      cmocka_unit_test(test_the_busiest_is_chosen_too),
      cmocka_unit_test(test_what_rests_on_incomplete_data_is_marked),
      cmocka_unit_test(test_only_regions_may_be_chosen),
      cmocka_unit_test(test_deep_callpaths_are_laid_out),
      cmocka_unit_test(test_lines_with_a_gain_come_before_those_without),
      cmocka_unit_test(test_report_shows_places_and_only_causes_that_occur),
      cmocka_unit_test(test_csv_quotes_and_leaves_unmeasured_fields_empty),
      cmocka_unit_test(test_summary_is_short),
      cmocka_unit_test(test_json_says_null_where_nothing_was_measured),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
