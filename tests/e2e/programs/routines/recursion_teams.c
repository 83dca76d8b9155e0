/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A routine calls itself through a region: descend(d) works 1 unit and, unless d = 0, opens a region of two threads
 * that meet, call descend(d - 1) each and meet in it again. main calls descend(2); all regions of a depth run at once,
 * so 2 ^ (3 - d) threads meet.
 *   calls: 1 + 2 + 4 = 7 on 4 threads: 3 on the first, 2 on that of its team, 1 on each of the other two
 *   S-S 1 (d = 2), S-C 2 (d = 1, called by d = 2), C-C 4 (d = 0)
 *   works 7 units, and what meeting takes; elapsed, once for each thread: 3 for the first, 2 for the second, 1 for the
 *     third and fourth, and what their regions take
 */
#include <omp.h>

#include "recursion.h"

static _Thread_local struct outermost descents = {.name = "descend"};
static atomic_uint before_call[3], in_call[3];

NOINLINE void descend(unsigned d) {
  enter(&descents);
  const char *before = at("own descend");
  meet_at(&in_call[d], 4u >> d);
  work(1);
  at(NULL);
  if (d > 0) {
#pragma omp parallel num_threads(2)
    {
      at("region");
      meet_at(&before_call[d - 1], 8u >> d);
      descend(d - 1);
      at(NULL);
    }
  }
  leave(&descents);
  at(before);
}

int main(int argc, char **argv) {
  open_books(argc, argv);
  omp_set_max_active_levels(2);
  descend(2);
  close_books();
  return 0;
}
