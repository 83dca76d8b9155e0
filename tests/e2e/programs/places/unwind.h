/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Routines that the compiler keeps as they are written. */
#ifndef HEDDLE_TESTS_UNWIND_H
#define HEDDLE_TESTS_UNWIND_H

#ifdef __clang__
#define ROUTINE __attribute__((noinline))
#else
#define ROUTINE __attribute__((noipa))
#endif

/* At a routine's end: what it calls before is no tail call. */
#define STAY __asm__ volatile("")

#define USE(memory) __asm__ volatile("" : : "r"(memory) : "memory")

#define REGION                                                                                                         \
  do {                                                                                                                 \
    _Pragma("omp parallel") __asm__ volatile("");                                                                      \
    STAY;                                                                                                              \
  } while (0)

/* A routine that holds a region. */
#define HOLDER(name)                                                                                                   \
  ROUTINE void name(int argument) {                                                                                    \
    USE(&argument);                                                                                                    \
    REGION;                                                                                                            \
  }

/* A routine that calls another one, with the same argument. */
#define CALLER(name, callee)                                                                                           \
  ROUTINE void name(int argument) {                                                                                    \
    callee(argument);                                                                                                  \
    STAY;                                                                                                              \
  }

#endif
