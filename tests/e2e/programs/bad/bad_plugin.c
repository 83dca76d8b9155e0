/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loaded and unloaded by bad_dlclose.c; built twice, with the NAME of its routine. */
#include <stdatomic.h>

static atomic_int calls;

__attribute__((noinline)) void NAME(void) {
  atomic_fetch_add(&calls, 1);
}

int plugin(int times, int threads) {
  for (int i = 0; i < times; i++)
    NAME();
#pragma omp parallel num_threads(threads)
  NAME();
  return atomic_load(&calls);
}
