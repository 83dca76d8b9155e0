/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_marks.c
 * What readers must not take for whole: counts of what was switched off for a time, and shortened callpaths.
 */
#include "routine_builder.h"

#include <jansson.h>

#include "output/analysis/lines/lines.h"
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

enum { START = 1, REGION, LOOP, CRITICAL, NODES };

/* What was refused, by class, where: 0, in nothing; else in that node. */
typedef uint32_t refused[HD_CLASS_COUNT];

/* A region with a critical section in a loop, called by main. */
static struct hd_model *model_with(const refused where) {
  struct builder builder;
  routines_start(&builder);
  const uint32_t start = routines_call(&builder, 0, "main", 7, 10);
  const uint32_t region = routines_node(&builder, start, HD_KIND_PARALLEL, "region", 0, 300);
  const uint32_t loop = routines_node(&builder, region, HD_KIND_LOOP, "loop", 31, 200);
  routines_node(&builder, loop, HD_KIND_CRITICAL, "critical", 41, 100);
  struct hd_total_record *total = builder_total(&builder, region, 2);
  total->instances = 21;
  total->elapsed_ticks = 500;
  total->busy_ticks = 600;
  total->capacity_ticks = 1000;
  for (int event_class = 0; event_class < HD_CLASS_COUNT; event_class++)
    if (where[event_class]) {
      builder_switch(&builder, (enum hd_event_class)event_class, 0, where[event_class])->on_ticks = 1020;
      builder_refuse(&builder, (enum hd_event_class)event_class, where[event_class]);
    }
  struct hd_model *model = builder_read(&builder);
  builder_free(&builder);
  return model;
}

static bool has_mark(const struct hd_model *model, size_t profile, const char *key) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_true(hd_exporters[0]->write(model, HD_WEIGHT_WALL, out));
  fclose(out);
  json_t *json = json_loads(text, 0, NULL);
  json_t *value = json_object_get(json_array_get(json_object_get(json, "profiles"), profile), key);
  assert_true(json_is_boolean(value));
  const bool marked = json_is_true(value);
  json_decref(json);
  free(text);
  return marked;
}

/* `marks`: of the program, main, the region, the loop, the critical. */
static void expect_marks(const refused where, const char *key, const char *marks) {
  struct hd_model *model = model_with(where);
  assert_int_equal(model->node_count, NODES);
  assert_int_equal(strlen(marks), NODES);
  for (size_t i = 0; marks[i]; i++)
    if (has_mark(model, i, key) != (marks[i] == 'x'))
      fail_msg("%s of node %zu is not as in %s", key, i, marks);
  hd_model_free(model);
}

static void test_json_says_which_profiles_are_incomplete(void **state) {
  (void)state;
  expect_marks((refused){0}, "incomplete", ".....");
  expect_marks((refused){[HD_CLASS_TASK] = LOOP}, "incomplete", ".....");
  expect_marks((refused){[HD_CLASS_MUTEX] = LOOP}, "incomplete", "....x");
  expect_marks((refused){[HD_CLASS_MUTEX] = REGION}, "incomplete", "....."); /* those were others, in no loop */
  expect_marks((refused){[HD_CLASS_WORK] = REGION}, "incomplete", "...xx");
  expect_marks((refused){[HD_CLASS_SYNC] = LOOP}, "incomplete", "...x."); /* its barrier */
  expect_marks((refused){[HD_CLASS_SYNC] = REGION}, "incomplete", ".....");
}

