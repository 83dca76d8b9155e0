/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/construct/known_tasks.h"

#include "ompt/thread/rows.h"
#include "support/inprocess/heap.h"
#include "support/inprocess/keep_errno.h"
#include "support/inprocess/list.h"
#include "support/inprocess/memory_budget.h"

/* A known task is all of its pointer: the profile, and the creator's number in the lowest bits. Profile 0, the
 * program's, is no task's, so none is NULL. */
enum { CREATOR_BITS = 15, NUMBER_END = 1 << HD_KNOWN_TASK_BITS };
_Static_assert((int)HD_ROW_THREADS_MOST <= 1 << CREATOR_BITS, "a thread's number fits");
_Static_assert(sizeof(uintptr_t) >= sizeof(uint64_t), "and a profile's");

static struct hd_list all; /* by number; there is no number 0 */
static uint32_t next_number = 1;

struct hd_known_task hd_known_task_at(uint32_t number) {
  if (number == 0 || number >= __atomic_load_n(&next_number, __ATOMIC_ACQUIRE))
    return (struct hd_known_task){0};
  const uintptr_t word = (uintptr_t)hd_list_at(&all, number);
  return (struct hd_known_task){(uint32_t)(word >> CREATOR_BITS), (uint32_t)word & ((1u << CREATOR_BITS) - 1)};
}

/* 0: there is none left. */
static uint32_t next(void) {
  uint32_t number = __atomic_load_n(&next_number, __ATOMIC_RELAXED);
  do
    if (number == NUMBER_END)
      return 0;
  while (!__atomic_compare_exchange_n(&next_number, &number, number + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  return number;
}

uint32_t hd_task_construct_take_number(struct hd_thread *thread, struct hd_task_construct *construct) {
  const uint32_t most = __atomic_load_n(&next_number, __ATOMIC_RELAXED);
  if (most == NUMBER_END || thread->record->id >= HD_ROW_THREADS_MOST || !hd_memory_has_room(HD_MEMORY_PATH, 0))
    return 0;
  hd_thread_leave_program(thread);
  HD_KEEP_ERRNO;
  const uint32_t number = next();
  if (number == 0 || !hd_list_make_place(&all, number))
    return 0;
  const uintptr_t word = (uintptr_t)construct->profile << CREATOR_BITS | thread->record->id;
  hd_list_put(&all, number, (void *)word); /* NOLINT(performance-no-int-to-ptr) */
  return construct->number = number;
}

static struct hd_task_construct *make(struct hd_thread *thread, uint32_t profile) {
  struct hd_thread_tasks *mine = &thread->tasks;
  const size_t bytes = sizeof(struct hd_task_construct) + hd_index_growth_bytes(&mine->index);
  if (!hd_memory_has_room(HD_MEMORY_PATH, bytes))
    return NULL;
  hd_thread_leave_program(thread);
  HD_KEEP_ERRNO;
  if ((!mine->index.slots && !hd_index_init(&mine->index)) || !hd_index_make_room(&mine->index))
    return NULL;
  struct hd_row_record *row = hd_thread_row(thread, profile);
  struct hd_task_construct *made = row ? hd_heap_allocate(1, sizeof *made) : NULL;
  if (!made)
    return NULL;
  made->profile = profile;
  made->row = row;
  hd_index_add(&mine->index, profile, made);
  return made;
}

struct hd_task_construct *hd_task_construct_find_slow(struct hd_thread *thread, uint32_t profile) {
  struct hd_thread_tasks *mine = &thread->tasks;
  struct hd_task_construct *found = mine->index.slots ? hd_index_find(&mine->index, profile) : NULL;
  if (!found)
    found = make(thread, profile);
  if (found)
    mine->recent[profile % HD_RECENT_TASKS] = found;
  return found;
}

struct hd_tasks_record *hd_task_construct_make_times(struct hd_thread *thread, struct hd_task_construct *construct) {
  if (!hd_memory_has_room(HD_MEMORY_PATH, sizeof(struct hd_tasks_record)))
    return NULL;
  hd_thread_leave_program(thread);
  HD_KEEP_ERRNO;
  struct hd_tasks_record *times =
      hd_store_add(&hd_store, &thread->tasks.cursor, HD_BLOCK_TASKS, thread->record->id, sizeof *times);
  if (!times)
    return NULL;
  times->profile = construct->row->profile;
  times->thread = thread->record->id;
  hd_store_publish(&thread->tasks.cursor);
  return construct->times = times;
}
