/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file entries.h
 * What libheddle-entry.so and libheddle.so know of each other.
 *
 * OMPT reports neither when a thread asks for a chunk of a loop, nor when it begins to create a task.
 * libheddle-entry.so stands in front of the runtime's entry points that do so (entry.c): it tells libheddle.so before
 * and after, and calls on. `heddle run` preloads it into programs that import such an entry point. It is a library of
 * its own because libheddle.so must not come into a process before a runtime asks for it, unless the program has
 * instrumented routines: preloaded, it would replace dlclose(3), hear of routines, and take more memory for each
 * thread.
 *
 * The runtime takes a construct's place in the code from the return address of its entry point, which is now in
 * libheddle-entry.so. libheddle.so then asks for that of the wrapper.
 */
#ifndef HEDDLE_ENTRY_ENTRIES_H
#define HEDDLE_ENTRY_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

/** What a thread does in an entry point. Append only. */
enum heddle_entry { HEDDLE_ENTRY_SCHEDULING, HEDDLE_ENTRY_TASK_CREATION };

/** The thread goes into an entry point. Returns what the end is to say; 0: the begin is not observed. */
typedef uint32_t heddle_entry_begin(enum heddle_entry entry);

/** Some of a loop's iterations, or all of them. The loop's variable, signed or not, is extended to 64 bits; where it
 * wraps around, so do sums of these. */
struct heddle_iterations {
  uint64_t first; /* the loop's variable in the first of them */
  int64_t step;
  uint64_t count; /* 0: none */
};

/** It is back, with a chunk of a loop, or none. */
typedef void heddle_entry_end(enum heddle_entry entry, uint32_t begun, const struct heddle_iterations *chunk);

/** A wrapper that the calling thread is in, and the one around it: runtimes call their own entry points, and run tasks
 * in them. */
struct heddle_inside {
  const void *caller;                   /* where the wrapper returns to */
  const struct heddle_iterations *loop; /* that is made ready there, all of it; NULL: none is */
  bool by_runtime;                      /* schedule(runtime): OMP_SCHEDULE says how it is divided */
  const struct heddle_inside *outer;
};

/** Exported by libheddle-entry.so under HEDDLE_ENTRIES. */
struct heddle_entries {
  /** The innermost one of the calling thread; NULL: none. */
  const struct heddle_inside *(*innermost)(void);
  /** Both NULL until libheddle.so, which measures, sets them: `end` first. */
  heddle_entry_begin *begin;
  heddle_entry_end *end;
};

/** Ends with the number of this interface: a libheddle.so of another one finds nothing, and goes on without. */
#define HEDDLE_ENTRIES "heddle_entries_3"

#endif