static void test_json_says_which_numbers_hold_more(void **state) {
  (void)state;
  expect_marks((refused){[HD_CLASS_SYNC] = LOOP}, "busy_at_most", "xxxx.");
  expect_marks((refused){[HD_CLASS_MUTEX] = REGION}, "busy_at_most", "xxx..");
  expect_marks((refused){[HD_CLASS_WORK] = REGION}, "busy_at_most", ".....");
  expect_marks((refused){[HD_CLASS_TASK] = REGION}, "wait_at_most", "xxx..");
  expect_marks((refused){[HD_CLASS_TASK] = LOOP}, "wait_at_most", ".....");
  expect_marks((refused){[HD_CLASS_TASK] = LOOP}, "busy_at_most", "xxxx.");
  expect_marks((refused){[HD_CLASS_TASK] = REGION}, "misplaced", "....."); /* no loop is in a task */
  expect_marks((refused){[HD_CLASS_TASK] = LOOP}, "misplaced", "....x");
  expect_marks((refused){[HD_CLASS_WORK] = REGION}, "own_busy_at_most", "..x..");
  expect_marks((refused){[HD_CLASS_SYNC] = REGION}, "levels_at_most",
               "x.xxx"); /* the program's, and all that ran then */
  expect_marks((refused){[HD_CLASS_SYNC] = REGION}, "potential_gain_at_least", "xxx..");
  expect_marks((refused){[HD_CLASS_SYNC] = REGION}, "potential_gain_unknown", ".....");
}

static char *report(struct hd_model *model, enum hd_question question, const char *callers) {
  const struct hd_report_options options = {.question = question, .sort = HD_SORT_INCLUSIVE, .callers = callers};
  return routines_report(model, &options, HD_REPORT_MADE);
}

/* Chunks were handed out in the loop, and for a time nobody looked. */
static void test_busy_time_that_may_be_the_runtimes_says_at_most(void **state) {
  (void)state;
  for (int off = 0; off < 2; off++) {
    struct builder builder;
    routines_start(&builder);
    const uint32_t region = routines_node(&builder, 0, HD_KIND_PARALLEL, "region", 0, 300);
    const uint32_t loop = routines_node(&builder, region, HD_KIND_LOOP_DYNAMIC, "loop", 31, 200);
    struct hd_row_record *row = builder_row(&builder, loop, 0);
    builder_cell(row, HD_RUNTIME_SCHEDULING)->ticks = 50;
    builder_cell(row, HD_CELL_CHUNKS)->ticks = 10;
    if (off) {
      builder_cell(builder_row(&builder, loop, 0), HD_CELL_UNRESOLVED)->ticks = 120;
      builder_switch(&builder, HD_CLASS_ENTRY, 0, loop);
      builder_refuse(&builder, HD_CLASS_ENTRY, loop);
    }
    struct hd_model *model = builder_read(&builder);
    for (uint32_t node = region; node <= loop; node++)
      assert_int_equal(has_mark(model, node, "busy_at_most"), off);
    assert_int_equal(has_mark(model, loop, "own_busy_at_most"), off);
    assert_false(has_mark(model, region, "own_busy_at_most"));
    assert_int_equal(has_mark(model, region, "potential_gain_at_least"), off);
    assert_int_equal(has_mark(model, 0, "levels_at_most"), off);
    assert_false(has_mark(model, region, "potential_gain_unknown"));
    char *text = report(model, HD_ASK_LOOPS, NULL);
    routines_expect(text, off ? " <=0.200 " : " 0.200 ");
    routines_expect(text, off ? " >=0.050 " : " 0.050 ");
    assert_int_equal(strstr(text, "'>=', '<=', '~': at least") != NULL, off);
    free(text);
    text = report(model, HD_ASK_REGIONS, NULL);
    routines_expect(text, off ? " <=0.200 " : " 0.200 ");
    routines_expect(text, off ? " >=0.050 " : " 0.050 ");
    assert_int_equal(strstr(text, " Unresolved ") != NULL, off);
    assert_int_equal(strstr(text, " 0.120 ") != NULL, off);
    assert_int_equal(strstr(text, "unknown   what threads did for ") != NULL, off);
    free(text);
    hd_model_free(model);
    builder_free(&builder);
  }
}

