/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which callpaths of several runs are the same: by their addresses, and by their names when the program was rebuilt. */
#include "profile_builder.h"

#include <stdarg.h>
#include <stdio.h>

#include "output/united.h"

/* ---- runs ---- */

/* A run of `program`, of which nothing but the callpaths matters. Module 0 is the executable; "": no build id. */
static void begin_run(struct builder *builder, const char *program, const char *build_id) {
  char path[64];
  builder_init(builder);
  strcpy(builder->header->program, program);
  builder_profile(builder, 0, HD_KIND_PROGRAM);
  snprintf(path, sizeof path, "/%.8s/%.40s", build_id, program);
  builder_module(builder, path);
  struct hd_thread_record *thread = builder_thread(builder, HD_THREAD_INITIAL, 1000, 2000);
  thread->end_ticks = 2000;
  thread->busy_ticks = 1000;
  builder_row(builder, 0, 0)->ticks[HD_BUSY] = 1000;
  struct hd_module_record *module = (void *)((char *)builder->newest[HD_BLOCK_MODULES] + HD_BLOCK_HEADER_BYTES);
  module->build_id_bytes = (uint32_t)strlen(build_id);
  memcpy(module->build_id, build_id, strlen(build_id));
}

static struct hd_model *end_run(struct builder *builder) {
  struct hd_model *model = builder_read(builder);
  builder_free(builder);
  return model;
}

/* A library: module 1, 2, ... */
static uint32_t add_library(struct builder *builder, const char *path, const char *build_id) {
  const uint32_t id = builder_module(builder, path);
  struct hd_module_record *module =
      (void *)((char *)builder->newest[HD_BLOCK_MODULES] + HD_BLOCK_HEADER_BYTES + id * sizeof *module);
  module->build_id_bytes = (uint32_t)strlen(build_id);
  memcpy(module->build_id, build_id, strlen(build_id));
  return id;
}

/* A callpath in the executable, loaded anywhere. */
static struct hd_profile_record *add_path(struct builder *builder, uint32_t parent, enum hd_kind kind,
                                          uint64_t offset) {
  struct hd_profile_record *record = builder_profile(builder, parent, kind);
  record->module = 0;
  record->offset = offset;
  record->address = (uintptr_t)builder + offset;
  return record;
}

/* "function", "/build/dir/file.c" and a line; "0": not known. */
static uint32_t add_named(struct builder *builder, uint32_t parent, enum hd_kind kind, const char *function,
                          const char *file, unsigned line) {
  char text[16];
  snprintf(text, sizeof text, "%u", line);
  struct hd_profile_record *record = add_path(builder, parent, kind, 0x1000 + builder->profiles);
  builder_name(builder, record->id, function, file, text);
  return record->id;
}

/* Regions of main(), at these lines. */
static struct hd_model *run_of_lines(const char *build_id, const unsigned *lines) {
  struct builder builder;
  begin_run(&builder, "app", build_id);
  for (; *lines != 0; lines++)
    add_named(&builder, 0, HD_KIND_PARALLEL, "main", "/src/app.c", *lines);
  return end_run(&builder);
}
#define LINES(build_id, ...) run_of_lines(build_id, (const unsigned[]){__VA_ARGS__, 0})

/* ---- expectations ---- */

/* Parents come first, all that is said of a callpath is true of its nodes, and none is lost. */
static void expect_sound(const struct hd_united *united) {
  bool met[256] = {false};
  assert_true(united->node_count <= 256);
  for (size_t run = 0; run < united->model_count; run++) {
    const struct hd_model *model = united->models[run];
    assert_int_equal(united->node_of[run][0], 0);
    for (uint32_t i = 0; i < model->node_count; i++) {
      assert_true(united->node_of[run][i] < united->node_count);
      const struct hd_united_node *to = &united->nodes[united->node_of[run][i]];
      assert_int_equal(to->parent, united->node_of[run][model->nodes[i].parent]);
      assert_int_equal(to->flags & model->nodes[i].flags, model->nodes[i].flags);
      assert_int_equal(to->node->depth, model->nodes[i].depth);
      met[united->node_of[run][i]] = true;
    }
    for (uint32_t i = 0; i < model->module_count; i++)
      assert_true(united->module_of[run][i] < united->module_count);
  }
  for (uint32_t i = 0; i < united->node_count; i++) {
    const struct hd_united_node *node = &united->nodes[i];
    assert_true(met[i] && (i == 0 ? node->parent == 0 : node->parent < i));
    assert_true(node->target < united->node_count && node->node == &node->model->nodes[node->node->id]);
    assert_true(node->module == HD_NONE || node->module < united->module_count);
  }
}

static char *add_node_text(char *end, const struct hd_node *node) {
  if (node->kind == HD_KIND_ROUTINE || node->kind == HD_KIND_PHASE)
    return end + sprintf(end, "%s", node->name.function ? node->name.function : "?");
  if (node->name.line != 0)
    return end + sprintf(end, "%u", node->name.line);
  return end + sprintf(end, "x%llx", (unsigned long long)node->offset);
}

/* "10|12 20|- .21|-": by callpath, its line in each run, or "-". A dot for each level below the first; "+" joins
 * several nodes of a run. */
