/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file lines_threads.c
 * What each thread spent in the lines that a report shows. A large profile's rows are gone through once for many lines:
 * those that will be asked for next.
 */
#include <stdlib.h>
#include <string.h>

#include "output/analysis/lines.h"
#include "output/model/accumulate.h"
#include "output/model/lazy_rows.h"

enum { MOST_LINES = 64 }; /* bits of a mask */

struct hd_thread_batch {
  uint32_t lines[MOST_LINES];
  uint32_t count;
  uint32_t threads;
  uint64_t *masks;                  /* by line: bit i: it belongs to lines[i] */
  uint64_t (*sums)[HD_STATE_COUNT]; /* [index in lines * threads + thread] */
};

struct hd_thread_batch *hd_thread_batch_new(void) {
  return calloc(1, sizeof(struct hd_thread_batch));
}

static void clear(struct hd_thread_batch *batch) {
  free(batch->masks);
  free(batch->sums);
  *batch = (struct hd_thread_batch){0};
}

void hd_thread_batch_free(struct hd_thread_batch *batch) {
  if (batch)
    clear(batch);
  free(batch);
}

/* The line and those shown after it. */
static void choose(struct hd_thread_batch *batch, const struct hd_view *view, uint32_t line) {
  batch->lines[batch->count++] = line;
  for (uint32_t i = line + 1; i < view->count && batch->count < MOST_LINES; i++)
    if (view->lines[i].shown)
      batch->lines[batch->count++] = i;
}

static void mark(struct hd_thread_batch *batch, const struct hd_view *view) {
  for (uint32_t i = 0; i < batch->count; i++) {
    const uint32_t line = batch->lines[i];
    for (uint32_t j = line; j < line + view->lines[line].subtree; j++)
      batch->masks[j] |= UINT64_C(1) << i;
  }
}

static void add_times(void *context, uint32_t node, uint32_t thread, const uint64_t ticks[HD_STATE_COUNT]) {
  const struct hd_view *view = context;
  const struct hd_thread_batch *batch = view->batch;
  const uint32_t line = view->line_of_node[node];
  for (uint64_t mask = line < view->count ? batch->masks[line] : 0; mask != 0; mask &= mask - 1) {
    uint64_t *sum = batch->sums[(size_t)__builtin_ctzll(mask) * batch->threads + thread];
    for (int state = 0; state < HD_STATE_COUNT; state++)
      sum[state] += ticks[state];
  }
}

static bool fill(struct hd_view *view, uint32_t line) {
  struct hd_thread_batch *batch = view->batch;
  clear(batch);
  choose(batch, view, line);
  batch->threads = view->model->thread_count;
  batch->masks = calloc((size_t)view->count + 1, sizeof *batch->masks);
  batch->sums = calloc((size_t)batch->count * batch->threads + 1, sizeof *batch->sums);
  if (!batch->masks || !batch->sums) {
    clear(batch);
    return false;
  }
  mark(batch, view);
  hd_model_each_times(view->model, add_times, view);
  return true;
}

static const uint64_t (*find(const struct hd_thread_batch *batch, uint32_t line))[HD_STATE_COUNT] {
  for (uint32_t i = 0; i < batch->count; i++)
    if (batch->lines[i] == line)
      return (const uint64_t(*)[HD_STATE_COUNT])batch->sums + (size_t)i * batch->threads;
  return NULL;
}

bool hd_view_sum_threads(struct hd_view *view, uint32_t line, uint64_t (*sums)[HD_STATE_COUNT]) {
  const uint64_t(*known)[HD_STATE_COUNT] = find(view->batch, line);
  if (!known && fill(view, line))
    known = find(view->batch, line);
  if (known)
    memcpy(sums, known, view->model->thread_count * sizeof *sums);
  return known != NULL;
}
