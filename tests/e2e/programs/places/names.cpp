/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Names as C++ makes them: a member function, a template, a lambda inside a namespace. Each has one region; a report
 * shows the demangled name of the function that the pragma is written in, not of the one the compiler outlined.
 */
#include <cstdio>

namespace loom {

class Shuttle {
public:
  void pass(int times);
  int passed = 0;
};

void Shuttle::pass(int times) {
#pragma omp parallel for reduction(+ : passed) // mark: member
  for (int i = 0; i < times; i++)
    passed += 1;
}

template <typename Number> Number weave(int threads) {
  Number sum = 0;
#pragma omp parallel num_threads(threads) // mark: template
  {
#pragma omp critical // mark: template critical
    sum += 1;
  }
  return sum;
}

int tie() {
  auto knot = [](int count) {
    int sum = 0;
#pragma omp parallel for reduction(+ : sum) // mark: lambda
    for (int i = 0; i < count; i++)
      sum += i;
    return sum;
  };
  return knot(10);
}

} // namespace loom

int main() {
  loom::Shuttle shuttle;
  shuttle.pass(100);
  std::printf("%d %.1f %d\n", shuttle.passed, loom::weave<double>(2), loom::tie());
  return 0;
}