static void united_text(const struct hd_united *united, char *end) {
  for (uint32_t i = 1; i < united->node_count; i++) {
    for (uint32_t depth = 1; depth < united->nodes[i].node->depth; depth++)
      *end++ = '.';
    for (size_t run = 0; run < united->model_count; run++) {
      const char *begin = end;
      for (uint32_t j = 1; j < united->models[run]->node_count; j++)
        if (united->node_of[run][j] == i) {
          if (end > begin)
            *end++ = '+';
          end = add_node_text(end, &united->models[run]->nodes[j]);
        }
      if (end == begin)
        *end++ = '-';
      *end++ = run + 1 < united->model_count ? '|' : ' ';
    }
  }
  end[-(united->node_count > 1)] = '\0';
}

/* Unites the runs, which are freed, and compares what has come of it. */
static void expect_united(enum hd_unite_by by, struct hd_model **models, size_t count, uint32_t moved,
                          const char *expected) {
  char text[4096];
  struct hd_united *united = hd_united_new(models, count, by);
  assert_non_null(united);
  expect_sound(united);
  united_text(united, text);
  assert_string_equal(text, expected);
  assert_int_equal(united->moved, moved);
  hd_united_free(united);
  for (size_t i = 0; i < count; i++)
    hd_model_free(models[i]);
}
#define RUNS(...)                                                                                                      \
  (struct hd_model *[]){__VA_ARGS__}, sizeof((struct hd_model *[]){__VA_ARGS__}) / sizeof(struct hd_model *)
#define EXPECT_BY_ADDRESS(expected, ...) expect_united(HD_UNITE_BY_ADDRESS, RUNS(__VA_ARGS__), 0, expected)
#define EXPECT_BY_NAME(expected, moved, ...) expect_united(HD_UNITE_BY_NAME, RUNS(__VA_ARGS__), moved, expected)

/* ---- by address ---- */

static struct hd_model *run_of_offsets(const char *build_id, uint64_t base, uint64_t first, uint64_t second) {
  struct builder builder;
  begin_run(&builder, "app", build_id);
  add_path(&builder, 0, HD_KIND_PARALLEL, first)->address = base + first;
  add_path(&builder, 1, HD_KIND_SINGLE, second)->address = base + second;
  return end_run(&builder);
}

static void test_one_build_is_united_wherever_it_was_loaded(void **state) {
  (void)state;
  EXPECT_BY_ADDRESS("x40|x40 .x50|x50", run_of_offsets("build-1", 0x10000, 0x40, 0x50),
                    run_of_offsets("build-1", 0x70000, 0x40, 0x50));
  EXPECT_BY_ADDRESS("x40|x40 .x50|- .-|x60", run_of_offsets("build-1", 0x10000, 0x40, 0x50),
                    run_of_offsets("build-1", 0x70000, 0x40, 0x60));
  /* The same address is not the same place. */
  EXPECT_BY_ADDRESS("x40|- .x50|- -|x140 .-|x50", run_of_offsets("build-1", 0x10000, 0x40, 0x50),
                    run_of_offsets("build-1", 0xff00, 0x140, 0x50));
}

static void test_another_build_has_other_addresses(void **state) {
  (void)state;
  EXPECT_BY_ADDRESS("x40|- .x50|- -|x40 .-|x50", run_of_offsets("build-1", 0, 0x40, 0x50),
                    run_of_offsets("build-2", 0, 0x40, 0x50));
  EXPECT_BY_ADDRESS("x40|x40 .x50|x50", run_of_offsets("", 0, 0x40, 0x50), run_of_offsets("", 0, 0x40, 0x50));
}

static struct hd_model *run_of_kinds(enum hd_kind kind, uint16_t flags, const char *name) {
  struct builder builder;
  begin_run(&builder, "app", "build-1");
  struct hd_profile_record *record = add_path(&builder, 0, kind, 0x40);
  record->flags = flags;
  if (kind == HD_KIND_PHASE) {
    record->module = HD_NONE;
    record->offset = record->address = 0;
    builder_text(&builder, HD_TEXT_PHASE, 1, name, strlen(name));
  }
  return end_run(&builder);
}

static void test_phases_are_the_same_by_their_names(void **state) {
  (void)state;
  EXPECT_BY_ADDRESS("solve|solve|- -|-|load", run_of_kinds(HD_KIND_PHASE, 0, "solve"),
                    run_of_kinds(HD_KIND_PHASE, 0, "solve"), run_of_kinds(HD_KIND_PHASE, 0, "load"));
  EXPECT_BY_NAME("solve|solve|- -|-|load", 0, run_of_kinds(HD_KIND_PHASE, 0, "solve"),
                 run_of_kinds(HD_KIND_PHASE, 0, "solve"), run_of_kinds(HD_KIND_PHASE, 0, "load"));
}

static void test_a_schedule_does_not_make_another_loop(void **state) {
  (void)state;
  EXPECT_BY_ADDRESS("x40|x40|x40|x40", run_of_kinds(HD_KIND_LOOP_STATIC, 0, ""),
                    run_of_kinds(HD_KIND_LOOP_DYNAMIC, 0, ""), run_of_kinds(HD_KIND_LOOP_GUIDED, 0, ""),
                    run_of_kinds(HD_KIND_LOOP, 0, ""));
  EXPECT_BY_ADDRESS("x40|- -|x40", run_of_kinds(HD_KIND_LOOP_STATIC, 0, ""), run_of_kinds(HD_KIND_SINGLE, 0, ""));
  expect_united(HD_UNITE_STRICTLY,
                RUNS(run_of_kinds(HD_KIND_LOOP_STATIC, 0, ""), run_of_kinds(HD_KIND_LOOP_DYNAMIC, 0, "")), 0,
                "x40|- -|x40");
}

