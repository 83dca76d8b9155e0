/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `heddle report --tasks` says of how long tasks took, and how long they waited to begin. */
#include "profile_builder.h"

#include <stdio.h>

#include "output/model/memory.h"
#include "output/views/render/level_bars.h"
#include "output/views/report/report.h"

enum { TASK = 1 };

/* 3 tasks of 100 ns and one of 300 us were observed; `run` began. One more is not in the times. */
static void build(struct builder *builder, uint64_t run, uint32_t refused) {
  builder_init(builder);
  builder_profile(builder, 0, HD_KIND_PROGRAM);
  builder_profile(builder, 0, HD_KIND_TASK);
  builder_name(builder, TASK, "main", "/src/app.c", "7");
  builder_thread(builder, HD_THREAD_INITIAL, 1000, 1000000);
  struct hd_row_record *row = builder_row(builder, TASK, 0);
  row->visits = run;
  row->refused = refused & ((1u << HD_ROW_REFUSED_BITS) - 1);
  builder_cell(row, HD_BUSY)->ticks = 300300;
  builder_cell(row, HD_CELL_TASKS)->ticks = run;
  struct hd_tasks_record *tasks = builder_record(builder, HD_BLOCK_TASKS, sizeof *tasks);
  *tasks = (struct hd_tasks_record){.profile = TASK,
                                    .run = {300300, 300000, {[6] = 3, [18] = 1}},
                                    .delay = {8000, 5000, {[10] = 3, [12] = 1}}};
}

static char *print(struct builder *builder, bool csv) {
  struct hd_model *model = builder_read(builder);
  const struct hd_report_options options = {.question = HD_ASK_TASKS, .csv = csv};
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_int_equal(hd_report_print(model, &options, out, out), HD_REPORT_MADE);
  fclose(out);
  hd_model_free(model);
  builder_free(builder);
  return text;
}

static void expect(const char *text, const char *part) {
  if (!strstr(text, part))
    fail_msg("no \"%s\" in:\n%s", part, text);
}

static void test_times_and_delays_are_shown(void **state) {
  (void)state;
  struct builder builder;
  build(&builder, 4, 0);
  char *text = print(&builder, false);
  expect(text, " 75075 ");                        /* mean of the tasks' own times, ns */
  expect(text, " 2000 ");                         /* of their delays */
  expect(text, hd_draw_has_blocks() ? "\u2588.....\u2583....." : "8.....3....."); /* 3 and 1 */
  free(text);
}

static void test_csv_has_means_and_the_longest(void **state) {
  (void)state;
  struct builder builder;
  build(&builder, 4, 0);
  char *text = print(&builder, true);
  expect(text, "task_ns,task_own_ns,task_max_s,task_delay_ns,task_delay_max_s");
  expect(text, ",75075,75075,0.0003000000000000");
  free(text);
}

/* Tasks were switched off for a time: what was observed is not all. */
static void test_what_may_be_otherwise_is_marked(void **state) {
  (void)state;
  struct builder builder;
  build(&builder, 4, 1u << HD_CLASS_TASK);
  char *text = print(&builder, false);
  expect(text, "~75075");
  expect(text, "~2000");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_times_and_delays_are_shown),
      cmocka_unit_test(test_csv_has_means_and_the_longest),
      cmocka_unit_test(test_what_may_be_otherwise_is_marked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
