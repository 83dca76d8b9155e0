/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/settle.h"

#include "ompt/thread/barrier.h"
#include "ompt/thread/team.h"

void hd_thread_join(struct hd_thread *worker) {
  struct hd_region *region = worker->joining;
  uint64_t join = __atomic_load_n(&region->instance->join_ticks, __ATOMIC_ACQUIRE);
  if (!join)
    return;
  worker->pending &= ~(uint32_t)HD_PENDING_JOIN;
  worker->record->joining = 0;
  worker->woken_ticks = worker->event_ticks;
  worker->woken_intrusion = worker->record->intrusion;
  hd_barrier_end(worker);
  hd_thread_close_base(worker, join);
  __atomic_fetch_sub(&region->instance->pending, 1, __ATOMIC_RELEASE);
}

void hd_thread_settle(struct hd_thread *thread) {
  if (thread->pending & HD_PENDING_LOCK) {
    /* libomp 14 sends omp_test_lock's failure as an acquire of a plain lock. The thread never waited, so the time since
     * then, which is still uncharged, belongs to what it did before. */
    thread->pending &= ~(uint32_t)HD_PENDING_LOCK;
    hd_thread_unlink_top(thread);
    thread->top--;
    hd_thread_take_back(thread, thread->top->row, thread->top->state);
  }
  if (thread->pending & HD_PENDING_JOIN)
    hd_thread_join(thread);
}
