/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_flat.c
 * The views with routines as text, and what becomes of routines in the tables of regions.
 */
#include "routine_builder.h"

#include "output/analysis/lines/lines.h"
#include "output/model/memory.h"
#include "output/views/export/export.h"

/* main (10) calls setup (5) once, and kernel (3 calls, 40), which loops (20); the loop's name is main's. */
static void build(struct builder *builder) {
  routines_start(builder);
  const uint32_t start = routines_call(builder, 0, "main", 1, 10);
  const uint32_t kernel = routines_call(builder, start, "kernel", 3, 40);
  routines_node(builder, kernel, HD_KIND_LOOP, "loop", 3, 20);
  routines_call(builder, start, "setup", 1, 5);
}

static struct hd_model *example(void) {
  struct builder builder;
  build(&builder);
  struct hd_model *model = builder_read(&builder);
  builder_free(&builder);
  return model;
}

static char *report(struct hd_model *model, enum hd_question question, enum hd_sort sort) {
  const struct hd_report_options options = {.question = question, .sort = sort, .verbose = true};
  return routines_report(model, &options, HD_REPORT_MADE);
}

static void test_flat_is_sorted_by_self_and_adds_up(void **state) {
  (void)state;
  struct hd_model *model = example();
  char *text = report(model, HD_ASK_FLAT, HD_SORT_SELF);
  routines_expect(text, "53.3 0.040 0.040 0.060 3 0");
  routines_expect(text, "26.7 0.060 0.020 0.020 3 0");
  routines_expect(text, "13.3 0.070 0.010 0.075 1 0");
  routines_expect(text, "6.7 0.075 0.005 0.005 1 0");
  assert_true(strstr(text, " kernel\n") < strstr(text, " setup\n"));
  assert_null(strstr(text, "no routines"));
  assert_null(strstr(text, "<cycle>"));
  free(text);
  hd_model_free(model);
}

