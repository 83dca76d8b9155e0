/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/trace/open_regions.h"

#include <stdlib.h>

#include "support/command/memory.h"

struct open {
  uint32_t node;
  uint64_t begin_ticks;
};

/* Regions nest. */
struct stack {
  struct open *items;
  uint32_t count, limit;
};

struct hd_open_regions {
  uint32_t thread_count;
  struct stack stacks[]; /* by thread */
};

struct hd_open_regions *hd_open_regions_new(uint32_t thread_count) {
  struct hd_open_regions *regions = hd_new(1, sizeof *regions + thread_count * sizeof regions->stacks[0]);
  regions->thread_count = thread_count;
  return regions;
}

void hd_open_regions_free(struct hd_open_regions *regions) {
  for (uint32_t i = 0; i < regions->thread_count; i++)
    free(regions->stacks[i].items);
  free(regions);
}

static void push(struct stack *stack, struct open open) {
  if (stack->count == stack->limit) {
    stack->limit = 2 * stack->limit + 4;
    stack->items = hd_grow(stack->items, stack->limit, sizeof *stack->items);
  }
  stack->items[stack->count++] = open;
}

static bool end(struct stack *stack, const struct hd_trace_entry *entry, struct hd_region_instance *ended) {
  for (uint32_t i = stack->count; i-- > 0;)
    if (stack->items[i].node == entry->operand) {
      *ended = (struct hd_region_instance){entry->operand, entry->thread, stack->items[i].begin_ticks, entry->ticks};
      stack->count = i;
      return true;
    }
  return false;
}

bool hd_open_regions_take(struct hd_open_regions *regions, const struct hd_trace_entry *entry,
                          struct hd_region_instance *ended) {
  struct stack *stack = &regions->stacks[entry->thread];
  if (entry->what == HD_WHAT_REGION_BEGIN || entry->what == HD_WHAT_NESTED_BEGIN)
    push(stack, (struct open){entry->operand, entry->ticks});
  if (entry->now.state == HD_STATE_COUNT)
    stack->count = 0;
  return (entry->what == HD_WHAT_REGION_END || entry->what == HD_WHAT_NESTED_END) && end(stack, entry, ended);
}
