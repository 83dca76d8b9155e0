/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/construct/task.h"

#include "ompt/shared/dormancy.h"
#include "ompt/shared/measuring.h"
#include "ompt/thread/barrier.h"
#include "ompt/thread/budget.h"
#include "ompt/thread/introduction.h"
#include "ompt/thread/step.h"
#include "ompt/thread/unresolved.h"

/* task_data->value of an explicit task, from the lowest bit: these four; the profile's id; the index of the base frame
 * that it had when it ran last, and before that the thread that created it; how often tasks had been switched off when
 * it was created (budget.h). Folded: there was no space for its callpath, it is not counted. Unseen: it runs, or has
 * run, unobserved. While it runs, and lies on the stack of a thread though no frame says so, it is placed: then the
 * other numbers are the thread's, instead of a profile's, and the index of the frame that was the innermost when it
 * began. */
enum { TASK_KNOWN = 1, TASK_STARTED = 2, TASK_FOLDED = 4, TASK_UNSEEN = 8, TASK_PLACED = TASK_UNSEEN | TASK_STARTED };
enum { PROFILE_SHIFT = 4, PROFILE_BITS = 26, BASE_SHIFT = 31, BASE_BITS = 22, EPOCH_SHIFT = 53, EPOCH_BITS = 11 };
_Static_assert(HD_WHAT_UNCOUNTED == 1u << PROFILE_BITS, "a transition has as many bits for a profile");

static uint64_t bits(uint64_t number, int shift, int count) {
  return (number & ((1u << count) - 1)) << shift;
}

static uint32_t part(uint64_t value, int shift, int count) {
  return (uint32_t)(value >> shift) & ((1u << count) - 1);
}

/* Another thread may have begun to run the rest of an untied task, before this one has quite ended its part. */
static uint64_t value_of(const ompt_data_t *task) {
  return __atomic_load_n(&task->value, __ATOMIC_RELAXED);
}

static void set_value(ompt_data_t *task, uint64_t value) {
  __atomic_store_n(&task->value, value, __ATOMIC_RELAXED);
}

_Static_assert((int)HD_ROW_THREADS_MOST <= 1 << BASE_BITS, "a thread's number fits where the frame's index is later");

static void note_profile(const struct hd_thread *thread, ompt_data_t *task, uint32_t profile, bool is_folded) {
  set_value(task, bits(hd_budget_task_epoch(), EPOCH_SHIFT, EPOCH_BITS) |
                      bits(thread->record->id, BASE_SHIFT, BASE_BITS) | bits(profile, PROFILE_SHIFT, PROFILE_BITS) |
                      TASK_KNOWN | (is_folded ? TASK_FOLDED : 0));
}

static struct hd_way note_creation(struct hd_thread *thread, ompt_data_t *task, const void *address) {
  const struct hd_way step = hd_thread_step(thread, HD_KIND_TASK, address);
  note_profile(thread, task, step.to->profile, !step.counter);
  return step;
}

static void note_earlier_creation(struct hd_thread *thread, ompt_data_t *task) {
  if (hd_dormancy_was())
    note_profile(thread, task, hd_thread_row_before(thread)->profile, true);
  else
    note_creation(thread, task, NULL);
}

uint32_t hd_task_profile(const ompt_data_t *task) {
  return part(value_of(task), PROFILE_SHIFT, PROFILE_BITS);
}

void hd_task_create(struct hd_thread *thread, ompt_data_t *task, const void *address) {
  const struct hd_way step = note_creation(thread, task, address);
  if (step.counter && !hd_clock_is_paused())
    hd_thread_cell(thread, step.counter, HD_CELL_TASKS)->ticks++;
}

/* For the first time. */
static void count_run(struct hd_thread *thread, struct hd_row_record *row, uint64_t value) {
  const bool elsewhere = part(value, BASE_SHIFT, BASE_BITS) != thread->record->id;
  if (elsewhere && !(value & TASK_FOLDED) && !hd_clock_is_paused())
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
  const uint64_t value = value_of(task);
  const struct hd_frame *place = thread->frames + part(value, BASE_SHIFT, BASE_BITS);
  return value & TASK_STARTED && place > team && place < base && place->kind == HD_KIND_TASK && place->task == task;
}

/* Tasks have been switched off, now or since one with this value was created: nothing of it is observed any more. */
static bool is_refused(uint64_t value) {
  if (value & TASK_UNSEEN)
    return true;
  if (!hd_budget_touched(HD_CLASS_TASK))
    return false;
  const uint64_t epoch = bits(hd_budget_task_epoch(), EPOCH_SHIFT, EPOCH_BITS);
  return hd_budget_refuses(HD_CLASS_TASK) || !(value & TASK_KNOWN) ||
         bits(value >> EPOCH_SHIFT, EPOCH_SHIFT, EPOCH_BITS) != epoch;
}

/* A wait that tasks have begun in that are not observed. */
static bool counts_as_work(const struct hd_thread *thread, const struct hd_frame *top) {
  return top > thread->base && hd_frame_is_wait(top->kind) && top->state == HD_BUSY;
}