/* However few are shown, their times are in the unit that is named. */
static void test_flat_keeps_its_unit_when_limited(void **state) {
  (void)state;
  const struct hd_report_options options = {.question = HD_ASK_FLAT, .sort = HD_SORT_SELF, .limit = 1};
  struct builder builder;
  routines_start(&builder);
  for (char name[] = "f0"; name[1] <= '9'; name[1]++)
    routines_call(&builder, 0, name, 1, 900 - (uint64_t)(name[1] - '0'));
  struct hd_model *model = builder_read(&builder);
  model->seconds_per_tick = 1e-6; /* each below a millisecond, together above it */
  char *text = routines_report(model, &options, HD_REPORT_MADE);
  routines_expect(text, "Times in milliseconds.");
  routines_expect(text, "0.900 0.900 0.900 1 0");
  free(text);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_unwound_routines_have_no_calls(void **state) {
  (void)state;
  struct builder builder;
  routines_start(&builder);
  const uint32_t caller = routines_unwound(&builder, 0, "caller");
  routines_node(&builder, caller, HD_KIND_LOOP, "loop", 3, 20);
  struct hd_model *model = builder_read(&builder);
  char *text = report(model, HD_ASK_FLAT, HD_SORT_SELF);
  routines_expect(text, "- 0.020 - 0.020 - - - - - - caller");
  routines_expect(text, "callers of regions only. Compile the program with");
  free(text);
  text = report(model, HD_ASK_TREE, HD_SORT_INCLUSIVE);
  routines_expect(text, "100.0 0.020 - - -");
  free(text);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_without_routines_the_views_say_so(void **state) {
  (void)state;
  struct builder builder;
  routines_start(&builder);
  builder.header->unwind_depth = 0;
  routines_node(&builder, 0, HD_KIND_LOOP, "loop", 3, 20);
  struct hd_model *model = builder_read(&builder);
  static const enum hd_question questions[] = {HD_ASK_FLAT, HD_ASK_CALLGRAPH, HD_ASK_TREE};
  for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
    char *text = report(model, questions[i], HD_SORT_INCLUSIVE);
    routines_expect(text, "This profile has no routines, only OpenMP constructs: it was made with "
                          "HEDDLE_UNWIND=off.");
    free(text);
  }
  hd_model_free(model);
  builder_free(&builder);
}

static void test_tree_shows_recursive_calls_without_time(void **state) {
  (void)state;
  struct builder builder;
  routines_start(&builder);
  const uint32_t fib = routines_call(&builder, 0, "fib", 1, 10);
  routines_back(&builder, fib, "fib", 8, fib);
  struct hd_model *model = builder_read(&builder);
  char *text = report(model, HD_ASK_TREE, HD_SORT_INCLUSIVE);
  routines_expect(text, "- - - 8 0 - 2 ");
  assert_non_null(strstr(text, "fib (recursive call)"));
  free(text);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_callers_lead_up_to_the_program(void **state) {
  (void)state;
  const struct hd_report_options options = {
      .question = HD_ASK_CALLERS, .sort = HD_SORT_INCLUSIVE, .callers = "^leaf$", .csv = true};
  struct builder builder;
  routines_start(&builder);
  const uint32_t a = routines_call(&builder, 0, "a", 1, 1);
  const uint32_t b = routines_call(&builder, 0, "b", 1, 1);
  const uint32_t leaf = routines_call(&builder, a, "leaf", 2, 20);
  routines_call(&builder, b, "leaf", 3, 30);
  routines_back(&builder, leaf, "leaf", 7, leaf);
  struct hd_model *model = builder_read(&builder);
  char *text = routines_report(model, &options, HD_REPORT_MADE);
  routines_expect(text, "1,0,routine,leaf,/src/app.c,,,,false,false,5");
  routines_expect(text, "2,1,routine,b,/src/app.c,,,,false,false,3.0000000000000004e-08,3.0000000000000004e-08,3,0,");
  routines_expect(text, "3,2,program,");
  routines_expect(text, "4,1,routine,a,/src/app.c,,,,false,false,2e-08,2e-08,2,0,");
  routines_expect(text, "6,1,routine,leaf,/src/app.c,,,,false,false,0,0,7,0,"); /* called by itself */
  free(text);
  hd_model_free(model);
  builder_free(&builder);
}

/* f, below it g, below that f again: what the inner f took came by the way of the outer one, its calls by their own. */
static void test_callers_count_recursion_once(void **state) {
  (void)state;
  const struct hd_report_options options = {
      .question = HD_ASK_CALLERS, .sort = HD_SORT_INCLUSIVE, .callers = "^f$", .csv = true};
  struct builder builder;
  routines_start(&builder);
  const uint32_t outer = routines_call(&builder, 0, "f", 1, 16);
  const uint32_t between = routines_call(&builder, outer, "g", 1, 4);
  routines_call(&builder, between, "f", 3, 32);
  struct hd_model *model = builder_read(&builder);
  model->seconds_per_tick = 1;
  char *text = routines_report(model, &options, HD_REPORT_MADE);
  routines_expect(text, "1,0,routine,f,/src/app.c,,,,false,false,52,48,4,0,");
  routines_expect(text, "2,1,program,,,,,,false,false,52,48,1,0,");
  routines_expect(text, "3,1,routine,g,/src/app.c,,,,false,false,0,0,3,0,");
  free(text);
  hd_model_free(model);
  builder_free(&builder);
}

/* ---- the tables of regions ---- */

static void test_routines_are_part_of_the_line_above(void **state) {
  (void)state;
  struct builder builder;
  routines_start(&builder);
  const uint32_t one = routines_call(&builder, 0, "one", 1, 5);
  const uint32_t two = routines_call(&builder, 0, "two", 1, 7);
  const uint32_t loop = routines_node(&builder, one, HD_KIND_LOOP, "loop", 1, 10);
  routines_node(&builder, two, HD_KIND_LOOP, "loop", 2, 20);
  routines_call(&builder, loop, "inner", 4, 3);
  struct hd_model *model = builder_read(&builder);
  struct hd_lines *view = hd_lines_new(model, HD_SORT_BUSY, HD_LINES_CONSTRUCTS);
  assert_int_equal(view->count, 2);
  assert_int_equal(view->lines[1].visits, 3);
  assert_int_equal(view->lines[1].ticks[HD_BUSY], 33);
  assert_int_equal(view->lines[1].own_busy_ticks, 33);
  assert_int_equal(view->lines[0].own_busy_ticks, 12);
  assert_int_equal(view->lines[0].ticks[HD_BUSY], 45);
  assert_int_equal(view->line_of_node[two], 0);
  hd_lines_free(view);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_phases_are_lines_with_their_names(void **state) {
  (void)state;
  const struct hd_report_options options = {.question = HD_ASK_REGIONS};
  struct builder builder;
  routines_start(&builder);
  static const char *const names[] = {"", "set\x1bup", "solve", ""};
  for (uint32_t i = 1; i <= 3; i++) {
    struct hd_profile_record *phase = builder_profile(&builder, 0, HD_KIND_PHASE);
    phase->address = phase->offset = 0;
    builder_text(&builder, HD_TEXT_PHASE, i, names[i], strlen(names[i]));
    builder_cell(builder_row(&builder, i, 0), HD_BUSY)->ticks = 10 * i;
  }
  struct hd_model *model = builder_read(&builder);
  char *text = routines_report(model, &options, HD_REPORT_MADE);
  routines_expect(text, "phase solve");
  routines_expect(text, "phase without a name");
  routines_expect(text, "phase set?up"); /* nothing that steers a terminal */
  free(text);
  hd_model_free(model);
  builder_free(&builder);
}

/* ---- JSON ---- */

static char *json_of(struct hd_model *model) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_true(hd_exporters[0]->write(model, HD_WEIGHT_WALL, out));
  fclose(out);
  size_t kept = 0; /* without space, to be searched */
  for (size_t i = 0; i < bytes; i++)
    if (text[i] != ' ' && text[i] != '\n')
      text[kept++] = text[i];
  text[kept] = '\0';
  return text;
}

static void test_json_holds_entries_and_what_was_not_measured(void **state) {
  (void)state;
  struct builder builder;
  routines_start(&builder);
  const uint32_t caller = routines_unwound(&builder, 0, "caller");
  const uint32_t f = routines_call(&builder, caller, "f", 7, 100);
  routines_back(&builder, f, "f", 2, f);
  struct hd_entry_record *entries = routines_entries(&builder, f);
  entries->visits[HD_SEQUENTIAL][HD_CONCURRENT] = 3;
  entries->ticks[HD_SEQUENTIAL][HD_CONCURRENT] = 1000000000;
  entries->visits[HD_CONCURRENT][HD_CONCURRENT] = 4;
  builder.header->pauses = 2;
  builder.header->paused_ticks = 3000000000;
  struct hd_model *model = builder_read(&builder);
  char *text = json_of(model);
  assert_non_null(strstr(text, "\"visits\":7,\"visits_concurrent\":7"));
  assert_non_null(strstr(text, "\"S-C\":{\"visits\":3,\"elapsed_s\":1.0},\"C-S\":{\"visits\":0,\"elapsed_s\":0.0}"));
  assert_non_null(strstr(text, "\"visits\":null,\"visits_concurrent\":null"));
  assert_non_null(strstr(text, "\"measured\":false"));
  assert_non_null(strstr(text, "\"recursive_of\":2"));
  assert_non_null(strstr(text, "\"pauses\":2,\"paused_s\":3.0"));
  assert_non_null(strstr(text, "measurementwaspaused2times"));
  free(text);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_notes_say_what_could_not_be_followed(void **state) {
  (void)state;
  struct builder builder;
  routines_start(&builder);
  builder.header->left_routines = 1;
  builder.header->unmatched_routines = 2;
  builder.header->unmatched_phases = 1;
  builder.header->nested_signals = 5;
  builder.header->lost_entries = 1;
  builder.header->cut_callers = 3;
  const uint32_t plugin = builder_module(&builder, "/lib/plugin.so");
  builder_module(&builder, "/lib/runtime.so"); /* without callpaths */
  struct hd_module_record *modules = (void *)((char *)builder.newest[HD_BLOCK_MODULES] + HD_BLOCK_HEADER_BYTES);
  modules[0].flags = modules[1].flags = HD_MODULE_UNLOADED;
  builder_profile(&builder, 0, HD_KIND_TASKWAIT)->module = plugin;
  struct hd_model *model = builder_read(&builder);
  char *text = report(model, HD_ASK_FLAT, HD_SORT_SELF);
  routines_expect(text, "1 routine was left without returning");
  routines_expect(text, "2 routine exits without a matching entry were ignored");
  routines_expect(text, "1 phase ended without having begun, or never ended");
  routines_expect(text, "5 entries and exits in signal handlers");
  routines_expect(text, "no space was left for the state or time of 1 entry");
  routines_expect(text, "at 3 region begins the stack was deeper than 64 routines");
  routines_expect(text, "plugin.so was unloaded during the run");
  assert_null(strstr(text, "runtime.so was unloaded"));
  free(text);
  hd_model_free(model);
  builder_free(&builder);
}

static char *summary(const struct hd_model *model) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  hd_report_summary(model, out);
  fclose(out);
  return text;
}

static void test_without_regions_routines_come_first(void **state) {
  (void)state;
  static const char *const absent[] = {"\ngain ", "parallel regions", "no OpenMP runtime", "program app"};
  char name[] = "f0";
  struct builder builder;
  routines_start(&builder);
  routines_unwound(&builder, 0, "unwound");
  for (; name[1] <= '7'; name[1]++)
    routines_call(&builder, 0, name, 2, (uint64_t)(name[1] - '0' + 1) * 10);
  struct hd_model *model = builder_read(&builder);
  char *text = summary(model);
  routines_expect(text, "22.2 0.080 0.080 2 f7");
  routines_expect(text, "8.3 0.030 0.030 2 f2");
  routines_expect(text, "2 more: see 'heddle report --flat'.");
  for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
    assert_null(strstr(text, absent[i]));
  free(text);
  text = report(model, HD_ASK_REGIONS, HD_SORT_GAIN);
  routines_expect(text, "runtime none");
  routines_expect(text, "No parallel region was heard of.");
  routines_expect(text, "More: --flat (each routine), --callgraph");
  assert_null(strstr(text, "\ngain "));
  free(text);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_with_regions_they_come_first(void **state) {
  (void)state;
  struct builder builder;
  routines_start(&builder);
  const uint32_t f = routines_call(&builder, 0, "f", 1, 10);
  const uint32_t region = routines_node(&builder, f, HD_KIND_PARALLEL, "region", 0, 20);
  *builder_total(&builder, region, 2) = (struct hd_total_record){
      .profile = region, .team_size = 2, .instances = 1, .elapsed_ticks = 20, .busy_ticks = 20, .capacity_ticks = 40};
  strcpy(builder.header->runtime, "a runtime");
  struct hd_model *model = builder_read(&builder);
  char *text = summary(model);
  routines_expect(text, " in regions, ");
  routines_expect(text, "gain");
  assert_null(strstr(text, " 1 f\n"));
  free(text);
  text = report(model, HD_ASK_REGIONS, HD_SORT_GAIN);
  routines_expect(text, "runtime a runtime");
  routines_expect(text, "--with ID (what runs beside a line), --histogram,");
  routines_expect(text, "--flat");
  free(text);
  hd_model_free(model);
  builder_free(&builder);
}

/* They may be libgomp's, and wait unseen. */
static void test_threads_without_a_runtime_have_a_note(void **state) {
  (void)state;
  struct builder builder;
  routines_start(&builder);
  builder_thread(&builder, HD_THREAD_OTHER, 1000, 2000);
  struct hd_model *model = builder_read(&builder);
  char *text = summary(model);
  routines_expect(text, "note no OpenMP runtime reported regions and waits");
  routines_expect(text, "'heddle run --gomp'");
  free(text);
  hd_model_free(model);
  builder.header->flags |= HD_FILE_GOMP;
  model = builder_read(&builder);
  text = summary(model);
  routines_expect(text, "libomp was loaded first (--gomp) but reported nothing");
  assert_null(strstr(text, "heddle run --gomp"));
  free(text);
  hd_model_free(model);
  strcpy(builder.header->runtime, "a runtime");
  model = builder_read(&builder);
  text = summary(model);
  assert_null(strstr(text, "no OpenMP runtime"));
  free(text);
  hd_model_free(model);
  builder_free(&builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flat_is_sorted_by_self_and_adds_up),
      cmocka_unit_test(test_flat_keeps_its_unit_when_limited),
      cmocka_unit_test(test_unwound_routines_have_no_calls),
      cmocka_unit_test(test_without_routines_the_views_say_so),
      cmocka_unit_test(test_tree_shows_recursive_calls_without_time),
      cmocka_unit_test(test_callers_lead_up_to_the_program),
      cmocka_unit_test(test_callers_count_recursion_once),
      cmocka_unit_test(test_routines_are_part_of_the_line_above),
      cmocka_unit_test(test_phases_are_lines_with_their_names),
      cmocka_unit_test(test_json_holds_entries_and_what_was_not_measured),
      cmocka_unit_test(test_without_regions_routines_come_first),
      cmocka_unit_test(test_with_regions_they_come_first),
      cmocka_unit_test(test_threads_without_a_runtime_have_a_note),
      cmocka_unit_test(test_notes_say_what_could_not_be_followed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