static void test_a_routine_that_was_called_is_not_one_that_was_seen(void **state) {
  (void)state;
  EXPECT_BY_ADDRESS("?|?|- -|-|?", run_of_kinds(HD_KIND_ROUTINE, HD_PROFILE_CALLED, ""),
                    run_of_kinds(HD_KIND_ROUTINE, HD_PROFILE_CALLED | HD_PROFILE_FOLDED, ""),
                    run_of_kinds(HD_KIND_ROUTINE, 0, ""));
}

/* ---- names, places, modules ---- */

static void test_the_first_run_that_knows_a_name_tells_it(void **state) {
  (void)state;
  struct hd_model *models[3];
  for (int i = 0; i < 3; i++) {
    struct builder builder;
    begin_run(&builder, "app", "build-1");
    add_path(&builder, 0, HD_KIND_PARALLEL, 0x40);
    if (i > 0)
      builder_name(&builder, 1, "main", "app.c", i == 1 ? "10" : "11");
    models[i] = end_run(&builder);
  }
  struct hd_united *united = hd_united_new(models, 3, HD_UNITE_BY_ADDRESS);
  assert_int_equal(united->node_count, 2);
  assert_ptr_equal(united->nodes[1].node, &models[0]->nodes[1]);
  assert_ptr_equal(united->nodes[1].model, models[0]);
  assert_ptr_equal(united->nodes[1].named, &models[1]->nodes[1]);
  hd_united_free(united);
  for (int i = 0; i < 3; i++)
    hd_model_free(models[i]);
}

/* 1, 2: two addresses of one line. 3, 4: lines not known, 5: the next line, 6: another kind, 7: like 1, below it. */
static struct hd_model *run_of_places(void) {
  struct builder builder;
  begin_run(&builder, "app", "build-1");
  add_named(&builder, 0, HD_KIND_PARALLEL, "main", "/src/app.c", 10);
  add_named(&builder, 0, HD_KIND_PARALLEL, "main", "/src/app.c", 10);
  add_named(&builder, 0, HD_KIND_PARALLEL, "main", "/src/app.c", 0);
  add_named(&builder, 0, HD_KIND_PARALLEL, "main", "/src/app.c", 0);
  add_named(&builder, 0, HD_KIND_PARALLEL, "main", "/src/app.c", 11);
  add_named(&builder, 0, HD_KIND_SINGLE, "main", "/src/app.c", 10);
  add_named(&builder, 1, HD_KIND_PARALLEL, "main", "/src/app.c", 10);
  return end_run(&builder);
}

static void test_places_are_the_same_by_line_else_by_address(void **state) {
  (void)state;
  struct hd_model *models[] = {run_of_places(), run_of_places()};
  struct hd_united *united = hd_united_new(models, 2, HD_UNITE_BY_ADDRESS);
  assert_int_equal(united->node_count, 8);
  for (uint32_t a = 1; a < 8; a++)
    for (uint32_t b = 1; b < 8; b++) {
      const bool both_first = (a <= 2 || a == 7) && (b <= 2 || b == 7);
      assert_true(hd_united_place_is_same(united, a, b) == (a == b || both_first));
    }
  hd_united_free(united);
  EXPECT_BY_NAME("10+10|10+10 x1003|x1003 x1004|x1004 11|11 10|10 .10|10", 0, models[0], models[1]);
}

static void test_directories_make_no_other_place(void **state) {
  (void)state;
  struct hd_model *models[2];
  for (int i = 0; i < 2; i++) {
    struct builder builder;
    begin_run(&builder, "app", i == 0 ? "build-1" : "build-2");
    const uint32_t caller = add_named(&builder, 0, HD_KIND_ROUTINE, i == 0 ? "a" : "b", "/x/app.c", 5);
    add_named(&builder, caller, HD_KIND_PARALLEL, "work", i == 0 ? "/x/work.c" : "../y/work.c", 7);
    models[i] = end_run(&builder);
  }
  struct hd_united *united = hd_united_new(models, 2, HD_UNITE_BY_NAME);
  assert_int_equal(united->node_count, 5);
  assert_false(hd_united_place_is_same(united, 1, 2));
  assert_true(hd_united_place_is_same(united, 3, 4));
  hd_united_free(united);
  united = hd_united_new(models, 2, HD_UNITE_BY_ADDRESS);
  assert_false(hd_united_place_is_same(united, 2, 4));
  hd_united_free(united);
  hd_model_free(models[0]);
  hd_model_free(models[1]);
}

static void test_modules_keep_their_flags(void **state) {
  (void)state;
  struct hd_model *models[2];
  for (int i = 0; i < 2; i++) {
    struct builder builder;
    begin_run(&builder, "app", "build-1");
    if (i == 1)
      add_library(&builder, "/lib/libother.so", "other");
    struct hd_module_record *record = (void *)((char *)builder.newest[HD_BLOCK_MODULES] + HD_BLOCK_HEADER_BYTES);
    add_library(&builder, "/lib/libx.so", "x-build");
    record[1 + i].flags = i == 1 ? HD_MODULE_UNLOADED : 0;
    models[i] = end_run(&builder);
  }
  struct hd_united *united = hd_united_new(models, 2, HD_UNITE_BY_ADDRESS);
  assert_int_equal(united->module_count, 3);
  assert_int_equal(united->module_of[0][1], 1);
  assert_int_equal(united->module_of[1][1], 2);
  assert_int_equal(united->module_of[1][2], 1);
  assert_ptr_equal(united->modules[1].module, &models[0]->modules[1]);
  hd_united_free(united);
  hd_model_free(models[0]);
  hd_model_free(models[1]);
}

