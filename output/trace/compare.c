/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/trace/compare.h"

#include <stdlib.h>

#include "output/model/lazy_rows.h"
#include "output/trace/entry.h"
#include "output/trace/walk.h"
#include "support/command/memory.h"

struct comparison {
  const struct hd_model *model;
  uint64_t (*sums)[HD_STATE_COUNT]; /* by row */
  hd_trace_teller *tell;
  void *context;
};

static bool add(void *context, const struct hd_trace_entry *entry) {
  struct comparison *comparison = context;
  const uint64_t ticks = entry->ticks - entry->since_ticks;
  if (entry->before.state == HD_STATE_COUNT || ticks == 0)
    return true;
  const struct hd_row *row = hd_model_row(comparison->model, entry->before.node, entry->thread);
  if (row)
    comparison->sums[row - comparison->model->rows][entry->before.state] += ticks;
  else
    comparison->tell(comparison->context, &(struct hd_trace_difference){.thread = entry->thread,
                                                                        .node = entry->before.node,
                                                                        .state = entry->before.state,
                                                                        .trace_ticks = ticks});
  return true;
}

/* The time before the tool was loaded is in no trace. */
static uint64_t profile_ticks(const struct comparison *comparison, const struct hd_row *row, uint32_t state) {
  const bool has_begin = row->node == 0 && row->thread == 0 && state == HD_BUSY;
  return row->ticks[state] - (has_begin ? comparison->model->before_ticks : 0);
}

static void compare(const struct comparison *comparison, const struct hd_row *row) {
  const uint64_t *sums = comparison->sums[row - comparison->model->rows];
  for (uint32_t state = 0; state < HD_STATE_COUNT; state++) {
    const uint64_t ticks = profile_ticks(comparison, row, state);
    if (ticks != sums[state])
      comparison->tell(comparison->context,
                       &(struct hd_trace_difference){row->thread, row->node, state, ticks, sums[state]});
  }
}

bool hd_trace_compare(const struct hd_model *model, hd_trace_teller *tell, void *context, char *error,
                      size_t error_bytes) {
  struct comparison comparison = {.model = model, .tell = tell, .context = context};
  hd_model_need_rows(model);
  comparison.sums = hd_new((size_t)model->row_count + 1, sizeof *comparison.sums);
  const bool read = hd_trace_walk(model, add, &comparison, error, error_bytes);
  for (uint32_t i = 0; read && i < model->row_count; i++)
    compare(&comparison, &model->rows[i]);
  free(comparison.sums);
  return read;
}
