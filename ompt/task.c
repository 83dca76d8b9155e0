/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/task.h"

#include "ompt/tool.h"

/* task_data->value of an explicit task: the profile's id above these bits, and above it how often tasks had been
 * switched off when it was created (budget.h). Folded: there was no space for its callpath, it is not counted. Unseen:
 * it runs, or has run, unobserved; nothing else is set then. */
enum {
  TASK_KNOWN = 1,
  TASK_STARTED = 2,
  TASK_FOLDED = 4,
  TASK_UNSEEN = 8,
  TASK_PROFILE_SHIFT = 4,
  TASK_EPOCH_SHIFT = 36
};

void hd_task_create(struct hd_thread *thread, ompt_data_t *task, const void *address) {
  const struct hd_edge *step = hd_thread_step(thread, HD_KIND_TASK, address);
  const struct hd_row_record *row = step->to;
  const uint64_t epoch = hd_budget_task_epoch();
  task->value = epoch << TASK_EPOCH_SHIFT | (uint64_t)row->profile << TASK_PROFILE_SHIFT | TASK_KNOWN |
                (step->counter ? 0 : TASK_FOLDED);
}

static bool has_ended(ompt_task_status_t status) {
  return status == ompt_task_complete || status == ompt_task_cancel || status == ompt_task_detach;
}

static struct hd_frame *base_below(const struct hd_thread *thread, const struct hd_frame *base) {
  return thread->frames + base->base.below;
}

static bool is_suspended_here(const struct hd_thread *thread, const ompt_data_t *task) {
  const struct hd_frame *base = thread->base;
  while (base != thread->frames && base->kind == HD_KIND_TASK) {
    base = base_below(thread, base);
    if (base->task == task)
      return true;
  }
  return false;
}

/* Tasks have been switched off, now or since this one was created: nothing of it is observed any more. */
static bool is_refused(const ompt_data_t *task) {
  if (task->value & TASK_UNSEEN)
    return true;
  const bool is_known = task->value & TASK_KNOWN;
  return hd_budget_touched(HD_CLASS_TASK) &&
         (hd_budget_refuses(HD_CLASS_TASK) || !is_known || task->value >> TASK_EPOCH_SHIFT != hd_budget_task_epoch());
}

void hd_task_leave_out(ompt_data_t *task) {
  task->value = TASK_UNSEEN;
}

/* The task's first part, or a later part of an untied task, perhaps on another thread than before. */
static void resume(struct hd_thread *thread, uint64_t now, ompt_data_t *task) {
  if (is_refused(task)) {
    hd_task_leave_out(task);
    return;
  }
  if (!(task->value & TASK_KNOWN)) /* created before the tool listened */
    hd_task_create(thread, task, NULL);
  struct hd_row_record *row = hd_thread_row(thread, (uint32_t)(task->value >> TASK_PROFILE_SHIFT));
  if (!row)
    row = thread->top->row;
  const bool first = !(task->value & TASK_STARTED);
  const enum hd_what what = hd_tool.has_routines ? HD_WHAT_TASK : HD_WHAT_ENTER;
  if (first)
    thread->ring.what = hd_thread_count(thread, what, row, task->value & TASK_FOLDED ? NULL : row);
  else if (hd_tool.has_routines)
    thread->ring.what = HD_WHAT(HD_WHAT_TASK, row->profile) | HD_WHAT_UNCOUNTED;
  thread->height += hd_tool.has_routines;
  hd_thread_push(thread, now, row, HD_KIND_TASK, HD_BUSY);
  hd_thread_open_base(thread, task, NULL, 0);
  task->value |= TASK_STARTED;
}

/* An untied task that waits in nothing is switched out for one that already runs unobserved: that one lies beneath it,
 * though no frame says so. */
static bool uncovers_unseen(const struct hd_thread *thread, const ompt_data_t *next) {
  return next->value & TASK_UNSEEN && thread->top == thread->base;
}

/* The innermost task leaves the stack. */
static bool closes_base(const struct hd_thread *thread, const ompt_data_t *prior, ompt_task_status_t status,
                        const ompt_data_t *next) {
  const struct hd_frame *base = thread->base;
  return base->kind == HD_KIND_TASK && base->task == prior &&
         (has_ended(status) || !next || base_below(thread, base)->task == next || uncovers_unseen(thread, next));
}

/* What is not observed has not started, as far as anybody knows. */
bool hd_task_is_observed(const struct hd_thread *thread, const ompt_data_t *prior, ompt_task_status_t status,
                         const ompt_data_t *next) {
  const bool goes_on = next && next->value & TASK_STARTED && thread->base->kind == HD_KIND_TASK;
  return goes_on || closes_base(thread, prior, status, next);
}

void hd_task_return_to(struct hd_thread *thread, uint64_t now, const ompt_data_t *task) {
  if (!is_suspended_here(thread, task))
    return;
  while (thread->base->task != task)
    hd_thread_close_base(thread, now);
}

void hd_task_schedule(struct hd_thread *thread, uint64_t now, const ompt_data_t *prior, ompt_task_status_t status,
                      ompt_data_t *next) {
  hd_task_notice(thread, now, prior);
  if (closes_base(thread, prior, status, next))
    hd_thread_close_base(thread, now);
  if (!next || thread->base->task == next)
    return;
  if (is_suspended_here(thread, next))
    hd_task_return_to(thread, now, next);
  else
    resume(thread, now, next);
}
