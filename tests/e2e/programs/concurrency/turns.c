/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Each of p threads works one unit where only one may be at a time: one thread is busy all along. In units:
 *   elapsed p; elapsed at 1 p; thread-time at 1 of what is named by the mode p; wall share p
 * Modes: "critical"; "ordered"; "lock" and "nest": a lock that is held is not a construct, the time with it is the
 * region's.
 */
#include <omp.h>

#include "books.h"

static omp_lock_t lock;
static omp_nest_lock_t nest;

static void turn(const char *where) {
  at(where);
  work(1);
}

int main(int argc, char **argv) {
  open_books(argc, argv);
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  at(NULL);
  uint64_t begin = now_ns();
#pragma omp parallel // mark: region
  {
    if (mode_is("critical")) {
#pragma omp critical // mark: critical
      turn("critical");
    } else if (mode_is("ordered")) {
#pragma omp for ordered schedule(static, 1) nowait // mark: loop
      for (int i = 0; i < omp_get_num_threads(); i++) {
#pragma omp ordered // mark: ordered
        turn("ordered");
      }
    } else if (mode_is("lock")) {
      omp_set_lock(&lock);
      turn("region");
      omp_unset_lock(&lock);
    } else {
      omp_set_nest_lock(&nest);
      omp_set_nest_lock(&nest);
      turn("region");
      omp_unset_nest_lock(&nest);
      omp_unset_nest_lock(&nest);
    }
    at("region");
    at(NULL);
  }
  window("region", begin);
  at("outside");
  close_books();
  return 0;
}
