/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A region offloaded to the host, as clang and libomptarget make one: the kernel ends with the call that begins the
 * region, which is a jump, and a library of libomptarget's name has called it by a pointer. With -DTARGET this is that
 * library. Prints "done". */
#include <stdio.h>

void __tgt_target_kernel(void (*kernel)(void));

#ifdef TARGET
void __tgt_target_kernel(void (*kernel)(void)) {
  kernel(); /* without optimisation: by a register that nobody keeps */
}
#else
static volatile int sums[64];

static __attribute__((noinline)) void region(void) {
#pragma omp parallel num_threads(2)
  sums[0] = 1;
}

static __attribute__((noinline)) void other(void) {
#pragma omp parallel num_threads(2)
  sums[32] = 1;
}

int main(void) {
  for (int i = 0; i < 3; i++) {
    __tgt_target_kernel(region); // mark: region
    __tgt_target_kernel(other);  // mark: other
  }
  puts("done");
  return 0;
}
#endif
