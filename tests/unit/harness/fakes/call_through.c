/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library that is built twice: its code has the same addresses whatever the ROOM, its frame has not. */
void through(void (*call)(void));

__attribute__((visibility("default"))) void through(void (*call)(void)) {
  char room[ROOM];
  __asm__ volatile("" : : "r"(room) : "memory");
  call();
  __asm__ volatile("" : : "r"(room) : "memory");
}
