/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file tasks.c
 * How long tasks took into the model: those of all threads added up.
 */
#include "output/model/tasks.h"

#include "output/model/memory.h"
#include "output/reader/reader_internal.h"

static bool take_task(struct hd_reader *reader, const void *bytes, uint32_t index) {
  const struct hd_tasks_record *record = bytes;
  struct hd_model *model = reader->model;
  if (record->profile >= model->node_count || record->thread >= model->thread_count)
    return hd_reader_fail(reader, "damaged: times %u of tasks are not valid", index);
  model->tasks[model->task_count++] = (struct hd_model_task){record->profile, record->run, record->delay};
  return true;
}

bool hd_reader_take_tasks(struct hd_reader *reader) {
  struct hd_model *model = reader->model;
  const size_t most = (size_t)reader->record_count[HD_BLOCK_TASKS];
  model->tasks = hd_model_allocate(model, (most + 1) * sizeof *model->tasks);
  if (!hd_reader_each(reader, HD_BLOCK_TASKS, take_task))
    return false;
  model->task_count = hd_tasks_join(model->tasks, model->task_count);
  return true;
}
