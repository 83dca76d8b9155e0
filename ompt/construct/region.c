/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/construct/region.h"

#include "ompt/construct/known_regions.h"
#include "ompt/construct/region_callers.h"
#include "ompt/construct/region_pool.h"
#include "ompt/shared/dormancy.h"
#include "ompt/shared/measuring.h"
#include "ompt/shared/sweeper.h"
#include "ompt/thread/barrier.h"
#include "ompt/thread/event.h"
#include "ompt/thread/introduction.h"
#include "ompt/thread/step.h"
#include "ompt/thread/trace_when.h"
#include "ompt/thread/watch.h"

/* ---- a region begins ---- */

/* Regions that are open around one. Those that lie in an instance of their own profile are not among them: what is left
 * are as many as there are profiles, not as deep as they are nested. */
struct surroundings {
  const struct hd_region *own;          /* the next one that this thread leads; its own come first */
  const struct hd_known_region *others; /* and the next one of which it is a worker */
};

static const struct hd_known_region *but_for_inner(const struct hd_known_region *known) {
  return known && known->encloses_itself ? known->outer_profile : known;
}

static struct surroundings surroundings_of(const struct hd_thread *primary) {
  const struct hd_frame_base *base = &hd_team_base(primary)->base;
  const struct hd_region *led = base->led;
  if (!led)
    return (struct surroundings){NULL, but_for_inner(base->region)};
  return (struct surroundings){led->known->encloses_itself ? led->outer_profile : led, led->worked_in};
}

/* Recursion: an instance of the same profile is already open around it. */
static bool encloses_itself(const struct hd_known_region *region, struct surroundings around) {
  for (; around.own; around.own = around.own->outer_profile)
    if (around.own->known->profile == region->profile)
      return true;
  for (; around.others; around.others = around.others->outer_profile)
    if (around.others->profile == region->profile)
      return true;
  return false;
}

static void enclose(struct hd_known_region *region, const struct hd_thread *primary, struct surroundings around) {
  const struct hd_known_region *outer = hd_team_current(primary);
  const bool same_primary = outer && outer->primary == primary->record->id;
  region->outer_profile = but_for_inner(outer);
  region->encloses_itself = encloses_itself(region, around);
  region->begins_before = same_primary ? outer->begins_before + !outer->of_helpers : 0;
}

/* The region is late by what its primary's events cost, until there is a team (barrier.h). */
static void start_delay(struct hd_region *region, struct hd_thread_record *primary) {
  region->delay_ticks = 0;
  region->intrusion_before = primary->intrusion;
  region->base_before = primary->intrusion_base;
  primary->intrusion_base = primary->intrusion;
}

