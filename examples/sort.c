/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sort: merge sort, each half a task.
 *
 * Flaw: tasks all the way down to single numbers. Creating and scheduling a task costs more than sorting the few
 * numbers it is given.
 * In Heddle: `task merge_sort` has a visit for every number, a fraction of a microsecond each, and the region's mean
 * concurrency is low: most of the threads' time goes into the taskwaits, where libomp looks for the next tiny task.
 * Fixed twin: sort_fixed.c stops making tasks below a few thousand numbers.
 *
 * usage: sort [COUNT]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void merge(unsigned *values, unsigned *scratch, long half, long count) {
  long left = 0, right = half;
  for (long i = 0; i < count; i++)
    scratch[i] = left < half && (right == count || values[left] <= values[right]) ? values[left++] : values[right++];
  memcpy(values, scratch, sizeof(*values) * (size_t)count);
}

static void merge_sort(unsigned *values, unsigned *scratch, long count) {
  if (count < 2)
    return;
  long half = count / 2;
#pragma omp task
  merge_sort(values, scratch, half);
  merge_sort(values + half, scratch + half, count - half);
#pragma omp taskwait
  merge(values, scratch, half, count);
}

static void sort(unsigned *values, unsigned *scratch, long count) {
#pragma omp parallel
#pragma omp single
  merge_sort(values, scratch, count);
}

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 4000000;
  if (count < 1 || count > 1000000000) {
    fprintf(stderr, "usage: %s [COUNT]\n", argv[0]);
    return 2;
  }
  unsigned *values = malloc(sizeof(*values) * (size_t)count), *scratch = malloc(sizeof(*values) * (size_t)count);
  if (!values || !scratch) {
    fprintf(stderr, "%s: out of memory\n", argv[0]);
    return 1;
  }
  unsigned state = 1;
  for (long i = 0; i < count; i++)
    values[i] = state = state * 1664525u + 1013904223u;

  sort(values, scratch, count);

  unsigned long sum = 0;
  for (long i = 0; i < count; i++) {
    if (i > 0 && values[i - 1] > values[i]) {
      fprintf(stderr, "%s: not sorted at %ld\n", argv[0], i);
      return 1;
    }
    sum = sum * 31 + values[i];
  }
  printf("sort %ld: checksum %lu\n", count, sum);
  free(values);
  free(scratch);
  return 0;
}
