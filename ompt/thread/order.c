/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/order.h"

#define BIT(order) (1u << HD_ORDER_##order)
enum {
  OF_LOCKS = BIT(ACQUIRED) | BIT(RELEASED),
  OF_WAITS = BIT(WAITS) | BIT(TRIES) | BIT(FAILED),
  OF_TASKS = (BIT(FAILED) << 1) - 1 - OF_LOCKS - OF_WAITS
};

void hd_order_init(bool path, bool locks, bool traced) {
  hd_measuring.keeps_order = path || traced;
  hd_measuring.keeps_locks = path || locks || traced;
  hd_measuring.keeps_waits = locks || traced;
  hd_measuring.logged_order = (path ? OF_TASKS | OF_LOCKS : 0) | (locks ? OF_LOCKS | OF_WAITS : 0);
}

void hd_order_log(struct hd_thread *thread, uint64_t now, enum hd_order order, uint64_t a, uint64_t b) {
  if (hd_order_is_logged(order)) {
    thread->ring.what = HD_WHAT(HD_WHAT_ORDER, order);
    thread->ring.payload[0].order = (struct hd_log_order){.a = a, .b = b};
    hd_thread_put_before(thread, now);
    now = hd_thread_time(thread, now); /* a sweep may have been there */
  }
  if (thread->instruments & HD_INSTRUMENT_TRACED)
    hd_trace_order(thread, now, order, a, b);
}
