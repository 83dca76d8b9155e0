/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/construct/task.h"

#include "ompt/construct/task_times.h"
#include "ompt/construct/task_value.h"
#include "ompt/shared/dormancy.h"
#include "ompt/shared/measuring.h"
#include "ompt/thread/barrier.h"
#include "ompt/thread/introduction.h"
#include "ompt/thread/refuse.h"
#include "ompt/thread/step.h"
#include "ompt/thread/unresolved.h"

/* `is_timed`: it is created at `now`, and not before the tool listened. */
static struct hd_way note_creation(struct hd_thread *thread, bool is_timed, uint64_t now, ompt_data_t *task,
                                   const void *address) {
  const struct hd_way step = hd_thread_step(thread, HD_KIND_TASK, address);
  const uint32_t profile = step.to->profile, epoch = hd_budget_task_epoch();
  struct hd_task_construct *construct = is_timed && step.counter ? hd_task_construct_find(thread, profile) : NULL;
  const uint32_t number = construct ? hd_task_construct_number(thread, construct) : 0;
  hd_task_set_value(task, number ? hd_task_created(epoch, number, now)
                                 : hd_task_untimed(epoch, thread->record->id, profile, !step.counter));
  return step;
}

static void note_earlier_creation(struct hd_thread *thread, uint64_t now, ompt_data_t *task) {
  if (hd_dormancy_was())
    hd_task_set_value(
        task, hd_task_untimed(hd_budget_task_epoch(), thread->record->id, hd_thread_row_before(thread)->profile, true));
  else
    note_creation(thread, false, now, task, NULL);
}

uint32_t hd_task_create(struct hd_thread *thread, uint64_t now, ompt_data_t *task, const void *address) {
  const struct hd_way step = note_creation(thread, true, now, task, address);
  if (step.counter && !hd_clock_is_paused())
    hd_thread_cell(thread, step.counter, HD_CELL_TASKS)->ticks++;
  return step.to->profile;
}

/* For the first time. */
static void count_run(struct hd_thread *thread, struct hd_row_record *row, uint64_t value, uint32_t creator) {
  if (creator != thread->record->id && !(value & HD_TASK_FOLDED) && !hd_clock_is_paused())
    hd_thread_cell(thread, row, HD_CELL_TASKS)->intrusion++;
}

bool hd_task_has_ended(ompt_task_status_t status) {
  return status == ompt_task_complete || status == ompt_task_cancel || status == ompt_task_detach;
}

static struct hd_frame *base_below(const struct hd_thread *thread, const struct hd_frame *base) {
  return thread->frames + base->base.below;
}

/* Below the current task, in the same implicit one. An explicit task knows its place on the stack of the thread where
 * it ran last: if that is another thread, or it has left the stack, something else is at this place here. An index too
 * large for its bits finds nothing, either; then it is only when an end was not sent that the task seems to begin anew.
 */
static bool is_suspended_here(const struct hd_thread *thread, const ompt_data_t *task) {
  const struct hd_frame *base = thread->base;
  if (base->kind != HD_KIND_TASK || !task)
    return false;
  const struct hd_frame *team = thread->frames + base->base.team;
  if (team->task == task)
    return true;
  const uint64_t value = hd_task_value(task);
  const struct hd_frame *place = thread->frames + hd_task_part(value, HD_TASK_BASE, HD_TASK_BASE_BITS);
  return value & HD_TASK_STARTED && place > team && place < base && place->kind == HD_KIND_TASK && place->task == task;
}

/* Tasks have been switched off, now or since one with this value was created: nothing of it is observed any more. */
static bool is_refused(uint64_t value, uint64_t now) {
  if (value & HD_TASK_UNSEEN)
    return true;
  if (!hd_budget_touched(HD_CLASS_TASK))
    return false;
  return hd_budget_refuses(HD_CLASS_TASK) || !(value & HD_TASK_KNOWN) ||
         !hd_task_is_of_epoch(value, hd_budget_task_epoch(), hd_budget_tasks_off_ticks(), now);
}

