/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums of built profiles: what counts as the same module, callpath and program, and what becomes of the file. */
#include "merge_sum.h"
#include "output/model/memory.h"
#include "output/model/tasks.h"
#include "profile_builder.h"

/* A region at offset 0x40 of a module, opened once by thread 0 with a team of two. */
static struct hd_profile_record *build_run(struct builder *builder, const char *path, const char *build_id) {
  builder_init(builder);
  builder_profile(builder, 0, HD_KIND_PROGRAM);
  struct hd_thread_record *thread = builder_thread(builder, HD_THREAD_INITIAL, 1000, 2000);
  thread->end_ticks = 2000;
  thread->busy_ticks = 1000;
  builder_cell(builder_row(builder, 0, 0), HD_BUSY)->ticks = 1000;
  const uint32_t id = builder_module(builder, path);
  struct hd_module_record *module =
      (void *)((char *)builder->newest[HD_BLOCK_MODULES] + HD_BLOCK_HEADER_BYTES + id * sizeof *module);
  module->build_id_bytes = (uint32_t)strlen(build_id);
  memcpy(module->build_id, build_id, strlen(build_id));
  struct hd_profile_record *region = builder_profile(builder, 0, HD_KIND_PARALLEL);
  region->module = id;
  region->offset = 0x40;
  struct hd_total_record *total = builder_total(builder, region->id, 2);
  *total = (struct hd_total_record){.profile = region->id,
                                    .team_size = 2,
                                    .instances = 1,
                                    .elapsed_ticks = 10,
                                    .busy_ticks = 15,
                                    .busy_max_ticks = 20,
                                    .capacity_ticks = 20};
  return region;
}

static struct hd_model *read_and_free(struct builder *builder) {
  struct hd_model *model = builder_read(builder);
  builder_free(builder);
  return model;
}

static struct hd_model *run_of(const char *path, const char *build_id) {
  struct builder builder;
  build_run(&builder, path, build_id);
  return read_and_free(&builder);
}

static void expect_refused(struct hd_model *a, struct hd_model *b, const char *reason) {
  struct hd_model *models[] = {a, b};
  struct hd_writer writer = {0};
  char error[512] = "";
  assert_false(hd_merge(models, 2, false, &writer, error, sizeof error));
  hd_writer_free(&writer);
  if (!strstr(error, reason))
    fail_msg("expected \"%s\" in \"%s\"", reason, error);
  if (!hd_merge(models, 2, true, &writer, error, sizeof error))
    fail_msg("%s", error);
  hd_writer_free(&writer);
}

static void test_modules_are_the_same_by_build_id(void **state) {
  (void)state;
  struct hd_model *models[] = {run_of("/a/app", "12345678"), run_of("/b/app", "12345678")};
  struct hd_model *sum = SUM(models[0], models[1]);
  assert_int_equal(sum->module_count, 1);
  assert_int_equal(sum->node_count, 2);
  assert_int_equal(sum->nodes[1].visits, 2);
  assert_true(sum->nodes[1].team.gain_ticks == 5);
  assert_string_equal(sum->modules[0].path, "/a/app");
  hd_model_free(sum);
  free_all(models, 2);
}

/* What a worker's idle time was is not part of it. */
static void test_unresolved_times_add_up(void **state) {
  (void)state;
  struct hd_model *models[2];
  for (int i = 0; i < 2; i++) {
    struct builder builder;
    const struct hd_profile_record *region = build_run(&builder, "/a/app", "12345678");
    struct hd_row_record *row = builder_row(&builder, region->id, 0);
    row->refused = 1u << HD_CLASS_TASK;
    builder_cell(row, HD_CELL_UNRESOLVED)->ticks = 70;
    builder_cell(row, HD_CELL_UNRESOLVED_TEAM)->ticks = 30;
    builder_cell(builder_row(&builder, region->id, 0), HD_WAIT_BARRIER_IMPLICIT)->ticks = 90;
    models[i] = read_and_free(&builder);
    assert_int_equal(models[i]->nodes[1].unresolved.ticks, 40);
    assert_int_equal(models[i]->nodes[1].ticks[HD_WAIT_BARRIER_IMPLICIT], 60);
    assert_int_equal(models[i]->threads[0].ticks[HD_IDLE], 30);
  }
  struct hd_model *sum = SUM(models[0], models[1]);
  assert_int_equal(sum->nodes[1].unresolved.ticks, 80);
  assert_int_equal(sum->nodes[1].ticks[HD_WAIT_BARRIER_IMPLICIT], 120);
  assert_int_equal(sum->unresolved.ticks, 80);
  hd_model_free(sum);
  free_all(models, 2);
}

