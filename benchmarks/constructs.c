/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OpenMP constructs with nothing in them, many in a row: what the runtime and a tool cost is all there is.
 *
 *   region       a parallel region
 *   loop         a loop with a static schedule, one iteration a thread, and its barrier
 *   loop-nowait  the same without the barrier
 *   dynamic      a loop of 1,024 chunks, handed out one by one, and its barrier
 *   single       without a barrier
 *   barrier
 *   critical     entered by all threads
 *   task         made by one thread, run by all
 *
 * Without arguments it takes commands from standard input, "CONSTRUCT COUNT" a line, and answers with the nanoseconds
 * that so many took: `run` (beside this file) lets several such processes take turns. Time is that of thread 0, after a
 * few constructs that are not timed, up to a barrier of all. Each thread meets COUNT constructs, but for tasks, of
 * which there are COUNT in all.
 *
 * usage: constructs [CONSTRUCT COUNT [TIMES]]  (with arguments: prints the nanoseconds of one, measured so many times)
 */
#include <omp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CHUNKS = 1024, UNTIMED_PART = 8 };

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void nothing(void) {
  __asm__ volatile("");
}

/* ---- COUNT of each construct, met by a thread that is in a region already ---- */

static void meet_loops(long count) {
  int threads = omp_get_num_threads();
  for (long i = 0; i < count; i++) {
#pragma omp for schedule(static)
    for (int thread = 0; thread < threads; thread++)
      nothing();
  }
}

static void meet_loops_nowait(long count) {
  int threads = omp_get_num_threads();
  for (long i = 0; i < count; i++) {
#pragma omp for schedule(static) nowait
    for (int thread = 0; thread < threads; thread++)
      nothing();
  }
}

static void meet_dynamic_loops(long count) {
  for (long i = 0; i < count; i++) {
#pragma omp for schedule(dynamic, 1)
    for (int chunk = 0; chunk < CHUNKS; chunk++)
      nothing();
  }
}

static void meet_singles(long count) {
  for (long i = 0; i < count; i++) {
#pragma omp single nowait
    nothing();
  }
}

static void meet_barriers(long count) {
  for (long i = 0; i < count; i++) {
#pragma omp barrier
  }
}

static void meet_criticals(long count) {
  for (long i = 0; i < count; i++) {
#pragma omp critical
    nothing();
  }
}

static void make_tasks(long count) {
  for (long i = 0; omp_get_thread_num() == 0 && i < count; i++) {
#pragma omp task
    nothing();
  }
}

/* ---- timing ---- */

static uint64_t time_regions(long count) {
  uint64_t begin = 0;
  for (long i = -(count / UNTIMED_PART); i < count; i++) {
    if (i == 0)
      begin = now_ns();
#pragma omp parallel
    nothing();
  }
  return now_ns() - begin;
}

static uint64_t time_inside(void (*meet)(long), long count) {
  uint64_t begin = 0, end = 0;
#pragma omp parallel
  {
    meet(count / UNTIMED_PART);
#pragma omp barrier
    if (omp_get_thread_num() == 0)
      begin = now_ns();
    meet(count);
#pragma omp barrier
    if (omp_get_thread_num() == 0)
      end = now_ns();
  }
  return end - begin;
}

static const struct construct {
  const char *name;
  void (*meet)(long); /* NULL: the region itself */
} constructs[] = {{"region", NULL},
                  {"loop", meet_loops},
                  {"loop-nowait", meet_loops_nowait},
                  {"dynamic", meet_dynamic_loops},
                  {"single", meet_singles},
                  {"barrier", meet_barriers},
                  {"critical", meet_criticals},
                  {"task", make_tasks}};

/* 0: no such construct, or no count. */
static uint64_t time_constructs(const char *name, long count) {
  for (size_t i = 0; count > 0 && i < sizeof constructs / sizeof *constructs; i++)
    if (!strcmp(constructs[i].name, name))
      return constructs[i].meet ? time_inside(constructs[i].meet, count) : time_regions(count);
  return 0;
}

static int take_commands(void) {
  char name[16];
  long count;
  /* A stopped process would outlive who stopped it. Not by prctl(3): for who imports that Heddle works differently
   * (support/inprocess/seccomp.h). */
  syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  while (scanf("%15s %ld", name, &count) == 2) {
    uint64_t ns = time_constructs(name, count);
    if (ns == 0)
      return 1;
    printf("%llu\n", (unsigned long long)ns);
    fflush(stdout);
  }
  return 0;
}

/* 0, or -1: time_constructs cannot. */
static int print_times(const char *name, long count, long times) {
  for (long i = 0; i < times; i++) {
    uint64_t ns = time_constructs(name, count);
    if (ns == 0)
      return -1;
    printf("%.1f ns\n", (double)ns / (double)count);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 1)
    return take_commands();
  long count = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
  long times = argc > 3 ? strtol(argv[3], NULL, 10) : 1;
  if (argc > 4 || times < 1 || print_times(argv[1], count, times)) {
    fputs("usage: constructs [CONSTRUCT COUNT [TIMES]]\n", stderr);
    return 2;
  }
  return 0;
}
