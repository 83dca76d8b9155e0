/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which callpaths of different builds are the same: by their names, though lines have moved. */
#include "output/model/memory.h"
#include "united_runs.h"

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

/* What was edited and has moved is more likely that than something else. */
static void test_a_region_that_was_edited_is_found_by_its_neighbours(void **state) {
  (void)state;
  EXPECT_BY_NAME("10|10 20|23 30|30 .12|12 .21|25 .32|32", 2, LOOPS("a", {10, 12}, {20, 21}, {30, 32}),
                 LOOPS("b", {10, 12}, {23, 25}, {30, 32}));
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
  EXPECT_BY_NAME("10|11", 1, run_of_region("a", "f", "/s/x.c", 10), run_of_region("b", "f", "/t/x.c", 11));
  EXPECT_BY_NAME("10|- -|11", 0, run_of_region("a", "", "x.c", 10), run_of_region("b", "", "x.c", 11));
  EXPECT_BY_NAME("10|10", 0, run_of_region("a", "", "x.c", 10), run_of_region("b", "", "x.c", 10));
}

/* f() in one file, g() in another. */
static struct hd_model *run_of_files(const char *build_id, const char *f_file, const char *g_file) {
  struct builder builder;
  begin_run(&builder, "app", build_id);
  add_named(&builder, 0, HD_KIND_PARALLEL, "f", f_file, 10);
  add_named(&builder, 0, HD_KIND_PARALLEL, "g", g_file, 20);
  return end_run(&builder);
}

static void test_files_count_unless_they_were_renamed(void **state) {
  (void)state;
  EXPECT_BY_NAME("10|10 20|20", 0, run_of_files("a", "x.c", "x.c"), run_of_files("b", "y.c", "y.c"));
  EXPECT_BY_NAME("10|- 20|- -|10 -|20", 0, run_of_files("a", "x.c", "y.c"), run_of_files("b", "y.c", "x.c"));
  EXPECT_BY_NAME("10|10 20|- -|20", 0, run_of_files("a", "x.c", "y.c"), run_of_files("b", "x.c", "x.c"));
  EXPECT_BY_NAME("10|10|10 20|20|20", 0, run_of_files("a", "x.c", "y.c"), run_of_files("b", "x.c", "z.c"),
                 run_of_files("c", "x.c", "y.c"));
  EXPECT_BY_NAME("10|-|10 20|20|20 -|10|-", 0, run_of_files("a", "x.c", "y.c"), run_of_files("a", "z.c", "y.c"),
                 run_of_files("a", "x.c", "y.c"));
}

/* Repeats of a build need not have come everywhere; that moves no line of it. */
static void test_lines_of_one_build_do_not_move(void **state) {
  (void)state;
  EXPECT_BY_NAME("10|- -|11", 0, LINES("a", 10), LINES("a", 11));
  EXPECT_BY_NAME("10|-|12 -|20|22", 2, LINES("a", 10), LINES("a", 20), LINES("b", 12, 22));
  EXPECT_BY_NAME("12|-|10 22|20|-", 2, LINES("b", 12, 22), LINES("a", 20), LINES("a", 10));
  EXPECT_BY_NAME("10|11", 1, LINES("", 10), LINES("", 11)); /* as far as is known */
}

/* The first and the second build say of the third's what cannot both be. */
static void test_builds_that_contradict_each_other(void **state) {
  (void)state;
  EXPECT_BY_NAME("10|20|10 -|-|20", 1, LINES("a", 10), LINES("b", 20), LINES("c", 10, 20));
  EXPECT_BY_NAME("10|50|10 -|40|- -|-|40", 1, LINES("a", 10), LINES("b", 40, 50), LINES("c", 10, 40));
}

