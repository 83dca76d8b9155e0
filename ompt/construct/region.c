/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/construct/region.h"

#include "ompt/construct/region_callers.h"
#include "ompt/construct/region_pool.h"
#include "ompt/shared/measuring.h"
#include "ompt/shared/sweeper.h"
#include "ompt/thread/barrier.h"
#include "ompt/thread/event.h"
#include "ompt/thread/step.h"
#include "support/inprocess/keep_errno.h"
#include "support/inprocess/memory_budget.h"

static bool is_primary(const struct hd_thread *thread, const struct hd_region *region) {
  return region->instance->primary == thread->record->id;
}

/* Recursion: an instance of the same profile is already open around it. Those that are inside one themselves need no
 * look: what is left are as many as there are profiles, not as deep as they are nested. */
static bool encloses_itself(const struct hd_region *region) {
  for (const struct hd_region *outer = region->outer_profile; outer; outer = outer->outer_profile)
    if (outer->row->profile == region->row->profile)
      return true;
  return false;
}

static void enclose(struct hd_region *region, struct hd_region *outer) {
  const bool same_primary = outer && outer->instance->primary == region->instance->primary;
  region->outer_profile = outer && outer->encloses_itself ? outer->outer_profile : outer;
  region->encloses_itself = encloses_itself(region);
  region->begins_before = same_primary ? outer->begins_before + !outer->of_helpers : 0;
}

static void start_instance(struct hd_region *region, uint64_t now) {
  struct hd_instance_record *instance = region->instance;
  instance->begin_ticks = 0; /* a reader sees an instance that never began until the rest is in place */
  instance->profile = region->row->profile;
  instance->join_ticks = instance->end_ticks = 0;
  instance->team_size = 0;
  __atomic_store_n(&instance->begin_ticks, now, __ATOMIC_RELEASE);
}

/* The region is late by what its primary's events cost, until there is a team (barrier.h). */
static void start_delay(struct hd_region *region, struct hd_thread_record *primary) {
  region->delay_ticks = 0;
  region->intrusion_before = primary->intrusion;
  region->base_before = primary->intrusion_base;
  primary->intrusion_base = primary->intrusion;
}

/* The primary is late by what the region was, and by what it was late before. */
static void end_delay(struct hd_region *region, struct hd_thread_record *primary) {
  hd_team_add_delay(region, primary);
  primary->intrusion = primary->intrusion_charged = region->intrusion_before + region->delay_ticks;
  primary->intrusion_base = region->base_before;
}

/* libomp's hidden helper team: a thread of the runtime, outside any region, forks from inside the runtime, once and for
 * as long as the program runs. User code forks from user code. */
static bool is_helper_fork(const struct hd_thread *primary, const struct hd_way *step, bool from_gcc) {
  return step->in_runtime && !from_gcc && primary->base == primary->frames;
}

/* It looked like a thread that runs the user's program. This is its first event but for its begin. */
static void become_helper(struct hd_thread *thread) {
  thread->record->kind = HD_THREAD_OTHER;
  thread->frames->state = HD_IDLE;
  hd_thread_take_back(thread, thread->frames->row, HD_IDLE);
}

/* With the next transition. */
static void announce_begin(struct hd_thread *primary, struct hd_region *region) {
  const bool nested = region->instance->uncounted;
  const uint32_t what = hd_thread_count(primary, nested ? HD_WHAT_NESTED_BEGIN : HD_WHAT_REGION_BEGIN, region->row,
                                        region->is_folded ? NULL : region->row);
  if (region->of_helpers)
    return;
  region->team = HD_TEAM(primary->ring.index, primary->ring.begun++);
  primary->ring.what = what;
  primary->ring.payload[0].begin = (struct hd_log_begin){.team = region->team};
  if (!hd_measuring.has_routines)
    return;
  primary->height++;
}

static void announce_end(struct hd_thread *primary, const struct hd_region *region) {
  const bool nested = region->instance->uncounted;
  if (region->of_helpers)
    return;
  primary->ring.what = HD_WHAT(nested ? HD_WHAT_NESTED_END : HD_WHAT_REGION_END, region->row->profile);
  primary->ring.payload[0].end = (struct hd_log_end){.team = region->team, .team_size = region->instance->team_size};
}

