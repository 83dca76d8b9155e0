/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/order.h"

void hd_order_log(struct hd_thread *thread, uint64_t now, enum hd_order order, uint64_t a, uint64_t b) {
  struct hd_ring *ring = &thread->ring;
  const uint32_t what = ring->what;
  const union hd_log_payload payload = ring->payload[0];
  ring->what = HD_WHAT(HD_WHAT_ORDER, order);
  ring->payload[0].order = (struct hd_log_order){.a = a, .b = b};
  hd_thread_put_before(thread, now);
  ring->what = what;
  ring->payload[0] = payload;
}