static uint64_t with_base(uint64_t value, uint32_t index) {
  const uint64_t known = index < 1u << BASE_BITS ? index : 0;
  return (value & ~bits(UINT64_MAX, BASE_SHIFT, BASE_BITS)) | known << BASE_SHIFT;
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

/* The task's first part, or a later part of an untied task, perhaps on another thread than before. */
static void resume(struct hd_thread *thread, uint64_t now, ompt_data_t *task) {
  wait_again(thread);
  if (!(value_of(task) & TASK_KNOWN)) /* created before the tool listened */
    note_earlier_creation(thread, task);
  const uint64_t value = value_of(task);
  struct hd_row_record *row = hd_thread_row(thread, part(value, PROFILE_SHIFT, PROFILE_BITS));
  if (!row)
    row = thread->top->row;
  const bool first = !(value & TASK_STARTED);
  const enum hd_what what = hd_measuring.has_routines ? HD_WHAT_TASK : HD_WHAT_ENTER;
  if (first) {
    count_run(thread, row, value);
    thread->ring.what = hd_thread_count(thread, what, row, value & TASK_FOLDED ? NULL : row);
  } else if (hd_measuring.has_routines) {
    thread->ring.what = HD_WHAT(HD_WHAT_TASK, row->profile) | HD_WHAT_UNCOUNTED;
  }
  thread->height += hd_measuring.has_routines;
  if (!hd_thread_put_frame(thread, row, HD_KIND_TASK, HD_BUSY))
    return;
  hd_thread_open_base(thread, task, NULL, 0); /* first: what is around it may be in an entry point of the runtime */
  hd_thread_switch(thread, now, row, HD_BUSY);
  set_value(task, with_base(value, thread->innermost[HD_KIND_TASK]) | TASK_STARTED);
}

/* ---- tasks that are not observed ---- */

static void place(struct hd_thread *thread, ompt_data_t *task) {
  const size_t index = (size_t)(thread->top - thread->frames);
  const uint64_t id = bits(thread->record->id, PROFILE_SHIFT, PROFILE_BITS);
  thread->unseen_tasks++;
  set_value(task, index < 1u << BASE_BITS ? with_base(TASK_PLACED | id, (uint32_t)index) : TASK_UNSEEN);
}

static bool is_placed_here(const struct hd_thread *thread, uint64_t value) {
  return (value & TASK_PLACED) == TASK_PLACED && part(value, PROFILE_SHIFT, PROFILE_BITS) == thread->record->id;
}

static struct hd_frame *place_of(const struct hd_thread *thread, uint64_t value) {
  return thread->frames + part(value, BASE_SHIFT, BASE_BITS);
}

/* It leaves the stack, rather than wait for what begins on top of it. */
static bool leaves_place(const struct hd_thread *thread, const ompt_data_t *prior, ompt_task_status_t status,
                         const ompt_data_t *next) {
  return prior && is_placed_here(thread, value_of(prior)) &&
         (hd_task_has_ended(status) || !next || next == thread->base->task || is_placed_here(thread, value_of(next)) ||
          is_suspended_here(thread, next));
}

/* Routines, say, that were left by a jump: a frame above its place. */
static bool has_left_open(const struct hd_thread *thread, const ompt_data_t *task) {
  const struct hd_frame *frame = place_of(thread, value_of(task));
  return frame >= thread->base && frame < thread->top;
}

static void leave(struct hd_thread *thread, ompt_data_t *task) {
  thread->unseen_tasks -= thread->unseen_tasks > 0;
  set_value(task, TASK_UNSEEN);
}

static void leave_place(struct hd_thread *thread, uint64_t now, ompt_data_t *task) {
  struct hd_frame *frame = place_of(thread, value_of(task));
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
  if (is_placed_here(thread, value_of(task)))
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
  const uint64_t value = value_of(next);
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

bool hd_task_leaves_out(struct hd_thread *thread, ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
  const bool goes_on = next && value_of(next) & TASK_STARTED && thread->base->kind == HD_KIND_TASK;
  const bool leaves = leaves_place(thread, prior, status, next);
  const bool begins = next && next != thread->base->task && !is_placed_here(thread, value_of(next));
  if ((goes_on && !(value_of(next) & TASK_UNSEEN)) || closes_base(thread, prior, status, next) ||
      (leaves && has_left_open(thread, prior)) ||
      (begins && (is_busy_if_begun(thread) || hd_unresolved_is_known_wait(thread))))
    return false;
  if (leaves)
    leave(thread, prior);
  if (begins) {
    place(thread, next);
    hd_unresolved_refuse(thread, HD_CLASS_TASK, 0);
  }
  return true;
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
    hd_thread_close_base(thread, now);
  if (!next || thread->base->task == next)
    return;
  hd_thread_tell_held(thread);
  if (is_suspended_here(thread, next))
    hd_task_return_to(thread, now, next);
  else if (is_refused(value_of(next)))
    begin_unseen(thread, now, next);
  else
    resume(thread, now, next);
}
