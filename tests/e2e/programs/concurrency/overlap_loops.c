/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Two loops, the first without a barrier. Of p threads (p even) the even ones work 1 unit in loop A and 4 in loop B,
 * the odd ones 3 and 1: so A and B overlap from 1 to 3. In units:
 *   program: p from 0 to 4, p / 2 from 4 to 5; A: p from 0 to 1, p / 2 from 1 to 3; B: p / 2 from 1 to 3, p to 4, p / 2
 *   A: thread-time at p 2 p; wall share 2; active 3
 *   B: thread-time at p 2 p, at p / 2 p / 2; wall share 3; active 4
 *   overlap of A and B 2
 */
#include <omp.h>

#include "books.h"

int main(int argc, char **argv) {
  open_books(argc, argv);
  int threads = omp_get_max_threads();
  at(NULL);
  uint64_t begin = now_ns();
#pragma omp parallel // mark: region
  {
#pragma omp for schedule(static, 1) nowait // mark: A
    for (int i = 0; i < threads; i++) {
      at("A");
      work(i % 2 ? 3 : 1);
    }
    at("region");
#pragma omp for schedule(static, 1) nowait // mark: B
    for (int i = 0; i < threads; i++) {
      at("B");
      work(i % 2 ? 1 : 4);
    }
    at(NULL);
  }
  window("region", begin);
  at("outside");
  close_books();
  return 0;
}
