/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/batch.h"

/* What was taken is done with: owners may use the places again. */
static void release(struct hd_ring_record *ring) {
  if (ring->sweep.released != ring->sweep.tail)
    __atomic_store_n(&ring->sweep.released, ring->sweep.tail, __ATOMIC_RELEASE);
}

void hd_batch_take_all(struct hd_tallies *tallies, struct hd_window *window, struct hd_ring_record *const *rings,
                       uint32_t ring_count, uint64_t until) {
  hd_window_begin(window, tallies, until);
  for (uint32_t i = 0; i < ring_count; i++)
    if (rings[i])
      hd_window_add(window, rings[i], __atomic_load_n(&rings[i]->head, __ATOMIC_ACQUIRE));
  for (;;) {
    hd_window_integrate(window);
    hd_commit(tallies, window);
    if (window->is_finished)
      break;
    hd_window_continue(window, tallies);
  }
  for (uint32_t i = 0; i < ring_count; i++)
    if (rings[i])
      release(rings[i]);
}
