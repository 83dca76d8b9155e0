/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For programs of known concurrency: each thread says where it works from now on, or that it is about to wait, and the
 * program prints these spans at the end. A test adds them up by brute force and compares Heddle's numbers with them.
 *   "span WHERE BEGIN_NS END_NS"     one thread worked in the construct that is marked WHERE in the source
 *   "window WHERE BEGIN_NS END_NS"   an instance of the region WHERE, seen from the thread that opened it
 *   "unit NS"                        the unit of the program's arithmetic
 * Work lasts until the clock says so. Arguments: UNIT_MS, then "spin" or "sleep", then a mode. A thread that sleeps in
 * the program's own code is as busy as one that spins there, but leaves the processor alone: then a team may be larger
 * than the machine and still keep to its times. The main thread is "outside" once the books are open.
 */
#ifndef HEDDLE_TESTS_BOOKS_H
#define HEDDLE_TESTS_BOOKS_H

#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>

#include "spin.h"

enum { BOOKS_SPANS = 4096 };

static struct span {
  const char *where;
  uint64_t begin_ns, end_ns;
} spans[BOOKS_SPANS], windows[BOOKS_SPANS];
static atomic_uint span_count, window_count;
static _Thread_local const char *work_place;
static _Thread_local uint64_t work_since_ns;
static uint64_t unit_ns;
static int work_sleeps;
static const char *mode = "";

static inline void add_span(const char *where, uint64_t begin_ns, uint64_t end_ns) {
  spans[atomic_fetch_add(&span_count, 1) % BOOKS_SPANS] = (struct span){where, begin_ns, end_ns};
}

/* From now on the calling thread works at `where`; NULL: it does not. Returns where it was until now. */
static inline const char *at(const char *where) {
  const char *before = work_place;
  uint64_t now = now_ns();
  if (before)
    add_span(before, work_since_ns, now);
  work_place = where;
  work_since_ns = now;
  return before;
}

/* The region `where`, which began at begin_ns, has ended. */
static inline void window(const char *where, uint64_t begin_ns) {
  windows[atomic_fetch_add(&window_count, 1) % BOOKS_SPANS] = (struct span){where, begin_ns, now_ns()};
}

static inline void work(double units) {
  uint64_t end = now_ns() + (uint64_t)(units * (double)unit_ns);
  struct timespec until = {.tv_sec = (time_t)(end / 1000000000u), .tv_nsec = (long)(end % 1000000000u)};
  if (work_sleeps)
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
  while (now_ns() < end)
    ;
}

/* Works as if at `where`, then goes on as before: a task, for example. */
static inline void work_at(const char *where, double units) {
  const char *before = at(where);
  work(units);
  at(before);
}

static inline int mode_is(const char *name) {
  return !strcmp(mode, name);
}

static inline void print_spans(const char *what, const struct span *list, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    printf("%s %s %llu %llu\n", what, list[i].where, (unsigned long long)list[i].begin_ns,
           (unsigned long long)list[i].end_ns);
}

static inline void close_books(void) {
  at(NULL);
  if (span_count > BOOKS_SPANS || window_count > BOOKS_SPANS)
    exit(99); /* the books are full */
  printf("unit %llu\n", (unsigned long long)unit_ns);
  print_spans("span", spans, span_count);
  print_spans("window", windows, window_count);
  fflush(stdout);
}

/* Also loads the tool and starts the threads, so that the regions that are measured find them. */
static inline void open_books(int argc, char **argv) {
  unit_ns = (argc > 1 ? strtoul(argv[1], NULL, 10) : 50) * UINT64_C(1000000);
  work_sleeps = argc > 2 && !strcmp(argv[2], "sleep");
  if (argc > 3)
    mode = argv[3];
  prctl(PR_SET_TIMERSLACK, 1); /* sleep as exactly as can be: also the threads that this one starts */
#pragma omp parallel
  {
#pragma omp barrier
  }
  at("outside");
}

#endif
