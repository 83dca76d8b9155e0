/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* shapes_cpp NAME: flaws in C++: constructs in templates, methods and lambdas. Work is as in flawed.c. */
#define WORK_CLOCK CLOCK_THREAD_CPUTIME_ID
#include <functional>
#include <map>
#include <vector>

#include "flaws.h"

template <class Body> static void for_each(int count, Body body) {
#pragma omp parallel for schedule(static) // mark: template
  for (int i = 0; i < count; i++)
    body(i);
}

class Store {
  std::map<int, double> values;

public:
  void put(int key, double value) {
#pragma omp critical(store) // mark: method
    {
      values[key] += value;
      work_us(2000);
    }
  }
};

static void fill(Store &store) {
  auto job = [&](int i) { store.put(i % 7, i); };
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 40; i++)
    job(i);
}

static void run(const std::vector<std::function<void()>> &jobs) {
#pragma omp parallel
#pragma omp single nowait
  for (const auto &job : jobs) {
#pragma omp task firstprivate(job) // mark: jobs
    job();
  }
}

int main(int, char **argv) {
  Store store;
  for_each(2, [](int) { work_us(1000); });
  if (is(argv, "template"))
    for_each(40, [](int i) { work_us(200u * (unsigned)i); });
  if (is(argv, "method"))
    fill(store);
  if (is(argv, "jobs"))
    run(std::vector<std::function<void()>>(3, [] { work_us(80000); }));
  return 0;
}
