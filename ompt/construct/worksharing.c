/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/construct/worksharing.h"

#include "ompt/construct/region.h"
#include "ompt/thread/barrier.h"

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
  work->present_ticks = hd_thread_time(thread, now) - work->begin_ticks;
  work->busy_ticks = thread->record->busy_ticks - work->busy_at_begin;
  work->ended = true;
}

void hd_worksharing_barrier_begin(struct hd_thread *thread, uint64_t now) {
  struct hd_worksharing *work = &thread->base->base.work;
  work->barrier_ticks = hd_thread_time(thread, now);
  work->busy_at_barrier = thread->record->busy_ticks;
}

void hd_worksharing_barrier_end(struct hd_thread *thread, uint64_t now) {
  struct hd_worksharing *work = &thread->base->base.work;
  const struct hd_region *region = thread->base->base.region;
  const bool first = thread->base->base.thread_number == 0;
  now = hd_thread_time(thread, now);
  const uint32_t team_size = region && work->timed ? region->instance->team_size : 0;
  struct hd_total_record *total = team_size ? hd_region_total(thread, work->row, team_size) : NULL;
  work->ended = false;
  if (!total)
    return;
  /* Who counts the instances and finds the busiest thread was not told of this one. */
  if (!first && hd_budget_has_switched() && !hd_barrier_closes_work(thread))
    return;
  const uint64_t busy = work->busy_ticks + thread->record->busy_ticks - work->busy_at_barrier;
  total->capacity_ticks += work->present_ticks + (now - work->barrier_ticks);
  total->busy_ticks += busy;
  if (first) {
    total->instances++;
    total->elapsed_ticks += now - work->begin_ticks;
  }
  hd_barrier_end_work(thread, busy, first ? total : NULL);
}
