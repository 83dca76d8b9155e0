/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/lines/line_histories.h"

#include "output/model/histories.h"
#include "support/command/memory.h"

struct hd_history *hd_line_history(const struct hd_lines *view, uint32_t line) {
  const struct hd_model *model = view->model;
  struct hd_history *sum = NULL;
  for (uint32_t i = 0; i < model->history_count; i++) {
    const struct hd_history *from = &model->histories[i];
    if (view->line_of_node[from->node] != line)
      continue;
    if (!sum) {
      sum = hd_new(1, sizeof *sum + HD_HISTORY_BUCKETS * sizeof *sum->buckets);
      sum->node = view->lines[line].node->id;
      sum->buckets = (struct hd_history_bucket *)(sum + 1);
    }
    hd_history_add(sum, from);
  }
  return sum;
}
