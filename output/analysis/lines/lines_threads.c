/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file lines_threads.c
 * What each thread spent in the lines that a report shows. A large profile's rows are gone through once for many lines:
 * those that will be asked for next.
 */
#include <stdlib.h>
#include <string.h>

#include "output/analysis/lines/lines.h"
#include "output/model/lazy_rows.h"
#include "support/command/memory.h"

/* The line and those shown after it. */
static void choose(struct hd_lines *view, uint32_t line) {
  struct hd_thread_batch *batch = &view->batch;
  const uint32_t most = sizeof batch->lines / sizeof *batch->lines;
  batch->count = 0;
  for (uint32_t i = line; i < view->count && batch->count < most; i++)
    if (i == line || view->lines[i].shown)
      batch->lines[batch->count++] = i;
}

static void add_times(void *context, const struct hd_row *times) {
  const struct hd_lines *view = context;
  const uint32_t line = view->line_of_node[times->node];
  for (uint64_t mask = line < view->count ? view->batch.masks[line] : 0; mask != 0; mask &= mask - 1) {
    uint64_t *sum = view->batch.sums[(size_t)__builtin_ctzll(mask) * view->model->thread_count + times->thread];
    for (int state = 0; state < HD_STATE_COUNT; state++)
      sum[state] += times->ticks[state];
    sum[HD_SUM_UNRESOLVED] += times->unresolved.ticks;
  }
}

static void fill(struct hd_lines *view, uint32_t line) {
  struct hd_thread_batch *batch = &view->batch;
  free(batch->masks);
  free(batch->sums);
  choose(view, line);
  batch->masks = hd_new(view->count, sizeof *batch->masks);
  batch->sums = hd_new((size_t)batch->count * view->model->thread_count, sizeof *batch->sums);
  for (uint32_t i = 0; i < batch->count; i++)
    for (uint32_t j = batch->lines[i]; j < batch->lines[i] + view->lines[batch->lines[i]].subtree; j++)
      batch->masks[j] |= UINT64_C(1) << i;
  hd_model_each_times(view->model, add_times, view);
}

/* The line's place in the batch; its count: it is not there. */
static uint32_t find(const struct hd_thread_batch *batch, uint32_t line) {
  uint32_t i = 0;
  while (i < batch->count && batch->lines[i] != line)
    i++;
  return i;
}

void hd_lines_sum_threads(struct hd_lines *view, uint32_t line, uint64_t (*sums)[HD_THREAD_SUMS]) {
  const uint32_t threads = view->model->thread_count;
  if (find(&view->batch, line) == view->batch.count)
    fill(view, line);
  memcpy(sums, view->batch.sums + (size_t)find(&view->batch, line) * threads, threads * sizeof *sums);
}
