/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Critical sections, locks, ordered and atomic. */
#include "ompt/callbacks.h"
#include "ompt/thread/order.h"
#include "ompt/thread/unresolved.h"

/* Not tables: what follows is compiled for each state. */
static enum hd_kind kind_of_mutex(ompt_mutex_t kind) {
  switch ((unsigned)kind) {
  case ompt_mutex_lock:
  case ompt_mutex_test_lock:
  case ompt_mutex_nest_lock:
  case ompt_mutex_test_nest_lock:
    return HD_KIND_LOCK;
  case ompt_mutex_critical:
    return HD_KIND_CRITICAL;
  case ompt_mutex_atomic:
    return HD_KIND_ATOMIC;
  case ompt_mutex_ordered:
    return HD_KIND_ORDERED;
  default:
    return HD_KIND_OTHER;
  }
}

static enum hd_state wait_for_mutex(enum hd_kind kind) {
  switch (kind) {
  case HD_KIND_LOCK:
    return HD_WAIT_LOCK;
  case HD_KIND_CRITICAL:
    return HD_WAIT_CRITICAL;
  case HD_KIND_ATOMIC:
    return HD_WAIT_ATOMIC;
  case HD_KIND_ORDERED:
    return HD_WAIT_ORDERED;
  default:
    return HD_WAIT_OTHER;
  }
}

/* A test of a lock that failed has ended by now. */
static bool refuse_mutex(ompt_mutex_t mutex) {
  if (!hd_budget_refuses(HD_CLASS_MUTEX))
    return false;
  const struct hd_thread *thread = hd_thread_known_soon();
  if (thread && kind_of_mutex(mutex) != HD_KIND_LOCK)
    hd_budget_mark(thread->row, HD_REFUSED_SECTION);
  return !thread || !(thread->pending & HD_PENDING_LOCK);
}

static inline void wait_for(struct hd_thread *thread, uint64_t now, enum hd_kind kind, const void *lock,
                            const void *address) {
  hd_callbacks_enter(thread, now, kind, address, wait_for_mutex(kind));
  thread->top->task = (ompt_data_t *)(uintptr_t)lock;
}

void hd_callbacks_on_mutex_acquire(ompt_mutex_t mutex, unsigned hint, unsigned implementation, ompt_wait_id_t id,
                                   const void *address) {
  (void)hint, (void)implementation;
  if (hd_thread_ignores() || refuse_mutex(mutex))
    return;
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_MUTEX_ACQUIRE);
  struct hd_thread *thread = event.thread;
  if (!thread)
    return;
  const void *lock = (const void *)(uintptr_t)id;
  const enum hd_kind kind = kind_of_mutex(mutex);
  if (hd_budget_is_off(HD_CLASS_MUTEX)) {
    hd_budget_mark(thread->row, HD_CLASS_MUTEX);
    if (kind != HD_KIND_LOCK)
      hd_budget_mark(thread->row, HD_REFUSED_SECTION);
    hd_thread_set_state(thread, event.now, thread->top->state);
    hd_unresolved_begin(thread, event.now);
  } else if (kind == HD_KIND_OTHER) {
    hd_callbacks_count_unknown();
  } else if (mutex == ompt_mutex_test_lock || mutex == ompt_mutex_test_nest_lock) {
    const struct hd_way step = hd_thread_step(thread, kind, address);
    thread->ring.what = hd_thread_count(thread, HD_WHAT_ENTER, step.to, step.counter);
    hd_thread_set_state(thread, event.now, thread->top->state); /* a test never waits */
  } else if (kind == HD_KIND_CRITICAL) {                        /* what it needs is known when this is compiled */
    wait_for(thread, event.now, HD_KIND_CRITICAL, lock, address);
  } else {
    if (kind == HD_KIND_LOCK)
      hd_ring_set_tentative(&thread->ring, true);
    wait_for(thread, event.now, kind, lock, address);
    if (kind == HD_KIND_LOCK)
      thread->pending |= HD_PENDING_LOCK;
  }
}

/* A lock's holder goes on in what surrounds it: locks need not nest, nor be released by who took them. */
static void end_lock_wait(struct hd_thread *thread, uint64_t now, ompt_wait_id_t id) {
  const bool waits = thread->pending & HD_PENDING_LOCK;
  if (waits) {
    thread->pending &= ~(uint32_t)HD_PENDING_LOCK;
    hd_ring_set_tentative(&thread->ring, false);
  }
  hd_order_tell(thread, now, HD_ORDER_ACQUIRED, id, 0);
  if (waits)
    hd_thread_pop(thread, now);
}

static void enter_mutex(struct hd_thread *thread, uint64_t now, enum hd_kind kind, const void *id) {
  if (thread->pending)
    hd_thread_settle(thread);
  hd_order_tell(thread, now, HD_ORDER_ACQUIRED, (uint64_t)(uintptr_t)id, 0);
  if (thread->top->kind == kind && (!hd_budget_has_switched() || thread->top->task == id))
    hd_thread_set_state(thread, now, HD_BUSY);
}

void hd_callbacks_on_mutex_acquired(ompt_mutex_t mutex, ompt_wait_id_t id, const void *address) {
  (void)address;
  enum hd_kind kind = kind_of_mutex(mutex);
  if (hd_thread_ignores() || hd_callbacks_is_unobserved_end(HD_CLASS_MUTEX, kind, (const void *)(uintptr_t)id))
    return;
  HD_EVENT struct hd_event event = hd_event_begin_unsettled(HD_EVENT_MUTEX_ACQUIRED);
  struct hd_thread *thread = event.thread; /* a lock's wait must not be settled */
  if (!thread)
    return;
  if (__builtin_expect(hd_samples_have_come(&thread->samples), false))
    hd_samples_take(thread);
  if (kind == HD_KIND_LOCK)
    end_lock_wait(thread, event.now, id);
  else
    enter_mutex(thread, event.now, kind, (const void *)(uintptr_t)id);
}

/* Whoever gives a lock back goes on in what surrounds it, as before. */
static bool is_told(enum hd_kind kind, const void *lock) {
  if (kind == HD_KIND_LOCK)
    return hd_order_is_kept() && !hd_budget_is_off(HD_CLASS_MUTEX);
  return kind != HD_KIND_OTHER && !hd_callbacks_is_unobserved_end(HD_CLASS_MUTEX, kind, lock);
}

void hd_callbacks_on_mutex_released(ompt_mutex_t mutex, ompt_wait_id_t id, const void *address) {
  (void)address;
  enum hd_kind kind = kind_of_mutex(mutex);
  const void *lock = (const void *)(uintptr_t)id;
  if (hd_thread_ignores() || !is_told(kind, lock))
    return;
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_MUTEX_RELEASED);
  struct hd_thread *thread = event.thread;
  if (!thread)
    return;
  hd_order_tell(thread, event.now, HD_ORDER_RELEASED, id, 0);
  if (kind != HD_KIND_LOCK)
    hd_thread_leave(thread, event.now, kind, lock);
}
