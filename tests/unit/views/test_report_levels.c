/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_report_levels.c
 * What the reports say about the number of busy threads: levels, --at-k, --with, and the strip.
 *
 * The run, 1000 ticks, of two threads; a number is the profile in which a thread is busy:
 *
 *     tick      1000  1200  1250  1300   1500   1600   1700  1750  1800   2000
 *     thread 0  0     1           2                    -           0
 *     thread 1              3            -      2            -
 *     level     1     1     2     2      1      2      1     0     1
 *
 * Profile 1 is a region from 1200 to 1800, 2 a loop and 3 a critical section in it. Hence the program's time at level
 * 0, 1, 2 is 50, 600, 350; the region's elapsed time 50, 200, 350; thread-time at 1, 2 is 400, 0 in the program, 50, 50
 * in the region, 150, 400 in the loop, 0, 250 in the critical section. 2 and 3 overlap for 200 ticks, 1 and 3 for 50.
 */
#include "profile_builder.h"

#include <stdio.h>

#include "output/model/memory.h"
#include "output/views/export/export.h"
#include "output/views/render/level_bars.h"
#include "output/views/report/report_internal.h"

enum { PROGRAM, REGION, LOOP, CRITICAL };

static void fill_rows(struct builder *builder) {
  builder_cell(builder_row(builder, PROGRAM, 0), HD_BUSY)->ticks = 400;
  builder_cell(builder_row(builder, REGION, 0), HD_BUSY)->ticks = 100;
  struct hd_row_record *loop = builder_row(builder, LOOP, 0);
  builder_cell(loop, HD_BUSY)->ticks = 400;
  builder_cell(loop, HD_WAIT_BARRIER_IMPLICIT)->ticks = 100;
  loop = builder_row(builder, LOOP, 1);
  builder_cell(loop, HD_BUSY)->ticks = 150;
  builder_cell(loop, HD_WAIT_BARRIER_IMPLICIT)->ticks = 350;
  builder_cell(builder_row(builder, CRITICAL, 1), HD_BUSY)->ticks = 250;
}

static void fill_rings(struct builder *builder) {
  builder_levels(builder);
  struct hd_ring_record *ring = builder_ring(builder, 0);
  builder_turn(ring, 1000, PROGRAM, 0);
  builder_turn(ring, 1200, REGION, HD_WHAT(HD_WHAT_REGION_BEGIN, REGION));
  builder_turn(ring, 1300, LOOP, 0);
  builder_turn(ring, 1700, HD_NONE, 0);
  builder_turn(ring, 1800, PROGRAM, HD_WHAT(HD_WHAT_REGION_END, REGION));
  ring = builder_ring(builder, 1);
  builder_turn(ring, 1250, CRITICAL, 0);
  builder_turn(ring, 1500, HD_NONE, 0);
  builder_turn(ring, 1600, LOOP, 0);
  builder_turn(ring, 1750, HD_NONE, 0);
}

/* The run above; without levels it is what an earlier version wrote. */
static struct hd_model *read_run(struct builder *builder, bool levels) {
  builder_init(builder);
  builder_profile(builder, 0, HD_KIND_PROGRAM);
  builder_profile(builder, PROGRAM, HD_KIND_PARALLEL);
  builder_profile(builder, REGION, HD_KIND_LOOP_STATIC);
  builder_profile(builder, REGION, HD_KIND_CRITICAL);
  builder_thread(builder, HD_THREAD_INITIAL, 1000, 2000);
  builder_thread(builder, HD_THREAD_WORKER, 1250, 2000);
  builder_name(builder, REGION, "main", "/src/app.c", "10");
  builder_name(builder, LOOP, "main", "/src/app.c", "12");
  builder_name(builder, CRITICAL, "sum(int)", "/src/app.c", "14");
  struct hd_total_record *total = builder_total(builder, REGION, 2);
  total->instances = 1;
  total->elapsed_ticks = 600;
  total->capacity_ticks = 1200;
  total->busy_ticks = 900;
  total->busy_max_ticks = 1000;
  fill_rows(builder);
  if (levels)
    fill_rings(builder);
  return builder_read(builder);
}

static void free_run(struct builder *builder, struct hd_model *model) {
  hd_model_free(model);
  builder_free(builder);
}