/* ---- by name ---- */

static void test_lines_that_stay_are_the_same(void **state) {
  (void)state;
  EXPECT_BY_NAME("10|10 20|20", 0, LINES("a", 10, 20), LINES("b", 10, 20));
  EXPECT_BY_NAME("10|10|10|10", 0, LINES("a", 10), LINES("a", 10), LINES("b", 10), LINES("b", 10));
}

static void test_lines_that_move_are_the_same(void **state) {
  (void)state;
  EXPECT_BY_NAME("10|13", 1, LINES("a", 10), LINES("b", 13));
  EXPECT_BY_NAME("10|13 20|23", 2, LINES("a", 10, 20), LINES("b", 13, 23));
  EXPECT_BY_NAME("10|10 20|23 30|37", 2, LINES("a", 10, 20, 30), LINES("b", 10, 23, 37));
  EXPECT_BY_NAME("10|10 20|23 30|30", 1, LINES("a", 10, 20, 30), LINES("b", 10, 23, 30)); /* the edit took them back */
}

/* What comes to lie where something else was is not that. */
static void test_all_move_onto_the_next(void **state) {
  (void)state;
  EXPECT_BY_NAME("10|20 20|30", 2, LINES("a", 10, 20), LINES("b", 20, 30));
  EXPECT_BY_NAME("10|20 20|30 30|40 45|55", 4, LINES("a", 10, 20, 30, 45), LINES("b", 20, 30, 40, 55));
}

static void test_a_region_that_is_added_is_new(void **state) {
  (void)state;
  EXPECT_BY_NAME("10|10 20|20 -|30", 0, LINES("a", 10, 20), LINES("b", 10, 20, 30));
  EXPECT_BY_NAME("10|10 20|26 30|36 -|15", 2, LINES("a", 10, 20, 30), LINES("b", 10, 15, 26, 36));
  EXPECT_BY_NAME("10|10 20|26 -|15", 1, LINES("a", 10, 20), LINES("b", 10, 15, 26));
  EXPECT_BY_NAME("10|10 -|20", 0, LINES("a", 10), LINES("b", 10, 20));
  EXPECT_BY_NAME("10|16 20|26 30|36 -|5", 3, LINES("a", 10, 20, 30), LINES("b", 5, 16, 26, 36));
}

static void test_a_region_that_is_removed_is_gone(void **state) {
  (void)state;
  EXPECT_BY_NAME("10|10 20|- 30|30", 0, LINES("a", 10, 20, 30), LINES("b", 10, 30));
  EXPECT_BY_NAME("10|10 20|-", 0, LINES("a", 10, 20), LINES("b", 10));
  EXPECT_BY_NAME("10|- 20|12", 1, LINES("a", 10, 20), LINES("b", 12));
  EXPECT_BY_NAME("10|10 20|- 30|24 40|34", 2, LINES("a", 10, 20, 30, 40), LINES("b", 10, 24, 34));
}

/* One of 20 and 28 is what was at 20. Nothing says which. */
static void test_what_cannot_be_told_is_left_alone(void **state) {
  (void)state;
  EXPECT_BY_NAME("10|10 20|- 33|41 40|48 -|20 -|28", 2, LINES("a", 10, 20, 33, 40), LINES("b", 10, 20, 28, 41, 48));
}

/* Regions of main(), each with a loop some lines further down. */
static struct hd_model *run_of_loops(const char *build_id, const unsigned (*lines)[2], size_t count) {
  struct builder builder;
  begin_run(&builder, "app", build_id);
  for (size_t i = 0; i < count; i++) {
    const uint32_t region = add_named(&builder, 0, HD_KIND_PARALLEL, "main", "/src/app.c", lines[i][0]);
    add_named(&builder, region, i % 2 ? HD_KIND_LOOP_STATIC : HD_KIND_LOOP_DYNAMIC, "main", "/src/app.c", lines[i][1]);
  }
  return end_run(&builder);
}
#define LOOPS(build_id, ...)                                                                                           \
  run_of_loops(build_id, (const unsigned[][2]){__VA_ARGS__},                                                           \
               sizeof((const unsigned[][2]){__VA_ARGS__}) / sizeof(unsigned[2]))

/* What is inside tells, when lines alone do not. */
static void test_a_region_is_known_by_what_is_in_it(void **state) {
  (void)state;
  EXPECT_BY_NAME("10|10 20|28 33|41 40|48 -|20 .12|12 .21|29 .35|43 .42|50 .-|23", 6,
                 LOOPS("a", {10, 12}, {20, 21}, {33, 35}, {40, 42}),
                 LOOPS("b", {10, 12}, {20, 23}, {28, 29}, {41, 43}, {48, 50}));
}

