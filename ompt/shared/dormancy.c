/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/shared/dormancy.h"

#include "ompt/shared/clock.h"

enum { PATIENCE_MS = 10 };

struct hd_dormancy hd_dormancy;

void hd_dormancy_begin(struct hd_file_header *header, void (*wake)(void)) {
  hd_clock_pause_at_begin(header);
  header->flags |= HD_FILE_DORMANT;
  hd_dormancy.patience_ticks = PATIENCE_MS * hd_clock_ticks_per_ms(header->clock_first);
  hd_dormancy.wake = wake;
  hd_dormancy.was = true;
  __atomic_store_n(&hd_dormancy.is_asleep, true, __ATOMIC_RELEASE);
}

void hd_dormancy_end(void) {
  hd_dormancy.patience_end = hd_clock_raw() + hd_dormancy.patience_ticks;
  __atomic_store_n(&hd_dormancy.is_asleep, false, __ATOMIC_RELEASE);
}

void hd_dormancy_count(bool begins) {
  __atomic_fetch_add(&hd_dormancy.known, begins ? 1 : UINT32_MAX, __ATOMIC_RELAXED);
}

void hd_dormancy_introduced(void) {
  __atomic_fetch_add(&hd_dormancy.introduced, 1, __ATOMIC_RELAXED);
}

bool hd_dormancy_should_wait(void) {
  return hd_dormancy_was() && hd_clock_is_paused() && hd_clock_raw() < hd_dormancy.patience_end &&
         __atomic_load_n(&hd_dormancy.introduced, __ATOMIC_RELAXED) <
             __atomic_load_n(&hd_dormancy.known, __ATOMIC_RELAXED);
}