static void expect_calls(const refused where, enum hd_question question, const char *critical, const char *loop,
                         const char *region) {
  struct hd_model *model = model_with(where);
  char *text = report(model, question, question == HD_ASK_CALLERS ? "." : NULL);
  routines_expect(text, critical);
  routines_expect(text, loop);
  routines_expect(text, region);
  assert_int_equal(strstr(text, "'>=', '<=', '~': at least") != NULL, model->refused != 0);
  free(text);
  hd_model_free(model);
}

static void test_counts_of_what_was_off_say_at_least(void **state) {
  (void)state;
  static const enum hd_question questions[] = {HD_ASK_REGIONS, HD_ASK_FLAT, HD_ASK_TREE, HD_ASK_CALLERS};
  for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
    expect_calls((refused){0}, questions[i], " 41 ", " 31 ", " 21 ");
    expect_calls((refused){[HD_CLASS_MUTEX] = LOOP}, questions[i], " >=41 ", " 31 ", " 21 ");
    expect_calls((refused){[HD_CLASS_MUTEX] = LOOP, [HD_CLASS_WORK] = REGION}, questions[i], " >=41 ", " >=31 ",
                 " 21 ");
  }
  expect_calls((refused){[HD_CLASS_MUTEX] = LOOP}, HD_ASK_CALLGRAPH, " >=41/41 ", " 31/31 ", " 21/21 ");
}

/* ---- times ---- */

static void expect_line(const refused where, enum hd_question question, const char *line) {
  struct hd_model *model = model_with(where);
  char *text = report(model, question, NULL);
  routines_expect(text, line);
  free(text);
  hd_model_free(model);
}

/* The barrier that closes a loop is no node. */
static void test_what_waits_could_be_in_says_at_most(void **state) {
  (void)state;
  const refused barrier = {[HD_CLASS_SYNC] = LOOP};
  expect_line(barrier, HD_ASK_REGIONS, ">=0.200 >=20.0 ");
  expect_line(barrier, HD_ASK_REGIONS, " <=0.600 ");
  expect_line(barrier, HD_ASK_FLAT, " <=0.200 <=0.300 ");
  expect_line(barrier, HD_ASK_TREE, " <=0.300 <=0.200 31 ");
  expect_line(barrier, HD_ASK_CALLGRAPH, "[4] <=49.2 <=0.200 ~0.100 31 ");
  expect_line(barrier, HD_ASK_CALLGRAPH, "<=0.200 ~0.100 31/31 ");
  expect_line(barrier, HD_ASK_THREADS, "0 initial 0.600 <=0.600");
  expect_line(barrier, HD_ASK_REGIONS, "gain at least ");
  expect_line(barrier, HD_ASK_REGIONS, "; at most 0.61 busy on average");
}

/* Of 1000 ticks 20 are less than a tenth, 600 are not. */
static void test_a_gain_that_rests_on_what_was_off_is_unknown(void **state) {
  (void)state;
  struct builder builder;
  routines_start(&builder);
  const uint32_t region = routines_node(&builder, 0, HD_KIND_PARALLEL, "region", 0, 600);
  struct hd_total_record *total = builder_total(&builder, region, 2);
  total->instances = 1;
  total->elapsed_ticks = 700;
  total->busy_ticks = 600;
  total->capacity_ticks = 1400;
  builder_switch(&builder, HD_CLASS_SYNC, 0, region)->on_ticks = 1600;
  builder_refuse(&builder, HD_CLASS_SYNC, region);
  struct hd_model *model = builder_read(&builder);
  builder_free(&builder);
  assert_true(has_mark(model, 0, "potential_gain_unknown") && has_mark(model, region, "potential_gain_unknown"));
  char *text = report(model, HD_ASK_REGIONS, NULL);
  routines_expect(text, "gain unknown (at least 40 %): run with --overhead off");
  routines_expect(text, "?0.400 ?40.0 ");
  routines_expect(text, "'?': unknown, probably more");
  free(text);
  hd_model_free(model);
}