/* A region at `line` with loops at some lines. */
static struct hd_model *run_of_inner(const char *build_id, unsigned line, const unsigned *loops) {
  struct builder builder;
  begin_run(&builder, "app", build_id);
  const uint32_t region = add_named(&builder, 0, HD_KIND_PARALLEL, "main", "/src/app.c", line);
  for (; *loops != 0; loops++)
    add_named(&builder, region, HD_KIND_LOOP_STATIC, "main", "/src/app.c", *loops);
  return end_run(&builder);
}
#define INNER(build_id, line, ...) run_of_inner(build_id, line, (const unsigned[]){__VA_ARGS__, 0})

/* 30 and 34 have moved by 4, as their region has, although 34 was there before. */
static void test_a_region_moves_with_what_is_in_it(void **state) {
  (void)state;
  EXPECT_BY_NAME("20|24 .30|34 .-|39", 2, INNER("a", 20, 30), INNER("b", 24, 34, 39));
  EXPECT_BY_NAME("20|20 .30|30 .-|26", 0, INNER("a", 20, 30), INNER("b", 20, 26, 30));
  EXPECT_BY_NAME("20|24 .30|34 .34|-", 2, INNER("a", 20, 30, 34), INNER("b", 24, 34));
}

/* In one function, kinds tell things apart, and all of them tell how far lines have moved. */
static struct hd_model *run_of_mixture(const char *build_id, const unsigned lines[3]) {
  struct builder builder;
  begin_run(&builder, "app", build_id);
  const enum hd_kind kinds[] = {HD_KIND_PARALLEL, HD_KIND_CRITICAL, HD_KIND_BARRIER_EXPLICIT};
  for (int i = 0; i < 3; i++)
    if (lines[i] != 0)
      add_named(&builder, 0, kinds[i], "main", "/src/app.c", lines[i]);
  return end_run(&builder);
}

static void test_kinds_are_never_mixed(void **state) {
  (void)state;
  EXPECT_BY_NAME("10|20 20|30 30|40", 3, run_of_mixture("a", (const unsigned[]){10, 20, 30}),
                 run_of_mixture("b", (const unsigned[]){20, 30, 40}));
  EXPECT_BY_NAME("10|- 20|- -|10", 0, run_of_mixture("a", (const unsigned[]){10, 20, 0}),
                 run_of_mixture("b", (const unsigned[]){0, 0, 10}));
}

static struct hd_model *run_of_region(const char *build_id, const char *function, const char *file, unsigned line) {
  struct builder builder;
  begin_run(&builder, "app", build_id);
  add_named(&builder, 0, HD_KIND_PARALLEL, function, file, line);
  return end_run(&builder);
}

static void test_lines_move_within_function_and_file_only(void **state) {
  (void)state;
  EXPECT_BY_NAME("10|- -|11", 0, run_of_region("a", "f", "x.c", 10), run_of_region("b", "g", "x.c", 11));
  EXPECT_BY_NAME("10|- -|10", 0, run_of_region("a", "f", "x.c", 10), run_of_region("b", "g", "x.c", 10));
  EXPECT_BY_NAME("10|- -|11", 0, run_of_region("a", "f", "x.c", 10), run_of_region("b", "f", "y.c", 11));
  EXPECT_BY_NAME("10|11", 1, run_of_region("a", "f", "/s/x.c", 10), run_of_region("b", "f", "/t/x.c", 11));
  EXPECT_BY_NAME("10|- -|11", 0, run_of_region("a", "", "x.c", 10), run_of_region("b", "", "x.c", 11));
  EXPECT_BY_NAME("10|10", 0, run_of_region("a", "", "x.c", 10), run_of_region("b", "", "x.c", 10));
}

/* Repeats of a build need not have come everywhere; that moves no line of it. */
static void test_lines_of_one_build_do_not_move(void **state) {
  (void)state;
  EXPECT_BY_NAME("10|- -|11", 0, LINES("a", 10), LINES("a", 11));
  EXPECT_BY_NAME("10|-|12 -|20|22", 2, LINES("a", 10), LINES("a", 20), LINES("b", 12, 22));
  EXPECT_BY_NAME("12|-|10 22|20|-", 2, LINES("b", 12, 22), LINES("a", 20), LINES("a", 10));
  EXPECT_BY_NAME("10|11", 1, LINES("", 10), LINES("", 11)); /* as far as is known */
}

static void test_three_builds(void **state) {
  (void)state;
  EXPECT_BY_NAME("10|12|10 20|22|23", 2, LINES("a", 10, 20), LINES("b", 12, 22), LINES("c", 10, 23));
  EXPECT_BY_NAME("10|10|10 -|20|21", 1, LINES("a", 10), LINES("b", 10, 20), LINES("c", 10, 21));
  EXPECT_BY_NAME("10|10|10 20|26|26 32|38|38 -|15|15", 2, LINES("a", 10, 20, 32), LINES("b", 10, 15, 26, 38),
                 LINES("c", 10, 15, 26, 38));
}

/* ---- by name, where there is none ---- */

static struct hd_model *run_of_unnamed(const char *program, const char *build_id, const char *library,
                                       uint64_t offset) {
  struct builder builder;
  begin_run(&builder, program, build_id);
  add_path(&builder, 0, HD_KIND_PARALLEL, 0x40);
  const uint32_t module = add_library(&builder, library, build_id);
  struct hd_profile_record *record = add_path(&builder, 1, HD_KIND_SINGLE, offset);
  record->module = module;
  return end_run(&builder);
}

