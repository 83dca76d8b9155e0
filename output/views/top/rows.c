/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>
#include <stdlib.h>

#include "output/model/levels.h"
#include "output/views/top/top_internal.h"
#include "support/command/memory.h"

/* ---- the program ---- */

double hd_top_busy(const struct hd_model *model) {
  return model && model->elapsed_ticks > 0 ? (double)model->ticks[HD_BUSY] / (double)model->elapsed_ticks : NAN;
}

double hd_top_stay_seconds(const struct hd_model *model, const struct hd_model_thread *thread) {
  const uint64_t since = thread->stay.since_ticks, end = thread->end_ticks;
  return thread->stay.known ? hd_model_seconds(model, end > since ? end - since : 0) : NAN;
}

/* The run's first second may be one of the minute's, in part. */
uint32_t hd_top_minute(const struct hd_model *model, double busy[HD_TOP_MINUTE]) {
  const double second = 1 / model->seconds_per_tick, end = (double)model->elapsed_ticks;
  struct hd_run_stretch stretch;
  uint32_t count = 0;
  if (!hd_model_stretch(model, 0, 1, &stretch))
    return 0;
  while (count < HD_TOP_MINUTE && end > count * second)
    count++;
  for (uint32_t i = 0; i < count; i++) {
    const double to = end - (count - 1 - i) * second, from = fmax(to - second, 0);
    hd_model_stretch(model, from, to, &stretch);
    busy[i] = to > from ? stretch.busy_ticks / (to - from) : NAN;
  }
  return count;
}

/* ---- callpaths ---- */

static double descending(double a, double b) {
  return b - a;
}

static double compare_by(const struct hd_top_row *a, const struct hd_top_row *b, enum hd_top_sort sort) {
  const struct hd_line *left = a->interval ? a->interval : a->run, *right = b->interval ? b->interval : b->run;
  switch (sort) {
  case HD_TOP_RUN_GAIN:
    return descending(a->run->loss_ticks, b->run->loss_ticks);
  case HD_TOP_ELAPSED:
    return descending(hd_team_elapsed(&left->team), hd_team_elapsed(&right->team));
  case HD_TOP_CALLS:
    return descending((double)left->visits, (double)right->visits);
  case HD_TOP_NAME:
    return hd_line_compare(a->run, b->run, HD_SORT_NAME);
  default:
    return descending(left->loss_ticks, right->loss_ticks);
  }
}

/* Then by what the whole run says, and as the lines stand: an order that holds still. */
static int compare(const void *a, const void *b, void *context) {
  const enum hd_top_sort *sort = context;
  const struct hd_top_row *left = a, *right = b;
  double order = compare_by(left, right, *sort);
  if (order == 0)
    order = descending(left->run->loss_ticks, right->run->loss_ticks);
  if (order == 0)
    order = (double)left->run->node->id - (double)right->run->node->id;
  return order < 0 ? -1 : order > 0;
}

struct hd_top_rows hd_top_rows_of(const struct hd_top *top) {
  struct hd_top_rows rows = {.run = hd_lines_new(top->run, HD_SORT_GAIN, HD_LINES_CONSTRUCTS)};
  enum hd_top_sort sort = top->sort;
  if (top->interval)
    rows.interval = hd_lines_new(top->interval, HD_SORT_GAIN, HD_LINES_CONSTRUCTS);
  rows.items = hd_new((size_t)rows.run->count + 1, sizeof *rows.items);
  for (uint32_t i = 1; i < rows.run->count; i++) {
    const struct hd_line *line = &rows.run->lines[i];
    if (line->visits == 0)
      continue;
    const struct hd_lines *interval = rows.interval;
    rows.items[rows.count++] =
        (struct hd_top_row){line, interval ? &interval->lines[interval->line_of_node[line->node->id]] : NULL};
  }
  if (rows.count > 0)
    qsort_r(rows.items, rows.count, sizeof *rows.items, compare, &sort);
  return rows;
}

void hd_top_rows_free(struct hd_top_rows *rows) {
  hd_lines_free(rows->run);
  if (rows->interval)
    hd_lines_free(rows->interval);
  free(rows->items);
}

uint32_t hd_top_list_callpaths(const struct hd_top *top, uint32_t **nodes) {
  struct hd_top_rows rows = hd_top_rows_of(top);
  const uint32_t count = hd_top_shown(top, rows.count);
  *nodes = hd_new((size_t)count + 1, sizeof **nodes);
  for (uint32_t i = 0; i < count; i++)
    (*nodes)[i] = rows.items[i].run->node->id;
  hd_top_rows_free(&rows);
  return count;
}
