/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* More callpaths than there is memory for. Compiled with -finstrument-functions: each thread of a team makes CALLS
 * calls in a random walk: 24 routines call each other up to DEPTH deep. Prints how often each was entered, by all
 * threads, and what memory the process has: "calls NAME COUNT", "resident ANONYMOUS SHARED" in bytes.
 *
 * usage: many_paths CALLS DEPTH */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUIET __attribute__((no_instrument_function))

enum { ROUTINES = 24 };

struct walk {
  unsigned long seed, calls;
  unsigned depth;
  unsigned long counts[ROUTINES];
};

typedef void routine(struct walk *walk, unsigned depth);
static routine *const routines[ROUTINES];

QUIET static unsigned draw(struct walk *walk, unsigned limit) {
  walk->seed = walk->seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(walk->seed >> 33) % limit;
}

QUIET static void go_on(struct walk *walk, unsigned depth) {
  for (unsigned left = 1 + draw(walk, 3); depth < walk->depth && left > 0 && walk->calls > 0; left--) {
    walk->calls--;
    routines[draw(walk, ROUTINES)](walk, depth + 1);
  }
}

/* The second number keeps the call from being the last thing done. */
#define ROUTINE(n)                                                                                                     \
  __attribute__((noinline)) static void routine_##n(struct walk *walk, unsigned depth) {                               \
    go_on(walk, depth);                                                                                                \
    walk->counts[n]++;                                                                                                 \
  }
ROUTINE(0)
ROUTINE(1)
ROUTINE(2)
ROUTINE(3) ROUTINE(4) ROUTINE(5) ROUTINE(6) ROUTINE(7) ROUTINE(8) ROUTINE(9) ROUTINE(10) ROUTINE(11) ROUTINE(12)
    ROUTINE(13) ROUTINE(14) ROUTINE(15) ROUTINE(16) ROUTINE(17) ROUTINE(18) ROUTINE(19) ROUTINE(20) ROUTINE(21)
        ROUTINE(22) ROUTINE(23)

            static routine *const routines[ROUTINES] = {
                routine_0,  routine_1,  routine_2,  routine_3,  routine_4,  routine_5,  routine_6,  routine_7,
                routine_8,  routine_9,  routine_10, routine_11, routine_12, routine_13, routine_14, routine_15,
                routine_16, routine_17, routine_18, routine_19, routine_20, routine_21, routine_22, routine_23};

QUIET static long resident(const char *what) {
  char line[256];
  long kib = 0;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (!strncmp(line, what, strlen(what)))
      kib = atol(line + strlen(what));
  if (file)
    fclose(file);
  return kib * 1024;
}

int main(int argc, char **argv) {
  const unsigned long calls = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
  const unsigned depth = argc > 2 ? (unsigned)atoi(argv[2]) : 6;
  unsigned long counts[ROUTINES] = {0};
#pragma omp parallel // mark: region
  {
    struct walk walk = {.seed = (unsigned long)omp_get_thread_num() * 977 + 1, .calls = calls, .depth = depth};
    while (walk.calls > 0)
      go_on(&walk, 0);
#pragma omp critical // mark: critical
    for (int i = 0; i < ROUTINES; i++)
      counts[i] += walk.counts[i];
  }
  for (int i = 0; i < ROUTINES; i++)
    printf("calls routine_%d %lu\n", i, counts[i]);
  printf("resident %ld %ld\n", resident("RssAnon:"), resident("RssShmem:"));
  return 0;
}
