/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file clock.h
 * The tool's time: ticks of the processor's invariant counter where there is one, else of CLOCK_MONOTONIC.
 *
 * Ticks are never converted inside the program. Pairs of (ticks, nanoseconds) taken at start and on cold paths go into
 * the profile; the longer the run, the more exact the reader's conversion (two pairs 0.1 s apart: below 1 ppm).
 *
 * The clock can be paused: it then stands still for all threads, and goes on where it stood. So a pause is in none of
 * the numbers, and every identity between them holds as if it had not been.
 */
#ifndef HEDDLE_OMPT_SHARED_CLOCK_H
#define HEDDLE_OMPT_SHARED_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "heddle-format.h"
#include "support/inprocess/alarms.h"
#include "support/inside.h"
#include "support/tsc_clock.h"

struct hd_clock {
  enum hd_clock_kind kind;
  const uint64_t *external; /* HD_CLOCK_EXTERNAL: where a test keeps its time */
  uint64_t paused_ticks;    /* of all pauses that have ended */
  uint64_t stands_at;       /* the time, plus 1; 0: it runs */
  uint32_t shift;           /* of the processor's counter: tsc_clock.h */
  bool measures_cpu;        /* processor time is measured, too (thread.h) */
};

extern HD_INSIDE struct hd_clock hd_clock;

/** One of the system's clocks. 0: it cannot be read. */
static inline uint64_t hd_clock_system_ns(clockid_t clock) {
  struct timespec time;
  return clock_gettime(clock, &time) ? 0 : (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static inline uint64_t hd_clock_monotonic_ns(void) {
  return hd_clock_system_ns(CLOCK_MONOTONIC);
}

/** Not the processor's counter: the system clock or a test's. */
uint64_t hd_clock_other(void);

/** Ticks of the counter, pauses included. */
static inline uint64_t hd_clock_raw(void) {
  return __builtin_expect(hd_clock.kind == HD_CLOCK_TSC, true) ? hd_processor_clock(hd_clock.shift) : hd_clock_other();
}

static inline bool hd_clock_is_paused(void) {
  return __atomic_load_n(&hd_clock.stands_at, __ATOMIC_ACQUIRE) != 0;
}

uint64_t hd_clock_now_slow(void);

/** Now, in ticks, when no alarm was set just before. A thread that is interrupted in here by a whole pause reads a time
 *  that is too early, never one that is too late. */
static inline uint64_t hd_clock_counter(void) {
  const uint64_t raw = hd_processor_clock(hd_clock.shift);
  return raw - __atomic_load_n(&hd_clock.paused_ticks, __ATOMIC_ACQUIRE);
}

/** Now, in ticks. Any thread. About 10 ns with the TSC (one unordered read), 25 ns with the system clock. */
static inline uint64_t hd_clock_now(void) {
  return __builtin_expect((hd_alarms_now() & HD_ALARM_BITS) == 0, true) ? hd_clock_counter() : hd_clock_now_slow();
}

/** Pauses the clock, or lets it go on; the profile's header says so. No effect when it stands, or runs, already. */
void hd_clock_pause(struct hd_file_header *header);
void hd_clock_resume(struct hd_file_header *header);

/** At start, before any thread has a record: it stands at the profile's begin, as if it had not run yet. */
void hd_clock_pause_at_begin(struct hd_file_header *header);

/** Pauses it or lets it go on, unless another thread, or this one when a signal interrupted it, is at it: false. */
bool hd_clock_try_change(struct hd_file_header *header, bool pause);

/** At the profile's end: a pause that has not ended ends there. Returns the time. */
uint64_t hd_clock_close(struct hd_file_header *header);

/** Chooses the clock: `external` if not NULL, else by `name` (auto, tsc, monotonic; auto takes the TSC only when the
 *  processor says it is invariant and the kernel itself has not given it up). Returns false for an unknown name. */
bool hd_clock_choose(const char *name, const uint64_t *external);

/** The same instant on both clocks, as close as a few tries can get (about 30 ns). */
struct hd_clock_pair hd_clock_read_pair(void);

/** Ticks of a millisecond, to about one in a thousand. `first`: an earlier pair, which is waited for to be 50 us old.
 */
uint64_t hd_clock_ticks_per_ms(struct hd_clock_pair first);

#endif
