/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/trace/slices.h"

#include <stdlib.h>

#include "output/model/format_names.h"
#include "support/command/memory.h"

void hd_slices_start(struct hd_slices *slices) {
  const uint32_t count = slices->model->thread_count;
  slices->threads = hd_new((size_t)count + 1, sizeof *slices->threads);
  for (uint32_t i = 0; i < count; i++)
    slices->threads[i].state = HD_BUSY;
}

/* ---- one by one ---- */

/* Where a change happens: the slices of one thread at one time. */
struct change {
  const struct hd_slices *slices;
  struct hd_slices_thread *thread;
  struct hd_slice at;
};

static void push(struct hd_slices_stack *stack, uint32_t item) {
  if (stack->count == stack->limit) {
    stack->limit = 2 * stack->limit + 8;
    stack->items = hd_grow(stack->items, stack->limit, sizeof *stack->items);
  }
  stack->items[stack->count++] = item;
}

/* HD_NONE: it is empty. */
static uint32_t top_of(const struct hd_slices_stack *stack) {
  return stack->count > 0 ? stack->items[stack->count - 1] : HD_NONE;
}

static const struct hd_node *node_at(const struct change *change, uint32_t node) {
  return &change->slices->model->nodes[node];
}

static void end(struct change *change, uint32_t node, uint32_t state) {
  change->at.node = node;
  change->at.state = state;
  change->slices->end(change->slices->context, &change->at);
}

static void begin(struct change *change, uint32_t node, uint32_t state) {
  change->at.node = node;
  change->at.state = state;
  change->slices->begin(change->slices->context, &change->at);
}

static void end_state(struct change *change) {
  if (change->thread->state != HD_BUSY)
    end(change, top_of(&change->thread->open), change->thread->state);
  change->thread->state = HD_BUSY;
}

/* A task has gone with its last slice. */
static void end_innermost(struct change *change) {
  struct hd_slices_stack *open = &change->thread->open, *tasks = &change->thread->tasks;
  end(change, top_of(open), HD_BUSY);
  open->count--;
  while (tasks->count > 0 && top_of(tasks) >= open->count)
    tasks->count--;
}

static void end_down_to(struct change *change, uint32_t count) {
  while (change->thread->open.count > count)
    end_innermost(change);
}

/* From `first` on, or from what is in `above`. */
static void begin_down_to(struct change *change, uint32_t node, uint32_t first, uint32_t above) {
  if (node == above)
    return;
  if (node != first)
    begin_down_to(change, node_at(change, node)->parent, first, above);
  begin(change, node, HD_BUSY);
  push(&change->thread->open, node);
}

/* Parents have smaller numbers than their children. */
static bool is_in(const struct change *change, uint32_t node, uint32_t outer) {
  while (node > outer)
    node = node_at(change, node)->parent;
  return node == outer;
}

/* ---- where slices begin ---- */

static bool is_region(const struct change *change, uint32_t node) {
  return hd_kind_is_region(node_at(change, node)->kind);
}

/* The innermost region around a node, itself included; 0: there is none. */
static uint32_t region_of(const struct change *change, uint32_t node) {
  while (node != 0 && !is_region(change, node))
    node = node_at(change, node)->parent;
  return node;
}

/* Likewise the task; or the region if no task is in it. */
static uint32_t task_of(const struct change *change, uint32_t node) {
  while (node != 0 && !is_region(change, node) && node_at(change, node)->kind != HD_KIND_TASK)
    node = node_at(change, node)->parent;
  return node;
}

/* And in no region in that task. */
static bool is_in_task(const struct change *change) {
  const struct hd_slices_stack *open = &change->thread->open, *tasks = &change->thread->tasks;
  for (uint32_t i = top_of(tasks); tasks->count > 0 && ++i < open->count;)
    if (is_region(change, open->items[i]))
      return false;
  return tasks->count > 0;
}

/* What one task has begun it ends itself; around the next one is what the implicit task is in. */
static void switch_task(struct change *change) {
  struct hd_slices_thread *thread = change->thread;
  if (is_in_task(change)) {
    const uint32_t around = thread->tasks.items[--thread->tasks.count];
    end_down_to(change, around);
  }
  if (thread->next_is_task)
    push(&thread->tasks, thread->open.count);
}

/* What both are in stays open. */
static void move(struct change *change, uint32_t to, bool joins) {
  struct hd_slices_stack *open = &change->thread->open;
  if (change->thread->tasks.count > 0 && top_of(&change->thread->tasks) == open->count) { /* just begun, or resumed */
    begin_down_to(change, to, task_of(change, to), HD_NONE);
    return;
  }
  while (open->count > 0 && !is_in(change, to, top_of(open)))
    end_innermost(change);
  begin_down_to(change, to, joins && change->slices->teams_alone ? region_of(change, to) : 0, top_of(open));
}

/* ---- an entry ---- */

/* It goes from one instance of a construct into the next. */
static bool begins_again(const struct hd_trace_entry *entry) {
  const uint32_t what = entry->what;
  return entry->before.node == entry->now.node && entry->operand == entry->now.node &&
         (what == HD_WHAT_ENTER || what == HD_WHAT_CALL || what == HD_WHAT_TASK || what == HD_WHAT_REGION_BEGIN ||
          what == HD_WHAT_NESTED_BEGIN);
}

static bool has_slices(const struct hd_trace_place *place) {
  return place->state != HD_STATE_COUNT && (place->state != HD_IDLE || place->node != 0);
}

/* Tasks that have not ended do so with their thread. */
static void end_all(struct change *change) {
  struct hd_slices_stack *tasks = &change->thread->tasks;
  while (tasks->count > 0) {
    const uint32_t around = tasks->items[--tasks->count];
    end_down_to(change, around);
    if (change->slices->leave_task)
      change->slices->leave_task(change->slices->context, &change->at);
  }
  end_down_to(change, 0);
}

static void take_change(struct change *change, const struct hd_trace_entry *entry) {
  struct hd_slices_thread *thread = change->thread;
  const bool joins = entry->what == HD_WHAT_TEAM;
  const uint32_t node = entry->now.node;
  end_state(change);
  if (joins || !has_slices(&entry->now))
    end_all(change);
  else if (thread->switches)
    switch_task(change);
  else if (top_of(&thread->open) == node && node != 0 && begins_again(entry))
    end_innermost(change);
  thread->switches = false;
  if (!has_slices(&entry->now))
    return;
  move(change, node, joins);
  thread->state = entry->now.state;
  if (entry->now.state != HD_BUSY)
    begin(change, node, entry->now.state);
}

void hd_slices_take(const struct hd_slices *slices, const struct hd_trace_entry *entry) {
  struct change change = {slices, &slices->threads[entry->thread], {.ticks = entry->ticks, .thread = entry->thread}};
  if (hd_trace_is_change(entry->what)) {
    take_change(&change, entry);
  } else if (entry->what == HD_WHAT_ORDER && entry->operand == HD_ORDER_SWITCH) {
    change.thread->switches = true;
    change.thread->next_is_task = entry->b > 0;
  }
}

void hd_slices_finish(struct hd_slices *slices, uint64_t ticks) {
  for (uint32_t i = 0; i < slices->model->thread_count; i++) {
    struct change change = {slices, &slices->threads[i], {.ticks = ticks, .thread = i}};
    end_state(&change);
    end_all(&change);
    free(slices->threads[i].open.items);
    free(slices->threads[i].tasks.items);
  }
  free(slices->threads);
  slices->threads = NULL;
}
