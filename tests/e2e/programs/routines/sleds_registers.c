// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments and results of every kind of register, through routines that are measured: eight vectors of 256 bits where the
// processor has them, eight doubles and six integers beyond which come the stack's, a long double, a complex number.
// Each is called N times with numbers whose sum is known; prints "right" if all are.
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUTINE __attribute__((noinline))
typedef double vector __attribute__((vector_size(32)));

static volatile int sink;

ROUTINE __attribute__((target("avx"))) vector vectors(vector a, vector b, vector c, vector d, vector e, vector f,
                                                      vector g, vector h) {
  sink++;
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

ROUTINE double scalars(double a, double b, double c, double d, double e, double f, double g, double h, long i, long j,
                       long k, long l, long m, long n, double o, long p) {
  sink++;
  return a + b + c + d + e + f + g + h + (double)(i + j + k + l + m + n + p) + o;
}

ROUTINE long double extended(long double a) {
  sink++;
  return 2 * a;
}

ROUTINE double complex turned(double complex a) {
  sink++;
  return a * I;
}

__attribute__((target("avx"))) static int vectors_are_right(double i) {
  const vector one = {i, i + 1, i + 2, i + 3};
  const vector sum = vectors(one, one, one, one, one, one, one, one);
  int right = 1;
  for (int k = 0; k < 4; k++)
    right &= sum[k] == 36 * (i + k);
  return right;
}

int main(int argc, char **argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 1;
  int right = 1;
  for (int i = 0; i < count; i++) {
    right &= !__builtin_cpu_supports("avx") || vectors_are_right(i);
    right &= scalars(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, i, 16) == 121 + i;
    right &= extended(i) == 2.0L * i;
    right &= turned(i) == i * I;
  }
  puts(right ? "right" : "wrong");
  return 0;
}
