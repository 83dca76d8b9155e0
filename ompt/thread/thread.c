/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/thread.h"

#include "ompt/shared/clock.h"
#include "ompt/shared/measuring.h"
#include "ompt/thread/barrier.h"
#include "ompt/thread/current.h"
#include "ompt/thread/order.h"
#include "ompt/thread/trace_when.h"
#include "ompt/thread/unresolved.h"
#include "ompt/thread/watch.h"
#include "support/inprocess/heap.h"
#include "support/inprocess/keep_errno.h"
#include "support/inprocess/memory_budget.h"

/* Pauses count: this clock cannot be stopped. */
static void charge_cpu(struct hd_thread *thread) {
  const uint64_t now = hd_clock_system_ns(CLOCK_THREAD_CPUTIME_ID);
  if (thread->cpu_ns && now > thread->cpu_ns)
    hd_thread_cell(thread, thread->row, HD_CELL_CPU)->ticks += now - thread->cpu_ns;
  thread->cpu_ns = now;
}

void hd_thread_switch_instruments(struct hd_thread *thread, uint64_t now, struct hd_row_record *row, uint32_t state) {
  if (thread->instruments & (HD_INSTRUMENT_UNRESOLVED | HD_INSTRUMENT_REFUSED))
    hd_unresolved_switch(thread, now, state); /* first: where it goes on, nothing is watched */
  if (thread->instruments & HD_INSTRUMENT_WATCHED)
    hd_watch_switch(thread, now);
  if (thread->counters)
    hd_counters_move(thread, row, state);
  if (hd_clock.measures_cpu)
    charge_cpu(thread);
  const uint32_t what = hd_thread_change(thread, now, row, state);
  if (thread->instruments & HD_INSTRUMENT_TRACED && what != HD_NONE)
    hd_trace_switch(thread, row->profile, state, what);
}

void hd_thread_make_room(struct hd_thread *thread) {
  hd_thread_tell_held(thread);
  if (!hd_ring_is_due(&thread->ring))
    return;
  hd_thread_leave_program(thread);
  hd_ring_make_room(&thread->ring);
}

static void drop(struct hd_thread *thread, const struct hd_frame *frame, bool count_routines) {
  uint64_t routines = 0;
  uint64_t phases = 0;
  for (; thread->top > frame; thread->top--) {
    routines += count_routines && thread->top->kind == HD_KIND_ROUTINE;
    phases += thread->top->kind == HD_KIND_PHASE;
    hd_thread_unlink_top(thread);
  }
  if (routines)
    __atomic_fetch_add(&hd_store.header->left_routines, routines, __ATOMIC_RELAXED);
  if (phases)
    __atomic_fetch_add(&hd_store.header->unmatched_phases, phases, __ATOMIC_RELAXED);
  if (phases && thread->trace.holds)
    hd_trace_when_end(thread, hd_clock_now());
}

void hd_thread_stop(struct hd_thread *thread, uint64_t now) {
  hd_thread_tell_held(thread);
  drop(thread, thread->frames, false); /* a thread may end anywhere, by exit() for one */
  if (thread->trace.holds)
    hd_trace_when_end(thread, now);
  thread->base = thread->frames;
  hd_thread_lower(thread, now);
  hd_thread_switch(thread, now, thread->frames->row, HD_IDLE);
  if (thread->instruments & HD_INSTRUMENT_TRACED)
    hd_trace_end(thread);
  if (thread->counters)
    hd_counters_end(thread);
  hd_samples_end(thread);
  thread->record->end_ticks = thread->record->last_ticks;
  hd_ring_leave(&thread->ring);
  hd_thread_set(&hd_thread_not_measured);
}

bool hd_thread_can_nest(const struct hd_thread *thread) {
  const size_t bytes = 2 * (size_t)(thread->last_frame + 1 - thread->frames) * sizeof(struct hd_frame);
  return thread->top - thread->frames < HD_FRAMES_MOST && hd_memory_has_room(HD_MEMORY_PATH_ROW, bytes);
}

bool hd_thread_grow_frames(struct hd_thread *thread) {
  hd_thread_leave_program(thread);
  HD_KEEP_ERRNO;
  size_t top = (size_t)(thread->top - thread->frames);
  size_t base = (size_t)(thread->base - thread->frames);
  const size_t limit = 2 * (size_t)(thread->last_frame + 1 - thread->frames);
  struct hd_frame *grown = hd_heap_resize(thread->frames, limit * sizeof *grown, true);
  if (grown) {
    thread->frames = grown;
    thread->top = grown + top;
    thread->base = grown + base;
    thread->last_frame = grown + limit - 1;
  } else {
    __atomic_fetch_add(&hd_store.header->lost_threads, 1, __ATOMIC_RELAXED);
    thread->ring.what = 0;
    thread->ring.holds = thread->ring.held;
    hd_thread_stop(thread, thread->record->last_ticks);
  }
  return grown;
}

void hd_thread_take_back(struct hd_thread *thread, struct hd_row_record *row, uint32_t state) {
  const uint32_t before = thread->ring.busy;
  state = hd_thread_counts_as(thread, state);
  hd_thread_charge(thread, hd_ring_take_back(&thread->ring, state == HD_BUSY ? row->profile : HD_NONE), before);
  if (thread->instruments & HD_INSTRUMENT_UNRESOLVED)
    row->refused = (row->refused | thread->row->refused) & ((1u << HD_ROW_REFUSED_BITS) - 1);
  if (thread->counters)
    hd_counters_point_at(thread, row, state);
  hd_thread_point_at(thread, row, hd_thread_cell(thread, row, state));
  if (thread->instruments & HD_INSTRUMENT_TRACED)
    hd_trace_switch(thread, row->profile, state, 0);
  if (thread->instruments & HD_INSTRUMENT_REFUSED)
    hd_unresolved_go_on(thread, thread->record->last_ticks, state);
}

