/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/reader/reader_internal.h"

#include <stdlib.h>
#include <string.h>

#include "output/model/format_names.h"
#include "output/model/memory.h"
#include "support/command/memory.h"

static bool take_module(struct hd_reader *reader, const void *bytes, uint32_t index) {
  const struct hd_module_record *record = bytes;
  struct hd_module *module = &reader->model->modules[index];
  if (record->id != index || record->build_id_bytes > sizeof record->build_id)
    return hd_reader_fail(reader, "damaged: module %u is not valid", index);
  module->path = hd_model_copy(reader->model, record->path, sizeof record->path);
  memcpy(module->build_id, record->build_id, sizeof module->build_id);
  module->build_id_bytes = record->build_id_bytes;
  module->base = record->base;
  module->flags = record->flags;
  return true;
}

static bool take_node(struct hd_reader *reader, const void *bytes, uint32_t index) {
  const struct hd_profile_record *record = bytes;
  const bool is_program = index == 0;
  const bool valid = record->id == index && (is_program ? record->parent == 0 : record->parent < index) &&
                     is_program == (record->kind == HD_KIND_PROGRAM) && record->target <= index &&
                     (record->module == HD_NONE || record->module < reader->model->module_count);
  if (!valid)
    return hd_reader_fail(reader, "damaged: callpath %u is not valid", index);
  struct hd_node *nodes = reader->model->nodes;
  nodes[index] = (struct hd_node){
      .id = index,
      .parent = record->parent,
      .depth = is_program ? 0 : nodes[record->parent].depth + 1,
      .module = record->module,
      .kind = record->kind < HD_KIND_COUNT ? (enum hd_kind)record->kind : HD_KIND_OTHER,
      .flags = record->flags,
      .target = record->flags & HD_PROFILE_BACK ? record->target : index,
      .offset = record->offset,
      .address = record->address,
      .unheard = record->unheard,
      .spared = record->spared,
      .spared_ticks = record->spared_ticks,
  };
  return true;
}

static bool take_thread(struct hd_reader *reader, const void *bytes, uint32_t index) {
  const struct hd_thread_record *record = bytes;
  const bool has_begun = record->threads > 0; /* else the program was killed before it was filled */
  const bool valid = record->id == index && record->last_ticks >= record->begin_ticks &&
                     record->last_ticks - record->begin_ticks >= record->apart_ticks &&
                     (record->end_ticks == 0 || record->end_ticks >= record->begin_ticks + record->apart_ticks);
  if (!valid)
    return hd_reader_fail(reader, "damaged: thread %u is not valid", index);
  reader->model->threads[index] =
      (struct hd_model_thread){.id = index,
                               .kind = record->kind,
                               .begin_ticks = has_begun ? record->begin_ticks : record->last_ticks,
                               .apart_ticks = record->apart_ticks,
                               .threads = has_begun ? record->threads : 1,
                               .alive = record->end_ticks == 0,
                               .account = hd_account_of_record(record),
                               .late_ticks = record->intrusion};
  return true;
}

/* "function\0file\0line"; an empty part is not known. */
static bool take_name(struct hd_reader *reader, uint32_t id, const char *text, size_t bytes) {
  if (id >= reader->model->node_count)
    return hd_reader_fail(reader, "damaged: a name belongs to no callpath");
  char *copy = hd_model_allocate(reader->model, bytes + 3); /* ends in three terminators whatever the text holds */
  memcpy(copy, text, bytes);
  const char *file = copy + strlen(copy) + 1;
  const char *line = file + strlen(file) + 1;
  struct hd_node *node = &reader->model->nodes[id];
  node->name.function = *copy ? copy : NULL;
  node->name.file = *file ? file : NULL;
  node->name.line = (uint32_t)strtoul(line, NULL, 10);
  node->name_cached = true;
  return true;
}

static bool take_phase(struct hd_reader *reader, uint32_t id, const char *text, size_t bytes) {
  if (id >= reader->model->node_count || reader->model->nodes[id].kind != HD_KIND_PHASE)
    return hd_reader_fail(reader, "damaged: a phase's name belongs to no phase");
  reader->model->nodes[id].name.function = hd_model_copy(reader->model, text, bytes);
  reader->model->nodes[id].name_cached = true;
  return true;
}

static bool take_called(struct hd_reader *reader, uint32_t id, const char *text, size_t bytes) {
  if (id >= reader->model->node_count || reader->model->nodes[id].kind != HD_KIND_MPI)
    return hd_reader_fail(reader, "damaged: the name of a function of MPI belongs to no call of one");
  reader->model->nodes[id].called = hd_model_copy(reader->model, text, bytes);
  return true;
}

