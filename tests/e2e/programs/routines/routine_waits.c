/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A routine's time from entry to exit holds what it waits and sleeps; its processor time does not. Both threads
 * call stage: thread i spins 1 + 2 * i units, then sleeps 1 unit in doze, and both wait for each other in a
 * barrier. In units, by thread:
 *   stage: visits 1, 1; elapsed 4, 4; own busy time 1, 3; processor time as the program read it itself
 *   doze: visits 1, 1; elapsed 1, 1; own busy time 1, 1 (the program's own code sleeps); processor time about 0
 *   barrier below stage: waits 2, 0
 */
#include <omp.h>

#include "routines.h"

static uint64_t used_ns[2];

HELPER uint64_t cpu_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

NOINLINE void doze(void) {
  usleep((unsigned)(unit_ns / 1000));
}

NOINLINE void stage(int thread) {
  uint64_t begin_ns = now_ns(), cpu_begin_ns = cpu_ns();
  work_in(thread ? "stage 1" : "stage 0", 1 + 2 * thread);
  used_ns[thread] = cpu_ns() - cpu_begin_ns;
  work_place = thread ? "doze 1" : "doze 0";
  work_since_ns = now_ns();
  doze();
  at(NULL);
#pragma omp barrier
  window(thread ? "stage 1" : "stage 0", begin_ns);
}

int main(int argc, char **argv) {
  open_books(argc, argv);
  at(NULL);
#pragma omp parallel num_threads(2)
  stage(omp_get_thread_num());
  at("outside");
  close_books();
  printf("used 0 %llu\nused 1 %llu\n", (unsigned long long)used_ns[0], (unsigned long long)used_ns[1]);
  return 0;
}