static void test_the_worst_answer_of_the_runtimes_is_kept(void **state) {
  (void)state;
  struct hd_model *models[] = {run_of("/a/app", "12345678"), run_of("/a/app", "12345678")};
  models[0]->header.registered = 0x566; /* nothing for the fourth event */
  models[1]->header.registered = 0x4625;
  struct hd_model *sum = SUM(models[0], models[1]);
  assert_int_equal(sum->header.registered, 0x4525);
  hd_model_free(sum);
  free_all(models, 2);
}

static struct hd_model *run_on(const char *runtime, const char *build_id) {
  struct builder builder;
  build_run(&builder, "/a/app", "12345678");
  const uint32_t id = builder_module(&builder, runtime);
  struct hd_module_record *module =
      (void *)((char *)builder.newest[HD_BLOCK_MODULES] + HD_BLOCK_HEADER_BYTES + id * sizeof *module);
  module->build_id_bytes = (uint32_t)strlen(build_id);
  memcpy(module->build_id, build_id, strlen(build_id));
  builder.header->runtime_module = id + 1;
  return read_and_free(&builder);
}

static bool has_note_on_runtimes(const struct hd_model *model) {
  bool found = false;
  for (size_t i = 0; i < model->notes.count; i++)
    found = found || strstr(model->notes.items[i], "different OpenMP runtimes");
  return found;
}

static void test_the_runtimes_file_is_kept_and_another_build_noted(void **state) {
  (void)state;
  struct hd_model *models[] = {run_on("/a/libomp.so.5", "\x01\xab"), run_on("/b/libomp.so.5", "\x01\xab"),
                               run_on("/a/libomp.so.5", "\x01\xac")};
  char build_id[HD_BUILD_ID_TEXT_BYTES];
  struct hd_model *same = SUM(models[0], models[1]);
  assert_string_equal(hd_model_runtime(same)->path, "/a/libomp.so.5");
  hd_module_build_id(hd_model_runtime(same), HD_BUILD_ID_SHORT, build_id);
  assert_string_equal(build_id, "01ab");
  assert_false(has_note_on_runtimes(same));
  struct hd_model *other = SUM(models[2], models[0]);
  hd_module_build_id(hd_model_runtime(other), 3, build_id);
  assert_string_equal(build_id, "01a");
  assert_true(has_note_on_runtimes(other));
  hd_model_free(same);
  hd_model_free(other);
  free_all(models, 3);
}

static void test_modules_without_build_id_are_the_same_by_path(void **state) {
  (void)state;
  struct hd_model *models[] = {run_of("/a/lib.so", ""), run_of("/a/lib.so", ""), run_of("/b/lib.so", "")};
  struct hd_model *sum = SUM(models[0], models[1], models[2]);
  assert_int_equal(sum->module_count, 2);
  assert_int_equal(sum->node_count, 3);
  assert_int_equal(sum->nodes[1].visits, 2);
  assert_int_equal(sum->nodes[2].visits, 1);
  hd_model_free(sum);
  free_all(models, 3);
}

static void test_other_builds_and_programs_are_refused_unless_forced(void **state) {
  (void)state;
  struct hd_model *models[] = {run_of("/a/app", "12345678"), run_of("/a/app", "87654321"),
                               run_of("/a/app", "12345678")};
  expect_refused(models[0], models[1], "different builds of app");
  strcpy(models[2]->header.program, "other");
  expect_refused(models[0], models[2], "is a run of app");
  free_all(models, 3);
}