/* The primary is late by what the region was, and by what it was late before. */
static void end_delay(const struct hd_region *region, struct hd_thread_record *primary) {
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

/* Its time is in another instance's. */
static bool is_nested(const struct hd_known_region *known) {
  return known->is_folded || known->encloses_itself;
}

static const struct hd_frame *innermost_region(const struct hd_thread *thread) {
  return thread->frames + thread->innermost[HD_KIND_PARALLEL];
}

static bool is_open(const struct hd_thread *primary, uint32_t team) {
  for (const struct hd_frame *base = innermost_region(primary); base > primary->frames;
       base = primary->frames + base->outer)
    if (base->base.led && base->base.led->team == team)
      return true;
  return false;
}

/* Numbers come again. Regions that have been open meanwhile keep theirs: it takes some thousand others within one until
 * these are looked through. False: all numbers are in use. */
static bool take_number(struct hd_thread *primary, struct hd_region *region) {
  struct hd_ring *ring = &primary->ring;
  if (!innermost_region(primary)->base.led)
    ring->begun_outermost = ring->begun;
  for (uint32_t tries = 0; tries < HD_TEAM_NUMBERS; tries++) {
    region->team = HD_TEAM(ring->index, ring->begun++);
    if (ring->begun - ring->begun_outermost <= HD_TEAM_NUMBERS || !is_open(primary, region->team))
      return true;
  }
  return false;
}

/* With the next transition. */
static void announce_begin(struct hd_thread *primary, struct hd_region *region, struct hd_row_record *row) {
  const struct hd_known_region *known = region->known;
  const enum hd_what what = is_nested(known) ? HD_WHAT_NESTED_BEGIN : HD_WHAT_REGION_BEGIN;
  const uint32_t counted = hd_thread_count(primary, what, row, known->is_folded ? NULL : row);
  if (known->of_helpers)
    return;
  primary->ring.what = counted;
  primary->ring.payload[0].begin = (struct hd_log_begin){.team = region->team,
                                                         .flags = (is_nested(known) ? HD_LOG_UNCOUNTED : 0u) |
                                                                  (counted & HD_WHAT_UNCOUNTED ? HD_LOG_UNASKED : 0u)};
  primary->height += hd_measuring.has_routines;
}

/* A shortened callpath is met in the midst of any others. If there is no room for all of them its members do not know
 * of those: only they would need to, for regions of their own. */
static const struct hd_known_region *find_known(struct hd_thread *primary, struct hd_known_region *wanted) {
  const struct hd_known_region *known = hd_known_region_find(primary, wanted);
  if (known || !wanted->outer_profile)
    return known;
  wanted->outer_profile = NULL;
  return hd_known_region_find(primary, wanted);
}

/* NULL: there is no memory for it. */
static struct hd_region *take_region(struct hd_thread *primary, struct hd_known_region *wanted) {
  const struct surroundings around = surroundings_of(primary);
  enclose(wanted, primary, around);
  const struct hd_known_region *known = find_known(primary, wanted);
  struct hd_region *region = known ? hd_region_pool_take(primary) : NULL;
  if (!region || (!known->of_helpers && !take_number(primary, region))) {
    if (region)
      hd_region_pool_give(primary, region);
    return NULL;
  }
  region->known = known;
  region->outer_profile = around.own;
  region->worked_in = around.others;
  region->team_size = 0;
  region->has_joined = false;
  return region;
}

static uint64_t open_region(struct hd_thread *primary, struct hd_region *region, uintptr_t place) {
  hd_thread_open_base(primary, NULL, region ? region->known : NULL, 0);
  primary->base->base.led = region;
  if (!region)
    return 0;
  primary->base->base.place.team = region->team;
  region->place = place;
  start_delay(region, primary->record);
  region->told = hd_told_region(region->known, HD_TEAM_NUMBER(region->team), primary->record->last_ticks);
  return region->told;
}

uint64_t hd_region_begin(struct hd_thread *primary, uint64_t now, enum hd_kind kind, unsigned requested,
                         const void *address, bool from_gcc) {
  uintptr_t place;
  const struct hd_way step = hd_thread_step_from(primary, hd_callers_row(primary, address, &place), kind, address);
  const bool is_known = step.counter;
  struct hd_row_record *row = is_known ? step.to : primary->top->row; /* not one of a routine known from the stack */
  struct hd_known_region wanted = {
      .profile = row->profile,
      .ring = primary->ring.index,
      .address = address,
      .from_gcc = from_gcc && (requested != 1 || hd_measuring.has_gcc_regions), /* clang, too, begins one with if(0) */
      .is_folded = !is_known,
      .of_helpers = is_helper_fork(primary, &step, from_gcc)};
  struct hd_region *region = take_region(primary, &wanted);
  if (wanted.of_helpers)
    become_helper(primary);
  if (region && region->known->is_traced)
    hd_trace_when_begin(primary, now);
  if (region)
    announce_begin(primary, region, row);
  else /* the team's workers charge their time to the program */
    __atomic_fetch_add(&hd_store.header->folded_paths, 1, __ATOMIC_RELAXED);
  hd_thread_push(primary, now, row, HD_KIND_PARALLEL, HD_RUNTIME_FORK_JOIN);
  return open_region(primary, region, place);
}

/* ---- its team begins ---- */

/* For a program that is killed. */
static void note_membership(struct hd_membership_record *membership, const struct hd_thread *thread) {
  const struct hd_team_place *place = &thread->base->base.place;
  membership->begin_ticks = 0; /* a reader sees none until the rest is in place */
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  membership->team = place->team;
  membership->thread = thread->record->id;
  membership->busy_at_begin = place->busy_at_begin;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  membership->begin_ticks = thread->record->last_ticks;
}

static void enter_as_primary(struct hd_thread *primary, uint64_t now, ompt_data_t *task, unsigned team_size) {
  struct hd_frame_base *base = &primary->base->base;
  struct hd_region *region = base->led;
  primary->base->task = task;
  if (region && team_size > 1 && !region->known->of_helpers) {
    primary->ring.what = HD_WHAT(HD_WHAT_START, region->known->profile) | HD_WHAT_UNCOUNTED;
    primary->ring.payload[0].member = (struct hd_log_member){.team = region->team, .number = team_size};
  }
  hd_thread_unwind_task(primary, now, hd_region_task_state(base->region));
  if (!region)
    return;
  hd_team_add_delay(region, primary->record); /* its team begins when it was late by as much */
  region->team_size = team_size;
  base->place.busy_at_begin = primary->record->busy_ticks;
  note_membership(region->membership, primary);
}

/* The worker is heard of again, or an end was never sent. A new one was woken when its thread began. */
void hd_region_leave_earlier(struct hd_thread *worker, uint64_t now) {
  if (worker->base == worker->frames)
    return;
  worker->woken_ticks = worker->event_ticks;
  worker->woken_intrusion = worker->record->intrusion;
  while (worker->base != worker->frames) {
    const struct hd_frame_base *task = &worker->base->base;
    hd_thread_tell_held(worker);
    if (worker->base->kind == HD_KIND_PARALLEL && task->region && !task->led && !task->place.has_finished) {
      hd_region_arrive(worker, now, HD_LOG_UNTOLD);
      hd_barrier_tell(worker);
    }
    if (worker->base->base.place.has_finished)
      hd_barrier_leave_last(worker);
    else
      hd_thread_close_base(worker, now);
  }
}

/* What it did while it idled delays nobody. But it is late by what it did since the region woke or made it, and by what
 * it has done just now to begin. Until then it was idle. */
static uint64_t start_in_step(struct hd_thread *worker, bool was_woken, uint64_t now) {
  struct hd_thread_record *record = worker->record;
  record->intrusion_base = was_woken ? worker->woken_intrusion : record->intrusion;
  now = hd_event_catch_up(worker, now);
  record->intrusion_charged = record->intrusion;
  return now;
}

static void announce_member(struct hd_thread *worker, const struct hd_known_region *region, uint32_t team,
                            uint32_t number) {
  const uint32_t before = region->begins_before < HD_LOG_BEFORE_MOST ? region->begins_before : HD_LOG_BEFORE_MOST;
  if (region->of_helpers)
    return;
  worker->ring.what = HD_WHAT(HD_WHAT_TEAM, region->profile) | HD_WHAT_UNCOUNTED;
  worker->ring.payload[0].member = (struct hd_log_member){
      .team = team, .number = number | before << HD_LOG_BEFORE_SHIFT, .primary = region->primary};
}

static void enter_as_worker(struct hd_thread *worker, uint64_t now, uint64_t told, ompt_data_t *task, uint32_t number) {
  const struct hd_known_region *region = hd_told_known(told);
  const uint64_t begin_ticks = region ? hd_told_begin(told, now) : UINT64_MAX;
  hd_region_leave_earlier(worker, now);
  if (region && now < begin_ticks) /* another processor's clock, a few ticks behind */
    now = begin_ticks;
  struct hd_row_record *row = region ? hd_thread_row(worker, region->profile) : NULL;
  worker->height = 0;
  if (hd_budget_watches_regions())
    hd_watch_begin_region(worker);
  now = start_in_step(worker, region && worker->woken_ticks >= begin_ticks, now);
  if (region)
    announce_member(worker, region, hd_told_team(told, region), number);
  if (!row)
    row = hd_dormancy_was() && !told ? hd_thread_row_before(worker) : worker->frames->row;
  hd_thread_push(worker, now, row, HD_KIND_PARALLEL, hd_region_task_state(region));
  worker->top->row->visits += region && row->profile == region->profile && !region->is_folded && !hd_clock_is_paused();
  hd_thread_open_base(worker, task, region, number);
  if (!region)
    return;
  worker->base->base.place.team = hd_told_team(told, region);
  worker->base->base.place.busy_at_begin = worker->record->busy_ticks;
  note_membership(&worker->record->member, worker);
}

bool hd_region_is_forked(const struct hd_thread *thread) {
  return thread->base->kind == HD_KIND_PARALLEL && !thread->base->task;
}

void hd_region_enter(struct hd_thread *thread, uint64_t now, uint64_t told, ompt_data_t *task, unsigned team_size,
                     unsigned thread_number) {
  if (hd_region_is_forked(thread))
    enter_as_primary(thread, now, task, team_size ? team_size : 1);
  else
    enter_as_worker(thread, now, told, task, thread_number);
}

/* ---- it comes together again ---- */

static uint32_t what_of_arrival(struct hd_team_place *place, bool is_primary) {
  if (is_primary)
    return HD_WHAT_ARRIVE;
  const bool is_first = !place->has_told_finish;
  place->has_told_finish = true;
  return is_first ? HD_WHAT_FINISH : HD_WHAT_FINISH_AGAIN;
}

/* Waits and idling after the team's join are in one cell until the sweep has found out when that was: it notes the
 * idling beside it. Without room for that in rows of the same callpath all is waiting. */
static uint64_t find_idle_cell(struct hd_thread *thread) {
  const struct hd_row_cell *cell = hd_thread_cell(thread, thread->row, HD_CELL_TEAM);
  const uint64_t offset = hd_store_offset(&hd_store, cell);
  return hd_row_at((uint32_t)(offset >> HD_LINE_SHIFT))->profile == thread->row->profile ? offset : 0;
}

void hd_region_arrive(struct hd_thread *thread, uint64_t now, uint32_t flags) {
  struct hd_frame_base *task = &thread->base->base;
  const struct hd_known_region *region = task->region;
  if (thread->base->kind != HD_KIND_PARALLEL || task->place.has_finished)
    return;
  if (hd_barrier_begin(thread) == HD_WHAT_ARRIVE)
    hd_barrier_arrive(thread, HD_WHAT(what_of_arrival(&task->place, task->led), region->profile) | HD_WHAT_UNCOUNTED,
                      flags | (task->led ? HD_LOG_LAST : 0u));
  hd_thread_unwind_task(thread, now, region && region->of_helpers ? HD_IDLE : HD_WAIT_BARRIER_IMPLICIT);
  if (!region || task->led)
    return;
  task->place.has_finished = true;
  task->place.idle_cell = find_idle_cell(thread);
  if (hd_ring_is_filling(&thread->ring)) {
    hd_thread_leave_program(thread);
    hd_sweeper_flush(); /* it waits anyway */
  }
}

void hd_region_join(struct hd_thread *primary, uint64_t now) {
  struct hd_frame_base *task = &primary->base->base;
  struct hd_region *region = task->led;
  if (!region) {
    hd_thread_unwind_task(primary, now, HD_RUNTIME_FORK_JOIN);
    return;
  }
  if (task->place.waits)
    hd_barrier_catch_up(primary, primary->base);
  else /* alone, or its arrival was not told */
    hd_team_add_delay(region, primary->record);
  if (region->team_size > 1 && !region->known->of_helpers) {
    primary->ring.what = HD_WHAT(HD_WHAT_JOIN, region->known->profile) | HD_WHAT_UNCOUNTED;
    primary->ring.payload[0].join.team = region->team; /* a trace tells that at once */
    hd_ring_hold(&primary->ring);
  }
  hd_thread_unwind_task(primary, now, HD_RUNTIME_FORK_JOIN);
  region->has_joined = true;
  region->busy_ticks = primary->record->busy_ticks - task->place.busy_at_begin;
  primary->ring.payload[0].join = (struct hd_log_join){.team = region->team, .busy_ticks = region->busy_ticks};
  hd_ring_tell(&primary->ring, primary->ring.payload);
}

void hd_region_leave(struct hd_thread *thread, uint64_t now) {
  while (thread->base->kind == HD_KIND_TASK) /* an end that was never sent */
    hd_thread_close_base(thread, now);
  hd_thread_tell_held(thread);
  const struct hd_frame_base *task = &thread->base->base;
  if (thread->base->kind != HD_KIND_PARALLEL)
    return;
  if (task->region && !task->led)
    hd_region_arrive(thread, now, HD_LOG_UNTOLD);
  else if (task->thread_number > 0)
    hd_thread_close_base(thread, now); /* late, perhaps; but when the team joined is not known */
  else if (!task->led || !task->led->has_joined)
    hd_region_join(thread, now);
}

/* ---- it ends ---- */

static bool leads(const struct hd_frame *base) {
  return base->kind == HD_KIND_PARALLEL && (base->base.region ? base->base.led != NULL : base->base.thread_number == 0);
}

static bool has_joined(const struct hd_frame *base) {
  return base->base.led && base->base.led->has_joined;
}

/* What the runtime tells may be another thread's region: libomp gives the team's memory away before it sends the end.
 * Or it is the serialised region around the one that ends, for GCC-built code in a league. */
static const struct hd_frame *ending_base(const struct hd_thread *primary, uint64_t told) {
  const struct hd_frame *innermost = hd_team_base(primary);
  const struct hd_known_region *region = hd_told_known(told);
  const struct hd_frame *base = region && region->primary == primary->record->id ? innermost : primary->frames;
  for (; base->kind == HD_KIND_PARALLEL; base = primary->frames + base->outer)
    if (base->base.led && base->base.led->told == told && (has_joined(base) || !has_joined(innermost)))
      return base;
  return leads(innermost) ? innermost : NULL;
}

static void announce_end(struct hd_thread *primary, const struct hd_region *region) {
  const struct hd_known_region *known = region->known;
  if (known->of_helpers)
    return;
  primary->ring.what = HD_WHAT(is_nested(known) ? HD_WHAT_NESTED_END : HD_WHAT_REGION_END, known->profile);
  primary->ring.payload[0].end =
      (struct hd_log_end){.team = region->team, .team_size = region->team_size, .delay = region->delay_ticks};
  primary->ring.payload[1].alone = (struct hd_log_alone){.busy_ticks = region->busy_ticks};
}

void hd_region_end(struct hd_thread *primary, uint64_t now, uint64_t told) {
  const struct hd_frame *base = ending_base(primary, told);
  if (!base) {
    if (!hd_dormancy_was())
      __atomic_fetch_add(&hd_store.header->unmatched_events, 1, __ATOMIC_RELAXED);
    return;
  }
  while (primary->base != base) /* ends that were never sent */
    hd_thread_close_base(primary, now);
  hd_thread_tell_held(primary);
  struct hd_region *region = base->base.led;
  if (region && !region->has_joined)
    hd_region_join(primary, now);
  if (region) {
    region->team_size = region->team_size ? region->team_size : 1; /* 0: its implicit task was never announced */
    hd_team_add_delay(region, primary->record);
    announce_end(primary, region);
  }
  hd_thread_close_base(primary, now);
  if (!region)
    return;
  if (region->known->is_traced)
    hd_trace_when_end(primary, now);
  region->membership->begin_ticks = 0;
  end_delay(region, primary->record);
  hd_region_pool_give(primary, region);
}
