/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Constructs to whose calls GCC gives no line, or that of the region; task bodies that end in a jump, directly before the
 * next one begins. Each has a mark at its directive, and one with an underscore where its block ends.
 */
#include <stdio.h>

static int data[16], room[16];
static volatile int sum;

__attribute__((noinline)) static void add(int n) {
  __atomic_fetch_add(&sum, n, __ATOMIC_RELAXED);
}
static void inlined(void) {
  sum = 1;
  sum = 2;
}
struct graph {
  long count;
};
static inline long count_of(const struct graph *graph) {
  return graph->count;
}
__attribute__((noinline)) static void visit(const struct graph *graph) {
#pragma omp parallel for schedule(dynamic, 2) // mark: bound
  for (int k = 0; k < count_of(graph); k++)
    add(k); // mark: bound_
}
void halve(int *low, int *other, long size) {
  const long half = size / 2;
  int *high = low + half, *far = other + half;
  for (long i = 0; i < size && size < 8; i++)
    add(low[i] + other[i]);
  if (size < 8)
    return;
#pragma omp task untied // mark: task
  halve(low, other, half); // mark: task_
#pragma omp task untied // mark: other
  halve(high, far, half); // mark: other_
}

int main(void) {
  int all = 0;
#pragma omp parallel
  {

#pragma omp for schedule(dynamic) // mark: first_loop
    for (int k = 0; k < 6; k++)
      add(k); // mark: first_loop_

#pragma omp single // mark: single
    add(3); // mark: single_

#pragma omp single nowait // mark: inline
    inlined(); // mark: inline_
  }
#pragma omp parallel

#pragma omp single // mark: first_single
  halve(data, room, 16); // mark: first_single_
#pragma omp parallel for schedule(dynamic) reduction(+ : all) // mark: combined
  for (int k = 0; k < 6; k++)
    add(k), all += k; // mark: combined_
  const struct graph graph = {6};
  visit(&graph);
  puts(all == 15 ? "done" : "wrong");
}