struct hd_region *hd_region_begin(struct hd_thread *primary, uint64_t now, enum hd_kind kind, unsigned requested,
                                  const void *address, bool from_gcc) {
  struct hd_region *outer = hd_team_current(primary);
  uintptr_t place;
  const struct hd_way step = hd_thread_step_from(primary, hd_callers_row(primary, address, &place), kind, address);
  const bool is_known = step.counter;
  struct hd_row_record *row = is_known ? step.to : primary->top->row; /* not one of a routine known from the stack */
  const bool of_helpers = is_helper_fork(primary, &step, from_gcc);
  struct hd_region *region = hd_region_pool_take(primary, requested);
  if (of_helpers)
    become_helper(primary);
  if (region) {
    region->row = row;
    region->address = address;
    region->place = place;
    region->from_gcc =
        from_gcc && (requested != 1 || hd_measuring.has_gcc_regions); /* clang, too, begins one with if(0) */
    region->of_helpers = of_helpers;
    /* With its elapsed time or not at all; of the helpers' there is nothing of the user's to gain. */
    region->total = is_known && !of_helpers ? hd_region_total(primary, row, requested ? requested : 1) : NULL;
    region->is_folded = !is_known || (!region->total && !of_helpers);
    enclose(region, outer);
    region->instance->uncounted = of_helpers || region->is_folded || region->encloses_itself;
    region->instance->unasked = region->is_folded || hd_clock_is_paused();
    announce_begin(primary, region);
  } else { /* the team's workers charge their time to the program */
    __atomic_fetch_add(&hd_store.header->folded_paths, 1, __ATOMIC_RELAXED);
  }
  hd_thread_push(primary, now, row, HD_KIND_PARALLEL, HD_RUNTIME);
  if (region) {
    start_delay(region, primary->record);
    start_instance(region, primary->record->last_ticks);
  }
  hd_thread_open_base(primary, NULL, region, 0);
  if (region)
    region->base = (uint32_t)(primary->base - primary->frames);
  return region;
}

static void add_member(struct hd_thread *thread, uint64_t now, struct hd_region *region, unsigned number) {
  if (number >= region->instance->member_limit)
    return;
  struct hd_member_record *member = &region->members[number];
  member->thread = thread->record->id;
  member->thread_record = hd_store_offset(&hd_store, thread->record);
  member->busy_at_begin = thread->record->busy_ticks;
  __atomic_store_n(&member->begin_ticks, now, __ATOMIC_RELEASE);
}

/* There were as many threads as it asked for; or others, and then there may be no more space. */
static void choose_total(struct hd_thread *primary, struct hd_region *region, uint32_t team_size) {
  if (!region->total || region->total->team_size == team_size)
    return;
  struct hd_total_record *total = hd_region_total(primary, region->row, team_size);
  if (total)
    region->total = total;
}

static void enter_as_primary(struct hd_thread *primary, uint64_t now, struct hd_region *region, ompt_data_t *task,
                             unsigned team_size) {
  primary->base->task = task;
  hd_thread_unwind_task(primary, now, hd_region_task_state(region));
  if (!region)
    return;
  hd_team_add_delay(region, primary->record); /* its team begins when it was late by as much */
  __atomic_store_n(&region->instance->pending, team_size - 1, __ATOMIC_RELAXED);
  __atomic_store_n(&region->instance->team_size, team_size, __ATOMIC_RELAXED);
  choose_total(primary, region, team_size);
  add_member(primary, primary->record->last_ticks, region, 0);
}

/* What it did while it idled delays nobody. But it is late by what it did since the region woke or made it, and by what
 * it has done just now to begin. Until then it was idle. */
static uint64_t start_in_step(struct hd_thread *worker, const struct hd_region *region, uint64_t now) {
  struct hd_thread_record *record = worker->record;
  const bool was_woken = region && worker->woken_ticks >= region->instance->begin_ticks;
  record->intrusion_base = was_woken ? worker->woken_intrusion : record->intrusion;
  now = hd_event_catch_up(worker, now);
  record->intrusion_charged = record->intrusion;
  return now;
}

static void announce_member(struct hd_thread *worker, const struct hd_region *region, uint32_t number) {
  const uint32_t before = region->begins_before < HD_LOG_BEFORE_MOST ? region->begins_before : HD_LOG_BEFORE_MOST;
  worker->ring.what = HD_WHAT(HD_WHAT_TEAM, region->row->profile);
  worker->ring.payload[0].member = (struct hd_log_member){.team = region->team,
                                                          .number = number | before << HD_LOG_BEFORE_SHIFT,
                                                          .busy_at_begin = worker->record->busy_ticks};
}

