/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/trace/instances.h"

#include <limits.h>
#include <stdlib.h>

#include "output/trace/trace.h"
#include "support/command/memory.h"

/* Instances that a thread has open: regions nest. */
struct open {
  uint32_t node;
  uint64_t begin_ticks;
};

struct stack {
  struct open *items;
  uint32_t count, limit;
};

struct search {
  struct hd_instances *instances; /* by node */
  struct stack *stacks;           /* by thread */
};

static void push(struct stack *stack, struct open open) {
  if (stack->count == stack->limit) {
    stack->limit = 2 * stack->limit + 4;
    stack->items = hd_grow(stack->items, stack->limit, sizeof *stack->items);
  }
  stack->items[stack->count++] = open;
}

static void add(struct hd_instances *instances, struct hd_instance instance) {
  if (instances->count == instances->limit) {
    instances->limit = 2 * instances->limit + 16;
    instances->items = hd_grow(instances->items, instances->limit, sizeof *instances->items);
  }
  instance.number = instances->count;
  instances->items[instances->count++] = instance;
}

/* What was left without an end goes with what is around it. */
static void end(struct search *search, const struct hd_trace_entry *entry) {
  struct stack *stack = &search->stacks[entry->thread];
  for (uint32_t i = stack->count; i-- > 0;)
    if (stack->items[i].node == entry->operand) {
      add(&search->instances[entry->operand], (struct hd_instance){.begin_ticks = stack->items[i].begin_ticks,
                                                                   .end_ticks = entry->ticks,
                                                                   .thread = entry->thread});
      stack->count = i;
      return;
    }
}

static bool take(void *context, const struct hd_trace_entry *entry) {
  struct search *search = context;
  if (entry->what == HD_WHAT_REGION_BEGIN || entry->what == HD_WHAT_NESTED_BEGIN)
    push(&search->stacks[entry->thread], (struct open){entry->operand, entry->ticks});
  else if (entry->what == HD_WHAT_REGION_END || entry->what == HD_WHAT_NESTED_END)
    end(search, entry);
  return true;
}

static int by_length(const void *a, const void *b) {
  const struct hd_instance *left = a, *right = b;
  const uint64_t left_ticks = hd_instance_ticks(left), right_ticks = hd_instance_ticks(right);
  if (left_ticks != right_ticks)
    return left_ticks < right_ticks ? -1 : 1;
  return (left->number > right->number) - (left->number < right->number);
}

struct hd_instances *hd_instances_find(const struct hd_model *model, bool *read) {
  struct search search = {.instances = hd_new((size_t)model->node_count + 1, sizeof *search.instances),
                          .stacks = hd_new((size_t)model->thread_count + 1, sizeof *search.stacks)};
  char error[PATH_MAX + 256];
  *read = hd_trace_walk(model, take, &search, error, sizeof error);
  if (!*read)
    fprintf(stderr, "heddle: %s\n", error);
  for (uint32_t i = 0; i < model->node_count; i++)
    if (search.instances[i].count > 0)
      qsort(search.instances[i].items, search.instances[i].count, sizeof *search.instances[i].items, by_length);
  for (uint32_t i = 0; i < model->thread_count; i++)
    free(search.stacks[i].items);
  free(search.stacks);
  return search.instances;
}

void hd_instances_free(const struct hd_model *model, struct hd_instances *instances) {
  for (uint32_t i = 0; i < model->node_count; i++)
    free(instances[i].items);
  free(instances);
}
