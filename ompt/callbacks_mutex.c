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
static inline bool leave_out(const struct hd_thread *thread, ompt_mutex_t mutex) {
  if (kind_of_mutex(mutex) != HD_KIND_LOCK)
    hd_budget_mark(thread->row, HD_REFUSED_SECTION);
  return !(thread->pending & HD_PENDING_LOCK);
}

HD_APART bool refuse(ompt_mutex_t mutex) {
  if (!hd_budget_refuses(HD_CLASS_MUTEX))
    return false;
  const struct hd_thread *thread = hd_thread_known_soon();
  return !thread || leave_out(thread, mutex);
}

static inline bool is_refused(ompt_mutex_t mutex) {
  struct hd_thread *thread = hd_thread_current;
  return hd_budget_is_any_off() &&
         ((hd_refuse_at_once(thread, HD_CLASS_MUTEX) && leave_out(thread, mutex)) || refuse(mutex));
}

/* Nothing is open in the current task that an event could end. */
static inline bool ends_nothing(void) {
  const struct hd_thread *thread = hd_thread_current;
  return hd_refuse_goes_on(thread, HD_CLASS_MUTEX) && thread->top == thread->base;
}

static inline void wait_for(struct hd_thread *thread, uint64_t now, enum hd_kind kind, const void *lock,
                            const void *address) {
  const enum hd_state state = wait_for_mutex(kind);
  const struct hd_way step = hd_thread_step(thread, kind, address);
  hd_order_tell_wait(thread, now, HD_ORDER_WAITS, (uint64_t)(uintptr_t)lock, step.to->profile);
  thread->ring.what = hd_thread_count(thread, HD_WHAT_ENTER, step.to, step.counter);
  hd_thread_push(thread, now, step.to, kind, state);
  thread->top->task = (ompt_data_t *)(uintptr_t)lock;
}

HD_APART void acquire(ompt_mutex_t mutex, ompt_wait_id_t id, const void *address) {
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
    hd_order_tell_wait(thread, event.now, HD_ORDER_TRIES, id, step.to->profile);
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

void hd_callbacks_on_mutex_acquire(ompt_mutex_t mutex, unsigned hint, unsigned implementation, ompt_wait_id_t id,
                                   const void *address) {
  (void)hint, (void)implementation;
  if (!hd_thread_ignores() && !is_refused(mutex))
    acquire(mutex, id, address);
}

/* A lock's holder goes on in what surrounds it: locks need not nest, nor be released by who took them. */
static void end_lock_wait(struct hd_thread *thread, uint64_t now, ompt_wait_id_t id) {
  const bool waits = thread->pending & HD_PENDING_LOCK;
  if (waits) {
    thread->pending &= ~(uint32_t)HD_PENDING_LOCK;
    hd_ring_set_tentative(&thread->ring, false);
  }
  hd_order_tell_lock(thread, now, HD_ORDER_ACQUIRED, id);
  if (waits)
    hd_thread_pop(thread, now);
}

static void enter_mutex(struct hd_thread *thread, uint64_t now, enum hd_kind kind, const void *id) {
  if (thread->pending)
    hd_thread_settle(thread);
  hd_order_tell_lock(thread, now, HD_ORDER_ACQUIRED, (uint64_t)(uintptr_t)id);
  if (thread->top->kind == kind && (!hd_budget_has_switched() || thread->top->task == id))
    hd_thread_set_state(thread, now, HD_BUSY);
}

HD_APART void acquired(ompt_mutex_t mutex, ompt_wait_id_t id) {
  const enum hd_kind kind = kind_of_mutex(mutex);
  HD_EVENT struct hd_event event = hd_event_begin_unsettled(HD_EVENT_MUTEX_ACQUIRED);
  struct hd_thread *thread = event.thread; /* a lock's wait must not be settled */
  if (!thread)
    return;
  if (__builtin_expect(hd_samples_have_come(&thread->samples), false))
    hd_samples_take(thread, event.now);
  if (kind == HD_KIND_LOCK)
    end_lock_wait(thread, event.now, id);
  else
    enter_mutex(thread, event.now, kind, (const void *)(uintptr_t)id);
}

HD_APART bool is_unobserved(ompt_mutex_t mutex, ompt_wait_id_t id) {
  return hd_callbacks_is_unobserved_end(HD_CLASS_MUTEX, kind_of_mutex(mutex), (const void *)(uintptr_t)id);
}

void hd_callbacks_on_mutex_acquired(ompt_mutex_t mutex, ompt_wait_id_t id, const void *address) {
  (void)address;
  if (!hd_thread_ignores() && (!hd_budget_is_any_off() || !(ends_nothing() || is_unobserved(mutex, id))))
    acquired(mutex, id);
}

HD_APART void released(ompt_mutex_t mutex, ompt_wait_id_t id) {
  const enum hd_kind kind = kind_of_mutex(mutex);
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_MUTEX_RELEASED);
  struct hd_thread *thread = event.thread;
  if (!thread)
    return;
  hd_order_tell_lock(thread, event.now, HD_ORDER_RELEASED, id);
  if (kind != HD_KIND_LOCK)
    hd_thread_leave(thread, event.now, kind, (const void *)(uintptr_t)id);
}

/* Whoever gives a lock back goes on in what surrounds it, as before: nothing of his ends. */
static inline bool is_told(ompt_mutex_t mutex, ompt_wait_id_t id) {
  const enum hd_kind kind = kind_of_mutex(mutex);
  if (kind == HD_KIND_LOCK)
    return hd_order_of_locks_is_kept() && !hd_budget_is_off(HD_CLASS_MUTEX);
  if (kind == HD_KIND_OTHER)
    return false;
  return !hd_budget_is_any_off() || !(ends_nothing() || is_unobserved(mutex, id));
}

void hd_callbacks_on_mutex_released(ompt_mutex_t mutex, ompt_wait_id_t id, const void *address) {
  (void)address;
  if (!hd_thread_ignores() && is_told(mutex, id))
    released(mutex, id);
}
