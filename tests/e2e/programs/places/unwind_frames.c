/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * usage: unwind_frames [rounds]. One region at equal stack pointers by different ways. Callers and instances per round:
 *   main > fixed > work                       3: a frame of fixed size
 *   main > array > work                       3: a variable-length array, of 16, 32, 48 bytes
 *   main > allocate > work                    3: the same with alloca
 *   main > aligned > work                     3: a frame whose start depends on the stack's address
 *   main > indirect > tight > array > work   32: arrays of 16 to 512 bytes: one makes up for the room that `wide` has;
 *   main > indirect > wide > array > work    32: in its unwritten frame the return address of `tight` is left over then
 */
#include <alloca.h>
#include <stdlib.h>

#include "unwind.h"

#define FRAME(name, room, callee)                                                                                      \
  ROUTINE void name(size_t bytes) {                                                                                    \
    room;                                                                                                              \
    USE(memory + bytes % 16);                                                                                          \
    callee;                                                                                                            \
    USE(memory);                                                                                                       \
  }

ROUTINE void work(void) {
  REGION;
}

FRAME(fixed, char memory[256], work())
FRAME(array, char memory[bytes], work())
FRAME(allocate, char *memory = alloca(bytes), work())
FRAME(aligned, _Alignas(64) char memory[64], work())
FRAME(wide, char memory[256], array(bytes))

ROUTINE void tight(size_t bytes) {
  array(bytes);
  STAY;
}

ROUTINE void indirect(void (*routine)(size_t), size_t bytes) {
  routine(bytes);
  STAY;
}

int main(int argc, char **argv) {
  void (*const routines[])(size_t) = {fixed, array, allocate, aligned};
  for (int round = argc > 1 ? atoi(argv[1]) : 1; round > 0; round--) {
    for (size_t i = 0; i < 12; i++)
      routines[i % 4](16 * (1 + i / 4));
    for (size_t bytes = 16; bytes <= 512; bytes += 16)
      for (int i = 0; i < 2; i++)
        indirect(i ? wide : tight, i ? 16 : bytes);
  }
  return 0;
}
