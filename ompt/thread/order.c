/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/order.h"

void hd_order_log(struct hd_thread *thread, uint64_t now, enum hd_order order, uint64_t a, uint64_t b) {
  thread->ring.what = HD_WHAT(HD_WHAT_ORDER, order);
  thread->ring.payload[0].order = (struct hd_log_order){.a = a, .b = b};
  hd_thread_put_before(thread, now);
}
