// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Routines that are left without returning: N times by an exception from two calls further in, N times by longjmp, and N times
// by longjmp out of a recursion of three. What is called afterwards belongs to the routine that goes on: after(), 3 N
// times. Prints how often that was.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#define ROUTINE __attribute__((noinline))
static jmp_buf target;
static volatile int sink;

namespace left {
ROUTINE void after(int i) { sink = i; }
ROUTINE void thrower(int i) { i < 0 ? void(sink = i) : throw std::runtime_error("left"); }
ROUTINE void between(int i) {
  thrower(i);
  sink = i;
}
ROUTINE void catcher(int i) {
  try {
    between(i);
  } catch (const std::exception &) {
    after(i);
  }
  sink = i;
}
ROUTINE void jumper(int i) { i < 0 ? void(sink = i) : longjmp(target, 1); }
ROUTINE void deep(int i) {
  if (i > 0)
    deep(i - 1);
  else
    longjmp(target, 1);
  sink = i;
}
ROUTINE void lander(int i, void (*jump)(int), int with) {
  if (setjmp(target) == 0)
    jump(with);
  after(i);
  sink = i;
}
} // namespace left

int main(int, char **argv) {
  const int count = atoi(argv[1]);
  for (int i = 0; i < count; i++) {
    left::catcher(i);
    left::lander(i, left::jumper, i);
    left::lander(i, left::deep, 2);
  }
  printf("after %d\n", 3 * count);
}
