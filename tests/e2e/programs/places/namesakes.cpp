/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that are told apart by their arguments only: two overloads of run, two instances of weave, and alone, which
 * has no namesake. Each has one region, which uses the argument: a call that passes it on the stack is no tail call.
 */
namespace lab {
int steps;

template <class Number> inline void step(Number count) {
#pragma omp atomic
  steps += count > 0;
}

__attribute__((noinline)) void run(int count) {
#pragma omp parallel num_threads(2)
  step(count);
}

__attribute__((noinline)) void run(double count) {
#pragma omp parallel num_threads(2)
  step(count);
}

template <class Number> __attribute__((noinline)) void weave(Number count) {
#pragma omp parallel num_threads(2) // mark: template
  step(count);
}

__attribute__((noinline)) void alone(int count) {
#pragma omp parallel num_threads(2)
  step(count);
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
