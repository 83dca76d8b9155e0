/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Barriers without end for a second in one region ("storm"), which costs more than any budget; then 40 `single`s in
 * another one ("uneven"), in each of which one thread works for a millisecond while the other waits.
 *   visits: single 2 * 40; uneven's waits at least 40 * 1 ms less what a thread comes late, its concurrency about 1
 * Prints "done".
 */
#include "spin.h"

enum { SINGLES = 40 };

static volatile int is_over;

static void storm(uint64_t end_ns) {
#pragma omp parallel // mark: storm
  for (int goes_on = 1; goes_on;) {
#pragma omp barrier // mark: barrier
    goes_on = !is_over;
#pragma omp barrier
#pragma omp master
    is_over = now_ns() >= end_ns;
  }
}

static void uneven(void) {
#pragma omp parallel // mark: uneven
  for (int i = 0; i < SINGLES; i++) {
#pragma omp single // mark: single
    spin_ms(0, 1);
  }
}

int main(void) {
  storm(now_ns() + 1000000000);
  uneven();
  puts("done");
  return 0;
}
