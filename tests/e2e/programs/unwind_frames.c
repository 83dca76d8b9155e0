/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * usage: unwind_frames [rounds]. One region at equal stack pointers by different ways; 3 instances each round below
 * each of main > fixed > work                a frame of fixed size main > array > work                a variable-length
 * array, of 16, 32, 48 bytes main > allocate > work             the same with alloca main > aligned > work a frame
 * whose start depends on the stack's address main > indirect > array > work     called from one place in `indirect`,
 * with an array as large as what `fixed` needs main > indirect > fixed > work     more; in its unwritten frame the
 * return address of the former is left over
 */
#include <alloca.h>
#include <stdlib.h>

#include "unwind.h"

ROUTINE void work(void) {
  REGION;
}

ROUTINE void fixed(size_t bytes) {
  char room[256]; /* unwritten */
  USE(room + bytes);
  work();
  USE(room);
}

ROUTINE void array(size_t bytes) {
  char room[bytes];
  USE(room);
  work();
  USE(room);
}

ROUTINE void allocate(size_t bytes) {
  USE(alloca(bytes));
  work();
  STAY;
}

ROUTINE void aligned(size_t bytes) {
  _Alignas(64) char room[64];
  USE(room + bytes % 64);
  work();
  USE(room);
}

ROUTINE void indirect(void (*routine)(size_t), size_t bytes) {
  routine(bytes);
  STAY;
}

int main(int argc, char **argv) {
  void (*const routines[])(size_t) = {fixed, array, allocate, aligned};
  for (int round = argc > 1 ? atoi(argv[1]) : 1; round > 0; round--)
    for (size_t i = 0; i < 12; i++) {
      routines[i % 4](16 * (1 + i / 4));
      if (i < 6)
        indirect(i % 2 ? fixed : array, i % 2 ? 0 : 208 + 8 * i);
    }
  return 0;
}