/* A wait that tasks have begun in that are not observed. */
static bool counts_as_work(const struct hd_thread *thread, const struct hd_frame *top) {
  return top > thread->base && hd_frame_is_wait(top->kind) && top->state == HD_BUSY;
}

/* In a window the thread waits again, once the tasks have ended that are not observed: else windows would see tasks,
 * but not the waits for them. */
static void wait_again(struct hd_thread *thread) {
  struct hd_frame *top = thread->top;
  const bool is_watched = thread->instruments & HD_INSTRUMENT_WATCHED;
  if (is_watched && counts_as_work(thread, top) && thread->unseen_tasks == top->wait.unseen_tasks) {
    top->state = (uint8_t)top->wait.state;
    top->waits = 0;
  }
}

/* What a task's value tells of where it was created, and by whom. */
static struct hd_known_task origin_of(uint64_t value) {
  if (hd_task_is_timed(value))
    return hd_known_task_at((uint32_t)hd_task_part(value, HD_TASK_NUMBER, HD_TASK_NUMBER_BITS));
  return (struct hd_known_task){(uint32_t)hd_task_part(value, HD_TASK_PROFILE, HD_TASK_PROFILE_BITS),
                                (uint32_t)hd_task_part(value, HD_TASK_BASE, HD_TASK_BASE_BITS)};
}

/* The task's first part, or a later part of an untied task, perhaps on another thread than before. */
static void resume(struct hd_thread *thread, uint64_t now, ompt_data_t *task) {
  wait_again(thread);
  struct hd_known_task origin = origin_of(hd_task_value(task));
  if (!(hd_task_value(task) & HD_TASK_KNOWN) || origin.profile == 0) { /* created before the tool listened */
    note_earlier_creation(thread, now, task);
    origin = origin_of(hd_task_value(task));
  }
  const uint64_t value = hd_task_value(task);
  struct hd_task_construct *construct = hd_task_is_timed(value) ? hd_task_construct_find(thread, origin.profile) : NULL;
  struct hd_row_record *row = construct ? construct->row : hd_thread_row(thread, origin.profile);
  if (!row)
    row = thread->top->row;
  const enum hd_what what = hd_measuring.has_routines ? HD_WHAT_TASK : HD_WHAT_ENTER;
  if (!(value & HD_TASK_STARTED)) {
    count_run(thread, row, value, origin.creator);
    thread->ring.what = hd_thread_count(thread, what, row, value & HD_TASK_FOLDED ? NULL : row);
  } else if (hd_measuring.has_routines) {
    thread->ring.what = HD_WHAT(HD_WHAT_TASK, row->profile) | HD_WHAT_UNCOUNTED;
  }
  thread->height += hd_measuring.has_routines;
  if (!hd_thread_put_frame(thread, row, HD_KIND_TASK, HD_BUSY))
    return;
  hd_thread_open_base(thread, task, NULL, 0); /* first: what is around it may be in an entry point of the runtime */
  hd_thread_switch(thread, now, row, HD_BUSY);
  hd_task_times_begin(thread, now, task, construct);
}

/* ---- tasks that are not observed ---- */

/* The lower half of the value of one that lies on the thread's stack. */
_Static_assert((int)HD_TASK_PROFILE + (int)HD_TASK_PROFILE_BITS == (int)HD_TASK_BASE && (int)HD_TASK_BASE == 32,
               "a thread's number and the flags are the lower half");
static uint32_t placed_on(const struct hd_thread *thread) {
  return (uint32_t)hd_task_bits(thread->record->id, HD_TASK_PROFILE, HD_TASK_PROFILE_BITS) | HD_TASK_PLACED;
}

