/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/command/profile_clock.h"

#include <time.h>

#include "support/tsc_clock.h"

static uint64_t monotonic_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

bool hd_profile_clock_read(uint32_t kind, struct hd_clock_pair *now) {
  now->ns = monotonic_ns();
  now->ticks = now->ns;
  if (kind == HD_CLOCK_MONOTONIC)
    return true;
  if (kind != HD_CLOCK_TSC || !HD_PROCESSOR_CLOCK)
    return false;
  now->ticks = hd_processor_clock(hd_processor_clock_shift());
  return true;
}

uint64_t hd_profile_clock_ticks(const struct hd_file_header *header, const struct hd_clock_pair *now) {
  const uint64_t paused = header->paused_ticks;
  if (header->paused_at_ticks)
    return header->paused_at_ticks;
  return now->ticks > paused ? now->ticks - paused : 0;
}
