/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Heat: the temperature of a square plate, Jacobi iteration with a five-point stencil. The fixed twin of heat.c.
 *
 * Fixed: one parallel region for the whole run; its threads share out the rows and meet once a step, at the end of
 * the loop.
 * In Heddle: `parallel run_steps` is called once, its mean concurrency is close to the team's size, and the loop below
 * it shows STEPS x threads visits with little waiting.
 *
 * usage: heat_fixed [SIZE [STEPS]]
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

/* Called by every thread of the team: the rows are shared out between them. */
static void relax(const double *from, double *to, int size) {
#pragma omp for
  for (int row = 1; row < size - 1; row++) {
    for (int col = 1; col < size - 1; col++) {
      const double *at = &from[row * size + col];
      to[row * size + col] = 0.25 * (at[-1] + at[1] + at[-size] + at[size]);
    }
  }
}

/* The result is in grid[steps % 2]. */
static void run_steps(double *grid[2], int size, int steps) {
#pragma omp parallel
  for (int step = 0; step < steps; step++)
    relax(grid[step % 2], grid[(step + 1) % 2], size);
}

int main(int argc, char **argv) {
  int size = argc > 1 ? atoi(argv[1]) : 1000;
  int steps = argc > 2 ? atoi(argv[2]) : 500;
  if (size < 3 || size > 20000 || steps < 1) {
    fprintf(stderr, "usage: %s [SIZE [STEPS]]\n", argv[0]);
    return 2;
  }
  double *grid[2];
  for (int i = 0; i < 2; i++) {
    grid[i] = malloc(sizeof(double) * (size_t)size * (size_t)size);
    if (!grid[i]) {
      fprintf(stderr, "%s: out of memory\n", argv[0]);
      return 1;
    }
    set_edges(grid[i], size);
  }

  run_steps(grid, size, steps);

  double sum = 0.0;
  for (int i = 0; i < size * size; i++)
    sum += grid[steps % 2][i];
  printf("heat %d %d: checksum %.6f\n", size, steps, sum);
  free(grid[0]);
  free(grid[1]);
  return 0;
}
