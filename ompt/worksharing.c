/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/worksharing.h"

#include "ompt/region.h"

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

/* This thread's share. The busiest thread is found by thread 0 one construct later: by then all have left this barrier,
 * and nobody can have left the next but one, whose numbers go to the same slot. */
static void add_share(struct hd_thread *thread, uint64_t now, const struct hd_region *region,
                      struct hd_total_record *total) {
  struct hd_worksharing *work = &thread->base->base.work;
  uint32_t number = thread->base->base.thread_number;
  uint64_t busy = work->busy_ticks + thread->record->busy_ticks - work->busy_at_barrier;
  total->capacity_ticks += work->present_ticks + (now - work->barrier_ticks);
  total->busy_ticks += busy;
  if (number < region->instance->member_limit)
    __atomic_store_n(&region->members[number].arrivals[work->barriers & 1].busy, busy, __ATOMIC_RELAXED);
}

/* On thread 0, for the construct before the current one, or for the last one at the join. */
static void find_busiest(const struct hd_region *region, struct hd_worksharing *work) {
  uint64_t longest = 0;
  uint32_t side = (work->barriers - 1) & 1;
  if (!work->unfinished)
    return;
  for (uint32_t i = 0; i < hd_region_member_count(region); i++) {
    uint64_t busy = __atomic_load_n(&region->members[i].arrivals[side].busy, __ATOMIC_RELAXED);
    if (longest < busy)
      longest = busy;
  }
  work->unfinished->busy_max_ticks += work->unfinished->team_size * longest;
  work->unfinished = NULL;
}

void hd_worksharing_barrier_end(struct hd_thread *thread, uint64_t now) {
  struct hd_worksharing *work = &thread->base->base.work;
  const struct hd_region *region = thread->base->base.region;
  bool first = thread->base->base.thread_number == 0;
  now = hd_thread_time(thread, now);
  uint32_t team_size = region && work->timed ? region->instance->team_size : 0;
  struct hd_total_record *total = team_size ? hd_region_total(thread, work->row, team_size) : NULL;
  if (first)
    find_busiest(region, work);
  if (total)
    add_share(thread, now, region, total);
  if (total && first) {
    work->unfinished = total;
    total->instances++;
    total->elapsed_ticks += now - work->begin_ticks;
  }
  work->barriers++;
  work->ended = false;
}

void hd_worksharing_join(struct hd_thread *primary) {
  find_busiest(primary->base->base.region, &primary->base->base.work);
}
