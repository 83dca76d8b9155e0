/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file callpath.h
 * Whose time it is: (parent profile, site) -> profile.
 *
 * A site is (construct kind, return address). The key holds the *profile* of the parent, so it stands for the whole
 * path and a step costs the same at any depth (the idea of TAU's callpath mapping: hash the address of the parent's
 * profile; Shende et al. 2003). Threads keep the result of every step in an edge cache of their own (thread.h); these
 * functions are its miss path: once per new edge and thread, under one lock.
 *
 * With a bounded depth k a step leads to the profile of the last k sites (TAU's k-level callpaths). Unbounded, a site
 * that is already on the path leads back to its ancestor, as gprof does with cycles: a recursive program has finitely
 * many profiles.
 */
#ifndef HEDDLE_CALLPATH_CALLPATH_H
#define HEDDLE_CALLPATH_CALLPATH_H

#include <stdbool.h>
#include <stdint.h>

#include "output/store.h"

#define HD_PROGRAM_PROFILE 0u /* the root's id */

struct hd_step {
  uint32_t profile; /* id */
  bool in_runtime;  /* the site lies in the OpenMP runtime, not in the user's code */
};

/** Prepares the table and makes the program's profile (id 0). `depth` 0: unbounded. False: no memory. */
bool hd_callpath_init(struct hd_store *store, uint64_t depth);

/** The profile of the site (`kind`, `address`) below profile `parent`. Never fails: when memory or the file is full it
 *  is the parent itself (the time is charged there and the profile marked as folded). Any thread. Takes a lock, may
 *  allocate: not for the steady state. */
struct hd_step hd_callpath_step(uint32_t parent, enum hd_kind kind, const void *address);

#endif
