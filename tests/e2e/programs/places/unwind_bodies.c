/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Regions inside the bodies of constructs, and tail calls. `work` has a region: callers and instances, with 2 threads:
 *   main > passed > work                       1: with optimisation; without it main > passing > passed > work
 *   main > team > (region) > last > work       2: with optimisation the body ends in a tail call of `last`
 *   main > alone > (region) > work             1: a region of one thread, whose body is called without the runtime
 *   main > tasks > (region) > (task) > work    3
 *   main > direct > (region) > (region)        2: no routine in between
 *   thread_main > work                         1: a thread of the program's own
 * and the regions themselves, of which team, alone, tasks and direct have one each.
 */
#include <omp.h>
#include <pthread.h>

#include "unwind.h"

HOLDER(work)
CALLER(passed, work)
CALLER(last, work)

ROUTINE void passing(int argument) {
  passed(argument);
}

ROUTINE void team(void) {
#pragma omp parallel
  last(1);
  STAY;
}

ROUTINE void alone(int threads) {
#pragma omp parallel if (threads > 1)
  work(1);
  STAY;
}

ROUTINE void tasks(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 3; i++)
#pragma omp task
    work(1);
  STAY;
}

ROUTINE void direct(void) {
#pragma omp parallel
  REGION;
  STAY;
}

static void *thread_main(void *data) {
  work(1);
  return data;
}

int main(void) {
  pthread_t thread;
  omp_set_max_active_levels(2);
  passing(1);
  team();
  alone(1);
  tasks();
  direct();
  pthread_create(&thread, NULL, thread_main, NULL);
  pthread_join(thread, NULL);
  return 0;
}
