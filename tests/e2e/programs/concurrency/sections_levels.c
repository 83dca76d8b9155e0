/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Four sections of 1, 2, 3 and 4 units on p threads, and a single of one unit after them. In units, p = 4:
 *   sections: thread-time at k k for k = 1 .. 4, wall share 4; single: thread-time at 1 1; region: elapsed 5
 * p = 2: 1 and 2, then 3 (from 1 to 4) and 4 (from 2 to 6): at 2 8, at 1 2, wall share 6; region: elapsed 7
 */
#include <omp.h>

#include "books.h"

int main(int argc, char **argv) {
  open_books(argc, argv);
  at(NULL);
  uint64_t begin = now_ns();
#pragma omp parallel // mark: region
  {
#pragma omp sections // mark: sections
    {
#pragma omp section
      work_at("sections", 1);
#pragma omp section
      work_at("sections", 2);
#pragma omp section
      work_at("sections", 3);
#pragma omp section
      work_at("sections", 4);
    }
#pragma omp single // mark: single
    work_at("single", 1);
  }
  window("region", begin);
  at("outside");
  close_books();
  return 0;
}