static void test_names_of_any_run_are_kept(void **state) {
  (void)state;
  struct builder builder;
  struct hd_model *models[] = {run_of("/a/app", "12345678"), NULL};
  const struct hd_profile_record *region = build_run(&builder, "/a/app", "12345678");
  builder_name(&builder, region->id, "solve", "/src/app.c", "42");
  models[1] = read_and_free(&builder);
  struct hd_model *sum = SUM(models[0], models[1]);
  assert_string_equal(sum->nodes[1].name.function, "solve");
  assert_string_equal(sum->nodes[1].name.file, "/src/app.c");
  assert_int_equal(sum->nodes[1].name.line, 42);
  assert_true(sum->nodes[1].name_cached);
  hd_model_free(sum);
  free_all(models, 2);
}

/* Two phases of one name below the program, numbered differently, are one; one of another name is another. */
static void test_phases_are_the_same_by_name(void **state) {
  (void)state;
  struct hd_model *models[2];
  const char *const names[2][2] = {{"read", "solve"}, {"solve", "write"}};
  for (int i = 0; i < 2; i++) {
    struct builder builder;
    build_run(&builder, "/a/app", "12345678");
    for (int j = 0; j < 2; j++) {
      struct hd_profile_record *phase = builder_profile(&builder, 0, HD_KIND_PHASE);
      phase->offset = phase->address = 0;
      builder_text(&builder, HD_TEXT_PHASE, phase->id, names[i][j], strlen(names[i][j]));
      builder_row(&builder, phase->id, 0)->visits = (uint64_t)(1 + j);
    }
    models[i] = read_and_free(&builder);
  }
  struct hd_model *sum = SUM(models[0], models[1]);
  assert_int_equal(sum->node_count, 5);
  assert_string_equal(sum->nodes[3].name.function, "solve");
  assert_int_equal(sum->nodes[3].visits, 3);
  assert_string_equal(sum->nodes[4].name.function, "write");
  hd_model_free(sum);
  free_all(models, 2);
}

/* A routine that told of its calls in one run, that was seen on the stack in another, and leads back in a third. */
static void test_routines_known_in_different_ways_stay_apart(void **state) {
  (void)state;
  static const uint16_t flags[] = {HD_PROFILE_CALLED, 0, HD_PROFILE_CALLED | HD_PROFILE_BACK};
  struct hd_model *models[4];
  for (int i = 0; i < 4; i++) {
    struct builder builder;
    build_run(&builder, "/a/app", "12345678");
    struct hd_profile_record *routine = builder_profile(&builder, 0, HD_KIND_ROUTINE);
    routine->offset = routine->address = 0x80;
    routine->flags = flags[i % 3];
    models[i] = read_and_free(&builder);
  }
  struct hd_model *sum = SUM(models[0], models[1], models[2], models[3]);
  assert_int_equal(sum->node_count, 5);
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(sum->nodes[2 + i].flags, flags[i]);
  assert_int_equal(sum->nodes[2].target, 2);
  assert_int_equal(sum->nodes[4].target, 0);
  hd_model_free(sum);
  free_all(models, 4);
}

static void test_existing_file_is_replaced_only_on_demand(void **state) {
  (void)state;
  struct hd_model *model = run_of("/a/app", "12345678");
  struct hd_writer writer = {0};
  char error[256];
  char path[600];
  snprintf(path, sizeof path, "%s/there.heddle", fk_directory());
  assert_true(hd_merge(&model, 1, false, &writer, error, sizeof error));
  assert_true(hd_writer_save(&writer, path, false));
  assert_false(hd_writer_save(&writer, path, false));
  assert_true(hd_writer_save(&writer, path, true));
  assert_false(hd_writer_save(&writer, fk_directory(), true));
  assert_false(hd_writer_save(&writer, "/nowhere/at/all", false));
  remove(path);
  hd_writer_free(&writer);
  hd_model_free(model);
}

/* The region's module lies elsewhere in the second run. */
static struct hd_model *sampled_run(uint64_t base, uint64_t period_ns, uint64_t count) {
  struct builder builder;
  build_run(&builder, "/a/app", "12345678");
  struct hd_module_record *module = (void *)((char *)builder.newest[HD_BLOCK_MODULES] + HD_BLOCK_HEADER_BYTES);
  module->base = base;
  builder_sampled(&builder, 1, HD_BUSY, 0, base + 0x50, count);
  builder_sampled(&builder, 0, HD_BUSY, HD_NONE, 0x77, 1);
  builder.header->sample_period_ns = period_ns;
  builder.header->lost_samples = 3;
  return read_and_free(&builder);
}

