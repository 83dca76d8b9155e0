/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/barrier.h"

#include "ompt/thread/watch.h"

enum { COST_MOST = UINT32_MAX };

enum hd_state hd_barrier_state(enum hd_kind kind) {
  switch (kind) {
  case HD_KIND_BARRIER_EXPLICIT:
    return HD_WAIT_BARRIER_EXPLICIT;
  case HD_KIND_REDUCTION:
    return HD_WAIT_REDUCTION;
  case HD_KIND_BARRIER:
    return HD_WAIT_OTHER;
  default:
    return HD_WAIT_BARRIER_IMPLICIT;
  }
}

/* One alone waits for nobody. Workers are not alone. */
enum hd_what hd_barrier_begin(struct hd_thread *thread) {
  struct hd_frame_base *task = &thread->base->base;
  hd_thread_tell_held(thread);
  task->place.barriers++;
  const bool has_others = task->region && !task->region->of_helpers && !(task->led && task->led->team_size == 1);
  return has_others ? HD_WHAT_ARRIVE : HD_WHAT_ENTER;
}

void hd_barrier_arrive(struct hd_thread *thread, uint32_t what, uint32_t flags) {
  struct hd_team_place *place = &thread->base->base.place;
  thread->ring.what = what;
  hd_ring_hold(&thread->ring);
  place->arrival = (uint16_t)flags;
  place->waits = true;
  place->profile = HD_WHAT_OPERAND(what);
  thread->special |= HD_SPECIAL_ARRIVAL;
}

void hd_barrier_skip(struct hd_thread *thread, bool may_close_work) {
  struct hd_frame_base *task = &thread->base->base;
  if (may_close_work)
    task->work.ended = false; /* no later barrier follows that construct directly */
  task->place.barriers++;
}

/* By how much the thread is late, as of its last charge. */
static int64_t delay_of(const struct hd_thread *thread) {
  return thread->record->intrusion_charged - thread->record->intrusion_base;
}

void hd_barrier_tell(struct hd_thread *thread) {
  const struct hd_thread_record *record = thread->record;
  const struct hd_team_place *place = &thread->base->base.place;
  const uint64_t idle_cell = place->is_unresolved                          ? place->unresolved_cell
                             : thread->instruments & HD_INSTRUMENT_WATCHED ? hd_watch_idle_cell(thread)
                                                                           : place->idle_cell;
  const uint64_t cost = (uint64_t)(record->intrusion - record->intrusion_charged);
  const struct hd_log_arrival arrival = {.team = place->team,
                                         .cost = (uint32_t)(cost < COST_MOST ? cost : COST_MOST),
                                         .number = place->barriers % HD_LOG_BARRIERS,
                                         .flags = place->arrival & 31u,
                                         .late = HD_LOG_LATE(delay_of(thread))};
  const struct hd_log_finish finish = {.busy_ticks = record->busy_ticks - place->busy_at_begin,
                                       .idle_cell = place->has_finished ? idle_cell : 0};
  const union hd_log_payload payload[] = {{.arrival = arrival}, {.finish = finish}};
  hd_ring_tell(&thread->ring, payload);
}

/* It may wait for something else meanwhile, in a task that is not observed: it is then heard of again, or is not busy
 * any more. */
void hd_barrier_wait_again(struct hd_thread *thread, uint64_t now) {
  const struct hd_team_place *place = &thread->base->base.place;
  const enum hd_what what = place->has_finished ? HD_WHAT_FINISH_AGAIN : HD_WHAT_ARRIVE;
  if (thread->ring.what)
    hd_thread_put_before(thread, now);
  hd_barrier_arrive(thread, HD_WHAT(what, place->profile) | HD_WHAT_UNCOUNTED, place->arrival | (uint32_t)HD_LOG_AGAIN);
}

void hd_barrier_catch_up(struct hd_thread *thread, const struct hd_frame *waiting) {
  struct hd_thread_record *record = thread->record;
  hd_thread_tell_held(thread);
  hd_thread_cell(thread, waiting->row, hd_barrier_state(waiting->kind))->intrusion -= delay_of(thread);
  record->intrusion_charged = record->intrusion_base = record->intrusion;
  thread->base->base.place.waits = false;
}

void hd_barrier_leave_last(struct hd_thread *worker) {
  hd_barrier_end(worker, worker->base);
  hd_thread_drop_above(worker, worker->base);
  worker->base = worker->frames + worker->base->base.below;
  hd_thread_unlink_top(worker);
  worker->top--;
  worker->record->member.begin_ticks = 0;
  worker->ring.what = HD_WHAT(HD_WHAT_LEFT, 0);
}

void hd_barrier_end(struct hd_thread *thread, const struct hd_frame *waiting) {
  if (thread->base->base.place.waits)
    hd_barrier_catch_up(thread, waiting);
}
