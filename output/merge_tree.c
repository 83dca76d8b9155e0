/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file merge_tree.c
 * Which modules and callpaths of the runs are the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/merge_parts.h"

/* ---- modules ---- */

static bool is_same_module(const struct hd_module_record *record, const struct hd_module *module) {
  if (record->build_id_bytes > 0 && module->build_id_bytes > 0)
    return record->build_id_bytes == module->build_id_bytes &&
           memcmp(record->build_id, module->build_id, module->build_id_bytes) == 0;
  return record->build_id_bytes == module->build_id_bytes && strcmp(record->path, module->path) == 0;
}

static uint32_t take_module(struct hd_merge *merge, const struct hd_module *module) {
  for (uint32_t i = 0; i < merge->module_count; i++)
    if (is_same_module(&merge->module_records[i], module)) {
      merge->module_records[i].flags |= module->flags;
      return i;
    }
  struct hd_module_record *record = &merge->module_records[merge->module_count];
  *record = (struct hd_module_record){.id = merge->module_count, .base = module->base, .flags = module->flags};
  record->build_id_bytes = module->build_id_bytes;
  memcpy(record->build_id, module->build_id, sizeof record->build_id);
  snprintf(record->path, sizeof record->path, "%s", module->path);
  return merge->module_count++;
}

static bool merge_modules(struct hd_merge *merge) {
  size_t most = 1;
  for (size_t i = 0; i < merge->count; i++)
    most += merge->models[i]->module_count;
  merge->module_records = calloc(most, sizeof *merge->module_records);
  if (!merge->module_records)
    return false;
  for (size_t i = 0; i < merge->count; i++) {
    const struct hd_model *model = merge->models[i];
    merge->modules[i] = calloc((size_t)model->module_count + 1, sizeof(uint32_t));
    if (!merge->modules[i])
      return false;
    for (uint32_t j = 0; j < model->module_count; j++)
      merge->modules[i][j] = take_module(merge, &model->modules[j]);
  }
  return true;
}

/* ---- callpaths ---- */

/* A routine that tells of its entries, one known from the stack and one that leads back are different things. */
enum { KEY_FLAGS = HD_PROFILE_CALLED | HD_PROFILE_BACK };

struct key {
  uint32_t parent;
  uint32_t module;
  uint32_t kind;
  uint32_t flags;
  uint64_t site;
};

static uint32_t phase_number(struct hd_merge *merge, const char *name) {
  uint32_t i = 0;
  while (i < merge->phase_count && strcmp(merge->phases[i], name) != 0)
    i++;
  if (i == merge->phase_count)
    merge->phases[merge->phase_count++] = name; /* there is room for one from every node */
  return i;
}

/* In the sum's terms; the parent has been taken already. */
static struct key key_of(struct hd_merge *merge, size_t run, const struct hd_node *node) {
  struct key key = {.parent = merge->nodes[run][node->parent],
                    .module = node->module == HD_NONE ? HD_NONE : merge->modules[run][node->module],
                    .kind = (uint32_t)node->kind,
                    .flags = node->flags & KEY_FLAGS};
  if (node->kind == HD_KIND_PHASE)
    key.site = phase_number(merge, node->name.function ? node->name.function : "");
  else
    key.site = node->module == HD_NONE ? node->address : node->offset;
  return key;
}

static bool has_key(struct hd_merge *merge, const struct hd_merged_node *node, const struct key *key) {
  const struct hd_profile_record *record = &node->record;
  if (record->id == 0 || record->parent != key->parent || record->module != key->module || record->kind != key->kind ||
      (record->flags & KEY_FLAGS) != key->flags)
    return false;
  if (key->kind == HD_KIND_PHASE)
    return strcmp(node->name.function ? node->name.function : "", merge->phases[key->site]) == 0;
  return (record->module == HD_NONE ? record->address : record->offset) == key->site;
}

static uint32_t hash_of(const struct key *key) {
  uint64_t hash = key->site * 0x9e3779b97f4a7c15u;
  hash = (hash ^ hash >> 29 ^ key->parent) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ hash >> 32 ^ ((uint64_t)key->module << 16) ^ key->kind ^ key->flags << 8) * 0x94d049bb133111ebu;
  return (uint32_t)(hash >> 32);
}

/* The slot that holds the key or is free for it. */
static uint32_t *slot_of(struct hd_merge *merge, const struct key *key) {
  uint32_t at = hash_of(key) & merge->slot_mask;
  while (merge->slots[at] != 0 && !has_key(merge, &merge->merged[merge->slots[at] - 1], key))
    at = (at + 1) & merge->slot_mask;
  return &merge->slots[at];
}

