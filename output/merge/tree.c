/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file tree.c
 * The sum's modules and callpaths.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/merge/merge_internal.h"

bool hd_merge_tree(struct hd_merge *merge) {
  size_t most = 0;
  for (size_t i = 0; i < merge->count; i++)
    most += merge->models[i]->node_count;
  if (most >= HD_NONE / 4)
    return hd_merge_fail(merge, "the runs have more callpaths than a profile can hold");
  merge->united = hd_united_new(merge->models, merge->count, HD_UNITE_STRICTLY);
  uint32_t *runtime = &merge->header.runtime_module; /* the first run's */
  *runtime = *runtime > 0 ? merge->united->module_of[0][*runtime - 1] + 1 : 0;
  merge->merged = hd_new(merge->united->node_count, sizeof *merge->merged);
  return true;
}

/* ---- into the file ---- */

static struct hd_module_record module_record(const struct hd_united *united, uint32_t id) {
  const struct hd_module *module = united->modules[id].module;
  struct hd_module_record record = {
      .id = id, .base = module->base, .flags = united->modules[id].flags, .build_id_bytes = module->build_id_bytes};
  memcpy(record.build_id, module->build_id, sizeof record.build_id);
  snprintf(record.path, sizeof record.path, "%s", module->path);
  return record;
}

/* In any run. */
static void add_unheard(const struct hd_merge *merge, uint32_t *unheard) {
  for (size_t run = 0; run < merge->count; run++)
    for (uint32_t i = 0; i < merge->models[run]->node_count; i++)
      unheard[merge->united->node_of[run][i]] |= merge->models[run]->nodes[i].unheard;
}

static struct hd_profile_record profile_record(const struct hd_united *united, uint32_t id, uint32_t unheard) {
  const struct hd_united_node *node = &united->nodes[id];
  return (struct hd_profile_record){.id = id,
                                    .parent = node->parent,
                                    .kind = (uint16_t)node->node->kind,
                                    .flags = (uint16_t)node->flags,
                                    .depth = node->node->depth,
                                    .module = node->module,
                                    .target = node->target,
                                    .offset = node->node->offset,
                                    .address = node->node->address,
                                    .unheard = unheard};
}

void hd_merge_write_tree(struct hd_merge *merge) {
  struct hd_writer *writer = merge->writer;
  const struct hd_united *united = merge->united;
  uint32_t *unheard = hd_new(united->node_count, sizeof *unheard);
  add_unheard(merge, unheard);
  hd_writer_begin_block(writer, HD_BLOCK_MODULES);
  for (uint32_t i = 0; i < united->module_count; i++) {
    const struct hd_module_record record = module_record(united, i);
    hd_writer_add(writer, &record, sizeof record);
  }
  hd_writer_begin_block(writer, HD_BLOCK_PROFILES);
  for (uint32_t i = 0; i < united->node_count; i++) {
    const struct hd_profile_record record = profile_record(united, i, unheard[i]);
    hd_writer_add(writer, &record, sizeof record);
  }
  free(unheard);
}

/* "function\0file\0line\0" */
static void write_name(struct hd_writer *writer, uint32_t id, const struct hd_name *name) {
  const char *function = name->function ? name->function : "";
  const char *file = name->file ? name->file : "";
  const size_t bytes = strlen(function) + strlen(file) + 16;
  char *text = hd_new(bytes, 1);
  char *at = stpcpy(stpcpy(text, function) + 1, file) + 1;
  at += snprintf(at, bytes - (size_t)(at - text), "%u", name->line) + 1;
  hd_writer_add_text(writer, HD_TEXT_NAME, id, text, (size_t)(at - text));
  free(text);
}

void hd_merge_write_names(struct hd_merge *merge) {
  for (uint32_t i = 1; i < merge->united->node_count; i++) {
    const struct hd_node *node = merge->united->nodes[i].named;
    const char *function = node->name.function;
    if (node->kind == HD_KIND_PHASE && function)
      hd_writer_add_text(merge->writer, HD_TEXT_PHASE, i, function, strlen(function));
    else if (node->kind != HD_KIND_PHASE && (function || node->name.file))
      write_name(merge->writer, i, &node->name);
    if (node->called)
      hd_writer_add_text(merge->writer, HD_TEXT_MPI, i, node->called, strlen(node->called));
  }
}
