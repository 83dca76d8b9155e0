/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * omp_control_tool. The arguments after UNIT_MS are done one after the other, each command's return value printed:
 *   a, b: a region of two threads (of its own line), thread i works i + 1 units: elapsed 2, busy 3
 *   r: routine work_alone, 1 unit, sequentially
 *   1, 2, 3, 4: omp_control_tool with this command: start, pause, flush, end; others too
 *   inside: a region of two threads: 1 unit of work, the first thread pauses; 2 more, it starts again; 1 more
 *   kill: dies of SIGKILL
 * Books: "spun THREAD NS" of all regions; "did WHAT NS" for each thing done. The runtime is started before.
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

#define WORK spin_ms(omp_get_thread_num(), unit_ms *(unsigned)(omp_get_thread_num() + 1))

static __attribute__((no_instrument_function)) void act(const char *what, unsigned unit_ms) {
  if (!strcmp(what, "a"))
#pragma omp parallel num_threads(2) // mark: a
    WORK;
  else if (!strcmp(what, "b"))
#pragma omp parallel num_threads(2) // mark: b
    WORK;
  else if (!strcmp(what, "r"))
    work_alone(unit_ms);
  else if (!strcmp(what, "kill"))
    raise(SIGKILL);
  else if (!strcmp(what, "inside"))
#pragma omp parallel num_threads(2) // mark: inside
    for (int part = 0; part < 3; part++) {
      spin_ms(omp_get_thread_num(), (part == 1 ? 2 : 1) * unit_ms);
#pragma omp barrier
#pragma omp master
      if (part < 2)
        omp_control_tool(part == 0 ? 2 : 1, 0, NULL);
#pragma omp barrier
    }
  else
    printf("returned %s %d\n", what, omp_control_tool(atoi(what), 0, NULL));
}

int main(int argc, char **argv) {
  unsigned unit_ms = argument(argc, argv, 1, 100);
#pragma omp parallel num_threads(2)
  arrive(omp_get_thread_num());
  for (int i = 2; i < argc; i++) {
    uint64_t begin_ns = now_ns();
    act(argv[i], unit_ms);
    printf("did %s %llu\n", argv[i], (unsigned long long)(now_ns() - begin_ns)), fflush(stdout);
  }
  print_books(2);
  return 0;
}
