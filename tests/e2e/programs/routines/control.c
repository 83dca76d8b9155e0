/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * omp_control_tool. The arguments after UNIT_MS are done one after the other, each command's return value printed:
 *   a, b: a region of two threads (of its own line), thread i works i + 1 units: elapsed 2, busy 3
 *   r: routine work_alone, 1 unit, sequentially
 *   1, 2, 3, 4: omp_control_tool with this command: start, pause, flush, end; others too
 *   inside: a region of two threads: 1 unit of work, the first thread pauses; 2 more, it starts again; 1 more
 *   kill: dies of SIGKILL
 * Books: "did WHAT BEGIN_NS END_NS SPUN_NS" for each thing done, without what is spun in a pause inside. The runtime is
 * started before.
 */
#include <omp.h>
#include <signal.h>
#include <string.h>

#define inline inline __attribute__((no_instrument_function))
#include "spin.h"
#undef inline

__attribute__((noinline)) void work_alone(unsigned unit_ms) {
  spin_ms(0, unit_ms);
}

#define WORKER(name) static __attribute__((no_instrument_function, noinline)) void name(unsigned unit_ms)

#define REGION(name)                                                                                                   \
  WORKER(name) {                                                                                                       \
    _Pragma("omp parallel num_threads(2)")                                                                             \
        spin_ms(omp_get_thread_num(), unit_ms *(unsigned)(omp_get_thread_num() + 1));                                  \
  }
REGION(region_a) // mark: a
REGION(region_b) // mark: b

WORKER(inside) {
#pragma omp parallel num_threads(2) // mark: inside
  for (int part = 0; part < 3; part++) {
    struct spin_thread *books = &spin_threads[omp_get_thread_num()], before = *books;
    spin_ms(omp_get_thread_num(), (part == 1 ? 2 : 1) * unit_ms);
    if (part == 1)
      *books = before;
#pragma omp barrier
#pragma omp master
    if (part < 2)
      omp_control_tool(part == 0 ? 2 : 1, 0, NULL);
#pragma omp barrier
  }
}

WORKER(die) {
  raise(SIGKILL + (int)(0 * unit_ms));
}

int main(int argc, char **argv) {
  unsigned unit_ms = argument(argc, argv, 1, 100);
  const char *const names[] = {"a", "b", "r", "inside", "kill"};
  void (*const actions[])(unsigned) = {region_a, region_b, work_alone, inside, die};
#pragma omp parallel num_threads(2)
  arrive(omp_get_thread_num());
  for (int i = 2; i < argc; i++) {
    uint64_t begin_ns = now_ns(), spun_ns = spin_threads[0].spun_ns + spin_threads[1].spun_ns;
    if (argv[i][0] <= '9')
      printf("returned %s %d\n", argv[i], omp_control_tool((int)strtol(argv[i], NULL, 10), 0, NULL));
    for (int k = 0; k < 5; k++)
      if (!strcmp(argv[i], names[k]))
        actions[k](unit_ms);
    spun_ns = spin_threads[0].spun_ns + spin_threads[1].spun_ns - spun_ns;
    printf("did %s %lld %lld %lld\n", argv[i], (long long)begin_ns, (long long)now_ns(), (long long)spun_ns);
    fflush(stdout);
  }
  return 0;
}
