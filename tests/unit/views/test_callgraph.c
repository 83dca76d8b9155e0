/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_callgraph.c
 * Entries and arcs of the call graph: what recursion counts once, cycles, and gprof's blocks.
 */
#include "routine_builder.h"

#include "output/analysis/callpaths/call_graph.h"
#include "output/model/memory.h"

static const struct hd_graph_entry *entry_named(const struct hd_graph *graph, const char *name) {
  for (uint32_t i = 0; i < graph->entry_count; i++)
    if (graph->entries[i].node->name.function && strcmp(graph->entries[i].node->name.function, name) == 0 &&
        graph->entries[i].node->kind == HD_KIND_ROUTINE)
      return &graph->entries[i];
  fail_msg("no entry %s", name);
  return NULL;
}

static const struct hd_graph_arc *arc_between(const struct hd_graph *graph, const char *parent, const char *child) {
  const uint32_t from = (uint32_t)(entry_named(graph, parent) - graph->entries);
  const uint32_t to = (uint32_t)(entry_named(graph, child) - graph->entries);
  for (uint32_t i = 0; i < graph->arc_count; i++)
    if (graph->arcs[i].parent == from && graph->arcs[i].child == to)
      return &graph->arcs[i];
  fail_msg("no arc %s -> %s", parent, child);
  return NULL;
}

/* main (10) calls a (20) twice and c (5) once; a calls b (30) 5 times, b calls a back 4 times; c calls b (7) 3 times.
 */
static struct hd_model *mutual_recursion(void) {
  struct builder builder;
  routines_start(&builder);
  const uint32_t start = routines_call(&builder, 0, "main", 1, 10);
  const uint32_t a = routines_call(&builder, start, "a", 2, 20);
  const uint32_t b = routines_call(&builder, a, "b", 5, 30);
  routines_back(&builder, b, "a", 4, a);
  const uint32_t c = routines_call(&builder, start, "c", 1, 5);
  routines_call(&builder, c, "b", 3, 7);
  struct hd_model *model = builder_read(&builder);
  builder_free(&builder);
  return model;
}

static void test_arcs_add_up_to_their_entry(void **state) {
  (void)state;
  struct hd_model *model = mutual_recursion();
  struct hd_graph *graph = hd_graph_new(model, HD_SORT_INCLUSIVE);
  assert_int_equal(graph->entry_count, 5);
  assert_int_equal(entry_named(graph, "main")->times.inclusive_ticks, 72);
  assert_int_equal(entry_named(graph, "a")->times.inclusive_ticks, 50);
  assert_int_equal(entry_named(graph, "a")->visits, 6);
  assert_int_equal(entry_named(graph, "b")->times.inclusive_ticks, 37);
  assert_int_equal(entry_named(graph, "b")->visits, 8);
  assert_int_equal(arc_between(graph, "main", "a")->times.inclusive_ticks, 50);
  assert_int_equal(arc_between(graph, "main", "a")->times.self_ticks, 20);
  assert_int_equal(arc_between(graph, "a", "b")->times.inclusive_ticks, 30);
  assert_int_equal(arc_between(graph, "c", "b")->times.inclusive_ticks, 7);
  assert_int_equal(arc_between(graph, "b", "a")->visits, 4);
  assert_int_equal(arc_between(graph, "b", "a")->times.inclusive_ticks, 0);
  hd_graph_free(graph);
  hd_model_free(model);
}

static void test_mutual_recursion_is_a_cycle(void **state) {
  (void)state;
  struct hd_model *model = mutual_recursion();
  struct hd_graph *graph = hd_graph_new(model, HD_SORT_INCLUSIVE);
  assert_int_equal(graph->cycle_count, 1);
  assert_int_equal(entry_named(graph, "a")->cycle, 1);
  assert_int_equal(entry_named(graph, "b")->cycle, 1);
  assert_int_equal(entry_named(graph, "c")->cycle, 0);
  assert_int_equal(graph->cycles[0].visits, 5);
  assert_int_equal(graph->cycles[0].internal_visits, 9);
  assert_int_equal(graph->cycles[0].times.inclusive_ticks, 57);
  assert_int_equal(graph->cycles[0].times.self_ticks, 57);
  assert_int_equal(arc_between(graph, "main", "a")->cycle_self_ticks, 50);
  assert_int_equal(arc_between(graph, "c", "b")->cycle_self_ticks, 7);
  /* program, main, the cycle, a, b, c */
  assert_int_equal(graph->block_count, 6);
  assert_int_equal(graph->blocks[2].entry, HD_NONE);
  assert_int_equal(graph->cycles[0].index, 3);
  assert_int_equal(entry_named(graph, "a")->index, 4);
  hd_graph_free(graph);
  hd_model_free(model);
}

static void test_blocks_are_gprofs(void **state) {
  (void)state;
  const struct hd_report_options options = {.question = HD_ASK_CALLGRAPH, .sort = HD_SORT_INCLUSIVE};
  struct hd_model *model = mutual_recursion();
  char *text = routines_report(model, &options, HD_REPORT_MADE);
  routines_expect(text, "[3] 79.2 0.057 0.000 5+9 <cycle 1 as a whole> [3]");
  routines_expect(text, "0.020 0.030 2/6 2 0 a <cycle 1> [4]"); /* main's callee */
  routines_expect(text, "0.020 0.030 4/6 4 0 a <cycle 1> [4]"); /* as a member: 4 calls come from b */
  routines_expect(text, "5 5 0 b <cycle 1> [5]");               /* inside the cycle: a count only */
  routines_expect(text, "0.007 0.000 3/8 3 0 c [6]");
  routines_expect(text, "Below lacks what its calls of the others led back to");
  free(text);
  const struct hd_report_options flat = {.question = HD_ASK_FLAT, .sort = HD_SORT_SELF};
  text = routines_report(model, &flat, HD_REPORT_MADE);
  routines_expect(text, "Incl of a member of a <cycle>");
  free(text);
  hd_model_free(model);
}