static void test_without_names_offsets_in_modules_count(void **state) {
  (void)state;
  EXPECT_BY_NAME("x40|x40|x40 .x10|x10|- .-|-|x11", 0, run_of_unnamed("app", "a", "/l/libx.so", 0x10),
                 run_of_unnamed("app2", "b", "/m/libx.so", 0x10), run_of_unnamed("app", "c", "/l/libx.so", 0x11));
  EXPECT_BY_NAME("x40|x40 .x10|- .-|x10", 0, run_of_unnamed("app", "a", "/l/libx.so", 0x10),
                 run_of_unnamed("app", "b", "/l/liby.so", 0x10));
}

/* Stripped of lines, but not of functions. */
static struct hd_model *run_without_lines(const char *build_id, const uint64_t *offsets) {
  struct builder builder;
  begin_run(&builder, "app", build_id);
  for (; *offsets != 0; offsets++)
    builder_name(&builder, add_path(&builder, 0, HD_KIND_PARALLEL, *offsets)->id, "main", "", "0");
  return end_run(&builder);
}
#define OFFSETS(build_id, ...) run_without_lines(build_id, (const uint64_t[]){__VA_ARGS__, 0})

static void test_without_lines_their_order_counts(void **state) {
  (void)state;
  EXPECT_BY_NAME("x10|x11 x20|x27 x30|x31", 3, OFFSETS("a", 0x10, 0x20, 0x30), OFFSETS("b", 0x11, 0x27, 0x31));
  EXPECT_BY_NAME("x10|- -|x11 -|x27", 0, OFFSETS("a", 0x10), OFFSETS("b", 0x11, 0x27));
}

/* ---- by name: routines ---- */

/* main() calls outer(), which leads back to itself, and in outer() is a region. */
static struct hd_model *run_of_routines(const char *build_id, const char *outer, const char *inner, unsigned line) {
  struct builder builder;
  begin_run(&builder, "app", build_id);
  const uint32_t caller = add_named(&builder, 0, HD_KIND_ROUTINE, "main", "/src/app.c", line);
  const uint32_t called = add_named(&builder, caller, HD_KIND_ROUTINE, outer, "/src/app.c", line + 10);
  const uint32_t region = add_named(&builder, called, HD_KIND_PARALLEL, outer, "/src/app.c", line + 12);
  const uint32_t body = add_named(&builder, region, HD_KIND_ROUTINE, inner, "", 0);
  struct hd_profile_record *back = add_path(&builder, body, HD_KIND_ROUTINE, 0x90);
  builder_name(&builder, back->id, outer, "/src/app.c", "0");
  back->flags = HD_PROFILE_BACK | HD_PROFILE_CALLED;
  back->target = called;
  return end_run(&builder);
}

static void test_routines_are_the_same_wherever_they_are(void **state) {
  (void)state;
  EXPECT_BY_NAME("main|main .outer|outer ..17|22 ...outer.omp_outlined|outer.omp_outlined.3 ....outer|outer", 1,
                 run_of_routines("a", "outer", "outer.omp_outlined", 5),
                 run_of_routines("b", "outer", "outer.omp_outlined.3", 10));
  EXPECT_BY_NAME("main|main .outer|- .-|other ..17|- ..-|17 ...outer._omp_fn.0|- ...-|outer._omp_fn.0 ....outer|- "
                 "....-|other",
                 0, run_of_routines("a", "outer", "outer._omp_fn.0", 5),
                 run_of_routines("b", "other", "outer._omp_fn.0", 5));
}

static void test_recursion_leads_back_to_the_united_routine(void **state) {
  (void)state;
  for (enum hd_unite_by by = HD_UNITE_BY_ADDRESS; by <= HD_UNITE_STRICTLY; by++) {
    struct hd_model *models[] = {LINES("x", 3), run_of_routines("a", "outer", "body", 5)};
    struct hd_united *united = hd_united_new(models, 2, by);
    expect_sound(united);
    for (uint32_t i = 1; i < united->node_count; i++) {
      const bool back = united->nodes[i].flags & HD_PROFILE_BACK;
      assert_int_equal(united->nodes[i].target, back ? united->node_of[1][2] : i);
    }
    hd_united_free(united);
    hd_model_free(models[0]);
    hd_model_free(models[1]);
  }
}

/* ---- is it the same program? ---- */

/* A region in the executable and, unless NULL, one in a library. */
static struct hd_model *run_in_library(const char *program, const char *build_id, const char *library,
                                       const char *library_id, uint16_t flags) {
  struct builder builder;
  begin_run(&builder, program, build_id);
  add_path(&builder, 0, HD_KIND_PARALLEL, 0x40);
  if (library) {
    const uint32_t module = add_library(&builder, library, library_id);
    struct hd_profile_record *record = add_path(&builder, 0, HD_KIND_PARALLEL, 0x40);
    record->module = module;
    record->flags = flags;
  }
  return end_run(&builder);
}

static void expect_same(enum hd_same_program expected, size_t expected_a, size_t expected_b, const char *module_path,
                        struct hd_model **models, size_t count) {
  size_t a, b;
  const struct hd_module *module;
  assert_int_equal(hd_same_program(models, count, &a, &b, &module), expected);
  if (expected != HD_SAME_PROGRAM) {
    assert_int_equal(a, expected_a);
    assert_int_equal(b, expected_b);
  }
  assert_true((module != NULL) == (module_path != NULL));
  if (module)
    assert_string_equal(module->path, module_path);
  for (size_t i = 0; i < count; i++)
    hd_model_free(models[i]);
}

