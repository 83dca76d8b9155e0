/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For programs that check their own recursion: how often each routine was called and how long it was entered. */
#ifndef HEDDLE_TESTS_RECURSION_H
#define HEDDLE_TESTS_RECURSION_H

#include "routines.h"

/* A routine's outermost entries of one thread: from the first entry to the exit from it. */
struct outermost {
  const char *name;
  int depth;
  uint64_t begin_ns;
};

HELPER void enter(struct outermost *of) {
  if (of->depth++ == 0)
    of->begin_ns = now_ns();
}

HELPER void leave(struct outermost *of) {
  if (--of->depth == 0)
    window(of->name, of->begin_ns);
}

#endif
