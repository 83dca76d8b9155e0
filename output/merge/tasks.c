/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file tasks.c
 * How long a sum's tasks took. They were sorted by each run's own clock.
 */
#include <stdlib.h>

#include "output/merge/merge_internal.h"
#include "output/model/lengths.h"
#include "output/model/tasks.h"

static void write_tasks(struct hd_merge *merge, const struct hd_model_task *tasks, uint32_t count) {
  if (count > 0)
    hd_writer_begin_block(merge->writer, HD_BLOCK_TASKS);
  for (uint32_t i = 0; i < count; i++) {
    const struct hd_tasks_record record = {.profile = tasks[i].node, .run = tasks[i].run, .delay = tasks[i].delay};
    hd_writer_add(merge->writer, &record, sizeof record);
  }
}

void hd_merge_write_tasks(struct hd_merge *merge) {
  uint32_t count = 0;
  size_t most = 1;
  for (size_t i = 0; i < merge->count; i++)
    most += merge->models[i]->task_count;
  struct hd_model_task *tasks = hd_new(most, sizeof *tasks);
  for (size_t i = 0; i < merge->count; i++)
    for (uint32_t j = 0; j < merge->models[i]->task_count; j++) {
      struct hd_model_task *task = &tasks[count++];
      *task = merge->models[i]->tasks[j];
      task->node = merge->united->node_of[i][task->node];
      hd_lengths_stretch(&task->run, merge->factors[i]);
      hd_lengths_stretch(&task->delay, merge->factors[i]);
    }
  write_tasks(merge, tasks, hd_tasks_join(tasks, count));
  free(tasks);
}
