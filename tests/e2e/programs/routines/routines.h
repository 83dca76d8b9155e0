/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For programs whose routines are instrumented (-finstrument-functions) and entered in a known state of the program.
 * The helpers, books.h and spin.h are not instrumented. The counts of such a program are exact whatever the machine
 * does: threads meet in user code, where both are busy, and a thread that must wait is given time until it surely does.
 */
#ifndef HEDDLE_TESTS_ROUTINES_H
#define HEDDLE_TESTS_ROUTINES_H

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define HELPER static inline __attribute__((no_instrument_function, unused))
#define inline inline __attribute__((no_instrument_function))
#include "books.h"
#undef inline
#define NOINLINE __attribute__((noinline))

static atomic_uint meetings;
static _Atomic int sleeper_id;
static pthread_t sleeper;

/* Returns when `threads` threads have called it; all are busy. Always the same number for one count of calls. */
HELPER void meet_at(atomic_uint *calls, unsigned threads) {
  unsigned number = atomic_fetch_add(calls, 1);
  while (atomic_load(calls) < (number / threads + 1) * threads)
    sched_yield();
}

HELPER void meet(unsigned threads) {
  meet_at(&meetings, threads);
}

/* The calling thread is about to wait in the runtime. */
HELPER void will_wait(void) {
  sleeper = pthread_self();
  atomic_store(&sleeper_id, (int)syscall(SYS_gettid));
}

HELPER uint64_t sleeper_cpu_ns(void) {
  clockid_t clock;
  struct timespec used = {0};
  if (pthread_getcpuclockid(sleeper, &clock) == 0)
    clock_gettime(clock, &used);
  return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

HELPER char sleeper_state(void) {
  char path[64], text[256] = "";
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", atomic_load(&sleeper_id));
  FILE *file = fopen(path, "r");
  char *end = file && fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
  if (file)
    fclose(file);
  return end ? end[2] : '?';
}

/* Until the thread that will wait does: it has slept for 20 ms, or spun for 20 ms of processor time. */
HELPER void until_it_waits(void) {
  while (!atomic_load(&sleeper_id))
    sched_yield();
  uint64_t begin_ns = sleeper_cpu_ns();
  for (int asleep = 0; asleep < 20 && sleeper_cpu_ns() - begin_ns < 20000000u;) {
    asleep = sleeper_state() == 'S' ? asleep + 1 : 0;
    usleep(1000);
  }
  atomic_store(&sleeper_id, 0);
}

/* Works in a routine's own code: its name in the books is `where`. */
HELPER void work_in(const char *where, double units) {
  work_at(where, units);
}

#endif