/* The report, or what is said instead of it. The caller frees it. */
static char *ask(const struct hd_model *model, struct hd_report_options options, enum hd_report_end expected) {
  char *text = NULL, *said = NULL;
  size_t bytes = 0, said_bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  FILE *errors = open_memstream(&said, &said_bytes);
  assert_true(out && errors);
  assert_int_equal(hd_report_print(model, &options, out, errors), expected);
  fclose(out);
  fclose(errors);
  const bool refused = expected == HD_REPORT_REFUSED;
  assert_string_equal(refused ? text : said, "");
  free(refused ? text : said);
  return refused ? said : text;
}

static void assert_has(const char *text, const char *part) {
  if (!strstr(text, part))
    fail_msg("no \"%s\" in:\n%s", part, text);
}

/* What other tests expect to be there. */
#define NO_LEVELS "has no record of how many threads were busy"
#define TOO_SMALL "too small: there were too many pairs to keep all.\n"
#define SUMS "several addresses) are sums:"

static void assert_lacks(const char *text, const char *part) {
  if (strstr(text, part))
    fail_msg("\"%s\" in:\n%s", part, text);
}

static void test_report_shows_levels_of_program_and_region(void **state) {
  (void)state;
  struct builder builder;
  struct hd_model *model = read_run(&builder, true);
  char *text = ask(model, (struct hd_report_options){0}, HD_REPORT_MADE);
  assert_has(text, "\nserial    0.650 us (65.0 %) with at most one thread busy, with none 0.050 us\n");
  assert_has(text, "\n           0        0.050    5.0  ##\n");
  assert_has(text, "\n           1        0.600   60.0  ########################\n");
  assert_has(text, "\n           2        0.350   35.0  ##############\n");
  assert_has(text, " Wall% ");
  assert_has(text, " 55.0 ");                     /* the region's wall share */
  assert_has(text, " 135 ");                      /* and its levels: 8, 33 and 58 % */
  assert_has(text, "\n   busy  id 1 app.c:10\n"); /* side by side */
  assert_has(text, "\n      1  33.3 ##########\n");
  assert_has(text, "\n      2  58.3 ##################\n");
  assert_lacks(text, NO_LEVELS);
  free(text);
  free_run(&builder, model);
}

static void test_title_of_a_region_is_whole_where_there_is_room(void **state) {
  (void)state;
  struct builder builder;
  struct hd_model *model = read_run(&builder, true);
  model->nodes[REGION].name.file = "/src/a_source_file_with_a_name_of_some_length_indeed.c";
  char *text = ask(model, (struct hd_report_options){0}, HD_REPORT_MADE);
  assert_has(text, "\n   busy  id 1 a_source_file_with_a_name_of_some_length_indeed.c:10\n");
  free(text);
  free_run(&builder, model);
}

static void test_strip_shows_where_the_run_was_serial(void **state) {
  (void)state;
  struct builder builder;
  struct hd_model *model = read_run(&builder, true);
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  hd_report_run_in_time(model, out);
  fclose(out);
  const char *marks = strchr(text + 1, '\n') + 1;
  const char *axis = strchr(marks, '\n') + 1;
  const double column = 1000.0 / (double)(marks - 2 - text); /* ticks */
  for (const char *at = text + 1; at < marks - 1; at++) {
    const double from = (double)(at - text - 1) * column, to = from + column;
    if (to <= 250 || (from >= 500 && to <= 600) || from >= 800)
      assert_int_equal(*at, '4'); /* one of two */
    else if ((from >= 250 && to <= 500) || (from >= 600 && to <= 700))
      assert_int_equal(*at, '8');
    else if (from >= 750 && to <= 800)
      assert_int_equal(*at, '.');
    if (to <= 250 || from >= 700)
      assert_int_equal(marks[at - text - 1], 's');
    else if (from >= 250 && to <= 500)
      assert_int_equal(marks[at - text - 1], ' ');
  }
  assert_true(marks[-2] == '4' && axis[0] == '0');
  assert_has(axis, "0.500 us ");
  assert_has(axis, " 1.000 us\n1 to 8: eighths of 2 threads");
  free(text);
  free_run(&builder, model);
}

