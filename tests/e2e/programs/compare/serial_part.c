/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One thread works 4 units, p threads work 2, one works 3, p work 2, one works 1. In units:
 *   serial 8 and what goes before main and after it; program at p 4; outside: wall share 8
 */
#include <omp.h>

#include "books.h"

static void work_together(void) {
  at(NULL);
  uint64_t begin = now_ns();
#pragma omp parallel // mark: region
  work_at("region", 2);
  window("region", begin);
  at("outside");
}

int main(int argc, char **argv) {
  open_books(argc, argv);
  work(4);
  work_together();
  work(3);
  work_together();
  work(1);
  close_books();
  return 0;
}
