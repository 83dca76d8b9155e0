/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file oracle_levels.h
 * Concurrency worked out by brute force: the run is cut at every instant at which any thread begins or ends to be busy
 * anywhere, or a region begins or ends. Between two cuts nothing changes, and everything is simply added up.
 */
#ifndef HEDDLE_TESTS_ORACLE_LEVELS_H
#define HEDDLE_TESTS_ORACLE_LEVELS_H

#include "oracle_data.h"

/** The time between two cuts of the run. */
struct or_segment {
  uint64_t from, to;
  uint32_t level; /* number of threads that are busy */
};

/** Two nodes in which threads were busy at the same time. a < b. */
struct or_pair {
  uint32_t a, b;
  uint64_t ticks; /* 0: free place */
};

struct or_levels {
  uint32_t limit;        /* levels are 0 to limit - 1 */
  uint64_t *time_at;     /* of the program, by level */
  uint64_t **busy_at;    /* by node, then level; NULL: nobody was busy there */
  uint64_t **elapsed_at; /* by node, then level; NULL: no region */
  uint64_t *active;      /* by node: time during which somebody was busy there */
  struct or_segment *segments;
  size_t segment_count;
  struct or_pair *pairs; /* hashed */
  size_t pair_limit, pair_count;
};

#endif
