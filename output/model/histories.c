/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/histories.h"

#include <math.h>
#include <stdlib.h>

static int by_node(const void *a, const void *b) {
  const struct hd_history *left = a, *right = b;
  return (left->node > right->node) - (left->node < right->node);
}

void hd_history_add(struct hd_history *to, const struct hd_history *from) {
  to->since_ticks = to->since_ticks > from->since_ticks ? to->since_ticks : from->since_ticks;
  for (uint32_t i = 0; i < HD_HISTORY_BUCKETS; i++) {
    to->buckets[i].elapsed_ticks += from->buckets[i].elapsed_ticks;
    to->buckets[i].busy_ticks += from->buckets[i].busy_ticks;
  }
}

uint32_t hd_histories_join(struct hd_history *histories, uint32_t count) {
  uint32_t joined = 0;
  if (count > 0)
    qsort(histories, count, sizeof *histories, by_node);
  for (uint32_t i = 0; i < count; i++)
    if (joined > 0 && histories[joined - 1].node == histories[i].node)
      hd_history_add(&histories[joined - 1], &histories[i]);
    else
      histories[joined++] = histories[i];
  return joined;
}

const struct hd_history *hd_histories_find(const struct hd_model *model, uint32_t node) {
  const struct hd_history wanted = {.node = node};
  return model->history_count > 0 ? bsearch(&wanted, model->histories, model->history_count, sizeof wanted, by_node)
                                  : NULL;
}

/* The time that they cover. */
static uint64_t span_of(const struct hd_model *model) {
  return model->elapsed_ticks > model->before_ticks ? model->elapsed_ticks - model->before_ticks : 0;
}

uint32_t hd_history_buckets_in_use(const struct hd_model *model) {
  const uint64_t width = model->history_count > 0 ? model->history_width_ticks : 0, span = span_of(model);
  if (width == 0)
    return 0;
  return span / width < HD_HISTORY_BUCKETS ? (uint32_t)((span + width - 1) / width) : HD_HISTORY_BUCKETS;
}

double hd_history_bucket_ticks(const struct hd_model *model, uint32_t i) {
  const double width = (double)model->history_width_ticks, left = (double)span_of(model) - i * width;
  return fmax(0, fmin(width, left));
}

struct hd_history_part hd_history_part_of(const struct hd_model *model, const struct hd_history *history, double from,
                                          double to) {
  struct hd_history_part part = {0};
  for (uint32_t i = 0; i < hd_history_buckets_in_use(model); i++) {
    const double begin = i * (double)model->history_width_ticks, width = hd_history_bucket_ticks(model, i);
    const double within = fmin(to, begin + width) - fmax(from, begin);
    const double share = width > 0 && within > 0 ? within / width : 0;
    part.elapsed_ticks += share * (double)history->buckets[i].elapsed_ticks;
    part.busy_ticks += share * (double)history->buckets[i].busy_ticks;
  }
  return part;
}