static void test_samples_add_up(void **state) {
  (void)state;
  struct hd_model *models[] = {sampled_run(0x1000, 4000000, 5), sampled_run(0x9000, 4000000, 7)};
  struct hd_model *sum = SUM(models[0], models[1]);
  assert_int_equal(sum->header.sample_period_ns, 4000000);
  assert_int_equal(sum->header.lost_samples, 6);
  assert_int_equal(sum->sample_count, 2);
  assert_int_equal(sum->samples[0].module, HD_NONE);
  assert_int_equal(sum->samples[0].count, 2);
  assert_int_equal(sum->samples[1].node, 1);
  assert_int_equal(sum->samples[1].offset, 0x50);
  assert_int_equal(sum->samples[1].count, 12);
  assert_int_equal(sum->samples[1].taken, 12);
  hd_model_free(sum);
  free_all(models, 2);
}

static void test_samples_at_two_rates_do_not_add_up(void **state) {
  (void)state;
  struct hd_model *models[] = {sampled_run(0x1000, 4000000, 5), sampled_run(0x1000, 1000000, 7)};
  struct hd_model *sum = SUM(models[0], models[1]);
  assert_int_equal(sum->header.sample_period_ns, 0);
  assert_int_equal(sum->sample_count, 0);
  assert_true(has_note(sum, "not sampled at one rate"));
  hd_model_free(sum);
  free_all(models, 2);
}

/* Of two threads in one run. */
static struct hd_model *run_with_tasks(uint64_t ticks) {
  struct builder builder;
  build_run(&builder, "/a/app", "12345678");
  builder_profile(&builder, 1, HD_KIND_TASK);
  for (uint32_t i = 0; i < 2; i++) {
    struct hd_tasks_record *tasks = builder_record(&builder, HD_BLOCK_TASKS, sizeof *tasks);
    *tasks = (struct hd_tasks_record){.profile = 2, .run = {.ticks = ticks, .longest_ticks = ticks + i}};
    tasks->run.counts[3] = i;
    tasks->delay = (struct hd_lengths){.ticks = 2 * ticks, .longest_ticks = ticks, .counts = {[31] = 4}};
  }
  return read_and_free(&builder);
}

static void test_times_of_tasks_add_up(void **state) {
  (void)state;
  struct hd_model *models[] = {run_with_tasks(10), run_with_tasks(20)};
  assert_int_equal(models[0]->task_count, 1);
  struct hd_model *sum = SUM(models[0], models[1]);
  const struct hd_model_task *tasks = hd_tasks_find(sum, 2);
  assert_non_null(tasks);
  assert_int_equal(tasks->run.ticks, 2 * 10 + 2 * 20);
  assert_int_equal(tasks->run.longest_ticks, 21);
  assert_int_equal(tasks->run.counts[3], 2);
  assert_int_equal(tasks->delay.ticks, 2 * 20 + 2 * 40);
  assert_int_equal(tasks->delay.counts[31], 16);
  assert_null(hd_tasks_find(sum, 1));
  hd_model_free(sum);
  free_all(models, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_modules_are_the_same_by_build_id),
      cmocka_unit_test(test_unresolved_times_add_up),
      cmocka_unit_test(test_the_worst_answer_of_the_runtimes_is_kept),
      cmocka_unit_test(test_the_runtimes_file_is_kept_and_another_build_noted),
      cmocka_unit_test(test_modules_without_build_id_are_the_same_by_path),
      cmocka_unit_test(test_other_builds_and_programs_are_refused_unless_forced),
      cmocka_unit_test(test_names_of_any_run_are_kept),
      cmocka_unit_test(test_phases_are_the_same_by_name),
      cmocka_unit_test(test_routines_known_in_different_ways_stay_apart),
      cmocka_unit_test(test_existing_file_is_replaced_only_on_demand),
      cmocka_unit_test(test_samples_add_up),
      cmocka_unit_test(test_times_of_tasks_add_up),
      cmocka_unit_test(test_samples_at_two_rates_do_not_add_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