static void test_direct_recursion_is_counted_apart(void **state) {
  (void)state;
  const struct hd_report_options options = {.question = HD_ASK_CALLGRAPH, .sort = HD_SORT_INCLUSIVE};
  struct builder builder;
  routines_start(&builder);
  const uint32_t fib = routines_call(&builder, 0, "fib", 1, 100);
  routines_back(&builder, fib, "fib", 24, fib);
  struct hd_model *model = builder_read(&builder);
  char *text = routines_report(model, &options, HD_REPORT_MADE);
  routines_expect(text, "[2] 100.0 0.100 0.000 1+24 25 0 fib [2]");
  routines_expect(text, "0.100 0.000 1/1 1 0 fib [2]");
  free(text);
  hd_model_free(model);
  builder_free(&builder);
}

/* With a larger cycle limit a path holds the same routine twice: the inner one's time is not counted again. */
static void test_inclusive_time_counts_the_outermost(void **state) {
  (void)state;
  struct builder builder;
  routines_start(&builder);
  const uint32_t outer = routines_call(&builder, 0, "f", 1, 10);
  const uint32_t between = routines_call(&builder, outer, "g", 1, 5);
  const uint32_t inner = routines_call(&builder, between, "f", 3, 20);
  routines_entries(&builder, outer)->ticks[HD_SEQUENTIAL][HD_SEQUENTIAL] = 35;
  routines_entries(&builder, inner)->ticks[HD_SEQUENTIAL][HD_SEQUENTIAL] = 20;
  struct hd_model *model = builder_read(&builder);
  struct hd_graph *graph = hd_graph_new(model, HD_SORT_INCLUSIVE);
  const struct hd_graph_entry *f = entry_named(graph, "f");
  assert_int_equal(f->times.inclusive_ticks, 35);
  assert_int_equal(f->times.self_ticks, 30);
  assert_int_equal(f->visits, 4);
  assert_int_equal(f->elapsed_ticks, 35);
  assert_int_equal(arc_between(graph, "g", "f")->times.inclusive_ticks, 0);
  hd_graph_free(graph);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_entries_show_cprofs_cases(void **state) {
  (void)state;
  const struct hd_report_options options = {.question = HD_ASK_CALLGRAPH, .sort = HD_SORT_INCLUSIVE};
  struct builder builder;
  routines_start(&builder);
  const uint32_t f = routines_call(&builder, 0, "f", 7, 100);
  struct hd_entry_record *entries = routines_entries(&builder, f);
  entries->visits[HD_SEQUENTIAL][HD_CONCURRENT] = 3;
  entries->ticks[HD_SEQUENTIAL][HD_CONCURRENT] = 60000;
  entries->visits[HD_CONCURRENT][HD_CONCURRENT] = 4;
  entries->ticks[HD_CONCURRENT][HD_CONCURRENT] = 40000;
  struct hd_model *model = builder_read(&builder);
  char *text = routines_report(model, &options, HD_REPORT_MADE);
  routines_expect(text, "S-C: 3, 60.000 us; C-C: 4, 40.000 us");
  routines_expect(text, "7 0 7 f [2]");
  assert_null(strstr(text, "S-S: "));
  free(text);
  hd_model_free(model);
  builder_free(&builder);
}

/* A ring of many routines, each of which also calls the one before: one component, however deep. */
static void test_long_cycles_need_no_recursion(void **state) {
  (void)state;
  enum { LENGTH = 200 };
  struct builder builder;
  char name[16];
  uint32_t ids[LENGTH];
  routines_start(&builder);
  for (uint32_t i = 0; i < LENGTH; i++) {
    snprintf(name, sizeof name, "r%u", i);
    ids[i] = routines_call(&builder, i == 0 ? 0 : ids[i - 1], name, 1, 1);
  }
  routines_back(&builder, ids[LENGTH - 1], "r0", 1, ids[0]);
  struct hd_model *model = builder_read(&builder);
  struct hd_graph *graph = hd_graph_new(model, HD_SORT_INCLUSIVE);
  assert_int_equal(graph->cycle_count, 1);
  for (uint32_t i = 1; i < graph->entry_count; i++)
    assert_int_equal(graph->entries[i].cycle, 1);
  assert_int_equal(graph->cycles[0].internal_visits, LENGTH);
  hd_graph_free(graph);
  hd_model_free(model);
  builder_free(&builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arcs_add_up_to_their_entry),
      cmocka_unit_test(test_mutual_recursion_is_a_cycle),
      cmocka_unit_test(test_blocks_are_gprofs),
      cmocka_unit_test(test_direct_recursion_is_counted_apart),
      cmocka_unit_test(test_inclusive_time_counts_the_outermost),
      cmocka_unit_test(test_entries_show_cprofs_cases),
      cmocka_unit_test(test_long_cycles_need_no_recursion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