static bool take_text(struct hd_reader *reader, const struct hd_text_record *record, const char *text) {
  struct hd_model *model = reader->model;
  switch (record->kind) {
  case HD_TEXT_ARGUMENT:
    hd_model_add_string(model, &model->arguments, text, record->bytes);
    return true;
  case HD_TEXT_ENVIRONMENT:
    hd_model_add_string(model, &model->environment, text, record->bytes);
    return true;
  case HD_TEXT_NOTE:
    hd_model_add_string(model, &model->notes, text, record->bytes);
    return true;
  case HD_TEXT_NAME:
    return take_name(reader, record->id, text, record->bytes);
  case HD_TEXT_PHASE:
    return take_phase(reader, record->id, text, record->bytes);
  case HD_TEXT_MPI:
    return take_called(reader, record->id, text, record->bytes);
  case HD_TEXT_GROUP:
    hd_reader_take_group(model, text, record->bytes);
    return true;
  case HD_TEXT_OUTPUT:
    model->output = hd_model_copy(model, text, record->bytes);
    return true;
  case HD_TEXT_RUN:
    model->run_directory = hd_model_copy(model, text, record->bytes);
    return true;
  default:
    return true;
  }
}

static bool take_text_block(struct hd_reader *reader, const struct hd_reader_block *block) {
  const char *content = reader->bytes + block->content;
  const uint64_t limit = block->header->count;
  for (uint64_t at = 0; at < limit;) {
    struct hd_text_record record;
    if (limit - at < sizeof record)
      return hd_reader_fail(reader, "damaged: a text is cut short");
    memcpy(&record, content + at, sizeof record);
    const uint64_t padded = ((uint64_t)record.bytes + 7) & ~(uint64_t)7;
    if (padded > limit - at - sizeof record)
      return hd_reader_fail(reader, "damaged: a text is cut short");
    if (!take_text(reader, &record, content + at + sizeof record))
      return false;
    at += sizeof record + padded;
  }
  return true;
}

static bool take_texts(struct hd_reader *reader) {
  for (uint32_t i = 0; i < reader->source->block_count; i++)
    if (reader->source->blocks[i].header->type == HD_BLOCK_TEXT && !take_text_block(reader, &reader->source->blocks[i]))
      return false;
  return true;
}

static bool allocate(struct hd_reader *reader) {
  struct hd_model *model = reader->model;
  model->module_count = (uint32_t)reader->record_count[HD_BLOCK_MODULES];
  model->node_count = (uint32_t)reader->record_count[HD_BLOCK_PROFILES];
  model->thread_count = (uint32_t)reader->record_count[HD_BLOCK_THREADS];
  if (model->node_count == 0)
    return hd_reader_fail(reader, "holds no measurement: the program ended while the tool was starting");
  model->modules = hd_model_allocate(model, model->module_count * sizeof *model->modules);
  model->nodes = hd_new(model->node_count, sizeof *model->nodes);
  model->threads = hd_model_allocate(model, model->thread_count * sizeof *model->threads);
  reader->source->in_extra = hd_model_allocate(model, model->thread_count * sizeof *reader->source->in_extra);
  reader->in_region = hd_model_allocate(model, model->node_count * sizeof *reader->in_region);
  reader->idle_ticks = hd_model_allocate(model, model->thread_count * sizeof *reader->idle_ticks);
  reader->ring_of = hd_model_allocate(model, model->thread_count * sizeof *reader->ring_of);
  reader->busy_now_ticks = hd_model_allocate(model, model->thread_count * sizeof *reader->busy_now_ticks);
  return true;
}

static void find_nested(struct hd_reader *reader) {
  const struct hd_node *nodes = reader->model->nodes;
  for (uint32_t i = 1; i < reader->model->node_count; i++)
    reader->in_region[i] = reader->in_region[nodes[i].parent] || hd_kind_is_region(nodes[nodes[i].parent].kind);
}

/* Modules come before nodes and nodes before rows: each refers to the ones before, wherever the blocks lie. */
bool hd_reader_take_records(struct hd_reader *reader) {
  if (reader->model->header.runtime_module > reader->record_count[HD_BLOCK_MODULES])
    return hd_reader_fail(reader, "damaged: the runtime's module is not there");
  if (!allocate(reader) || !hd_reader_each(reader, HD_BLOCK_MODULES, take_module) ||
      !hd_reader_each(reader, HD_BLOCK_PROFILES, take_node) || !hd_reader_each(reader, HD_BLOCK_THREADS, take_thread) ||
      !hd_reader_add_rows(reader) || !take_texts(reader))
    return false;
  reader->model->file_note_count = reader->model->notes.count;
  find_nested(reader);
  return true;
}
