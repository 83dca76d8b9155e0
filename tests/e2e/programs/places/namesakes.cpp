/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that are told apart by their arguments only: two overloads of run, two instances of weave, and alone, which
 * has no namesake. Each has one region.
 */
namespace lab {
int steps;

__attribute__((noinline)) void run(int count) {
#pragma omp parallel num_threads(2)
  if (count > 0)
#pragma omp atomic
    steps++;
}

__attribute__((noinline)) void run(double count) {
#pragma omp parallel num_threads(2)
  if (count > 0)
#pragma omp atomic
    steps++;
}

template <class Number> __attribute__((noinline)) void weave(Number count) {
#pragma omp parallel num_threads(2) // mark: template
  if (count > 0)
#pragma omp atomic
    steps++;
}

__attribute__((noinline)) void alone(int count) {
#pragma omp parallel num_threads(2)
  if (count > 0)
#pragma omp atomic
    steps++;
}
} // namespace lab

int main() {
  lab::run(1);
  lab::run(1.0);
  lab::weave(1);
  lab::weave(1.0);
  lab::alone(1);
  return lab::steps == 10 ? 0 : 1;
}
