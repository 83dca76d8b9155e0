/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program that uses PAPI itself: initialises the library and its threads, and in a region of two threads lets each
 * count the event that the argument names, with an event set of its own. Meanwhile, called by `measured`, thread i
 * touches 100 (i + 1) pages in a loop. It prints, with Heddle as without it:
 *   "initialised 1 threads 0 name STATUS"
 *   "call CALL thread I status STATUS counted COUNT": what PAPI said to adding the event (0: well), and the count at a
 *   moment when both sets exist, in `warm_up` (CALL 0) and in `measured` (1)
 */
#include <omp.h>
#include <papi.h>
#include <pthread.h>

#include "pages.h"

static int event;

static int open_set(int *set) {
  const int status = PAPI_register_thread() ? PAPI_ESYS : PAPI_create_eventset(set);
  return status ? status : PAPI_add_event(*set, event);
}

static __attribute__((noinline)) void body(int n) {
  int statuses[2];
  long long counts[2] = {0, 0};
#pragma omp parallel num_threads(2) // mark: region
  {
    const int me = omp_get_thread_num();
    int set = PAPI_NULL;
    statuses[me] = open_set(&set);
#pragma omp barrier
    if (statuses[me] == PAPI_OK)
      statuses[me] = PAPI_start(set);
#pragma omp for schedule(static, 1) // mark: loop
    for (int i = 0; i < 2; i++)
      touch(me, 100 * n * (me + 1));
    if (statuses[me] == PAPI_OK)
      statuses[me] = PAPI_stop(set, &counts[me]);
#pragma omp barrier
    PAPI_cleanup_eventset(set);
    PAPI_destroy_eventset(&set);
  }
  for (int i = 0; i < 2; i++)
    printf("call %d thread %d status %d counted %lld\n", n, i, statuses[i], counts[i]);
}

CALLER(warm_up, body(0))
CALLER(measured, body(1))

int main(int argc, char **argv) {
  open_pages();
  printf("initialised %d ", PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
  printf("threads %d ", PAPI_thread_init((unsigned long (*)(void))pthread_self));
  printf("name %d\n", PAPI_event_name_to_code(argc > 1 ? argv[1] : "PAPI_TOT_INS", &event));
  warm_up();
  measured();
  return 0;
}
