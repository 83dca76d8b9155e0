/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file names.h
 * What the lines are that go from one thread to another: blocks of the profile by their type, variables by their name,
 * and for the rest, the library's own memory, the function that touches it.
 */
#ifndef HEDDLE_BENCHMARKS_SIMULATION_NAMES_H
#define HEDDLE_BENCHMARKS_SIMULATION_NAMES_H

#include <stdbool.h>

enum { NAMES_KEPT = 24, NAME_BYTES = 64 };

struct named_lines {
  char name[NAME_BYTES];
  double lines;
};

/** Forgets what has been noted so far. */
void names_begin(void);

/** A line has come from another thread. struct traced.on_line. */
void names_note(const void *address, const void *place, bool is_runtimes);

/** What the lines were, those that came most often first. `object`: something in the traced library. */
void names_tell(const void *object, struct named_lines kept[NAMES_KEPT]);

#endif
