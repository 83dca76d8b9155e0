/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/construct/worksharing.h"

#include "ompt/thread/team.h"
#include "ompt/thread/trace.h"

void hd_worksharing_begin(struct hd_thread *thread, uint64_t now, struct hd_row_record *row, bool timed) {
  struct hd_worksharing *work = &thread->base->base.work;
  work->row = row;
  work->begin_ticks = hd_thread_time(thread, now);
  work->busy_at_begin = thread->record->busy_ticks;
  work->ended = false;
  work->timed = timed;
}

void hd_worksharing_end(struct hd_thread *thread, uint64_t now) {
  struct hd_worksharing *work = &thread->base->base.work;
  if (!work->row)
    return; /* what has ended is some other construct of an unknown kind */
  work->present_ticks = hd_thread_time(thread, now) - work->begin_ticks;
  work->busy_ticks = thread->record->busy_ticks - work->busy_at_begin;
  work->ended = true;
}

void hd_worksharing_barrier_begin(struct hd_thread *thread, uint64_t now) {
  struct hd_worksharing *work = &thread->base->base.work;
  work->barrier_ticks = hd_thread_time(thread, now);
  work->busy_at_barrier = thread->record->busy_ticks;
}

static enum hd_what leave_of(const struct hd_frame_base *task) {
  return task->led ? HD_WHAT_LEAVE_WORK : HD_WHAT_WORKED;
}

void hd_worksharing_leave(struct hd_thread *thread) {
  const struct hd_frame_base *task = &thread->base->base;
  if (!task->work.ended || !task->work.timed || !task->region || task->region->of_helpers)
    return;
  thread->ring.what = HD_WHAT(leave_of(task), task->work.row->profile) | HD_WHAT_UNCOUNTED;
  hd_ring_hold(&thread->ring);
}

void hd_worksharing_barrier_end(struct hd_thread *thread, uint64_t now) {
  const struct hd_frame_base *task = &thread->base->base;
  struct hd_worksharing *work = &thread->base->base.work;
  struct hd_ring *ring = &thread->ring;
  now = hd_thread_time(thread, now);
  work->ended = false;
  if (!ring->holds)
    return;
  const uint64_t capacity = work->present_ticks + (now - work->barrier_ticks);
  const uint64_t busy = work->busy_ticks + thread->record->busy_ticks - work->busy_at_barrier;
  const uint64_t gap = now - work->begin_ticks - capacity;
  ring->payload[0].arrival = (struct hd_log_arrival){.team = task->place.team,
                                                     .cost = (uint32_t)(gap >> HD_LOG_LATE_BITS),
                                                     .number = task->place.barriers % HD_LOG_BARRIERS,
                                                     .late = HD_LOG_LATE(gap)};
  ring->payload[1].work = (struct hd_log_work){.capacity_ticks = capacity, .busy_ticks = busy};
  if (thread->instruments & HD_INSTRUMENT_TRACED)
    hd_trace_work(thread, leave_of(task), work->row->profile, &ring->payload[1].work, gap);
  hd_ring_tell(ring, ring->payload);
}
