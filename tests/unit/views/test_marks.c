/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_marks.c
 * What readers must not take for whole: counts of what was switched off for a time, and shortened callpaths.
 */
#include "routine_builder.h"

#include <jansson.h>

#include "output/analysis/lines.h"
#include "output/model/format_names.h"
#include "output/model/memory.h"
#include "output/views/export/export.h"

enum { MUTEX = 1u << HD_CLASS_MUTEX, TASK = 1u << HD_CLASS_TASK, CALL = 1u << HD_CLASS_CALL };
enum { WORK = 1u << HD_CLASS_WORK, SYNC = 1u << HD_CLASS_SYNC };

static void test_each_kind_has_the_classes_that_it_needs(void **state) {
  (void)state;
  static const uint32_t classes[HD_KIND_COUNT] = {
      [HD_KIND_LOOP] = WORK,
      [HD_KIND_LOOP_STATIC] = WORK,
      [HD_KIND_LOOP_DYNAMIC] = WORK,
      [HD_KIND_LOOP_GUIDED] = WORK,
      [HD_KIND_SECTIONS] = WORK,
      [HD_KIND_SINGLE] = WORK,
      [HD_KIND_WORKSHARE] = WORK,
      [HD_KIND_DISTRIBUTE] = WORK,
      [HD_KIND_TASKLOOP] = WORK,
      [HD_KIND_SCOPE] = WORK,
      [HD_KIND_MASKED] = WORK,
      [HD_KIND_WORKDISTRIBUTE] = WORK,
      [HD_KIND_TASK] = TASK,
      [HD_KIND_TASKWAIT] = TASK | SYNC,
      [HD_KIND_TASKGROUP] = SYNC,
      [HD_KIND_BARRIER_EXPLICIT] = SYNC,
      [HD_KIND_BARRIER_IMPLICIT] = SYNC,
      [HD_KIND_BARRIER] = SYNC,
      [HD_KIND_REDUCTION] = SYNC,
      [HD_KIND_CRITICAL] = MUTEX,
      [HD_KIND_LOCK] = MUTEX,
      [HD_KIND_ORDERED] = MUTEX,
      [HD_KIND_ATOMIC] = MUTEX,
      [HD_KIND_OTHER] = MUTEX | SYNC | WORK,
      [HD_KIND_ROUTINE] = CALL,
      /* never switched off: the program, regions, phases */
  };
  for (unsigned kind = 0; kind < HD_KIND_COUNT; kind++)
    assert_int_equal(hd_kind_event_classes((enum hd_kind)kind), classes[kind]);
}

/* ---- counts ---- */

/* A region with a critical section in a loop, called by main. */
static struct hd_model *model_with(uint32_t off, uint64_t lost) {
  struct builder builder;
  routines_start(&builder);
  builder.header->lost_switches = lost;
  const uint32_t start = routines_call(&builder, 0, "main", 7, 10);
  const uint32_t region = routines_node(&builder, start, HD_KIND_PARALLEL, "region", 0, 300);
  const uint32_t loop = routines_node(&builder, region, HD_KIND_LOOP, "loop", 31, 200);
  routines_node(&builder, loop, HD_KIND_CRITICAL, "critical", 41, 100);
  builder_total(&builder, region, 1)->instances = 21;
  for (int event_class = 0; event_class < HD_CLASS_COUNT; event_class++)
    if (off >> event_class & 1)
      builder_switch(&builder, (enum hd_event_class)event_class, 0, loop);
  struct hd_model *model = builder_read(&builder);
  builder_free(&builder);
  return model;
}

static bool is_incomplete(const struct hd_model *model, size_t profile) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_true(hd_exporters[0]->write(model, out));
  fclose(out);
  json_t *json = json_loads(text, 0, NULL);
  json_t *value = json_object_get(json_array_get(json_object_get(json, "profiles"), profile), "incomplete");
  assert_true(json_is_boolean(value));
  const bool incomplete = json_is_true(value);
  json_decref(json);
  free(text);
  return incomplete;
}

static void expect_incomplete(uint32_t off, uint64_t lost, const char *marks) {
  struct hd_model *model = model_with(off, lost);
  assert_int_equal(model->node_count, strlen(marks));
  for (size_t i = 0; marks[i]; i++)
    assert_int_equal(is_incomplete(model, i), marks[i] == 'x');
  hd_model_free(model);
}

static void test_json_says_which_profiles_are_incomplete(void **state) {
  (void)state;
  expect_incomplete(0, 0, ".....");
  expect_incomplete(TASK | SYNC, 0, ".....");
  expect_incomplete(MUTEX, 0, "....x");
  expect_incomplete(WORK, 0, "...x.");
  expect_incomplete(CALL, 0, ".x...");
  expect_incomplete(MUTEX | WORK, 0, "...xx");
  expect_incomplete(0, 1, ".x.xx"); /* of which class is not known */
}

/* Chunks were handed out in the loop, and for a time nobody looked. */
static void test_busy_time_that_may_be_the_runtimes_says_at_most(void **state) {
  (void)state;
  for (int off = 0; off < 2; off++) {
    struct builder builder;
    routines_start(&builder);
    const uint32_t region = routines_node(&builder, 0, HD_KIND_PARALLEL, "region", 0, 300);
    const uint32_t loop = routines_node(&builder, region, HD_KIND_LOOP_DYNAMIC, "loop", 31, 200);
    builder_cell(builder_row(&builder, loop, 0), HD_RUNTIME_SCHEDULING)->ticks = 50;
    if (off)
      builder_switch(&builder, HD_CLASS_ENTRY, 0, loop);
    struct hd_model *model = builder_read(&builder);
    for (uint32_t node = region; node <= loop; node++)
      assert_int_equal((model->nodes[node].flags & HD_NODE_BUSY_AT_MOST) != 0, off);
    hd_model_free(model);
    builder_free(&builder);
  }
}

