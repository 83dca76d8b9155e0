/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Routines that call each other at random, with frames of all shapes. Each writes down that it was entered, so what is
 * on the stack is known without unwinding. Compiled with and without frame pointers. */
#ifndef HEDDLE_CALL_SHAPES_H
#define HEDDLE_CALL_SHAPES_H

#include <stdint.h>

/** Neither inlined nor cloned: a clone has another first instruction. */
#ifdef __clang__
#define ROUTINE __attribute__((noinline))
#else
#define ROUTINE __attribute__((noipa))
#endif

enum { SHAPES_DEEPEST = 256 };

struct shapes {
  uint64_t random;
  uint32_t budget; /* calls left */
  uint32_t deepest;
  uint32_t depth;
  const void *entered[SHAPES_DEEPEST]; /* first instructions, outermost first */
  void (*region)(struct shapes *shapes);
};

static inline uint32_t shapes_below(struct shapes *shapes, uint32_t limit) {
  shapes->random = shapes->random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((shapes->random >> 33) % limit);
}

static inline void shapes_enter(struct shapes *shapes, void (*self)(struct shapes *)) {
  shapes->entered[shapes->depth++] = (const void *)(uintptr_t)self;
}

static inline void shapes_leave(struct shapes *shapes) {
  shapes->depth--;
}

/** Some random calls; regions in between. Writes itself down as well. */
ROUTINE void shapes_call_with_frame_pointers(struct shapes *shapes);
ROUTINE void shapes_call_without_frame_pointers(struct shapes *shapes);

#endif
