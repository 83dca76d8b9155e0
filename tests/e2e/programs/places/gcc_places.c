/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Constructs of one block, which share a line in GCC's code. Arguments: COUNT. With p threads:
 *   first, second, task, other   COUNT instances each
 *   dynamic, guided, chosen      COUNT instances, and COUNT * p visits of the loop that is all of the region
 */
#include <stdio.h>
#include <stdlib.h>

static volatile int sum;

static void add(void) {
  __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
}
int main(int argc, char **argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 3;
  for (int i = 0; i < count; i++) {
#pragma omp parallel // mark: first
    add();
#pragma omp parallel // mark: second
    add();
  }
  for (int i = 0; i < count; i++) {
#pragma omp parallel for schedule(dynamic) // mark: dynamic
    for (int k = 0; k < 40; k++)
      add();
#pragma omp parallel for schedule(guided) // mark: guided
    for (int k = 0; k < 40; k++)
      add();
#pragma omp parallel for schedule(runtime) // mark: chosen
    for (int k = 0; k < 40; k++)
      add();
  }
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < count; i++) {
#pragma omp task // mark: task
    add();
#pragma omp task // mark: other
    add();
  }
  puts("done");
}
