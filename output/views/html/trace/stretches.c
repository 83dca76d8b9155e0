/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/html/trace/stretches.h"

#include <stdlib.h>

#include "output/trace/walk.h"
#include "support/command/memory.h"

/* What a thread is in. */
struct current {
  uint64_t since_ticks;
  struct hd_trace_place place;
};

struct cutting {
  struct hd_stretch_walk *walk;
  struct current *threads; /* by thread */
  bool begun;
};

static void end_stretch(struct cutting *cutting, uint32_t thread, uint64_t ticks) {
  const struct current *current = &cutting->threads[thread];
  if (current->place.state != HD_STATE_COUNT && ticks > current->since_ticks)
    cutting->walk->take(cutting->walk->context, &(struct hd_stretch){.thread = thread,
                                                                     .from_ticks = current->since_ticks,
                                                                     .to_ticks = ticks,
                                                                     .place = current->place,
                                                                     .count = 1});
}

/* It goes from one instance of a construct into the next. */
static bool begins_again(const struct hd_trace_entry *entry) {
  const uint32_t what = entry->what;
  return entry->operand == entry->now.node && (what == HD_WHAT_ENTER || what == HD_WHAT_CALL || what == HD_WHAT_TASK ||
                                               what == HD_WHAT_REGION_BEGIN || what == HD_WHAT_NESTED_BEGIN);
}

static bool cut(void *context, const struct hd_trace_entry *entry) {
  struct cutting *cutting = context;
  struct current *current = &cutting->threads[entry->thread];
  if (cutting->walk->look)
    cutting->walk->look(cutting->walk->context, entry);
  if (!cutting->begun)
    cutting->walk->first_ticks = entry->ticks;
  cutting->begun = true;
  cutting->walk->last_ticks = entry->ticks;
  if (current->place.node == entry->now.node && current->place.state == entry->now.state && !begins_again(entry))
    return true;
  end_stretch(cutting, entry->thread, entry->ticks);
  *current = (struct current){entry->ticks, entry->now};
  return true;
}

bool hd_stretches_walk(const struct hd_model *model, struct hd_stretch_walk *walk, char *error, size_t error_bytes) {
  struct cutting cutting = {.walk = walk, .threads = hd_new((size_t)model->thread_count + 1, sizeof *cutting.threads)};
  for (uint32_t i = 0; i < model->thread_count; i++)
    cutting.threads[i].place.state = HD_STATE_COUNT;
  walk->first_ticks = walk->last_ticks = model->header.loaded_ticks;
  const bool whole = hd_trace_walk_changes(model, cut, &cutting, error, error_bytes);
  for (uint32_t i = 0; i < model->thread_count; i++)
    end_stretch(&cutting, i, walk->last_ticks);
  free(cutting.threads);
  return whole;
}
