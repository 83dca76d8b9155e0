/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Mandelbrot: how fast each point of the plane escapes, one row per loop iteration.
 *
 * Flaw: schedule(static) gives every thread the same number of rows, but not the same work: the rows near the real
 * axis lie inside the set and cost hundreds of times more than the outer ones.
 * In Heddle: `parallel draw` has a high imbalance (the busiest thread over the mean) and the other threads wait at the
 * implicit barrier; `heddle report --threads` shows the busy time growing with the thread number.
 * Fixed twin: mandelbrot_dynamic.c hands the rows out one by one.
 *
 * usage: mandelbrot_static [HEIGHT]
 */
#include <stdio.h>
#include <stdlib.h>

enum { MAX_ITERATIONS = 1000 };

/* How many steps z = z * z + c takes to leave the circle of radius 2. */
static int escape_time(double c_real, double c_imag) {
  double real = 0.0, imag = 0.0;
  for (int i = 0; i < MAX_ITERATIONS; i++) {
    double real2 = real * real, imag2 = imag * imag;
    if (real2 + imag2 > 4.0)
      return i;
    imag = 2.0 * real * imag + c_imag;
    real = real2 - imag2 + c_real;
  }
  return MAX_ITERATIONS;
}

/* The half of the set above the real axis: the rows get dearer on the way down. */
static long draw(int *image, int width, int height) {
  long total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
  for (int row = 0; row < height; row++) {
    double imag = 1.2 - 1.2 * row / height;
    for (int col = 0; col < width; col++) {
      double real = -2.0 + 2.6 * col / width;
      image[row * width + col] = escape_time(real, imag);
      total += image[row * width + col];
    }
  }
  return total;
}

int main(int argc, char **argv) {
  int height = argc > 1 ? atoi(argv[1]) : 900;
  int width = 2 * height;
  if (height < 1 || height > 20000) {
    fprintf(stderr, "usage: %s [HEIGHT]\n", argv[0]);
    return 2;
  }
  int *image = malloc(sizeof(int) * (size_t)width * (size_t)height);
  if (!image) {
    fprintf(stderr, "%s: out of memory\n", argv[0]);
    return 1;
  }
  long total = draw(image, width, height);
  printf("mandelbrot %d: checksum %ld\n", height, total);
  free(image);
  return 0;
}