static void test_histogram_shows_every_region(void **state) {
  (void)state;
  struct builder builder;
  struct hd_model *model = read_run(&builder, true);
  struct hd_report_options options = {.question = HD_ASK_HISTOGRAM};
  char *text = ask(model, options, HD_REPORT_MADE);
  assert_has(text, "\n"
                   "id 1  parallel app.c:10 in main\n"
                   "        elapsed 0.600 us, 1.50 of its threads busy on average, wall share 55.0 % of the run\n");
  assert_has(text, "\n           2        0.350   58.3  #######################\n");
  free(text);
  options.csv = true;
  text = ask(model, options, HD_REPORT_MADE);
  assert_has(text, "\n1,1,0,parallel,main,/src/app.c,10,,,false,false,2,3.");
  free(text);
  free_run(&builder, model);
}

static void test_at_level_adds_up_to_the_time_at_it(void **state) {
  (void)state;
  struct builder builder;
  struct hd_model *model = read_run(&builder, true);
  char *text = ask(model, (struct hd_report_options){.question = HD_ASK_AT_LEVEL, .level = 1}, HD_REPORT_MADE);
  assert_int_equal(strncmp(text, "At most 1 thread was busy for 0.650 us, 65.0 % of the run's 1.000 us; ", 70), 0);
  assert_has(text, "\n0.400  61.5 0.400  0 program, outside parallel regions\n"
                   "0.150  23.1 0.150  2 loop static app.c:12 in main < parallel app.c:10\n"
                   "0.050   7.7 0.050  1 parallel app.c:10 in main\n"
                   "0.050   7.7     -    (nobody busy)\n"
                   "0.650 100.0     -    (sum)\n");
  assert_lacks(text, "critical");
  free(text);
  text = ask(model, (struct hd_report_options){.question = HD_ASK_AT_LEVEL, .level = 9}, HD_REPORT_MADE);
  assert_has(text, "\nNo more than 2 were ever busy: this is the whole run.\n");
  assert_has(text, "\n0.350  35.0 0.550  2 loop static");
  assert_has(text, "\n0.125  12.5 0.250  3 critical app.c:14 in sum < parallel app.c:10 in main\n");
  assert_has(text, "\n1.000 100.0     -    (sum)\n");
  free(text);
  free_run(&builder, model);
}

static void test_at_level_names_what_the_limit_leaves_out(void **state) {
  (void)state;
  struct builder builder;
  struct hd_model *model = read_run(&builder, true);
  struct hd_report_options options = {.question = HD_ASK_AT_LEVEL, .level = 2, .limit = 2};
  char *text = ask(model, options, HD_REPORT_MADE);
  assert_has(text, "\n0.200  20.0 0.350    (2 more: --limit 0 shows all)\n");
  free(text);
  model->nodes[CRITICAL].busy_at.count = 0; /* as if there had been no space for it */
  options.limit = 0;
  text = ask(model, options, HD_REPORT_MADE);
  assert_has(text, "\n0.125  12.5     -    (callpaths for which no space was left)\n");
  free(text);
  free_run(&builder, model);
}

static void test_at_level_0_says_that_nothing_ran(void **state) {
  (void)state;
  struct builder builder;
  struct hd_model *model = read_run(&builder, true);
  struct hd_report_options options = {.question = HD_ASK_AT_LEVEL, .level = 0};
  char *text = ask(model, options, HD_REPORT_MADE);
  assert_has(text, "No thread was busy for 0.050 us, 5.0 % of the run's 1.000 us.\nNo code ran then");
  assert_lacks(text, "(sum)");
  free(text);
  options.csv = true;
  text = ask(model, options, HD_REPORT_MADE);
  assert_has(text, "share,busy_s,wait_at_most,misplaced,own_at_most,levels_at_most,gain_at_least,gain_unknown,"
                   "waits_unreported,estimated\n,,,nobody,,,,,,,,5.");
  free(text);
  free_run(&builder, model);
}

static void test_with_lists_what_ran_meanwhile(void **state) {
  (void)state;
  struct builder builder;
  struct hd_model *model = read_run(&builder, true);
  static const char *const names[] = {"3", "app.c:14", "/src/app.c:14", "critical app.c:14", "sum", "sum(int)"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char *text = ask(model, (struct hd_report_options){.question = HD_ASK_WITH, .with = names[i]}, HD_REPORT_MADE);
    assert_has(text, "callpath  critical app.c:14 in sum < parallel app.c:10 in main (id 3)\n"
                     "active    0.250 us, 25.0 % of the run: at least one thread was busy in it, on average 1.00\n");
    assert_has(text, "\n  0.200    80.0  2 loop static app.c:12 in main < parallel app.c:10\n"
                     "  0.050    20.0  1 parallel app.c:10 in main\n");
    assert_lacks(text, TOO_SMALL);
    assert_lacks(text, SUMS);
    free(text);
  }
  char *text = ask(model, (struct hd_report_options){.question = HD_ASK_WITH, .with = "0"}, HD_REPORT_MADE);
  assert_has(text, "No other callpath was busy at the same time.");
  free(text);
  text = ask(model, (struct hd_report_options){.question = HD_ASK_WITH, .with = "3", .csv = true}, HD_REPORT_MADE);
  assert_has(text, "\n2,2,1,loop_static,main,/src/app.c,12,,,");
  free(text);
  free_run(&builder, model);
}

