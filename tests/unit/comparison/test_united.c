/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which callpaths, modules and programs of several runs are the same. */
#include <sys/wait.h>
#include <unistd.h>

#include "output/model/memory.h"
#include "output/unify/same_build.h"
#include "support/command/options.h"
#include "united_runs.h"

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
  EXPECT_BY_NAME("10+10|10+10 x62003|x62003 x62004|x62004 11|11 10|10 .10|10", 0, models[0], models[1]);
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
    add_library(&builder, i == 0 ? "/lib/libx.so" : "/copy/libx.so", "x-build");
    record[1 + i].flags = i == 1 ? HD_MODULE_UNLOADED : 0;
    add_library(&builder, i == 0 ? "/lib/a.so" : "/lib/b.so", "");
    models[i] = end_run(&builder);
  }
  struct hd_united *united = hd_united_new(models, 2, HD_UNITE_BY_ADDRESS);
  assert_int_equal(united->module_count, 5); /* app, libx, a, libother, b */
  assert_int_equal(united->module_of[0][1], 1);
  assert_int_equal(united->module_of[1][1], 3);
  assert_int_equal(united->module_of[1][2], 1);
  assert_int_equal(united->module_of[1][3], 4);
  assert_int_equal(united->modules[1].flags, HD_MODULE_UNLOADED);
  assert_ptr_equal(united->modules[1].module, &models[0]->modules[1]);
  hd_united_free(united);
  hd_model_free(models[0]);
  hd_model_free(models[1]);
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

/* The library is loaded; is there a callpath in it? */
static struct hd_model *run_beside_library(const char *build_id, const char *library_id, bool inside) {
  struct builder builder;
  begin_run(&builder, "app", build_id);
  const uint32_t module = add_library(&builder, "/x/lib.so", library_id);
  struct hd_profile_record *record = add_path(&builder, 0, HD_KIND_PARALLEL, 0x40);
  record->module = inside ? module : 0;
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
  expect_same(HD_SAME_PROGRAM, 0, 0, NULL,
              RUNS(run_beside_library("a", "1", false), run_beside_library("a", "2", true)));
  expect_same(HD_SAME_PROGRAM, 0, 0, NULL,
              RUNS(run_beside_library("a", "1", true), run_beside_library("a", "2", false)));
  /* The executable's build is of more interest than a library's. */
  expect_same(HD_OTHER_BUILD, 0, 2, "/b/app",
              RUNS(run_in_library("app", "a", "/x/lib.so", "1", 0), run_in_library("app", "a", "/x/lib.so", "2", 0),
                   run_in_library("app", "b", "/x/lib.so", "1", 0)));
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

/* The status of a child whose n-th request fails; 0: it had no more than those before. */
static int status_without(struct hd_model *const *models, enum hd_unite_by by, uint32_t n) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    fclose(stderr);
    failing = n;
    _exit(hd_united_new(models, 3, by) ? 0 : 99);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void test_without_memory_the_command_ends(void **state) {
  (void)state;
  uint32_t random = 3;
  struct hd_model *models[] = {random_run(&random), random_run(&random), LINES("a", 1, 2)};
  for (enum hd_unite_by by = HD_UNITE_BY_ADDRESS; by <= HD_UNITE_STRICTLY; by++) {
    uint32_t n = 1;
    while (status_without(models, by, n) != 0) {
      assert_int_equal(status_without(models, by, n), HD_EXIT_FAILED);
      n++;
    }
    assert_true(n > 10);
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
      cmocka_unit_test(test_programs_differ_by_name_and_build),
      cmocka_unit_test(test_libraries_differ_if_callpaths_are_in_them),
      cmocka_unit_test(test_any_runs_are_united_soundly),
      cmocka_unit_test(test_a_run_is_one_with_itself),
      cmocka_unit_test(test_without_memory_the_command_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
