/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/barrier.h"

#include "ompt/thread/team.h"

enum { PLACES = sizeof((struct hd_member_record *)0)->arrivals / sizeof(struct hd_arrival), FETCHED_MOST = 16 };

static struct hd_arrival *place_of(struct hd_member_record *member, uint64_t barrier) {
  return &member->arrivals[barrier % PLACES];
}

/* By how much the thread is late, as of its last charge. */
static int64_t delay_of(const struct hd_thread *thread) {
  return thread->record->intrusion_charged - thread->record->intrusion_base;
}

/* One alone waits for nobody. Workers may not know the team's size yet, but then they are not alone. */
static bool has_barriers(const struct hd_frame_base *task) {
  const struct hd_region *region = task->region;
  if (!region || task->thread_number >= region->instance->member_limit)
    return false;
  return __atomic_load_n(&region->instance->team_size, __ATOMIC_RELAXED) != 1;
}

bool hd_barrier_closes_work(const struct hd_thread *thread) {
  const struct hd_frame_base *task = &thread->base->base;
  if (!has_barriers(task))
    return true;
  const struct hd_arrival *of_first = place_of(&task->region->members[0], task->place.barriers);
  return __atomic_load_n(&of_first->number, __ATOMIC_RELAXED) == (task->place.barriers << 1 | 1);
}

void hd_barrier_entered(struct hd_thread *thread) {
  const struct hd_thread_record *record = thread->record;
  struct hd_arrival *arrival = thread->base->base.place.arrival;
  const uint64_t cost = (uint64_t)(record->intrusion - record->intrusion_charged);
  __atomic_store_n(&arrival->entered, record->last_ticks + cost, __ATOMIC_RELAXED);
  __atomic_store_n(&arrival->undelayed, record->last_ticks - (uint64_t)delay_of(thread), __ATOMIC_RELAXED);
}

/* Adds what the team's barrier `number` was late by to `row` and the region. Returns the time of who worked longest in
 * the construct that it closed. */
static uint64_t merge(struct hd_thread *thread, struct hd_region *region, uint64_t number, struct hd_row_record *row) {
  uint64_t entered = 0;
  uint64_t undelayed = 0;
  uint64_t longest_ticks = 0;
  for (uint32_t i = 0; i < hd_team_member_count(region); i++) {
    struct hd_arrival *arrival = place_of(&region->members[i], number);
    if (!hd_team_took_part(region, i) || __atomic_load_n(&arrival->number, __ATOMIC_RELAXED) >> 1 != number)
      continue;
    const uint64_t its_entered = __atomic_load_n(&arrival->entered, __ATOMIC_RELAXED);
    const uint64_t its_undelayed = __atomic_load_n(&arrival->undelayed, __ATOMIC_RELAXED);
    const uint64_t its_busy = __atomic_load_n(&arrival->busy, __ATOMIC_RELAXED);
    entered = its_entered > entered ? its_entered : entered;
    undelayed = its_undelayed > undelayed ? its_undelayed : undelayed;
    longest_ticks = its_busy > longest_ticks ? its_busy : longest_ticks;
  }
  const int64_t late = (int64_t)(entered - undelayed);
  hd_thread_cell(thread, row, HD_CELL_TEAM)->intrusion += region->instance->team_size * late;
  region->delay_ticks += late;
  return longest_ticks;
}

/* On thread 0, for the last barrier that it has left. */
static void merge_last(struct hd_thread *thread) {
  struct hd_frame_base *task = &thread->base->base;
  struct hd_team_place *place = &task->place;
  if (!place->unmerged)
    return;
  const uint64_t longest_ticks = merge(thread, task->region, place->unmerged_number, place->unmerged);
  if (place->unfinished)
    place->unfinished->busy_max_ticks += place->unfinished->team_size * longest_ticks;
  place->unmerged = NULL;
  place->unfinished = NULL;
}

/* When thread 0 arrives at a barrier, all have left the last but one: in time, if it did not observe the last. */
static void merge_if_all_left(struct hd_thread *thread) {
  const struct hd_frame_base *task = &thread->base->base;
  if (task->place.unmerged && task->place.unmerged_number + 2 <= task->place.barriers)
    merge_last(thread);
}

void hd_barrier_begin(struct hd_thread *thread) {
  struct hd_frame_base *task = &thread->base->base;
  if (!has_barriers(task))
    return;
  struct hd_arrival *arrival = place_of(&task->region->members[task->thread_number], ++task->place.barriers);
  merge_if_all_left(thread);
  task->place.arrival = arrival;
  const bool closes_work = task->work.ended;
  __atomic_store_n(&arrival->number, task->place.barriers << 1 | closes_work, __ATOMIC_RELAXED);
  __atomic_store_n(&arrival->busy, closes_work ? task->work.busy_ticks : 0, __ATOMIC_RELAXED);
  hd_barrier_entered(thread);
}

void hd_barrier_skip(struct hd_thread *thread, bool may_close_work) {
  struct hd_frame_base *task = &thread->base->base;
  if (may_close_work)
    task->work.ended = false; /* no later barrier follows that construct directly */
  if (!has_barriers(task))
    return;
  struct hd_arrival *arrival = place_of(&task->region->members[task->thread_number], ++task->place.barriers);
  __atomic_store_n(&arrival->number, 0, __ATOMIC_RELAXED); /* not that of an earlier instance */
  merge_if_all_left(thread);
}

/* Its own delay is what its wait was too short by; from here on it is in step with its team. */
static void catch_up(struct hd_thread *thread) {
  struct hd_thread_record *record = thread->record;
  thread->cell->intrusion -= delay_of(thread);
  record->intrusion_charged = record->intrusion_base = record->intrusion;
}

/* What thread 0 will read at the next barrier lies in other processors' caches. */
static void fetch_arrivals(const struct hd_frame_base *task) {
  const uint32_t count = hd_team_member_count(task->region);
  for (uint32_t i = 1; i < count && i < FETCHED_MOST; i++)
    __builtin_prefetch(place_of(&task->region->members[i], task->place.barriers));
}

void hd_barrier_end(struct hd_thread *thread) {
  struct hd_frame_base *task = &thread->base->base;
  if (!task->place.arrival)
    return;
  catch_up(thread);
  task->place.arrival = NULL;
  if (task->thread_number > 0)
    return;
  merge_last(thread);
  task->place.unmerged = thread->row;
  task->place.unmerged_number = task->place.barriers;
  fetch_arrivals(task);
}

void hd_barrier_end_work(struct hd_thread *thread, uint64_t busy_ticks, struct hd_total_record *total) {
  struct hd_frame_base *task = &thread->base->base;
  if (!has_barriers(task)) {
    if (total)
      total->busy_max_ticks += total->team_size * busy_ticks;
    return;
  }
  struct hd_arrival *arrival = place_of(&task->region->members[task->thread_number], task->place.barriers);
  if (arrival->busy != busy_ticks) /* tasks ran in the barrier */
    __atomic_store_n(&arrival->busy, busy_ticks, __ATOMIC_RELAXED);
  task->place.unfinished = total;
}

void hd_barrier_join(struct hd_thread *primary) {
  struct hd_frame_base *task = &primary->base->base;
  if (!task->place.arrival) { /* alone, or its arrival was not told */
    hd_team_add_delay(task->region, primary->record);
    return;
  }
  merge_last(primary);
  merge(primary, task->region, task->place.barriers, primary->row);
  catch_up(primary);
  task->place.arrival = NULL;
}