static void test_programs_differ_by_name_and_build(void **state) {
  (void)state;
  expect_same(HD_SAME_PROGRAM, 0, 0, NULL, RUNS(LINES("a", 1), LINES("a", 2), LINES("", 2)));
  expect_same(HD_OTHER_BUILD, 0, 2, "/b/app", RUNS(LINES("a", 1), LINES("a", 1), LINES("b", 1)));
  expect_same(HD_OTHER_BUILD, 1, 2, "/b/app", RUNS(LINES("", 1), LINES("a", 1), LINES("b", 1)));
  expect_same(HD_OTHER_PROGRAM, 0, 1, NULL,
              RUNS(run_in_library("app", "a", NULL, "", 0), run_in_library("web", "a", NULL, "", 0)));
}

static void test_libraries_differ_if_callpaths_are_in_them(void **state) {
  (void)state;
  expect_same(HD_SAME_PROGRAM, 0, 0, NULL,
              RUNS(run_in_library("app", "a", "/x/lib.so", "1", 0), run_in_library("app", "a", "/y/lib.so", "1", 0)));
  expect_same(HD_OTHER_BUILD, 0, 1, "/y/lib.so",
              RUNS(run_in_library("app", "a", "/x/lib.so", "1", 0), run_in_library("app", "a", "/y/lib.so", "2", 0)));
  expect_same(HD_SAME_PROGRAM, 0, 0, NULL,
              RUNS(run_in_library("app", "a", "/x/lib.so", "1", 0), run_in_library("app", "a", "/x/lob.so", "2", 0),
                   run_in_library("app", "a", "/x/lib.so", "", 0), run_in_library("app", "a", NULL, "", 0)));
  expect_same(HD_SAME_PROGRAM, 0, 0, NULL,
              RUNS(run_in_library("app", "a", "/x/libomp.so", "1", HD_PROFILE_IN_RUNTIME),
                   run_in_library("app", "a", "/x/libomp.so", "2", HD_PROFILE_IN_RUNTIME)));
  /* The executable's build is of more interest than a library's. */
  expect_same(HD_OTHER_BUILD, 0, 2, "/b/app",
              RUNS(run_in_library("app", "a", "/x/lib.so", "1", 0), run_in_library("app", "a", "/x/lib.so", "2", 0),
                   run_in_library("app", "b", "/x/lib.so", "1", 0)));
}

/* Lines of what was not rebuilt do not move. */
static void test_a_library_alone_was_rebuilt(void **state) {
  (void)state;
  struct hd_model *models[4];
  for (int i = 0; i < 4; i++) {
    struct builder builder;
    begin_run(&builder, "app", "same");
    const uint32_t module = add_library(&builder, "/x/lib.so", i % 2 == 0 ? "before" : "after");
    add_named(&builder, 0, HD_KIND_PARALLEL, "main", "/src/app.c", 10 + (unsigned)i % 2);
    const uint32_t id = add_named(&builder, 0, HD_KIND_PARALLEL, "library", "/src/lib.c", 10 + (unsigned)i % 2);
    ((struct hd_profile_record *)((char *)builder.newest[HD_BLOCK_PROFILES] + HD_BLOCK_HEADER_BYTES))[id].module =
        module;
    models[i] = end_run(&builder);
  }
  EXPECT_BY_NAME("10|-|10|- 10|11|10|11 -|11|-|11", 1, models[0], models[1], models[2], models[3]);
}

/* ---- many, and any ---- */

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

/* Trees of all kinds of things, with names or without, at few places, so that much of it coincides. */
static struct hd_model *random_run(uint32_t *random) {
  static const char *const functions[] = {"", "main", "work", "work.omp_outlined.1"};
  static const char *const files[] = {"", "/a/x.c", "/b/x.c", "y.c"};
  static const char *const builds[] = {"", "a", "b", "c"};
  struct builder builder;
  begin_run(&builder, "app", builds[next_random(random) % 4]);
  const uint32_t count = next_random(random) % 60;
  for (uint32_t i = 1; i <= count; i++) {
    const uint32_t parent = next_random(random) % i;
    const enum hd_kind kind = 1 + next_random(random) % (HD_KIND_COUNT - 1);
    struct hd_profile_record *record = add_path(&builder, parent, kind, 0x40 + next_random(random) % 4);
    record->flags = (uint16_t)(next_random(random) % 32);
    record->target = next_random(random) % (i + 1);
    record->module = next_random(random) % 8 == 0 ? HD_NONE : 0;
    char line[16];
    snprintf(line, sizeof line, "%u", next_random(random) % 12);
    builder_name(&builder, i, functions[next_random(random) % 4], files[next_random(random) % 4], line);
  }
  return end_run(&builder);
}

