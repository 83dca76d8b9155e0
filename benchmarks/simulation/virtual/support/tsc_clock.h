/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file tsc_clock.h
 * Takes the place of support/tsc_clock.h in the traced library (../../seat.h): the processor's counter counts the time
 * of the thread that is played.
 */
#ifndef HEDDLE_BENCHMARKS_SIMULATION_TSC_CLOCK_H
#define HEDDLE_BENCHMARKS_SIMULATION_TSC_CLOCK_H

#define hd_processor_clock hd_processor_clock_of_this_machine
#include "../../../../support/tsc_clock.h"
#undef hd_processor_clock

uint64_t simulation_ticks(void);

static inline uint64_t hd_processor_clock(uint32_t shift) {
  (void)shift;
  return simulation_ticks();
}

#endif
