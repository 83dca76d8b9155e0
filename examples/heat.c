/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Heat: the temperature of a square plate, Jacobi iteration with a five-point stencil.
 *
 * Flaw: the pragma is on the inner loop. Every row of every step forks and joins a team for a few hundred additions,
 * so the threads meet far more often than they work.
 * In Heddle: `parallel relax` has an enormous number of calls (steps x rows), a mean concurrency far below the team's
 * size, and most of its lost time is runtime (fork and join) and waiting at the region's barrier.
 * Fixed twin: heat_fixed.c opens one region for the whole run and shares out the rows.
 *
 * usage: heat [SIZE [STEPS]]
 */
#include <stdio.h>
#include <stdlib.h>

/* The upper edge is hot, the three others are cold. */
static void set_edges(double *grid, int size) {
  for (int i = 0; i < size * size; i++)
    grid[i] = 0.0;
  for (int col = 0; col < size; col++)
    grid[col] = 100.0;
}

static void relax(const double *from, double *to, int size) {
  for (int row = 1; row < size - 1; row++) {
#pragma omp parallel for
    for (int col = 1; col < size - 1; col++) {
      const double *at = &from[row * size + col];
      to[row * size + col] = 0.25 * (at[-1] + at[1] + at[-size] + at[size]);
    }
  }
}

int main(int argc, char **argv) {
  int size = argc > 1 ? atoi(argv[1]) : 1000;
  int steps = argc > 2 ? atoi(argv[2]) : 500;
  if (size < 3 || size > 20000 || steps < 1) {
    fprintf(stderr, "usage: %s [SIZE [STEPS]]\n", argv[0]);
    return 2;
  }
  double *now = malloc(sizeof(double) * (size_t)size * (size_t)size);
  double *next = malloc(sizeof(double) * (size_t)size * (size_t)size);
  if (!now || !next) {
    fprintf(stderr, "%s: out of memory\n", argv[0]);
    return 1;
  }
  set_edges(now, size);
  set_edges(next, size);

  for (int step = 0; step < steps; step++) {
    relax(now, next, size);
    double *swap = now;
    now = next;
    next = swap;
  }

  double sum = 0.0;
  for (int i = 0; i < size * size; i++)
    sum += now[i];
  printf("heat %d %d: checksum %.6f\n", size, steps, sum);
  free(now);
  free(next);
  return 0;
}
