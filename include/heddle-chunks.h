/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle-chunks.h
 * How long a thread worked on the chunks of a loop, and where among the loop's iterations these were. Part of
 * heddle-format.h.
 *
 * Of chunks whose begin and end were both observed: from the time when the runtime handed one out to the thread's next
 * request. All that the thread did meanwhile is in it, waits and Heddle's own work too.
 */
#ifndef HEDDLE_CHUNKS_H
#define HEDDLE_CHUNKS_H

#include <stdint.h>

#include "heddle-lengths.h"

/** The space of iterations is divided into so many parts, as equal as the number of iterations allows. */
#define HD_SPACE_BUCKETS 64u

enum hd_chunks_flag {
  HD_CHUNKS_BOUNDS = 1u << 0, /* `first`, `step` and `count` are known */
  HD_CHUNKS_VARY = 1u << 1,   /* they differ between instances of the loop: here are the last one's */
  HD_CHUNKS_RUNTIME = 1u << 2 /* schedule(runtime): OMP_SCHEDULE says how the loop is divided */
};

/** Buckets of instances with different bounds are added up, the first of one to the first of the others. */
struct hd_chunks_record {
  uint32_t profile; /* a loop's */
  uint32_t flags;   /* enum hd_chunks_flag */
  uint64_t first;   /* the loop's variable in the first iteration, as 64 bits */
  int64_t step;
  uint64_t count;            /* of iterations of one instance */
  struct hd_lengths lengths; /* of chunks */
  uint64_t ticks[HD_SPACE_BUCKETS];
  uint64_t iterations[HD_SPACE_BUCKETS];
};

#endif