struct hd_frame *hd_thread_find_open(const struct hd_thread *thread, enum hd_kind kind, const void *id) {
  struct hd_frame *frame = hd_thread_innermost(thread, kind);
  const bool is_anothers = frame && frame->task && frame->task != id && hd_budget_has_switched();
  return is_anothers ? NULL : frame;
}

bool hd_thread_leave_slow(struct hd_thread *thread, uint64_t now, enum hd_kind kind, const void *id) {
  struct hd_frame *frame = hd_thread_find_open(thread, kind, id);
  if (!frame) {
    if (!hd_budget_has_switched())
      __atomic_fetch_add(&hd_store.header->unmatched_events, 1, __ATOMIC_RELAXED);
    return false;
  }
  hd_thread_drop_above(thread, frame);
  hd_thread_pop(thread, now);
  return true;
}

void hd_thread_drop_above(struct hd_thread *thread, const struct hd_frame *frame) {
  drop(thread, frame, true);
}

uint64_t hd_thread_open_phases(const struct hd_thread *thread) {
  uint64_t phases = 0;
  for (const struct hd_frame *frame = thread->top; frame > thread->frames; frame--)
    phases += frame->kind == HD_KIND_PHASE;
  return phases;
}

void hd_thread_put_before(struct hd_thread *thread, uint64_t now) {
  if (hd_ring_is_due(&thread->ring))
    hd_thread_make_room(thread);
  const uint32_t what = thread->ring.what;
  if (!hd_ring_open(&thread->ring, &now))
    return;
  hd_ring_put(&thread->ring, hd_thread_charge(thread, now, thread->ring.busy), thread->ring.busy);
  if (thread->instruments & HD_INSTRUMENT_TRACED)
    hd_trace_mark(thread, what);
}

void hd_thread_return(struct hd_thread *thread, uint64_t now) {
  const uint32_t what = thread->ring.what;
  const enum hd_what kind = (enum hd_what)(what >> HD_WHAT_SHIFT);
  thread->height = thread->top->height;
  if (kind == HD_WHAT_REGION_END || kind == HD_WHAT_NESTED_END)
    return;
  thread->ring.what = HD_WHAT(HD_WHAT_RETURN, thread->height);
  if (!what)
    return;
  hd_thread_put_before(thread, now);
  thread->ring.what = what;
}

/* What the frame had on the sweep's stack goes with all that was put on it later. */
void hd_thread_take_out(struct hd_thread *thread, uint64_t now, struct hd_frame *frame) {
  const uint32_t height = frame[-1].height;
  const bool counted = frame->height != height;
  struct hd_frame *last = thread->top;
  for (; thread->top >= frame; thread->top--)
    hd_thread_unlink_top(thread);
  for (; frame < last; frame++) {
    *frame = frame[1];
    if (counted)
      frame->height = height;
    thread->top = frame;
    hd_thread_link_top(thread);
  }
  hd_thread_lower(thread, now);
  hd_thread_switch(thread, now, thread->top->row, thread->top->state);
}

void hd_thread_unwind_task(struct hd_thread *thread, uint64_t now, uint32_t state) {
  hd_thread_drop_above(thread, thread->base);
  hd_thread_lower(thread, now);
  hd_thread_set_state(thread, now, state);
}

void hd_thread_open_base(struct hd_thread *thread, ompt_data_t *task, const struct hd_known_region *region,
                         uint32_t number) {
  struct hd_frame *frame = thread->top;
  frame->task = task;
  frame->refused = 0;
  frame->base.below = (uint32_t)(thread->base - thread->frames);
  frame->base.team = frame->kind == HD_KIND_TASK ? thread->base->base.team : thread->innermost[frame->kind];
  frame->base.thread_number = number;
  frame->base.busy_as = HD_BUSY;
  frame->base.refused_entries = 0;
  frame->base.region = region;
  frame->base.led = NULL;
  frame->base.place = (struct hd_team_place){0};
  frame->base.work.row = NULL;
  frame->base.work.ended = false;
  frame->base.others_ticks = 0;
  thread->base = frame;
}

void hd_thread_close_base(struct hd_thread *thread, uint64_t now) {
  if (thread->base == thread->frames)
    return;
  hd_thread_tell_held(thread);
  hd_thread_drop_above(thread, thread->base);
  const struct hd_frame *base = thread->base;
  const uint64_t others = base->kind == HD_KIND_TASK ? 0 - base->base.place.busy_at_begin : base->base.others_ticks;
  const bool is_task = base->kind == HD_KIND_TASK;
  thread->base = thread->frames + base->base.below;
  hd_thread_pop(thread, now);
  thread->base->base.others_ticks += others + (is_task ? thread->record->busy_ticks : 0);
}

/* ---- what is pending ---- */

void hd_thread_settle(struct hd_thread *thread) {
  if (thread->pending & HD_PENDING_LOCK) {
    /* libomp 14 sends omp_test_lock's failure as an acquire of a plain lock. The thread never waited, so the time since
     * then, which is still uncharged, belongs to what it did before. */
    thread->pending &= ~(uint32_t)HD_PENDING_LOCK;
    hd_thread_unlink_top(thread);
    thread->top--;
    hd_thread_take_back(thread, thread->top->row, thread->top->state);
    hd_order_tell_wait(thread, thread->record->last_ticks, HD_ORDER_FAILED, 0, 0);
  }
}
