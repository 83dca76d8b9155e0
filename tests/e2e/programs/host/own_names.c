/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions and data with names that the C library has, too: ISO C leaves them to the program. The linker exports them,
 * so that every library that asks for the C library's gets these. Nobody may call them but main.
 */
#include <stdio.h>
#include <stdlib.h>

#define OWN(name)                                                                                                      \
  long name(long x) {                                                                                                  \
    if (x != 42)                                                                                                       \
      abort();                                                                                                         \
    return x;                                                                                                          \
  }
OWN(link)
OWN(unlink)
OWN(symlink)
OWN(readlink)
OWN(stat)
OWN(lstat)
OWN(pread)
OWN(pwrite)
OWN(nanosleep)
OWN(backtrace)
int ioctl[9];

int main(void) {
  int sum = 0;
  for (int i = 0; i < 10; i++) {
#pragma omp parallel for reduction(+ : sum) // mark: region
    for (int k = 0; k < 100; k++)
      sum += k;
  }
  printf("%d %ld\n", sum,
         link(42) + unlink(42) + symlink(42) + readlink(42) + stat(42) + lstat(42) + pread(42) + pwrite(42) +
             nanosleep(42) + backtrace(42) + ioctl[0]);
  return 9;
}
