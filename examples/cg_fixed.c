/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Conjugate gradient: solves A x = b for a sparse symmetric matrix. The fixed twin of cg.c.
 *
 * Fixed: dot() has a reduction clause: each thread adds up its own part, and the parts are joined once per call.
 * In Heddle: no critical section is left, and `parallel dot` is busy for nearly all of its time.
 *
 * usage: cg_fixed [SIZE [ITERATIONS]]
 */
#include <stdio.h>
#include <stdlib.h>

/* The matrix, never stored: (A x)[i] = 4.1 x[i] - the four neighbours of i on a size x size grid. */
static void multiply(const double *x, double *result, int size) {
#pragma omp parallel for
  for (int row = 0; row < size; row++) {
    for (int col = 0; col < size; col++) {
      int i = row * size + col;
      double sum = 4.1 * x[i];
      if (row > 0)
        sum -= x[i - size];
      if (row < size - 1)
        sum -= x[i + size];
      if (col > 0)
        sum -= x[i - 1];
      if (col < size - 1)
        sum -= x[i + 1];
      result[i] = sum;
    }
  }
}

static double dot(const double *a, const double *b, int size) {
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < size * size; i++)
    sum += a[i] * b[i];
  return sum;
}

/* to = a + factor * b */
static void add_scaled(double *to, const double *a, double factor, const double *b, int size) {
#pragma omp parallel for
  for (int i = 0; i < size * size; i++)
    to[i] = a[i] + factor * b[i];
}

int main(int argc, char **argv) {
  int size = argc > 1 ? atoi(argv[1]) : 512;
  int iterations = argc > 2 ? atoi(argv[2]) : 300;
  if (size < 2 || size > 10000 || iterations < 1) {
    fprintf(stderr, "usage: %s [SIZE [ITERATIONS]]\n", argv[0]);
    return 2;
  }
  double *memory = calloc(4 * (size_t)size * (size_t)size, sizeof(double));
  if (!memory) {
    fprintf(stderr, "%s: out of memory\n", argv[0]);
    return 1;
  }
  size_t count = (size_t)size * (size_t)size;
  double *x = memory, *residual = x + count, *direction = residual + count, *image = direction + count;

  /* The right-hand side is A times (1, 1, ... 1), so the answer is known. The first guess is 0. */
  for (size_t i = 0; i < count; i++)
    image[i] = 1.0;
  multiply(image, residual, size);
  for (size_t i = 0; i < count; i++)
    direction[i] = residual[i];

  double norm = dot(residual, residual, size);
  for (int i = 0; i < iterations && norm > 1e-20; i++) {
    multiply(direction, image, size);
    double step = norm / dot(direction, image, size);
    add_scaled(x, x, step, direction, size);
    add_scaled(residual, residual, -step, image, size);
    double new_norm = dot(residual, residual, size);
    add_scaled(direction, residual, new_norm / norm, direction, size);
    norm = new_norm;
  }

  double sum = 0.0; /* three digits: the order of additions in dot() may differ from run to run */
  for (size_t i = 0; i < count; i++)
    sum += x[i];
  printf("cg %d: checksum %.3f\n", size, sum);
  free(memory);
  return 0;
}