/* Of one that begins now. */
static uint64_t placed_now(const struct hd_thread *thread) {
  const size_t index = (size_t)(thread->top - thread->frames);
  return index < 1u << HD_TASK_BASE_BITS ? placed_on(thread) | (uint64_t)index << HD_TASK_BASE
                                         : (uint64_t)HD_TASK_UNSEEN;
}

static void place(struct hd_thread *thread, ompt_data_t *task) {
  thread->unseen_tasks++;
  hd_task_set_value(task, placed_now(thread));
}

static bool is_placed_here(const struct hd_thread *thread, uint64_t value) {
  return (uint32_t)value == placed_on(thread);
}

static struct hd_frame *place_of(const struct hd_thread *thread, uint64_t value) {
  return thread->frames + hd_task_part(value, HD_TASK_BASE, HD_TASK_BASE_BITS);
}

/* It leaves the stack, rather than wait for what begins on top of it. */
static bool leaves_place(const struct hd_thread *thread, const ompt_data_t *prior, ompt_task_status_t status,
                         const ompt_data_t *next) {
  return prior && is_placed_here(thread, hd_task_value(prior)) &&
         (hd_task_has_ended(status) || !next || next == thread->base->task ||
          is_placed_here(thread, hd_task_value(next)) || is_suspended_here(thread, next));
}

/* Routines, say, that were left by a jump: a frame above its place. */
static bool has_left_open(const struct hd_thread *thread, const ompt_data_t *task) {
  const struct hd_frame *frame = place_of(thread, hd_task_value(task));
  return frame >= thread->base && frame < thread->top;
}

static void leave(struct hd_thread *thread, ompt_data_t *task) {
  thread->unseen_tasks -= thread->unseen_tasks > 0;
  hd_task_set_value(task, HD_TASK_UNSEEN);
}

static void leave_place(struct hd_thread *thread, uint64_t now, ompt_data_t *task) {
  struct hd_frame *frame = place_of(thread, hd_task_value(task));
  if (has_left_open(thread, task)) {
    hd_thread_drop_above(thread, frame);
    hd_thread_lower(thread, now);
    hd_thread_switch(thread, now, frame->row, frame->state);
  }
  leave(thread, task);
}

static bool is_in_entry_point(const struct hd_thread *thread) {
  return thread->base->base.busy_as != HD_BUSY;
}

/* It waits in a barrier or taskwait, or is in an entry point of the runtime: where a task begins unobserved it rather
 * works from then on. But not at a region's end, where nobody hears when that is over. */
static bool is_busy_if_begun(const struct hd_thread *thread) {
  const struct hd_frame *top = thread->top;
  const bool waits = top > thread->base && hd_frame_is_wait(top->kind) && top->state != HD_BUSY;
  return waits || is_in_entry_point(thread);
}

static void work_from_now_on(struct hd_thread *thread, uint64_t now) {
  const bool waits = thread->top > thread->base && hd_frame_is_wait(thread->top->kind);
  if (is_in_entry_point(thread))
    hd_unresolved_begin_entry(thread, false);
  if (waits) {
    hd_unresolved_begin_wait(thread);
    if (thread->top->state != HD_BUSY)
      thread->top->wait = (struct hd_frame_wait){thread->top->state, thread->unseen_tasks - 1};
  }
  thread->base->base.busy_as = HD_BUSY;
  hd_thread_set_state(thread, now, waits ? (uint32_t)HD_BUSY : thread->top->state);
}

static void begin_unseen(struct hd_thread *thread, uint64_t now, ompt_data_t *task) {
  if (is_placed_here(thread, hd_task_value(task)))
    return; /* goes on, when what ran on top of it has ended */
  place(thread, task);
  hd_budget_mark(thread->row, HD_CLASS_TASK);
  if (is_in_entry_point(thread)) /* what is left of that */
    hd_budget_mark(thread->row, HD_CLASS_ENTRY);
  if (is_busy_if_begun(thread))
    work_from_now_on(thread, now);
  hd_unresolved_begin_task(thread, now);
}

