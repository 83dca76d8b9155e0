/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Regions in functions that the compiler inlines: static in a namespace, a constructor of a class template, a function
 * that takes a lambda, in a nested and in an unnamed namespace. Each has one region, run by each of its two callers;
 * a report shows the function that the pragma is written in, not the one around it.
 */
#include <cstdio>

namespace loom {

static inline void scale(double *yarn, int count, double by) {
#pragma omp parallel for // mark: static
  for (int i = 0; i < count; i++)
    yarn[i] *= by;
}

template <class Number> struct Spool {
  Number sum = 0;
  inline Spool(const Number *yarn, int count) {
    Number total = 0;
#pragma omp parallel for reduction(+ : total) // mark: constructor
    for (int i = 0; i < count; i++)
      total += yarn[i];
    sum = total;
  }
};

inline namespace warp {
template <class Work> static inline void each(int count, Work work) {
#pragma omp parallel for // mark: lambda taker
  for (int i = 0; i < count; i++)
    work(i);
}
} // namespace warp

namespace {
inline void dye(double *yarn, int count) {
#pragma omp parallel for // mark: unnamed
  for (int i = 0; i < count; i++)
    yarn[i] += i;
}
} // namespace

template <class Number> __attribute__((noinline)) double weave(Number *yarn, int count) {
  scale(yarn, count, 0.5);
  each(count, [yarn](int i) { yarn[i] += 1; });
  dye(yarn, count);
  return Spool<Number>(yarn, count).sum;
}

} // namespace loom

int main() {
  double yarn[64] = {};
  loom::dye(yarn, 64);
  loom::scale(yarn, 64, 2);
  const double sum = loom::Spool<double>(yarn, 64).sum;
  std::printf("%.0f %.0f\n", sum, loom::weave(yarn, 64));
  return 0;
}
