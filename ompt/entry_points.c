/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/entry_points.h"

#include "callpath/code/wrappers.h"
#include "ompt/thread/budget.h"
#include "ompt/thread/current.h"
#include "ompt/thread/event.h"

static const struct {
  enum hd_state state;
  enum hd_event_kind begin, end;
} kinds[] = {
    [HEDDLE_ENTRY_SCHEDULING] = {HD_RUNTIME_SCHEDULING, HD_EVENT_SCHEDULING_BEGIN, HD_EVENT_SCHEDULING_END},
    [HEDDLE_ENTRY_TASK_CREATION] = {HD_RUNTIME_TASK_CREATION, HD_EVENT_CREATION_BEGIN, HD_EVENT_CREATION_END},
};

static void count_as(struct hd_thread *thread, uint64_t now, enum hd_state state) {
  thread->base->base.busy_as = state;
  hd_thread_switch(thread, now, thread->top->row, thread->top->state);
}

/* A thread that has not been heard of yet, or is not measured, or that the runtime itself brings to another of its
 * entry points, changes nothing. Returns the index of the task's base frame, and 1. */
static uint32_t begin(enum heddle_entry entry) {
  const struct hd_thread *known = hd_thread_known_soon();
  if (!known || known->base->base.busy_as != HD_BUSY || hd_budget_refuses(HD_CLASS_ENTRY))
    return 0;
  HD_EVENT struct hd_event event = hd_event_begin(kinds[entry].begin);
  struct hd_thread *thread = event.thread;
  if (!thread)
    return 0;
  count_as(thread, event.now, kinds[entry].state);
  return (uint32_t)(thread->base - thread->frames) + 1;
}

/* An untied task may have left the stack meanwhile; or this is a forked child, and nothing began here. */
static void end(enum heddle_entry entry, uint32_t begun, uint64_t iterations) {
  (void)iterations;
  if (!begun || !hd_thread_known_soon())
    return;
  HD_EVENT struct hd_event event = hd_event_begin(kinds[entry].end);
  struct hd_thread *thread = event.thread;
  if (thread && thread->base == thread->frames + (begun - 1) && thread->base->base.busy_as != HD_BUSY)
    count_as(thread, event.now, HD_BUSY);
}

void hd_entry_points_connect(struct heddle_entries *entries) {
  hd_wrappers_find(entries);
  if (!entries)
    return;
  __atomic_store_n(&entries->end, end, __ATOMIC_RELEASE);
  __atomic_store_n(&entries->begin, begin, __ATOMIC_RELEASE);
}
