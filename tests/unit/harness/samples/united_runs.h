/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file united_runs.h
 * Runs of which nothing but the callpaths matters, and what becomes of them when they are united, as a text.
 */
#ifndef HEDDLE_UNITED_RUNS_H
#define HEDDLE_UNITED_RUNS_H

#include <stdio.h>

#include "output/model/memory.h"
#include "output/unify/unified_tree.h"
#include "profile_builder.h"

/* ---- runs ---- */

/* A run of `program`, of which nothing but the callpaths matters. Module 0 is the executable; "": no build id. */
static inline void begin_run(struct builder *builder, const char *program, const char *build_id) {
  char path[64];
  builder_init(builder);
  builder->header->pid = (uint32_t)build_id[0];
  strcpy(builder->header->program, program);
  builder_profile(builder, 0, HD_KIND_PROGRAM);
  snprintf(path, sizeof path, "/%.8s/%.40s", build_id, program);
  builder_module(builder, path);
  struct hd_thread_record *thread = builder_thread(builder, HD_THREAD_INITIAL, 1000, 2000);
  thread->end_ticks = 2000;
  thread->busy_ticks = 1000;
  builder_cell(builder_row(builder, 0, 0), HD_BUSY)->ticks = 1000;
  struct hd_module_record *module = (void *)((char *)builder->newest[HD_BLOCK_MODULES] + HD_BLOCK_HEADER_BYTES);
  module->build_id_bytes = (uint32_t)strlen(build_id);
  memcpy(module->build_id, build_id, strlen(build_id));
}

static inline struct hd_model *end_run(struct builder *builder) {
  struct hd_model *model = builder_read(builder);
  builder_free(builder);
  return model;
}

/* A library: module 1, 2, ... */
static inline uint32_t add_library(struct builder *builder, const char *path, const char *build_id) {
  const uint32_t id = builder_module(builder, path);
  struct hd_module_record *module =
      (void *)((char *)builder->newest[HD_BLOCK_MODULES] + HD_BLOCK_HEADER_BYTES + id * sizeof *module);
  module->build_id_bytes = (uint32_t)strlen(build_id);
  memcpy(module->build_id, build_id, strlen(build_id));
  return id;
}

/* A callpath in the executable, loaded anywhere. */
static inline struct hd_profile_record *add_path(struct builder *builder, uint32_t parent, enum hd_kind kind,
                                                 uint64_t offset) {
  struct hd_profile_record *record = builder_profile(builder, parent, kind);
  record->module = 0;
  record->offset = offset;
  record->address = (uintptr_t)builder + offset;
  return record;
}

/* "function", "/build/dir/file.c" and a line; "" and 0: not known. Its offset is that of no other build. */
static inline uint32_t add_named(struct builder *builder, uint32_t parent, enum hd_kind kind, const char *function,
                                 const char *file, unsigned line) {
  char text[16];
  snprintf(text, sizeof text, "%u", line);
  struct hd_profile_record *record = add_path(builder, parent, kind, builder->header->pid * 0x1000 + builder->profiles);
  builder_name(builder, record->id, function, file, text);
  return record->id;
}

/* Regions of main(), at these lines. */
static inline struct hd_model *run_of_lines(const char *build_id, const unsigned *lines) {
  struct builder builder;
  begin_run(&builder, "app", build_id);
  for (; *lines != 0; lines++)
    add_named(&builder, 0, HD_KIND_PARALLEL, "main", "/src/app.c", *lines);
  return end_run(&builder);
}
#define LINES(build_id, ...) run_of_lines(build_id, (const unsigned[]){__VA_ARGS__, 0})

/* ---- expectations ---- */

/* Parents come first, all that is said of a callpath is true of its nodes, and none is lost. */
static inline void expect_sound(const struct hd_united *united) {
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

static inline char *add_node_text(char *end, const struct hd_node *node) {
  if (node->kind == HD_KIND_ROUTINE || node->kind == HD_KIND_PHASE)
    return end + sprintf(end, "%s", node->name.function ? node->name.function : "?");
  if (node->name.line != 0)
    return end + sprintf(end, "%u", node->name.line);
  return end + sprintf(end, "x%llx", (unsigned long long)node->offset);
}

/* "10|12 20|- .21|-": by callpath, its line in each run, or "-". A dot for each level below the first; "+" joins
 * several nodes of a run. */
static inline void united_text(const struct hd_united *united, char *end) {
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
static inline void expect_united(enum hd_unite_by by, struct hd_model **models, size_t count, uint32_t moved,
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

#endif