static char *report(struct hd_model *model, enum hd_question question, const char *callers) {
  const struct hd_report_options options = {.question = question, .sort = HD_SORT_INCLUSIVE, .callers = callers};
  return routines_report(model, &options, HD_REPORT_MADE);
}

static void expect_calls(uint32_t off, enum hd_question question, const char *critical, const char *loop,
                         const char *region) {
  struct hd_model *model = model_with(off, 0);
  char *text = report(model, question, question == HD_ASK_CALLERS ? "." : NULL);
  routines_expect(text, critical);
  routines_expect(text, loop);
  routines_expect(text, region);
  assert_int_equal(strstr(text, "'>=', '<=', '~': at least") != NULL, off != 0);
  free(text);
  hd_model_free(model);
}

static void test_counts_of_what_was_off_say_at_least(void **state) {
  (void)state;
  static const enum hd_question questions[] = {HD_ASK_REGIONS, HD_ASK_FLAT, HD_ASK_TREE, HD_ASK_CALLERS};
  for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
    expect_calls(0, questions[i], " 41 ", " 31 ", " 21 ");
    expect_calls(MUTEX, questions[i], " >=41 ", " 31 ", " 21 ");
    expect_calls(MUTEX | WORK, questions[i], " >=41 ", " >=31 ", " 21 ");
  }
  expect_calls(MUTEX, HD_ASK_CALLGRAPH, " >=41/41 ", " 31/31 ", " 21/21 ");
}

static void test_routines_say_at_least_where_they_come_first(void **state) {
  (void)state;
  struct builder builder;
  routines_start(&builder);
  routines_call(&builder, 0, "main", 7, 10);
  builder_switch(&builder, HD_CLASS_CALL, 0, 0);
  struct hd_model *model = builder_read(&builder);
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  hd_report_summary(model, out);
  fclose(out);
  routines_expect(text, " >=7 main");
  routines_expect(text, "'>=', '<=', '~': at least");
  free(text);
  hd_model_free(model);
  builder_free(&builder);
}

/* ---- places ---- */

static uint32_t shortened(struct builder *builder, uint32_t parent, enum hd_kind kind, const char *name,
                          uint64_t visits, uint64_t busy) {
  const uint32_t id = routines_node(builder, parent, kind, name, visits, busy);
  struct hd_profile_record *records = (void *)((char *)builder->newest[HD_BLOCK_PROFILES] + HD_BLOCK_HEADER_BYTES);
  records[id].flags |= HD_PROFILE_SHORTENED; /* few enough for one block */
  return id;
}

/* main calls kernel, which has a critical section; both also at the ends of callpaths that were not kept. */
static struct hd_model *shortened_model(bool any) {
  struct builder builder;
  routines_start(&builder);
  const uint32_t start = routines_call(&builder, 0, "main", 1, 10);
  routines_node(&builder, start, HD_KIND_CRITICAL, "critical", 2, 20);
  if (any) {
    const uint32_t cut = shortened(&builder, 0, HD_KIND_ROUTINE, "main", 0, 0);
    shortened(&builder, cut, HD_KIND_CRITICAL, "critical", 3, 30);
  }
  struct hd_model *model = builder_read(&builder);
  builder_free(&builder);
  return model;
}

static void test_shortened_callpaths_are_lines_of_their_own(void **state) {
  (void)state;
  struct hd_model *model = shortened_model(true);
  struct hd_lines *view = hd_lines_new(model, HD_SORT_INCLUSIVE, HD_LINES_ROUTINES_TOO);
  assert_int_equal(view->count, 5); /* though their places are the same */
  hd_lines_free(view);
  char *text = report(model, HD_ASK_TREE, NULL);
  routines_expect(text, "-... main");
  routines_expect(text, "-main");
  assert_null(strstr(text, "... critical")); /* once is enough */
  routines_expect(text, "'...': all callpaths that end there");
  free(text);
  text = report(model, HD_ASK_REGIONS, NULL); /* without routines */
  routines_expect(text, "... critical");
  routines_expect(text, "'...': all callpaths that end there");
  free(text);
  hd_model_free(model);
}

static void test_whole_callpaths_have_no_mark(void **state) {
  (void)state;
  struct hd_model *model = shortened_model(false);
  char *text = report(model, HD_ASK_TREE, NULL);
  assert_null(strstr(text, "..."));
  free(text);
  text = report(model, HD_ASK_REGIONS, NULL);
  assert_null(strstr(text, "..."));
  free(text);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_kind_has_the_classes_that_it_needs),
      cmocka_unit_test(test_json_says_which_profiles_are_incomplete),
      cmocka_unit_test(test_busy_time_that_may_be_the_runtimes_says_at_most),
      cmocka_unit_test(test_counts_of_what_was_off_say_at_least),
      cmocka_unit_test(test_routines_say_at_least_where_they_come_first),
      cmocka_unit_test(test_shortened_callpaths_are_lines_of_their_own),
      cmocka_unit_test(test_whole_callpaths_have_no_mark),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
