/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/levels.h"

uint64_t hd_levels_up_to(const struct hd_levels *levels, uint32_t k) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i <= k && i < levels->count; i++)
    sum += levels->ticks[i];
  return sum;
}

uint32_t hd_timeline_buckets_in_use(const struct hd_model *model) {
  const uint64_t width = model->timeline ? model->timeline->width_ticks : 0;
  if (width == 0 || model->elapsed_ticks < model->before_ticks)
    return 0;
  const uint64_t span = model->elapsed_ticks - model->before_ticks;
  return span / width < HD_TIMELINE_BUCKETS ? (uint32_t)((span + width - 1) / width) : HD_TIMELINE_BUCKETS;
}

double hd_levels_wall_share(const struct hd_levels *levels, uint32_t most) {
  double sum = 0;
  for (uint32_t k = 1; k <= most && k < levels->count; k++)
    sum += (double)levels->ticks[k] / k;
  return sum;
}

/* The part of [from, to) that lies in a bucket or before the first, of what that holds. */
static void add_part(struct hd_run_stretch *stretch, double from, double to, double begin, double width,
                     const struct hd_timeline_bucket *bucket) {
  const double left = from > begin ? from : begin;
  const double right = to < begin + width ? to : begin + width;
  if (right <= left || width <= 0)
    return;
  const double part = (right - left) / width;
  stretch->none_ticks += part * (double)bucket->none_ticks;
  stretch->sequential_ticks += part * (double)bucket->sequential_ticks;
  stretch->busy_ticks += part * (double)bucket->busy_ticks;
}

bool hd_levels_mislead(const struct hd_model *model, const uint64_t ticks[HD_STATE_COUNT], uint64_t unresolved_ticks) {
  const double misleading_part = 0.05;
  return model->estimated && (double)unresolved_ticks > misleading_part * (double)hd_ticks_all(ticks);
}

bool hd_model_stretch(const struct hd_model *model, double from, double to, struct hd_run_stretch *stretch) {
  const struct hd_timeline_record *timeline = model->timeline;
  *stretch = (struct hd_run_stretch){0};
  if (!timeline)
    return false;
  const double before = (double)model->before_ticks;
  const double end = (double)model->elapsed_ticks;
  const struct hd_timeline_bucket alone = {.sequential_ticks = model->before_ticks, .busy_ticks = model->before_ticks};
  add_part(stretch, from, to, 0, before, &alone);
  for (uint32_t i = 0; i < HD_TIMELINE_BUCKETS; i++) {
    const double begin = before + (double)i * (double)timeline->width_ticks;
    if (begin >= end)
      break;
    const double width = (double)timeline->width_ticks; /* the last bucket may be filled in part only */
    add_part(stretch, from, to, begin, begin + width > end ? end - begin : width, &timeline->buckets[i]);
  }
  return true;
}
