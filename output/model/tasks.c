/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/tasks.h"

#include <stdlib.h>

#include "output/model/lengths.h"

static int by_node(const void *a, const void *b) {
  const struct hd_model_task *left = a, *right = b;
  return (left->node > right->node) - (left->node < right->node);
}

void hd_task_add(struct hd_model_task *to, const struct hd_model_task *from) {
  hd_lengths_join(&to->run, &from->run);
  hd_lengths_join(&to->delay, &from->delay);
}

uint32_t hd_tasks_join(struct hd_model_task *tasks, uint32_t count) {
  uint32_t joined = 0;
  if (count > 0)
    qsort(tasks, count, sizeof *tasks, by_node);
  for (uint32_t i = 0; i < count; i++)
    if (joined > 0 && tasks[joined - 1].node == tasks[i].node)
      hd_task_add(&tasks[joined - 1], &tasks[i]);
    else
      tasks[joined++] = tasks[i];
  return joined;
}

const struct hd_model_task *hd_tasks_find(const struct hd_model *model, uint32_t node) {
  const struct hd_model_task wanted = {.node = node};
  return model->task_count > 0 ? bsearch(&wanted, model->tasks, model->task_count, sizeof wanted, by_node) : NULL;
}
