/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Markers of heddle.h around work of known length; with OpenMP or without it (then a region is run by one thread).
 * work(BOOK, ms) spins and enters its time in a book; at the end "did BOOK NS" is printed for each.
 *
 * With LONGER=N in the environment all work is N times as long. A second argument, "warm": first a region of two
 * threads, so that starting the runtime is no part of anything else.
 *
 *   phases      "read" once around `read`; "solve" twice around `solve`, the first time also around "assemble" twice
 *               (`assemble`) and a region of two threads: `team0` on the first, "inner" around `inner` on the second
 *   nested      "a" inside "a": both visits and all of `a` are one phase's
 *   pause       `before`, then twice a pause (`paused`, in it a phase "unseen"), the second asked for and ended twice;
 *               then `after`. All but `paused` is measured
 *   unbalanced  5 markers without their partners: the end of "never", an end of nothing, "inner" ended by the end of
 *               "outer", "left" begun in a region and left there, "open" never ended
 *   threads     in the phase "both" of the first thread two pthreads, each in a phase "worker" (`worker0`, `worker1`):
 *               a phase of their own, not below "both"
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "heddle.h"

#ifdef _OPENMP
#include <omp.h>
#else
static int omp_get_thread_num(void) {
  return 0;
}
#endif

enum { MOST_BOOKS = 16 };
static struct {
  const char *name;
  unsigned long long ns;
} books[MOST_BOOKS];
static unsigned longer = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec;
}

static void enter(const char *name, unsigned long long ns) {
  int i = 0;
  pthread_mutex_lock(&lock);
  while (i < MOST_BOOKS - 1 && books[i].name && strcmp(books[i].name, name))
    i++;
  books[i].name = name;
  books[i].ns += ns;
  pthread_mutex_unlock(&lock);
}

static void work(const char *book, unsigned ms) {
  const unsigned long long begin = now_ns();
  while (now_ns() - begin < longer * ms * 1000000ull) {
  }
  enter(book, now_ns() - begin);
}

static void team(void) {
#pragma omp parallel num_threads(2) // mark: region
  {
    if (omp_get_thread_num() == 0) {
      work("team0", 40);
    } else {
      heddle_phase_begin("inner");
      work("inner", 40);
      heddle_phase_end("inner");
    }
  }
}

static void phases(void) {
  heddle_phase_begin("read");
  work("read", 30);
  heddle_phase_end("read");
  heddle_phase_begin("solve");
  work("solve", 20);
  for (int i = 0; i < 2; i++) {
    heddle_phase_begin("assemble");
    work("assemble", 20);
    heddle_phase_end(0);
  }
  team();
  heddle_phase_end("solve");
  work("outside", 10);
  heddle_phase_begin("solve");
  work("solve", 20);
  heddle_phase_end("solve");
}

static void nested(void) {
  heddle_phase_begin("a");
  work("a", 20);
  heddle_phase_begin("a");
  work("a", 20);
  heddle_phase_end("a");
  work("a", 20);
  heddle_phase_end("a");
  work("outside", 20);
}

static void pauses(void) {
  work("before", 30);
  heddle_pause();
  heddle_phase_begin("unseen");
  work("paused", 30);
  heddle_phase_end("unseen");
  heddle_resume();
  work("before", 30);
  heddle_pause();
  heddle_pause();
  work("paused", 30);
  heddle_resume();
  heddle_resume();
  heddle_phase_begin("after");
  work("after", 30);
  heddle_phase_end("after");
}

static void unbalanced(void) {
  heddle_phase_end("never");
  heddle_phase_end(0);
  heddle_phase_begin("outer");
  heddle_phase_begin("inner");
  work("inner", 20);
  heddle_phase_end("outer");
  work("outside", 20);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0)
    heddle_phase_begin("left");
#ifndef _OPENMP
  heddle_phase_end("left");
  heddle_phase_end("left");
#endif
  work("outside", 20);
  heddle_phase_begin("open");
  work("open", 200); /* and what it takes to end the program */
}

static void *worker(void *name) {
  heddle_phase_begin("worker");
  work((const char *)name, 40);
  heddle_phase_end("worker");
  return NULL;
}

static void threads(void) {
  static char names[2][8] = {"worker0", "worker1"};
  pthread_t ids[2];
  heddle_phase_begin("both");
  for (int i = 0; i < 2; i++)
    pthread_create(&ids[i], NULL, worker, names[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(ids[i], NULL);
  heddle_phase_end("both");
}

static void warm_up(void) {
#pragma omp parallel num_threads(2)
  work("warm", 5);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } cases[] = {
      {"phases", phases}, {"nested", nested}, {"pause", pauses}, {"unbalanced", unbalanced}, {"threads", threads}};
  if (getenv("LONGER"))
    longer = (unsigned)strtoul(getenv("LONGER"), NULL, 10);
  if (argc > 2)
    warm_up();
  for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
    if (!strcmp(argv[1], cases[i].name))
      cases[i].run();
  for (int i = 0; i < MOST_BOOKS && books[i].name; i++)
    printf("did %s %llu\n", books[i].name, books[i].ns);
  return 0;
}