/* A region of 500 ticks with a doacross loop of so many. */
static struct hd_model *doacross_model(uint64_t loop_ticks) {
  struct builder builder;
  routines_start(&builder);
  const uint32_t region = routines_node(&builder, 0, HD_KIND_PARALLEL, "region", 0, 600);
  const uint32_t loop = routines_node(&builder, region, HD_KIND_LOOP, "loop", 2, 2 * loop_ticks);
  const uint32_t nodes[] = {region, loop};
  for (int i = 0; i < 2; i++) {
    struct hd_total_record *total = builder_total(&builder, nodes[i], 2);
    total->instances = 1;
    total->elapsed_ticks = nodes[i] == loop ? loop_ticks : 500;
    total->busy_ticks = nodes[i] == loop ? 2 * loop_ticks : 600;
    total->capacity_ticks = 2 * total->elapsed_ticks;
  }
  struct hd_profile_record *records = (void *)((char *)builder.newest[HD_BLOCK_PROFILES] + HD_BLOCK_HEADER_BYTES);
  records[loop].flags |= HD_PROFILE_SINKS;
  struct hd_model *model = builder_read(&builder);
  builder_free(&builder);
  return model;
}

/* `marks`: of the program, the region, the loop. */
static void expect_doacross(uint64_t loop_ticks, const char *key, const char *marks) {
  struct hd_model *model = doacross_model(loop_ticks);
  for (size_t i = 0; marks[i]; i++)
    if (has_mark(model, i, key) != (marks[i] == 'x'))
      fail_msg("%s of node %zu is not as in %s", key, i, marks);
  hd_model_free(model);
}

static void test_of_a_doacross_loop_the_gain_is_unknown(void **state) {
  (void)state;
  expect_doacross(40, "waits_unreported", "xxx");
  expect_doacross(40, "busy_at_most", "xxx");
  expect_doacross(40, "potential_gain_at_least", "xxx");
  expect_doacross(40, "incomplete", "...");
  expect_doacross(40, "potential_gain_unknown", "..x");
  expect_doacross(60, "potential_gain_unknown", ".xx"); /* more than a tenth of the region */
  expect_doacross(250, "potential_gain_unknown", "xxx");
}

/* Another run with other settings would tell no more. */
static void test_a_doacross_loop_is_not_the_budgets_fault(void **state) {
  (void)state;
  struct hd_model *model = doacross_model(250);
  char *text = report(model, HD_ASK_REGIONS, NULL);
  routines_expect(text,
                  "the runtime does not report the waits of doacross loops (ordered depend(sink)): they count as");
  routines_expect(text, " %): the runtime does not report the waits of doacross loops");
  routines_expect(text, "about: the runtime does not report the waits of doacross loops.");
  routines_expect(text, "At times fewer threads were busy: unobserved waits count as busy");
  routines_expect(text, "'?': unknown, probably more: waits were not observed for more than a tenth of that time.");
  assert_null(strstr(text, "--overhead off"));
  assert_null(strstr(text, "budget"));
  free(text);
  hd_model_free(model);
}

static void test_routines_say_at_least_where_they_come_first(void **state) {
  (void)state;
  struct builder builder;
  routines_start(&builder);
  routines_call(&builder, 0, "main", 7, 10);
  builder_switch(&builder, HD_CLASS_CALL, 0, 0);
  builder_refuse(&builder, HD_CLASS_CALL, 0);
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
      cmocka_unit_test(test_json_says_which_numbers_hold_more),
      cmocka_unit_test(test_counts_of_what_was_off_say_at_least),
      cmocka_unit_test(test_what_waits_could_be_in_says_at_most),
      cmocka_unit_test(test_a_gain_that_rests_on_what_was_off_is_unknown),
      cmocka_unit_test(test_of_a_doacross_loop_the_gain_is_unknown),
      cmocka_unit_test(test_a_doacross_loop_is_not_the_budgets_fault),
      cmocka_unit_test(test_routines_say_at_least_where_they_come_first),
      cmocka_unit_test(test_shortened_callpaths_are_lines_of_their_own),
      cmocka_unit_test(test_whole_callpaths_have_no_mark),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