static void enter_as_worker(struct hd_thread *worker, uint64_t now, struct hd_region *region, ompt_data_t *task,
                            unsigned number) {
  while (worker->base != worker->frames) /* an end that was never sent */
    hd_thread_close_base(worker, now);
  if (region && now < region->instance->begin_ticks) /* another processor's clock, a few ticks behind */
    now = region->instance->begin_ticks;
  struct hd_row_record *row = region ? hd_thread_row(worker, region->instance->profile) : NULL;
  worker->height = 0;
  now = start_in_step(worker, region, now);
  if (region && hd_measuring.has_routines && !region->of_helpers)
    announce_member(worker, region, number);
  hd_thread_push(worker, now, row ? row : worker->frames->row, HD_KIND_PARALLEL, hd_region_task_state(region));
  worker->top->row->visits += row != NULL && !region->is_folded && !hd_clock_is_paused();
  hd_thread_open_base(worker, task, region, number);
  if (region)
    add_member(worker, worker->record->last_ticks, region, number);
}

bool hd_region_is_forked(const struct hd_thread *thread) {
  return thread->base->kind == HD_KIND_PARALLEL && !thread->base->task;
}

void hd_region_enter(struct hd_thread *thread, uint64_t now, struct hd_region *region, ompt_data_t *task,
                     unsigned team_size, unsigned thread_number) {
  if (hd_region_is_forked(thread))
    enter_as_primary(thread, now, thread->base->base.region, task, team_size ? team_size : 1);
  else
    enter_as_worker(thread, now, region, task, thread_number);
}

void hd_region_arrive(struct hd_thread *thread, uint64_t now) {
  struct hd_region *region = thread->base->base.region;
  if (thread->base->kind != HD_KIND_PARALLEL)
    return;
  hd_thread_unwind_task(thread, now, region && region->of_helpers ? HD_IDLE : HD_WAIT_BARRIER_IMPLICIT);
  if (region)
    hd_barrier_begin(thread);
  if (!region || is_primary(thread, region))
    return;
  thread->joining = region;
  thread->pending |= HD_PENDING_JOIN;
  thread->record->idle_cell = hd_store_offset(&hd_store, hd_thread_cell(thread, thread->frames->row, HD_IDLE));
  thread->record->joining = hd_store_offset(&hd_store, region->instance);
  if (hd_ring_is_filling(&thread->ring)) {
    hd_thread_leave_program(thread);
    hd_sweeper_flush(); /* it waits anyway */
  }
}

static const struct hd_thread_record *thread_of(const struct hd_member_record *member) {
  return (const void *)(hd_store.base + member->thread_record);
}

/* Not before any member's arrival, though the processors' clocks may differ by a few ticks. */
static uint64_t join_time(const struct hd_region *region, uint64_t now) {
  for (uint32_t i = 1; i < hd_team_member_count(region); i++) {
    const struct hd_member_record *member = &region->members[i];
    if (!hd_team_took_part(region, i))
      continue;
    uint64_t arrived = __atomic_load_n(&thread_of(member)->last_ticks, __ATOMIC_RELAXED);
    if (now < arrived)
      now = arrived;
  }
  return now;
}

static void add_up_team(struct hd_region *region, uint64_t join) {
  region->team_busy_ticks = region->longest_busy_ticks = region->late_ticks = 0;
  for (uint32_t i = 0; i < hd_team_member_count(region); i++) {
    const struct hd_member_record *member = &region->members[i];
    if (!hd_team_took_part(region, i)) {
      region->late_ticks += join - region->instance->begin_ticks;
      continue;
    }
    uint64_t busy = __atomic_load_n(&thread_of(member)->busy_ticks, __ATOMIC_RELAXED) - member->busy_at_begin;
    region->team_busy_ticks += busy;
    if (region->longest_busy_ticks < busy)
      region->longest_busy_ticks = busy;
    if (i > 0)
      region->late_ticks += member->begin_ticks - region->instance->begin_ticks;
  }
}

void hd_region_join(struct hd_thread *primary, uint64_t now) {
  struct hd_region *region = primary->base->base.region;
  if (!region) {
    hd_thread_unwind_task(primary, now, HD_RUNTIME);
    return;
  }
  hd_barrier_join(primary);
  hd_thread_unwind_task(primary, join_time(region, now), HD_RUNTIME);
  add_up_team(region, primary->record->last_ticks);
  __atomic_store_n(&region->instance->join_ticks, primary->record->last_ticks, __ATOMIC_RELEASE);
}

void hd_region_leave(struct hd_thread *thread, uint64_t now) {
  while (thread->base->kind == HD_KIND_TASK) /* an end that was never sent */
    hd_thread_close_base(thread, now);
  struct hd_region *region = thread->base->base.region;
  if (thread->base->kind != HD_KIND_PARALLEL)
    return;
  if (!region && thread->base->base.thread_number > 0) {
    hd_thread_close_base(thread, now); /* late, perhaps; but when the team joined is not known */
  } else if (region && !is_primary(thread, region)) {
    if (!(thread->pending & HD_PENDING_JOIN))
      hd_region_arrive(thread, now);
    hd_thread_join(thread);
  } else if (!region || !region->instance->join_ticks) {
    hd_region_join(thread, now);
  }
}