static void test_with_says_what_is_missing(void **state) {
  (void)state;
  struct builder builder;
  struct hd_model *model = read_run(&builder, true);
  model->nodes[CRITICAL].unpaired_ticks = 70;
  model->header.lost_overlap_ticks = 40;
  char *text = ask(model, (struct hd_report_options){.question = HD_ASK_WITH, .with = "3"}, HD_REPORT_MADE);
  assert_has(text, "\n"
                   "Not known for 0.070 us of the active time: more than 64 callpaths were busy at once.\n"
                   "Each overlap may be up to 0.040 us " TOO_SMALL);
  free(text);
  free_run(&builder, model);
}

static void test_with_sums_a_place_with_several_addresses(void **state) {
  (void)state;
  struct builder builder;
  struct hd_model *model = read_run(&builder, true);
  model->nodes[LOOP].kind = HD_KIND_CRITICAL; /* 2 and 3 are one place now: active for 450 and 250 ticks */
  model->nodes[LOOP].name = model->nodes[CRITICAL].name;
  char *text = ask(model, (struct hd_report_options){.question = HD_ASK_WITH, .with = "app.c:14"}, HD_REPORT_MADE);
  assert_has(text, "(id 2)\nactive    0.700 us");
  assert_has(text, "\n  0.050     7.1  1 parallel app.c:10 in main\n");
  assert_has(text, SUMS);
  assert_has(text, "their times may be too long, at worst by 0.200 us.\n");
  free(text);
  text = ask(model, (struct hd_report_options){.question = HD_ASK_WITH, .with = "1"}, HD_REPORT_MADE);
  assert_has(text, "\n  0.050    50.0  2 critical");
  assert_has(text, "times may be too long, at worst by 0.200 us");
  free(text);
  free_run(&builder, model);
}

static void test_with_refuses_what_is_not_one_callpath(void **state) {
  (void)state;
  struct builder builder;
  struct hd_model *model = read_run(&builder, true);
  static const char *const unknown[] = {"4", "99999999999999999999", "nobody", "app.c", "app.c:1", ":14"};
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
    char *text = ask(model, (struct hd_report_options){.question = HD_ASK_WITH, .with = unknown[i]}, HD_REPORT_REFUSED);
    assert_has(text, "heddle: test.heddle: no callpath '");
    assert_has(text, "'heddle report --limit 0' lists all with their ids\n");
    free(text);
  }
  char *text = ask(model, (struct hd_report_options){.question = HD_ASK_WITH, .with = "main"}, HD_REPORT_REFUSED);
  assert_string_equal(text, "heddle: 'main' matches several callpaths; choose one by its id:\n"
                            "       1  parallel app.c:10 in main\n"
                            "       2  loop static app.c:12 in main < parallel app.c:10\n");
  free(text);
  free_run(&builder, model);
}

static void test_file_without_levels_says_so(void **state) {
  (void)state;
  struct builder builder;
  struct hd_model *model = read_run(&builder, false);
  char *text = ask(model, (struct hd_report_options){0}, HD_REPORT_MADE);
  assert_has(text, "\nnote      this profile " NO_LEVELS);
  assert_lacks(text, "\nserial");
  assert_lacks(text, "threads busy ");
  assert_lacks(text, "012");
  free(text);
  free(ask(model, (struct hd_report_options){.question = HD_ASK_HISTOGRAM}, HD_REPORT_MADE));
  text = ask(model, (struct hd_report_options){.question = HD_ASK_AT_LEVEL, .level = 1}, HD_REPORT_REFUSED);
  assert_has(text, "heddle: test.heddle: this profile " NO_LEVELS);
  free(text);
  free(ask(model, (struct hd_report_options){.question = HD_ASK_WITH, .with = "1"}, HD_REPORT_REFUSED));
  free_run(&builder, model);
}

