/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file part.h
 * Parts of a job's file: what `heddle job --json` makes of profiles and of other parts, in a process of its own. They
 * lie in memory, as files without a name, which are gone with the last process that has them.
 */
#ifndef HEDDLE_MPI_PART_H
#define HEDDLE_MPI_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/tree.h"

/** What is joined. */
struct hd_part_sources {
  const char *command; /* `heddle` */
  bool all_ranks;      /* each rank's time in each place */
  const char *profile; /* a rank's; NULL: none */
  int parts[HD_TREE_CHILDREN + 1];
  int part_count;
};

/** Nanoseconds of CLOCK_MONOTONIC. */
uint64_t hd_part_clock(void);

/** Sleeps for a moment: whoever polls leaves the processor to others. */
void hd_part_nap(void);

/** Joins them until `deadline`, on that clock. Returns the part's descriptor; -1: the process could not be started,
 * said why not on stderr, or takes too long. */
int hd_part_join(const struct hd_part_sources *sources, uint64_t deadline);

/** An empty part with room for so many bytes. -1: there is none. */
int hd_part_new(uint64_t bytes);

/** How many bytes it has; 0 also for -1. */
uint64_t hd_part_bytes(int part);

/** It in memory. Not to be unmapped while MPI may use it: when this rank has given up waiting. NULL: no room. */
void *hd_part_map(int part);
void hd_part_unmap(int part, void *map);

void hd_part_free(int part);

#endif
