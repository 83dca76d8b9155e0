/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/construct/task_times.h"

#include "ompt/construct/lengths.h"
#include "ompt/construct/task_value.h"

/* Heddle sees the thread's work, and the clock runs. */
static bool is_observed(const struct hd_thread *thread) {
  return !(thread->special & HD_SPECIAL_PAUSED) && !(thread->instruments & HD_INSTRUMENT_UNRESOLVED);
}

static uint32_t part_of(uint64_t value) {
  return (uint32_t)hd_task_part(value, HD_TASK_PART, HD_TASK_PART_BITS);
}

/* A task that is neither new nor away is still on another thread's stack: what that part takes will not be known here.
 */
void hd_task_times_begin(struct hd_thread *thread, uint64_t now, ompt_data_t *task,
                         struct hd_task_construct *construct) {
  const uint64_t value = hd_task_value(task);
  const uint32_t index = thread->innermost[HD_KIND_TASK];
  struct hd_frame_base *base = &thread->base->base;
  base->place.busy_at_begin = thread->record->busy_ticks;
  base->task = (struct hd_frame_task){.refusals = thread->refusals};
  if (!hd_task_is_timed(value)) {
    hd_task_set_value(task, hd_task_with_base(value, index) | HD_TASK_STARTED);
    return;
  }
  const bool is_first = !(value & HD_TASK_STARTED), is_away = value & HD_TASK_AWAY;
  base->task.part = is_first || is_away ? 0 : part_of(value) + 1;
  base->task.spent_ticks = is_away ? hd_task_spent(value) : 0;
  if (construct && (is_first || is_away) && is_observed(thread))
    base->task.times = hd_task_construct_times(thread, construct);
  if (is_first && base->task.times)
    hd_lengths_add(&base->task.times->delay, hd_task_delay(value, now));
  hd_task_set_value(task, hd_task_begun(value, hd_budget_task_epoch(), base->task.part, index));
}

/* Unless another thread has begun the next part meanwhile. */
static void put_away(ompt_data_t *task, uint32_t part, uint64_t ticks) {
  uint64_t value = hd_task_value(task);
  if (hd_task_is_timed(value) && !(value & HD_TASK_AWAY) && part_of(value) == part)
    __atomic_compare_exchange_n(&task->value, &value, hd_task_away(value, ticks), false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

void hd_task_times_end(struct hd_thread *thread, uint64_t now, ompt_data_t *task, bool has_ended) {
  const struct hd_frame_task part = thread->base->base.task;
  const uint64_t begin = thread->base->base.place.busy_at_begin, others = thread->base->base.others_ticks;
  hd_thread_close_base(thread, now);
  if (!part.times || part.refusals != thread->refusals)
    return;
  const uint64_t ticks = thread->record->busy_ticks - begin - others + part.spent_ticks;
  if (has_ended)
    hd_lengths_add(&part.times->run, ticks);
  else
    put_away(task, part.part, ticks);
}
