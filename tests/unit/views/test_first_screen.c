/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_first_screen.c
 * What a report begins with: few lines, why regions lose time, and what is lost outside all of them.
 */
#include "profile_builder.h"

#include <stdio.h>

#include "output/model/memory.h"
#include "output/views/report/report.h"

static const char command[] = "./a_program_with_a_name_that_is_longer_than_any_line_of_a_terminal_of_eighty_columns";

enum { RUN = 1000, REGION = 1, BARRIER = 2 };

/* Two threads. For `outside` ticks thread 0 works alone; then a region, in which thread 1 works half as long as 0 and
 * waits for it. */
static struct hd_model *model_with(uint64_t outside, bool explicitly) {
  struct builder builder;
  builder_init(&builder);
  builder_levels(&builder);
  builder_profile(&builder, 0, HD_KIND_PROGRAM);
  builder_profile(&builder, 0, HD_KIND_PARALLEL);
  builder_profile(&builder, REGION, explicitly ? HD_KIND_BARRIER_EXPLICIT : HD_KIND_LOOP);
  builder_name(&builder, REGION, "main", "/src/app.c", "10");
  builder_name(&builder, BARRIER, "main", "/src/app.c", "12");
  const uint64_t inside = RUN - outside;
  for (uint32_t i = 0; i < 2; i++) {
    struct hd_thread_record *thread =
        builder_thread(&builder, i ? HD_THREAD_WORKER : HD_THREAD_INITIAL, 1000, 1000 + RUN);
    thread->told = 1;
    thread->ran_ns = 1000;
  }
  struct hd_row_record *row = builder_row(&builder, 0, 0);
  builder_cell(row, HD_BUSY)->ticks = outside;
  builder_cell(builder_row(&builder, 0, 1), HD_IDLE)->ticks = outside;
  builder_cell(builder_row(&builder, REGION, 0), HD_BUSY)->ticks = inside;
  builder_cell(builder_row(&builder, REGION, 1), HD_BUSY)->ticks = inside / 2;
  if (explicitly)
    builder_cell(builder_row(&builder, BARRIER, 1), HD_WAIT_BARRIER_EXPLICIT)->ticks = inside - inside / 2;
  else
    builder_cell(builder_row(&builder, REGION, 1), HD_WAIT_BARRIER_IMPLICIT)->ticks = inside - inside / 2;
  *builder_total(&builder, REGION, 2) = (struct hd_total_record){.profile = REGION,
                                                                 .team_size = 2,
                                                                 .instances = 1,
                                                                 .elapsed_ticks = inside,
                                                                 .capacity_ticks = 2 * inside,
                                                                 .busy_ticks = inside + inside / 2,
                                                                 .busy_max_ticks = 2 * inside};
  builder_text(&builder, HD_TEXT_ARGUMENT, 0, command, sizeof command - 1);
  builder_text(&builder, HD_TEXT_NOTE, 0, "something was not measured", 26);
  struct hd_model *model = builder_read(&builder);
  builder_free(&builder);
  return model;
}

/* `*text` is to be freed. */
static void report(const struct hd_model *model, bool verbose, char **text) {
  const struct hd_report_options options = {.sort = HD_SORT_GAIN, .verbose = verbose};
  size_t bytes = 0;
  FILE *out = open_memstream(text, &bytes);
  assert_non_null(out);
  assert_int_equal(hd_report_print(model, &options, out, out), HD_REPORT_MADE);
  fclose(out);
}

static const char *expect_part(const char *text, const char *part) {
  const char *found = strstr(text, part);
  if (!found)
    fail_msg("no \"%s\" in:\n%s", part, text);
  return found;
}

static const char *expect_row(const char *text, const char *part) {
  return expect_part(expect_part(text, "Region\n"), part);
}

/* The heading: from the command, below the findings, up to an empty line. */
static void expect_six_short_lines(const char *text) {
  size_t at = (size_t)(expect_part(text, "command ") - text);
  for (int lines = 0; text[at] != '\n'; lines++) {
    const size_t length = strcspn(text + at, "\n");
    assert_in_range(length, 1, 80);
    assert_in_range(lines, 0, 5);
    at += length + 1;
  }
}

static void test_heading_has_six_lines_of_eighty_columns(void **state) {
  (void)state;
  struct hd_model *model = model_with(600, false);
  for (uint32_t i = 0; i < 2; i++)
    model->threads[i].account.queued_ns = 9000;
  model->header.flags |= HD_FILE_EXIT_KNOWN;
  model->header.exit_status = 125;
  char *text = NULL;
  report(model, false, &text);
  expect_part(text, "..., exit status 125\n");
  expect_six_short_lines(text);
  assert_null(strstr(text, "\nruntime "));
  assert_true(expect_part(text, "something was not measured") > expect_part(text, "Region\n")); /* it is said, too */
  free(text);
  report(model, true, &text);
  expect_part(text, "\nruntime ");
  assert_true(expect_part(text, "something was not measured") < expect_part(text, "Region\n"));
  free(text);
  hd_model_free(model);
}

static void test_lines_say_what_most_is_lost_to(void **state) {
  (void)state;
  for (int explicitly = 0; explicitly < 2; explicitly++) {
    struct hd_model *model = model_with(0, explicitly);
    char *text = NULL;
    report(model, false, &text);
    expect_part(text, explicitly ? " barriers 100% parallel app.c:10" : " imbalance 100% parallel app.c:10");
    assert_null(strstr(text, "outside all regions"));
    free(text);
    hd_model_free(model);
  }
}

/* Outside 600 of 1000 lose 300; the region's 400 lose 100. */
static void test_what_is_outside_stands_where_its_share_puts_it(void **state) {
  (void)state;
  struct hd_model *model = model_with(600, false);
  char *text = NULL;
  report(model, false, &text);
  assert_true(expect_row(text, "serial 100% outside all regions\n") < expect_row(text, "parallel app.c:10"));
  free(text);
  hd_model_free(model);
  model = model_with(200, false); /* 100 and 200 */
  report(model, false, &text);
  assert_true(expect_row(text, "serial 100% outside all regions\n") > expect_row(text, "parallel app.c:10"));
  free(text);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_heading_has_six_lines_of_eighty_columns),
      cmocka_unit_test(test_lines_say_what_most_is_lost_to),
      cmocka_unit_test(test_what_is_outside_stands_where_its_share_puts_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