static char *export(const struct hd_model *model) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_true(hd_exporter_find("json")->write(model, HD_WEIGHT_WALL, out));
  fclose(out);
  for (char *to = text, *from = text;; from++) { /* on one line */
    if (*from != '\n' && *from != ' ')
      *to++ = *from;
    if (*from == '\0')
      break;
  }
  return text;
}

/* Up to the next profile. */
static void assert_profile_has(const char *text, const char *id, const char *part) {
  const char *profile = strstr(text, id);
  const char *end = profile ? strstr(profile, "\"threads\"") : NULL;
  const char *found = profile ? strstr(profile, part) : NULL;
  if (!end || !found || found > end)
    fail_msg("no %s in profile %s of %s", part, id, text);
}

static void test_json_holds_the_levels(void **state) {
  (void)state;
  struct builder builder;
  struct hd_model *model = read_run(&builder, true);
  for (uint32_t i = 0; i < model->node_count; i++)
    assert_true(model->nodes[i].wall_share_ticks > 0);
  model->seconds_per_tick = 1; /* whole numbers */
  char *text = export(model);
  assert_has(text, "\"serial_s\":650.0,\"time_at_k_s\":[50.0,600.0,350.0]");
  assert_profile_has(text, "\"id\":0,", "\"elapsed_at_k_s\":[50.0,600.0,350.0]");
  assert_profile_has(text, "\"id\":0,", "\"thread_time_at_k_s\":[0.0,400.0,0.0]");
  assert_profile_has(text, "\"id\":1,", "\"elapsed_at_k_s\":[50.0,200.0,350.0]");
  assert_profile_has(text, "\"id\":1,", "\"thread_time_at_k_inclusive_s\":[0.0,200.0,700.0]");
  assert_profile_has(text, "\"id\":1,", "\"wall_share_s\":75.0,\"wall_share_inclusive_s\":550.0");
  assert_profile_has(text, "\"id\":2,", "\"elapsed_at_k_s\":null,\"thread_time_at_k_s\":[0.0,150.0,400.0]");
  assert_profile_has(text, "\"id\":3,", "\"active_s\":250.0,\"unpaired_s\":0.0");
  assert_has(text, "\"overlaps\":[{\"a\":1,\"b\":3,\"elapsed_s\":50.0},{\"a\":2,\"b\":3,\"elapsed_s\":200.0}]");
  assert_has(text, "\"timeline\":{\"begin_s\":0.0,\"width_s\":2.0,\"none_s\":[0.0,");
  assert_lacks(text, "notmeasuredbythisversion");
  free(text);
  free_run(&builder, model);
}

static void test_json_of_a_file_without_levels_says_null(void **state) {
  (void)state;
  struct builder builder;
  struct hd_model *model = read_run(&builder, false);
  char *text = export(model);
  assert_has(text, "\"serial_s\":null,\"time_at_k_s\":null");
  assert_profile_has(text, "\"id\":1,", "\"elapsed_at_k_s\":null,\"thread_time_at_k_s\":null");
  assert_has(text, "\"overlaps\":null,\"timeline\":null");
  assert_has(text, "notmeasuredbythisversion");
  free(text);
  free_run(&builder, model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_report_shows_levels_of_program_and_region),
      cmocka_unit_test(test_title_of_a_region_is_whole_where_there_is_room),
      cmocka_unit_test(test_strip_shows_where_the_run_was_serial),
      cmocka_unit_test(test_histogram_shows_every_region),
      cmocka_unit_test(test_at_level_adds_up_to_the_time_at_it),
      cmocka_unit_test(test_at_level_names_what_the_limit_leaves_out),
      cmocka_unit_test(test_at_level_0_says_that_nothing_ran),
      cmocka_unit_test(test_with_lists_what_ran_meanwhile),
      cmocka_unit_test(test_with_says_what_is_missing),
      cmocka_unit_test(test_with_sums_a_place_with_several_addresses),
      cmocka_unit_test(test_with_refuses_what_is_not_one_callpath),
      cmocka_unit_test(test_file_without_levels_says_so),
      cmocka_unit_test(test_json_holds_the_levels),
      cmocka_unit_test(test_json_of_a_file_without_levels_says_null),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