/* ---- what a change of tasks does ---- */

/* An untied task is switched out for one that already runs unobserved. */
static bool uncovers_unseen(const struct hd_thread *thread, const ompt_data_t *next) {
  const uint64_t value = hd_task_value(next);
  return is_placed_here(thread, value) && place_of(thread, value) < thread->base;
}

/* The innermost task leaves the stack. */
static bool closes_base(const struct hd_thread *thread, const ompt_data_t *prior, ompt_task_status_t status,
                        const ompt_data_t *next) {
  const struct hd_frame *base = thread->base;
  return base->kind == HD_KIND_TASK && base->task == prior &&
         (hd_task_has_ended(status) || !next || base_below(thread, base)->task == next ||
          uncovers_unseen(thread, next));
}

static inline void begin_out(struct hd_thread *thread, ompt_data_t *task) {
  place(thread, task);
  thread->refusals++;
  if (!hd_refuse_goes_on(thread, HD_CLASS_TASK))
    hd_unresolved_refuse(thread, HD_CLASS_TASK, 0);
}

__attribute__((noinline)) static bool leaves_out(struct hd_thread *thread, ompt_data_t *prior,
                                                 ompt_task_status_t status, ompt_data_t *next) {
  const bool goes_on = next && hd_task_value(next) & HD_TASK_STARTED && thread->base->kind == HD_KIND_TASK;
  const bool leaves = leaves_place(thread, prior, status, next);
  const bool begins = next && next != thread->base->task && !is_placed_here(thread, hd_task_value(next));
  if ((goes_on && !(hd_task_value(next) & HD_TASK_UNSEEN)) || closes_base(thread, prior, status, next) ||
      (leaves && has_left_open(thread, prior)) ||
      (begins && (is_busy_if_begun(thread) || hd_unresolved_is_known_wait(thread))))
    return false;
  if (leaves)
    leave(thread, prior);
  if (begins)
    begin_out(thread, next);
  return true;
}

/* The usual first, sooner: the thread works, and a task begins that nothing is known of, or ends on top of what it
 * began on. */
bool hd_task_leaves_out(struct hd_thread *thread, ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
  const struct hd_frame *base = thread->base;
  const struct hd_frame *implicit = base->kind == HD_KIND_TASK ? thread->frames + base->base.team : base;
  if (thread->top->state != HD_BUSY || is_in_entry_point(thread) || !prior || !next)
    return leaves_out(thread, prior, status, next);
  if (status == ompt_task_switch && next != implicit->task && hd_task_value(next) == 0) {
    begin_out(thread, next);
    return true;
  }
  if (status == ompt_task_complete && hd_task_value(prior) == placed_now(thread) &&
      (is_placed_here(thread, hd_task_value(next)) || (next == base->task && base == implicit))) {
    leave(thread, prior);
    return true;
  }
  return leaves_out(thread, prior, status, next);
}

void hd_task_return_to(struct hd_thread *thread, uint64_t now, const ompt_data_t *task) {
  if (!is_suspended_here(thread, task))
    return;
  while (thread->base->task != task)
    hd_thread_close_base(thread, now);
  hd_thread_tell_held(thread);
}

void hd_task_schedule(struct hd_thread *thread, uint64_t now, ompt_data_t *prior, ompt_task_status_t status,
                      ompt_data_t *next) {
  hd_task_notice(thread, now, prior);
  if (leaves_place(thread, prior, status, next))
    leave_place(thread, now, prior);
  if (closes_base(thread, prior, status, next))
    hd_task_times_end(thread, now, prior, hd_task_has_ended(status));
  if (!next || thread->base->task == next)
    return;
  hd_thread_tell_held(thread);
  if (is_suspended_here(thread, next))
    hd_task_return_to(thread, now, next);
  else if (is_refused(hd_task_value(next), now))
    begin_unseen(thread, now, next);
  else
    resume(thread, now, next);
}
