/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file ownership.h
 * Which thread has written a line of memory last, and which threads have seen it since: what a processor's caches would
 * know if each thread had one of its own, of unlimited size.
 */
#ifndef HEDDLE_BENCHMARKS_SIMULATION_OWNERSHIP_H
#define HEDDLE_BENCHMARKS_SIMULATION_OWNERSHIP_H

#include <stdbool.h>
#include <stdint.h>

enum ownership {
  OWNERSHIP_KEPT,  /* the thread has the line */
  OWNERSHIP_TAKEN, /* it has written it last and writes it again, but others have read it since */
  OWNERSHIP_MOVED  /* another thread has written it since this one had it */
};

/** A thread (0, 1, ...) reads or writes a line (its address divided by its length). Ends the program without memory. */
enum ownership ownership_touch(uint64_t line, uint32_t thread, bool writes);

#endif
