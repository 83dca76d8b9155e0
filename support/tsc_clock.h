/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file tsc_clock.h
 * The counter of time that the processor's programs may read: x86-64's time stamp counter, AArch64's virtual counter.
 *
 * AArch64's counts slowly, 24 million to a thousand million times a second: one event of Heddle's takes less than a
 * count. Its counts are therefore shifted so that a tick is a nanosecond or less. They then move on by several ticks at
 * once, but the mean of many short times keeps its fraction, where whole counts would round it to nothing.
 *
 * Neither counter is read in the order of the program: a processor may read it as early as the reads and writes before
 * it are on their way, by some hundred nanoseconds. Nothing relies on more. Any thread; constant time, no system call.
 */
#ifndef HEDDLE_SUPPORT_TSC_CLOCK_H
#define HEDDLE_SUPPORT_TSC_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#if defined(__x86_64__) || defined(__aarch64__)
#define HD_PROCESSOR_CLOCK 1 /* there is one */
#else
#define HD_PROCESSOR_CLOCK 0
#endif

/** By how many bits a counter of so many counts a second is shifted; 0, not known: by none. */
static inline uint32_t hd_processor_clock_shift_of(uint64_t counts_per_second) {
  uint32_t shift = 0;
  while (counts_per_second > 0 && counts_per_second << shift < 1000000000u)
    shift++;
  return shift;
}

/** The same for this processor's counter: what hd_processor_clock wants to be told. */
static inline uint32_t hd_processor_clock_shift(void) {
#if defined(__aarch64__)
  uint64_t counts_per_second;
  __asm__("mrs %0, cntfrq_el0" : "=r"(counts_per_second));
  return hd_processor_clock_shift_of((uint32_t)counts_per_second);
#else
  return 0;
#endif
}

/** Now, in ticks; 0 where there is no counter. */
static inline uint64_t hd_processor_clock(uint32_t shift) {
#if defined(__x86_64__)
  (void)shift;
  return __rdtsc();
#elif defined(__aarch64__)
  uint64_t counts;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(counts));
  return counts << shift;
#else
  (void)shift;
  return 0;
#endif
}

#endif
