/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The main thread and a POSIX thread each open a region of two at the same time: main's threads work 2 and 4 units,
 * the other's 3 and 5. Then the main thread waits in pthread_join, outside any construct: it is busy. In units:
 *   program: four from 0 to 2, three to 3, two to 5
 *   main's: elapsed 4; elapsed at 4 2, at 3 1, at 2 1; thread-time at 4 4, at 3 1, at 2 1; wall share 1 + 1/3 + 1/2
 *   the other's: elapsed 5; at 4 2, at 3 1, at 2 2; thread-time at 4 4, at 3 2, at 2 2; wall share 1 + 2/3 + 1
 *   overlap of the two 4
 */
#include <omp.h>
#include <pthread.h>

#include "books.h"

static pthread_barrier_t both;

/* Two functions, or the compiler would make one call of the two regions. */
static void region_of_main(uint64_t begin) {
#pragma omp parallel num_threads(2) // mark: main
  work_at("main", 2 + 2 * omp_get_thread_num());
  window("main", begin);
}

static void region_of_pthread(uint64_t begin) {
#pragma omp parallel num_threads(2) // mark: pthread
  work_at("pthread", 3 + 2 * omp_get_thread_num());
  window("pthread", begin);
}

static void open_region(void (*region)(uint64_t begin)) {
  pthread_barrier_wait(&both);
  at(NULL);
  region(now_ns());
  at("outside");
}

static void *from_pthread(void *unused) {
#pragma omp parallel num_threads(2) // mark: first of pthread
  {
#pragma omp barrier
  }
  at("outside");
  open_region(region_of_pthread);
  at(NULL);
  return unused;
}

int main(int argc, char **argv) {
  pthread_t other;
  open_books(argc, argv);
  if (pthread_barrier_init(&both, NULL, 2) || pthread_create(&other, NULL, from_pthread, NULL))
    return 1;
  open_region(region_of_main);
  pthread_join(other, NULL);
  close_books();
  return 0;
}