/* More than are tried in all ways: in order, or where they are. */
static void test_very_many_lines(void **state) {
  (void)state;
  unsigned before[64] = {0}, after[64] = {0};
  for (unsigned i = 0; i < 50; i++) {
    before[i] = 100 + 10 * i;
    after[i] = 200 + 10 * i + i % 7;
  }
  struct hd_model *models[] = {run_of_lines("a", before), run_of_lines("b", after)};
  struct hd_united *united = hd_united_new(models, 2, HD_UNITE_BY_NAME);
  assert_int_equal(united->node_count, 51);
  assert_memory_equal(united->node_of[0], united->node_of[1], 51 * sizeof(uint32_t));
  hd_united_free(united);
  hd_model_free(models[1]);
  after[50] = 999;
  models[1] = run_of_lines("b", after);
  united = hd_united_new(models, 2, HD_UNITE_BY_NAME);
  for (uint32_t i = 1; i < 51; i++)
    for (uint32_t j = 1; j < 52; j++)
      assert_true((united->node_of[0][i] == united->node_of[1][j]) == (before[i - 1] == after[j - 1]));
  hd_united_free(united);
  hd_model_free(models[0]);
  hd_model_free(models[1]);
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

static struct hd_model *run_of_two_kinds(const char *build_id, enum hd_kind first, enum hd_kind second) {
  struct builder builder;
  begin_run(&builder, "app", build_id);
  builder_name(&builder, add_path(&builder, 0, first, 0x10 + builder.header->pid)->id, "main", "", "0");
  builder_name(&builder, add_path(&builder, 0, second, 0x20 + builder.header->pid)->id, "main", "", "0");
  return end_run(&builder);
}

static void test_without_lines_kinds_count(void **state) {
  (void)state;
  EXPECT_BY_NAME("x71|x72 x81|x82", 2, run_of_two_kinds("a", HD_KIND_PARALLEL, HD_KIND_SINGLE),
                 run_of_two_kinds("b", HD_KIND_PARALLEL, HD_KIND_SINGLE));
  EXPECT_BY_NAME("x71|- x81|- -|x72 -|x82", 0, run_of_two_kinds("a", HD_KIND_PARALLEL, HD_KIND_SINGLE),
                 run_of_two_kinds("b", HD_KIND_SINGLE, HD_KIND_PARALLEL));
}

/* One build knows lines, the other only functions. */
static void test_with_and_without_lines_their_order_counts(void **state) {
  (void)state;
  EXPECT_BY_NAME("10|x11 20|x27", 2, LINES("a", 10, 20), OFFSETS("b", 0x11, 0x27));
  EXPECT_BY_NAME("x11|10 x27|20", 2, OFFSETS("a", 0x11, 0x27), LINES("b", 10, 20));
  EXPECT_BY_NAME("17|- -|x11 -|x27", 0, LINES("a", 17), OFFSETS("b", 0x11, 0x27));
}

/* ---- by name: routines ---- */

static struct hd_model *run_of_routine(const char *build_id, uint16_t flags) {
  struct builder builder;
  begin_run(&builder, "app", build_id);
  struct hd_profile_record *record = add_path(&builder, 0, HD_KIND_ROUTINE, 0x10);
  record->flags = flags;
  builder_name(&builder, record->id, "f", "x.c", "1");
  return end_run(&builder);
}

static void test_called_and_seen_routines_are_not_mixed(void **state) {
  (void)state;
  EXPECT_BY_NAME("f|f|- -|-|f", 0, run_of_routine("a", HD_PROFILE_CALLED), run_of_routine("b", HD_PROFILE_CALLED),
                 run_of_routine("c", 0));
}

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines_that_stay_are_the_same),
      cmocka_unit_test(test_lines_that_move_are_the_same),
      cmocka_unit_test(test_all_move_onto_the_next),
      cmocka_unit_test(test_a_region_that_is_added_is_new),
      cmocka_unit_test(test_a_region_that_is_removed_is_gone),
      cmocka_unit_test(test_what_cannot_be_told_is_left_alone),
      cmocka_unit_test(test_a_region_is_known_by_what_is_in_it),
      cmocka_unit_test(test_a_region_that_was_edited_is_found_by_its_neighbours),
      cmocka_unit_test(test_a_region_moves_with_what_is_in_it),
      cmocka_unit_test(test_kinds_are_never_mixed),
      cmocka_unit_test(test_lines_move_within_function_and_file_only),
      cmocka_unit_test(test_files_count_unless_they_were_renamed),
      cmocka_unit_test(test_lines_of_one_build_do_not_move),
      cmocka_unit_test(test_builds_that_contradict_each_other),
      cmocka_unit_test(test_very_many_lines),
      cmocka_unit_test(test_three_builds),
      cmocka_unit_test(test_without_names_offsets_in_modules_count),
      cmocka_unit_test(test_without_lines_their_order_counts),
      cmocka_unit_test(test_without_lines_kinds_count),
      cmocka_unit_test(test_with_and_without_lines_their_order_counts),
      cmocka_unit_test(test_called_and_seen_routines_are_not_mixed),
      cmocka_unit_test(test_routines_are_the_same_wherever_they_are),
      cmocka_unit_test(test_recursion_leads_back_to_the_united_routine),
      cmocka_unit_test(test_a_library_alone_was_rebuilt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