static struct hd_total_record *new_total(struct hd_thread *thread, uint32_t profile, uint32_t team_size) {
  struct hd_total_record *total = NULL;
  hd_thread_leave_program(thread);
  HD_KEEP_ERRNO;
  const bool has_index = thread->totals.slots || hd_index_init(&thread->totals);
  if (has_index && hd_memory_has_room(HD_MEMORY_SITE, sizeof *total) && hd_index_make_room(&thread->totals))
    total = hd_store_add(&hd_store, &thread->total_cursor, HD_BLOCK_TOTALS, thread->record->id, sizeof *total);
  if (!total) {
    __atomic_fetch_or(&hd_store.header->flags, HD_FILE_FULL, __ATOMIC_RELAXED);
    return NULL;
  }
  total->profile = profile;
  total->thread = thread->record->id;
  total->team_size = team_size;
  hd_store_publish(&thread->total_cursor);
  hd_index_add(&thread->totals, HD_INDEX_TOTAL(profile, team_size), total);
  return total;
}

struct hd_total_record *hd_region_total(struct hd_thread *thread, struct hd_row_record *row, uint32_t team_size) {
  struct hd_total_record *total =
      thread->totals.slots ? hd_index_find(&thread->totals, HD_INDEX_TOTAL(row->profile, team_size)) : NULL;
  return total ? total : new_total(thread, row->profile, team_size);
}

static void add_to_total(const struct hd_region *region) {
  const struct hd_instance_record *instance = region->instance;
  uint64_t team_size = instance->team_size;
  struct hd_total_record *total = region->total;
  if (!total)
    return;
  total->instances += !instance->unasked;
  if (instance->uncounted)
    return; /* its time lies inside its ancestor's */
  total->intrusion_ticks += region->delay_ticks;
  total->elapsed_ticks += instance->end_ticks - instance->begin_ticks;
  total->capacity_ticks += team_size * (instance->end_ticks - instance->begin_ticks);
  total->busy_ticks += region->team_busy_ticks;
  total->busy_max_ticks += team_size * region->longest_busy_ticks;
  total->idle_ticks += region->late_ticks + (team_size - 1) * (instance->end_ticks - instance->join_ticks);
}

static bool forked(const struct hd_thread *thread, const struct hd_frame *base) {
  const struct hd_region *region = base->base.region;
  return base->kind == HD_KIND_PARALLEL && (region ? is_primary(thread, region) : base->base.thread_number == 0);
}

static bool has_joined(const struct hd_frame *base) {
  return base->base.region && base->base.region->instance->join_ticks;
}

/* What the runtime tells may be another thread's region: libomp gives the team's memory away before it sends the end.
 * Or it is the serialised region around the one that ends, for GCC-built code in a league. */
static const struct hd_frame *ending_base(const struct hd_thread *primary, const struct hd_region *told) {
  const struct hd_frame *innermost = hd_team_base(primary);
  if (told && is_primary(primary, told)) {
    const struct hd_frame *base = primary->frames + told->base;
    const bool may_end = told->instance->join_ticks || !has_joined(innermost);
    if (base <= innermost && base->kind == HD_KIND_PARALLEL && base->base.region == told && may_end)
      return base;
  }
  return forked(primary, innermost) ? innermost : NULL;
}

void hd_region_end(struct hd_thread *primary, uint64_t now, const struct hd_region *told) {
  const struct hd_frame *base = ending_base(primary, told);
  if (!base) {
    __atomic_fetch_add(&hd_store.header->unmatched_events, 1, __ATOMIC_RELAXED);
    return;
  }
  while (primary->base != base) /* ends that were never sent */
    hd_thread_close_base(primary, now);
  struct hd_region *region = base->base.region;
  if (region && !region->instance->join_ticks)
    hd_region_join(primary, now);
  if (region)
    announce_end(primary, region);
  hd_thread_close_base(primary, now);
  if (!region)
    return;
  if (!region->instance->team_size) { /* its implicit task was never announced */
    region->instance->team_size = 1;
    choose_total(primary, region, 1);
  }
  region->instance->end_ticks = primary->record->last_ticks;
  end_delay(region, primary->record);
  add_to_total(region);
  hd_region_pool_give(primary, region);
}