/* Two nodes of a build that are one have one place: its lines do not move. */
static void expect_builds_whole(const struct hd_united *united, const uint8_t *build_ids) {
  for (size_t i = 0; i < united->model_count; i++)
    for (size_t j = 0; j < united->model_count; j++)
      for (uint32_t a = 1; a < united->models[i]->node_count; a++)
        for (uint32_t b = 1; build_ids[i] != 0 && build_ids[i] == build_ids[j] && b < united->models[j]->node_count;
             b++) {
          const struct hd_node *left = &united->models[i]->nodes[a];
          const struct hd_node *right = &united->models[j]->nodes[b];
          if (united->node_of[i][a] == united->node_of[j][b] && left->kind != HD_KIND_ROUTINE &&
              left->kind != HD_KIND_PHASE)
            assert_int_equal(left->name.line, right->name.line);
        }
}

static void test_any_runs_are_united_soundly(void **state) {
  (void)state;
  uint32_t random = 7;
  for (int i = 0; i < 300; i++) {
    struct hd_model *models[4];
    uint8_t build_ids[4];
    for (int j = 0; j < 4; j++) {
      models[j] = random_run(&random);
      build_ids[j] = models[j]->modules[0].build_id[0];
    }
    for (enum hd_unite_by by = HD_UNITE_BY_ADDRESS; by <= HD_UNITE_STRICTLY; by++) {
      struct hd_united *united = hd_united_new(models, 4, by);
      expect_sound(united);
      if (by == HD_UNITE_BY_NAME)
        expect_builds_whole(united, build_ids);
      hd_united_free(united);
    }
    for (int j = 0; j < 4; j++)
      hd_model_free(models[j]);
  }
}

/* A run is one with itself, and its repeats add nothing to it. */
static void test_a_run_is_one_with_itself(void **state) {
  (void)state;
  uint32_t random = 1;
  for (int i = 0; i < 100; i++) {
    struct hd_model *model = random_run(&random);
    struct hd_model *models[] = {model, model, model};
    for (enum hd_unite_by by = HD_UNITE_BY_ADDRESS; by <= HD_UNITE_STRICTLY; by++) {
      struct hd_united *one = hd_united_new(models, 1, by);
      struct hd_united *three = hd_united_new(models, 3, by);
      assert_int_equal(one->node_count, three->node_count);
      assert_int_equal(three->moved, 0);
      for (int run = 0; run < 3; run++)
        assert_memory_equal(one->node_of[0], three->node_of[run], model->node_count * sizeof(uint32_t));
      hd_united_free(one);
      hd_united_free(three);
    }
    hd_model_free(model);
  }
}

static uint32_t failing; /* requests until the one that fails; 0: none does */

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes) {
  return failing > 0 && --failing == 0 ? NULL : __real_calloc(count, bytes);
}

static void test_without_memory_there_is_nothing(void **state) {
  (void)state;
  uint32_t random = 3;
  struct hd_model *models[] = {random_run(&random), random_run(&random), LINES("a", 1, 2)};
  for (enum hd_unite_by by = HD_UNITE_BY_ADDRESS; by <= HD_UNITE_STRICTLY; by++) {
    struct hd_united *united = NULL;
    uint32_t n = 1;
    for (; !united; n++) {
      failing = n;
      united = hd_united_new(models, 3, by);
      failing = 0;
    }
    assert_true(n > 10);
    expect_sound(united);
    hd_united_free(united);
  }
  for (int i = 0; i < 3; i++)
    hd_model_free(models[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_build_is_united_wherever_it_was_loaded),
      cmocka_unit_test(test_another_build_has_other_addresses),
      cmocka_unit_test(test_phases_are_the_same_by_their_names),
      cmocka_unit_test(test_a_schedule_does_not_make_another_loop),
      cmocka_unit_test(test_a_routine_that_was_called_is_not_one_that_was_seen),
      cmocka_unit_test(test_the_first_run_that_knows_a_name_tells_it),
      cmocka_unit_test(test_places_are_the_same_by_line_else_by_address),
      cmocka_unit_test(test_directories_make_no_other_place),
      cmocka_unit_test(test_modules_keep_their_flags),
      cmocka_unit_test(test_lines_that_stay_are_the_same),
      cmocka_unit_test(test_lines_that_move_are_the_same),
      cmocka_unit_test(test_all_move_onto_the_next),
      cmocka_unit_test(test_a_region_that_is_added_is_new),
      cmocka_unit_test(test_a_region_that_is_removed_is_gone),
      cmocka_unit_test(test_what_cannot_be_told_is_left_alone),
      cmocka_unit_test(test_a_region_is_known_by_what_is_in_it),
      cmocka_unit_test(test_a_region_moves_with_what_is_in_it),
      cmocka_unit_test(test_kinds_are_never_mixed),
      cmocka_unit_test(test_lines_move_within_function_and_file_only),
      cmocka_unit_test(test_lines_of_one_build_do_not_move),
      cmocka_unit_test(test_three_builds),
      cmocka_unit_test(test_without_names_offsets_in_modules_count),
      cmocka_unit_test(test_without_lines_their_order_counts),
      cmocka_unit_test(test_routines_are_the_same_wherever_they_are),
      cmocka_unit_test(test_recursion_leads_back_to_the_united_routine),
      cmocka_unit_test(test_programs_differ_by_name_and_build),
      cmocka_unit_test(test_libraries_differ_if_callpaths_are_in_them),
      cmocka_unit_test(test_a_library_alone_was_rebuilt),
      cmocka_unit_test(test_any_runs_are_united_soundly),
      cmocka_unit_test(test_a_run_is_one_with_itself),
      cmocka_unit_test(test_without_memory_there_is_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
