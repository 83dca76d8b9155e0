/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For -finstrument-functions. With p threads: outer 3; inner 6; region 3; leaf 3 p; task 15, each with one call of
 * in_task; barrier 3 p.
 */
#define NOINLINE __attribute__((noinline))

static volatile int sink;

NOINLINE static void leaf(void) {
  sink = 1;
}

NOINLINE static void in_task(void) {
  sink = 2;
}

NOINLINE static void inner(void) {
  sink = 3;
}

NOINLINE static void outer(void) {
  inner();
#pragma omp parallel // mark: region
  {
    leaf();
#pragma omp barrier // mark: barrier
#pragma omp single
    for (int i = 0; i < 5; i++) {
#pragma omp task // mark: task
      in_task();
    }
  }
  inner();
}

int main(void) {
  for (int i = 0; i < 3; i++)
    outer();
  return 0;
}
