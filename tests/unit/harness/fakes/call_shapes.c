/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "call_shapes.h"

#include <alloca.h>
#include <stdlib.h>

typedef void shape(struct shapes *shapes);

static ROUTINE shape small, large, varying, growing, aligned, aligned_varying, many_values, recursive, by_tail_call,
    sorting;
static shape *volatile const table[] = {small,   large,       varying,   growing,      aligned, aligned_varying,
                                        varying, many_values, recursive, by_tail_call, sorting};
static __thread struct shapes *sorted_for; /* qsort passes nothing on */

static void use(void *memory) {
  __asm__ volatile("" : : "r"(memory) : "memory");
}

static shape *choose(struct shapes *shapes) {
  return table[shapes_below(shapes, sizeof table / sizeof *table)];
}

void SHAPES_CALL(struct shapes *shapes) {
  shapes_enter(shapes, SHAPES_CALL);
  for (uint32_t calls = shapes_below(shapes, 4); calls > 0 && shapes->budget > 0; calls--) {
    if (shapes_below(shapes, 2))
      shapes->region(shapes);
    if (shapes->depth + 8 < shapes->deepest) {
      shapes->budget--;
      choose(shapes)(shapes);
    }
  }
  shapes_leave(shapes);
}

static void small(struct shapes *shapes) {
  shapes_enter(shapes, small);
  SHAPES_CALL(shapes);
  shapes_leave(shapes);
}

/* Its room is never written: what was on the stack before is still there. */
static void large(struct shapes *shapes) {
  char room[1000];
  shapes_enter(shapes, large);
  use(room);
  SHAPES_CALL(shapes);
  shapes->region(shapes);
  use(room);
  shapes_leave(shapes);
}

/* Few sizes, so that different stacks end at the same address. */
static void varying(struct shapes *shapes) {
  char room[16 + 16 * shapes_below(shapes, 12)];
  shapes_enter(shapes, varying);
  use(room);
  shapes->region(shapes);
  SHAPES_CALL(shapes);
  use(room);
  shapes_leave(shapes);
}

static void growing(struct shapes *shapes) {
  shapes_enter(shapes, growing);
  for (uint32_t times = shapes_below(shapes, 4); times > 0; times--) {
    use(alloca(16 * (1 + shapes_below(shapes, 4))));
    shapes->region(shapes);
    SHAPES_CALL(shapes);
  }
  shapes_leave(shapes);
}

static void aligned(struct shapes *shapes) {
  _Alignas(64) char room[64];
  shapes_enter(shapes, aligned);
  use(room);
  shapes->region(shapes);
  SHAPES_CALL(shapes);
  use(room);
  shapes_leave(shapes);
}

static void aligned_varying(struct shapes *shapes) {
  _Alignas(128) char room[128];
  char more[16 + 16 * shapes_below(shapes, 8)];
  shapes_enter(shapes, aligned_varying);
  use(room);
  use(more);
  SHAPES_CALL(shapes);
  shapes->region(shapes);
  use(room);
  use(more);
  shapes_leave(shapes);
}

/* Needs every register there is, the frame pointer's too when that is free. */
static void many_values(struct shapes *shapes) {
  uint64_t values[8];
  shapes_enter(shapes, many_values);
  for (int i = 0; i < 8; i++)
    values[i] = shapes->random * (uint64_t)(2 * i + 3);
  uint64_t a = values[0], b = values[1], c = values[2], d = values[3], e = values[4], f = values[5];
  __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
  SHAPES_CALL(shapes);
  shapes->region(shapes);
  __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
  shapes_leave(shapes);
}

static void recursive(struct shapes *shapes) {
  shapes_enter(shapes, recursive);
  if (shapes_below(shapes, 3) && shapes->depth + 8 < shapes->deepest)
    ((shape *volatile)recursive)(shapes);
  else
    SHAPES_CALL(shapes);
  shapes->region(shapes);
  shapes_leave(shapes);
}

/* Off the stack before the next one is called. */
static void by_tail_call(struct shapes *shapes) {
  shapes_enter(shapes, by_tail_call);
  shapes->region(shapes);
  shapes_leave(shapes);
  choose(shapes)(shapes);
}

static ROUTINE int compare(const void *left, const void *right) {
  struct shapes *shapes = sorted_for;
  shapes->entered[shapes->depth++] = (const void *)(uintptr_t)compare;
  shapes->region(shapes);
  SHAPES_CALL(shapes);
  sorted_for = shapes;
  shapes_leave(shapes);
  return *(const int *)left - *(const int *)right;
}

static void sorting(struct shapes *shapes) {
  int numbers[] = {2, 3, 1};
  shapes_enter(shapes, sorting);
  sorted_for = shapes;
  qsort(numbers, 2 + shapes_below(shapes, 2), sizeof *numbers, compare);
  use(numbers);
  shapes_leave(shapes);
}
