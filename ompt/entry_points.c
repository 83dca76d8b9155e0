/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/entry_points.h"

#include "callpath/code/wrappers.h"
#include "ompt/construct/chunks.h"
#include "ompt/thread/event.h"
#include "ompt/thread/refuse.h"
#include "ompt/thread/unresolved.h"

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

#define REFUSED UINT32_MAX /* what begin() returns where the class is off */

/* A thread that has not been heard of yet, or is not measured, or that the runtime itself brings to another of its
 * entry points, changes nothing. Returns the index of the task's base frame, and 1. */
static uint32_t begin(enum heddle_entry entry) {
  const struct hd_thread *known = hd_thread_known_soon();
  if (!known || hd_thread_ignores() || known->base->base.busy_as != HD_BUSY)
    return 0;
  if (hd_budget_refuses(HD_CLASS_ENTRY)) {
    hd_unresolved_begin_entry(hd_thread_known_soon(), entry == HEDDLE_ENTRY_SCHEDULING);
    return REFUSED;
  }
  HD_EVENT struct hd_event event = hd_event_begin(kinds[entry].begin);
  struct hd_thread *thread = event.thread;
  if (!thread)
    return 0;
  struct hd_frame *loop = entry == HEDDLE_ENTRY_SCHEDULING ? hd_thread_innermost(thread, HD_KIND_LOOP) : NULL;
  if (loop)
    hd_chunks_finish(thread, loop, event.now);
  count_as(thread, event.now, kinds[entry].state);
  return (uint32_t)(thread->base - thread->frames) + 1;
}

/* The loop of whose iterations the thread has got some; NULL: its begin was not observed. */
static struct hd_frame *loop_of(const struct hd_thread *thread, const struct heddle_iterations *chunk) {
  return chunk->count && !hd_clock_is_paused() ? hd_thread_innermost(thread, HD_KIND_LOOP) : NULL;
}

static void count_chunk(struct hd_thread *thread, const struct heddle_iterations *chunk) {
  struct hd_frame *loop = loop_of(thread, chunk);
  if (!loop)
    return;
  struct hd_row_cell *cell = hd_thread_cell(thread, loop->row, HD_CELL_CHUNKS);
  cell->ticks++;
  cell->intrusion += (int64_t)chunk->count;
  hd_chunks_take(loop, chunk);
}

static void trace_chunk(struct hd_thread *thread, uint64_t now, const struct heddle_iterations *chunk) {
  const struct hd_frame *loop = loop_of(thread, chunk);
  if (loop && loop->loop.has_chunk)
    hd_trace_chunk(thread, now, loop->loop.chunk_first, chunk->count);
}

/* Its time is not told. To count it is no event, but for the loop's first chunk. */
static void end_untold(enum heddle_entry entry, const struct heddle_iterations *chunk) {
  struct hd_thread *thread = hd_thread_known_soon();
  const struct hd_frame *loop = thread && !hd_thread_is_at_work(thread) ? loop_of(thread, chunk) : NULL;
  if (!loop)
    return;
  const bool is_first = hd_row_find(loop->row, HD_CELL_CHUNKS) == HD_ROW_CELLS;
  HD_EVENT struct hd_event event =
      is_first ? hd_event_begin_untimed(kinds[entry].end) : (struct hd_event){.thread = NULL};
  if (!is_first || event.thread)
    count_chunk(thread, chunk);
}

/* A loop may have begun or ended in it: then the rest was in another row than its begin. */
static void end_refused(enum heddle_entry entry, const struct heddle_iterations *chunk) {
  struct hd_thread *thread = hd_thread_known_soon();
  if (thread)
    hd_budget_mark(thread->row, HD_CLASS_ENTRY);
  if (thread)
    hd_unresolved_end_entry(thread, entry == HEDDLE_ENTRY_SCHEDULING);
  end_untold(entry, chunk);
}

/* An untied task may have left the stack meanwhile; or this is a forked child, and nothing began here. */
static void end(enum heddle_entry entry, uint32_t begun, const struct heddle_iterations *chunk) {
  if (hd_thread_ignores())
    return;
  if (begun == REFUSED) {
    end_refused(entry, chunk);
    return;
  }
  if (!begun || !hd_thread_known_soon()) {
    end_untold(entry, chunk);
    return;
  }
  HD_EVENT struct hd_event event = hd_event_begin(kinds[entry].end);
  struct hd_thread *thread = event.thread;
  if (thread && thread->base == thread->frames + (begun - 1) && thread->base->base.busy_as != HD_BUSY)
    count_as(thread, event.now, HD_BUSY);
  else if (thread && thread->base == thread->frames + (begun - 1))
    hd_unresolved_end_entry(thread, false); /* a task has begun in it that was not observed */
  if (!thread)
    return;
  count_chunk(thread, chunk);
  if (thread->instruments & HD_INSTRUMENT_TRACED)
    trace_chunk(thread, event.now, chunk);
  struct hd_frame *loop = entry == HEDDLE_ENTRY_SCHEDULING ? hd_thread_innermost(thread, HD_KIND_LOOP) : NULL;
  if (loop)
    hd_chunks_start(loop, event.now);
}

void hd_entry_points_connect(struct heddle_entries *entries) {
  hd_wrappers_find(entries);
  if (!entries)
    return;
  __atomic_store_n(&entries->end, end, __ATOMIC_RELEASE);
  __atomic_store_n(&entries->begin, begin, __ATOMIC_RELEASE);
}
