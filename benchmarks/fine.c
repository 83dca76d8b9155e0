/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Fine-grained programs, for `agreement`: `fine NAME SECONDS`. Each repeats the same work until the time is over and
 * prints the microseconds that it took each time. Work is turns of an empty loop, in tenths of a microsecond or about.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 300 /* of a tenth of a microsecond */, TINY = 500, LOCKS = 4, CUT_OFF = 14 };

static double end_s;
static long repeated;
static omp_lock_t locks[LOCKS];

static void work(int tenths_us) {
  for (int i = 0; i < tenths_us * TURNS; i++)
    __asm__ volatile("");
}

static int is_over(void) {
  repeated++;
  return omp_get_wtime() >= end_s;
}

/* By all threads of a region together. */
static int goes_on(void) {
  int goes_on;
#pragma omp barrier
#pragma omp single copyprivate(goes_on)
  goes_on = !is_over();
  return goes_on;
}

static long fib(int n, int cut_off) {
  if (n < 2 || n <= cut_off)
    return n < 2 ? n : fib(n - 1, n) + fib(n - 2, n);
  long a, b;
#pragma omp task shared(a)
  a = fib(n - 1, cut_off);
#pragma omp task shared(b)
  b = fib(n - 2, cut_off);
#pragma omp taskwait
  return a + b;
}

static void tree(int n, int cut_off) {
#pragma omp parallel
  do {
#pragma omp single
    {
      volatile long result = fib(n, cut_off);
      (void)result;
    }
  } while (goes_on());
}

static void tasks(void) {
  tree(16, 0);
}

static void tasks_cut_off(void) {
  tree(24, CUT_OFF);
}

static void dynamic_tiny(void) {
#pragma omp parallel
  do {
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < 4 * TINY; i++)
      __asm__ volatile("");
  } while (goes_on());
}

static void dynamic_uneven(void) {
#pragma omp parallel
  do {
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < 4 * TINY; i++)
      work(1 + i % 16);
  } while (goes_on());
}

static void critical(void) {
#pragma omp parallel
  do {
    for (int i = 0; i < TINY; i++) {
      work(5);
#pragma omp critical
      work(5);
    }
  } while (goes_on());
}

static void some_locks(void) {
  for (int i = 0; i < LOCKS; i++)
    omp_init_lock(&locks[i]);
#pragma omp parallel
  {
    unsigned random = (unsigned)omp_get_thread_num() + 1;
    do {
      for (int i = 0; i < TINY; i++) {
        random = random * 1664525u + 1013904223u;
        omp_lock_t *lock = &locks[(random >> 16) % LOCKS];
        work(2);
        omp_set_lock(lock);
        work(4);
        omp_unset_lock(lock);
      }
    } while (goes_on());
  }
}

static void regions(void) {
  while (!is_over())
    for (int i = 0; i < TINY; i++) {
#pragma omp parallel
      work(20 + 10 * (omp_get_thread_num() & 1));
    }
}

static void nested(void) {
  omp_set_max_active_levels(2);
  while (!is_over())
#pragma omp parallel num_threads(2)
    for (int i = 0; i < TINY; i++) {
#pragma omp parallel num_threads(2)
      work(20);
    }
}

static void loops(void) {
#pragma omp parallel
  do {
    for (int round = 0; round < TINY; round++) {
#pragma omp for schedule(static)
      for (int i = 0; i < 64; i++)
        work(i < 32 ? 1 : 0);
    }
  } while (goes_on());
}

static void barriers(void) {
#pragma omp parallel
  do {
    for (int round = 0; round < TINY; round++) {
      work(omp_get_thread_num() == 0 ? 30 : 10);
#pragma omp barrier
    }
  } while (goes_on());
}

static void singles(void) {
#pragma omp parallel
  do {
    for (int round = 0; round < TINY; round++) {
#pragma omp single
      work(20);
    }
  } while (goes_on());
}

static void taskloop(void) {
#pragma omp parallel
  do {
#pragma omp single
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < 2 * TINY; i++)
      work(5);
  } while (goes_on());
}

static void producer(void) {
#pragma omp parallel
  do {
#pragma omp single
    for (int i = 0; i < 2 * TINY; i++) {
#pragma omp task
      work(10);
    }
  } while (goes_on());
}

static const struct {
  const char *name;
  void (*run)(void);
} programs[] = {{"tasks", tasks},       {"tasks-cut-off", tasks_cut_off},   {"producer", producer},
                {"taskloop", taskloop}, {"dynamic-tiny", dynamic_tiny},     {"dynamic-uneven", dynamic_uneven},
                {"critical", critical}, {"locks", some_locks},              {"regions", regions},
                {"nested", nested},     {"loops", loops},                   {"barriers", barriers},
                {"singles", singles}};
enum { PROGRAMS = sizeof programs / sizeof *programs };

int main(int argc, char **argv) {
#pragma omp parallel
  {
#pragma omp barrier /* threads are there */
  }
  const double begin_s = omp_get_wtime();
  end_s = begin_s + (argc > 2 ? atof(argv[2]) : 1);
  for (size_t i = 0; argc > 1 && i < PROGRAMS; i++)
    if (!strcmp(programs[i].name, argv[1]))
      programs[i].run();
  if (repeated == 0) {
    fprintf(stderr, "usage: fine NAME SECONDS, with NAME one of");
    for (size_t i = 0; i < PROGRAMS; i++)
      fprintf(stderr, " %s", programs[i].name);
    fprintf(stderr, "\n");
    return 2;
  }
  printf("%.3f\n", (omp_get_wtime() - begin_s) * 1e6 / (double)repeated);
  return 0;
}
