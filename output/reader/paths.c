/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file paths.c
 * The critical path into the model. Its thread may have gone on until the end of the profile, and the time before the
 * load of the tool comes first.
 */
#include "output/model/paths.h"
#include "output/model/memory.h"
#include "output/reader/reader_internal.h"

/* Chains begin with the tool's load, the program does before. */
static uint64_t from_start(const struct hd_model *model, uint64_t ticks) {
  return ticks < HD_PATH_NEVER - model->before_ticks ? ticks + model->before_ticks : HD_PATH_NEVER;
}

static bool take_path(struct hd_reader *reader, const void *bytes, uint32_t index) {
  const struct hd_path_record *record = bytes;
  struct hd_model *model = reader->model;
  if (record->profile >= model->node_count)
    return hd_reader_fail(reader, "damaged: part %u of the critical path is not valid", index);
  model->paths[model->path_count++] = (struct hd_model_path){.node = record->profile,
                                                             .own_ticks = record->path_ticks,
                                                             .span_ticks = record->span_ticks,
                                                             .work_ticks = record->work_ticks,
                                                             .instances = record->instances,
                                                             .earliest_ticks =
                                                                 from_start(model, record->earliest_ticks),
                                                             .slack_ticks = record->slack_ticks};
  return true;
}

static bool take_step(struct hd_reader *reader, const void *bytes, uint32_t index) {
  const struct hd_path_step_record *record = bytes;
  struct hd_model *model = reader->model;
  if (record->to >= model->node_count || (record->from != HD_NONE && record->from >= model->node_count))
    return hd_reader_fail(reader, "damaged: step %u of the critical path is not valid", index);
  model->steps[model->step_count++] = (struct hd_model_step){.from = record->from,
                                                             .to = record->to,
                                                             .ticks = record->ticks,
                                                             .count = record->count,
                                                             .changes = record->changes};
  return true;
}

static void add_time(struct hd_model *model, uint32_t node, uint64_t ticks, uint64_t earliest_ticks) {
  model->paths[model->path_count++] =
      (struct hd_model_path){.node = node, .own_ticks = ticks, .earliest_ticks = earliest_ticks};
}

bool hd_reader_take_paths(struct hd_reader *reader) {
  enum { BEFORE_AND_AFTER = 2 };
  struct hd_model *model = reader->model;
  const struct hd_file_header *header = &model->header;
  const size_t most = (size_t)reader->record_count[HD_BLOCK_PATHS] + BEFORE_AND_AFTER;
  if (!(header->path_flags & HD_PATH_KNOWN))
    return true;
  model->paths = hd_model_allocate(model, most * sizeof *model->paths);
  if (header->path_open != HD_NONE && header->path_open >= model->node_count)
    return hd_reader_fail(reader, "damaged: the critical path ends in no callpath");
  const size_t steps = (size_t)reader->record_count[HD_BLOCK_PATH_STEPS];
  model->steps = hd_model_allocate(model, (steps + 1) * sizeof *model->steps);
  if (!hd_reader_each(reader, HD_BLOCK_PATHS, take_path) || !hd_reader_each(reader, HD_BLOCK_PATH_STEPS, take_step))
    return false;
  if (model->before_ticks > 0)
    model->steps[model->step_count++] = (struct hd_model_step){.from = HD_NONE, .to = 0, .ticks = model->before_ticks};
  model->step_count = hd_steps_join(model->steps, model->step_count);
  if (model->before_ticks > 0)
    add_time(model, 0, model->before_ticks, 0);
  if (header->path_open != HD_NONE && model->end_ticks > header->path_until_ticks)
    add_time(model, header->path_open, model->end_ticks - header->path_until_ticks, HD_PATH_NEVER);
  model->path_count = hd_paths_join(model->paths, model->path_count);
  model->path_known = true;
  return true;
}