static uint32_t add_node(struct hd_merge *merge, size_t run, const struct hd_node *node, const struct key *key) {
  struct hd_merged_node *merged = &merge->merged[merge->merged_count];
  merged->record = (struct hd_profile_record){
      .id = merge->merged_count,
      .parent = key->parent,
      .kind = (uint16_t)node->kind,
      .depth = node->depth,
      .module = key->module,
      .target = node->target == node->id ? merge->merged_count : merge->nodes[run][node->target],
      .offset = node->offset,
      .address = node->address,
  };
  if (node->kind == HD_KIND_PHASE)
    merged->name.function = node->name.function;
  return merge->merged_count++;
}

/* The first run that knows the name tells it. */
static void join_node(struct hd_merged_node *merged, const struct hd_node *node) {
  merged->record.flags |= (uint16_t)node->flags;
  if (!merged->name.function && !merged->name.file)
    merged->name = node->name;
}

static bool merge_nodes_of(struct hd_merge *merge, size_t run) {
  const struct hd_model *model = merge->models[run];
  merge->nodes[run] = calloc(model->node_count, sizeof(uint32_t));
  if (!merge->nodes[run])
    return false;
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    const struct key key = key_of(merge, run, node);
    uint32_t *slot = i > 0 ? slot_of(merge, &key) : NULL;
    if (slot && *slot == 0)
      *slot = add_node(merge, run, node, &key) + 1;
    else if (!slot && merge->merged_count == 0)
      add_node(merge, run, node, &key);
    merge->nodes[run][i] = slot ? *slot - 1 : 0;
    join_node(&merge->merged[merge->nodes[run][i]], node);
  }
  return true;
}

static bool merge_nodes(struct hd_merge *merge) {
  size_t most = 1;
  size_t slots = 16;
  for (size_t i = 0; i < merge->count; i++)
    most += merge->models[i]->node_count;
  if (most >= HD_NONE / 4)
    return hd_merge_fail(merge, "the runs have more callpaths than a profile can hold");
  while (slots < 2 * most)
    slots *= 2;
  merge->merged = calloc(most, sizeof *merge->merged);
  merge->phases = calloc(most, sizeof *merge->phases);
  merge->slots = calloc(slots, sizeof *merge->slots);
  merge->slot_mask = (uint32_t)(slots - 1);
  if (!merge->merged || !merge->phases || !merge->slots)
    return false;
  for (size_t i = 0; i < merge->count; i++)
    if (!merge_nodes_of(merge, i))
      return false;
  return true;
}

bool hd_merge_tree(struct hd_merge *merge) {
  return merge_modules(merge) && merge_nodes(merge);
}

/* ---- into the file ---- */

void hd_merge_write_tree(struct hd_merge *merge) {
  struct hd_writer *writer = merge->writer;
  hd_writer_begin_block(writer, HD_BLOCK_MODULES);
  for (uint32_t i = 0; i < merge->module_count; i++)
    hd_writer_add(writer, &merge->module_records[i], sizeof merge->module_records[i]);
  hd_writer_begin_block(writer, HD_BLOCK_PROFILES);
  for (uint32_t i = 0; i < merge->merged_count; i++)
    hd_writer_add(writer, &merge->merged[i].record, sizeof merge->merged[i].record);
}

/* "function\0file\0line\0" */
static void write_name(struct hd_writer *writer, uint32_t id, const struct hd_name *name) {
  const char *function = name->function ? name->function : "";
  const char *file = name->file ? name->file : "";
  const size_t bytes = strlen(function) + strlen(file) + 16;
  char *text = malloc(bytes);
  if (!text) {
    writer->failed = true;
    return;
  }
  char *at = stpcpy(stpcpy(text, function) + 1, file) + 1;
  at += snprintf(at, bytes - (size_t)(at - text), "%u", name->line) + 1;
  hd_writer_add_text(writer, HD_TEXT_NAME, id, text, (size_t)(at - text));
  free(text);
}

void hd_merge_write_names(struct hd_merge *merge) {
  for (uint32_t i = 1; i < merge->merged_count; i++) {
    const struct hd_merged_node *node = &merge->merged[i];
    const char *function = node->name.function;
    if (node->record.kind == HD_KIND_PHASE && function)
      hd_writer_add_text(merge->writer, HD_TEXT_PHASE, i, function, strlen(function));
    else if (node->record.kind != HD_KIND_PHASE && (function || node->name.file))
      write_name(merge->writer, i, &node->name);
  }
}
