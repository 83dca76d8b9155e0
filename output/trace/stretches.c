/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/trace/stretches.h"

#include <stdlib.h>

#include "heddle-trace.h"
#include "output/model/lazy_rows.h"
#include "output/trace/blocks.h"
#include "support/command/memory.h"

/* Where the trace was full, threads end there that tell no more. */
static uint64_t to_ticks(const struct hd_model *model) {
  const uint64_t full = model->header.trace_full_ticks;
  return full > 0 && full < model->end_ticks ? full : model->end_ticks;
}

/* The one that has not ended ends with the trace, and may be too short. */
static bool counts(const struct hd_model *model, uint64_t least_ticks, struct hd_trace_stretch *stretch) {
  stretch->to_ticks = to_ticks(model);
  return stretch->from_ticks < stretch->to_ticks && stretch->to_ticks - stretch->from_ticks >= least_ticks;
}

/* What is left of it in what the trace has; each begins behind the one before. */
static void add_stretch(struct hd_trace_stretches *stretches, struct hd_trace_stretch stretch,
                        const struct hd_trace_stretch *whole) {
  const uint64_t least = stretches->count > 0 ? stretches->items[stretches->count - 1].to_ticks + 1 : whole->from_ticks;
  stretch.from_ticks = stretch.from_ticks > least ? stretch.from_ticks : least;
  stretch.to_ticks = stretch.to_ticks < whole->to_ticks ? stretch.to_ticks : whole->to_ticks;
  if (stretch.from_ticks <= stretch.to_ticks)
    stretches->items[stretches->count++] = stretch;
}

static struct hd_trace_stretch whole_of(const struct hd_model *model, uint64_t from_ticks) {
  const struct hd_trace_window *window = &model->trace_window;
  struct hd_trace_stretch whole = {from_ticks > 0 ? from_ticks : model->header.loaded_ticks, to_ticks(model)};
  if (window->from_ticks > whole.from_ticks)
    whole.from_ticks = window->from_ticks;
  if (window->to_ticks > 0 && window->to_ticks < whole.to_ticks)
    whole.to_ticks = window->to_ticks;
  return whole;
}

static const struct hd_trace_stretch_record *record_of(const struct hd_records *at) {
  return at->record;
}

struct hd_trace_stretches hd_trace_stretches_from(const struct hd_model *model, uint64_t from_ticks) {
  const struct hd_trace_stretch whole = whole_of(model, from_ticks);
  struct hd_trace_stretches stretches = {.items = hd_new(1, sizeof *stretches.items)};
  if (!hd_trace_has_condition(model))
    add_stretch(&stretches, whole, &whole);
  struct hd_records at = hd_records_of(model->source, HD_BLOCK_TRACE_STRETCHES);
  const bool has_least = model->header.flags & HD_FILE_TRACE_LULLS && hd_records_next(&at);
  const uint64_t least_ticks = has_least ? record_of(&at)->begin_ticks : 0;
  const bool has_present = has_least && hd_records_next(&at);
  struct hd_trace_stretch present = {has_present ? record_of(&at)->begin_ticks : UINT64_MAX, 0};
  while (hd_records_next(&at)) {
    stretches.items = hd_grow_by_one(stretches.items, stretches.count, sizeof *stretches.items);
    struct hd_trace_stretch stretch = {record_of(&at)->begin_ticks, record_of(&at)->end_ticks};
    if (stretch.from_ticks == model->trace_window.from_ticks + 1)
      stretch.from_ticks--;
    add_stretch(&stretches, stretch, &whole);
  }
  stretches.items = hd_grow_by_one(stretches.items, stretches.count, sizeof *stretches.items);
  if (counts(model, least_ticks, &present))
    add_stretch(&stretches, present, &whole);
  return stretches;
}

struct hd_trace_stretches hd_trace_stretches_find(const struct hd_model *model) {
  struct hd_trace_blocks blocks = hd_trace_blocks_find(model);
  const struct hd_trace_stretches stretches = hd_trace_stretches_from(model, hd_trace_blocks_from(model, &blocks));
  hd_trace_blocks_free(&blocks);
  return stretches;
}

void hd_trace_stretches_free(struct hd_trace_stretches *stretches) {
  free(stretches->items);
}
