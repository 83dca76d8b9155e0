/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/introduction.h"

#include "callpath/callpath.h"
#include "ompt/shared/dormancy.h"
#include "ompt/thread/rows.h"
#include "support/inprocess/keep_errno.h"

enum { LEVELS_MOST = 16, TASK_INFO_KNOWN = 2, NOT_SHOWN = HD_STATE_COUNT };

/* The implicit tasks that lie on the thread's stack, from the innermost one on. */
struct surroundings {
  uint32_t count;
  bool is_worker; /* the innermost, or the one that is about to begin, is no primary thread's */
  struct {
    ompt_data_t *task;
    uint32_t number;
  } tasks[LEVELS_MOST];
};

struct hd_row_record *hd_thread_row_before(struct hd_thread *thread) {
  const uint32_t profile = hd_callpath_step(HD_PROGRAM_PROFILE, HD_KIND_BEFORE, NULL).profile;
  struct hd_row_record *row = hd_thread_row(thread, profile);
  return row ? row : thread->frames->row;
}

/* ---- what it is in ---- */

/* Only a primary thread also runs the task around its region. A region whose implicit task begins just now is told by
 * that event. */
static struct surroundings look_around(enum hd_event_kind kind) {
  struct surroundings found = {0};
  const bool begins = kind == HD_EVENT_IMPLICIT_BEGIN;
  if (kind == HD_EVENT_PARALLEL_END) /* the region that ends; the runtime has left it */
    found.tasks[found.count++].task = NULL;
  for (int level = 0; hd_measuring.get_task_info && found.count < LEVELS_MOST; level++) {
    int flags = 0, number = 0;
    ompt_data_t *task = NULL;
    if (hd_measuring.get_task_info(level, &flags, &task, NULL, NULL, &number) != TASK_INFO_KNOWN ||
        (flags & ompt_task_initial))
      break;
    if (!(flags & ompt_task_implicit))
      continue;
    found.is_worker |= found.count == 0 && number != 0;
    if (!begins || level > 0) {
      found.tasks[found.count].task = task;
      found.tasks[found.count++].number = (uint32_t)number;
    }
    if (number != 0)
      break;
  }
  return found;
}

static bool is_between_tasks(void) {
  const int state = hd_measuring.get_state ? hd_measuring.get_state(NULL) : ompt_state_undefined;
  return state == ompt_state_overhead || state == ompt_state_idle;
}

/* A worker is heard of again when it has left its last region, which libomp says at the next fork; or it is at its end.
 */
static bool comes_from_idling(const struct hd_thread *thread, enum hd_event_kind kind, const struct surroundings *in) {
  const bool leaves = kind == HD_EVENT_WAIT_END || kind == HD_EVENT_IMPLICIT_END;
  return thread->record->kind != HD_THREAD_INITIAL &&
         (kind == HD_EVENT_THREAD || (kind == HD_EVENT_IMPLICIT_BEGIN && in->is_worker) ||
          (leaves && is_between_tasks() && (in->count == 0 || in->is_worker)));
}

static void enter(struct hd_thread *thread, uint64_t now, const struct surroundings *in) {
  struct hd_row_record *row = in->count > 0 ? hd_thread_row_before(thread) : NULL;
  for (uint32_t i = in->count; i-- > 0;) {
    hd_thread_push(thread, now, row, HD_KIND_PARALLEL, HD_BUSY);
    hd_thread_open_base(thread, in->tasks[i].task, NULL, in->tasks[i].number);
  }
}

/* ---- what it did until now ---- */

static uint32_t wait_that_ends(void) {
  switch ((unsigned)(hd_measuring.get_state ? hd_measuring.get_state(NULL) : ompt_state_undefined)) {
  case ompt_state_wait_barrier_explicit:
    return HD_WAIT_BARRIER_EXPLICIT;
  case ompt_state_wait_barrier:
  case ompt_state_wait_barrier_implicit:
  case ompt_state_wait_barrier_implicit_parallel:
  case ompt_state_wait_barrier_implicit_workshare:
  case ompt_state_overhead: /* the region's last one */
    return HD_WAIT_BARRIER_IMPLICIT;
  case ompt_state_wait_taskwait:
    return HD_WAIT_TASKWAIT;
  case ompt_state_wait_taskgroup:
    return HD_WAIT_TASKGROUP;
  case ompt_state_wait_critical:
    return HD_WAIT_CRITICAL;
  case ompt_state_wait_lock:
    return HD_WAIT_LOCK;
  case ompt_state_wait_ordered:
    return HD_WAIT_ORDERED;
  case ompt_state_wait_atomic:
    return HD_WAIT_ATOMIC;
  default:
    return HD_WAIT_OTHER;
  }
}

/* The state that ends with this event; NOT_SHOWN: it may have been busy. */
static uint32_t state_before(enum hd_event_kind kind, bool was_idle) {
  if (was_idle)
    return HD_IDLE;
  return kind == HD_EVENT_WAIT_END || kind == HD_EVENT_MUTEX_ACQUIRED ? wait_that_ends() : (uint32_t)NOT_SHOWN;
}

static void account_for(struct hd_thread *thread, uint32_t state) {
  struct hd_thread_record *record = thread->record;
  const uint64_t begin = hd_store.header->loaded_ticks;
  const uint64_t ticks = record->begin_ticks > begin ? record->begin_ticks - begin : 0;
  if (ticks == 0)
    return;
  if (state != NOT_SHOWN && record->threads == 1) {
    hd_thread_cell(thread, thread->top->row, state)->ticks += ticks;
    __atomic_store_n(&record->begin_ticks, begin, __ATOMIC_RELEASE);
  } else if (thread->was_asleep) {
    __atomic_fetch_add(&hd_store.header->late_threads, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&hd_store.header->late_ticks, ticks, __ATOMIC_RELAXED);
  }
}

void hd_thread_introduce(struct hd_thread *thread, enum hd_event_kind kind) {
  HD_KEEP_ERRNO;
  thread->is_newcomer = false;
  hd_thread_leave_program(thread);
  const uint64_t now = thread->record->last_ticks;
  struct surroundings in = look_around(kind);
  const bool was_idle = comes_from_idling(thread, kind, &in);
  if (was_idle)
    in.count = 0;
  enter(thread, now, &in);
  account_for(thread, state_before(kind, was_idle));
  hd_dormancy_introduced();
}
