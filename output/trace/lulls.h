/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file lulls.h
 * When few threads of the process were busy, and for how long: lulls, found in a trace after the run, and what each
 * thread did in them.
 *
 * A lull begins and ends where the number of busy threads changes, or where the trace does: between two stretches of a
 * trace that number is not known. Memory grows with the number of lulls, not with the trace.
 */
#ifndef HEDDLE_OUTPUT_TRACE_LULLS_H
#define HEDDLE_OUTPUT_TRACE_LULLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/trace/entry.h"

/** At most so many threads are busy for at least so long. */
struct hd_lull_condition {
  uint32_t busy_most;
  uint64_t least_ticks;
};

/** What a thread did in a lull. */
struct hd_lull_share {
  struct hd_trace_place place;
  uint32_t thread;
  uint64_t ticks;
};

struct hd_lull {
  uint64_t from_ticks, to_ticks;
  uint64_t busy_ticks;          /* of all threads */
  struct hd_lull_share *shares; /* hd_lulls_look(): by state, callpath and thread, one of each */
  uint32_t share_count, share_limit;
};

struct hd_lulls {
  struct hd_lull *items; /* the longest first */
  uint32_t count, limit;
  uint32_t found; /* before hd_lulls_cut() */
  uint64_t ticks; /* of all that were found */
};

static inline uint64_t hd_lull_ticks(const struct hd_lull *lull) {
  return lull->to_ticks - lull->from_ticks;
}

/** Finds them. False: the trace is damaged; `error` says where, and those before are there. Free with
 *  hd_lulls_free() in any case. */
bool hd_lulls_find(const struct hd_model *model, const struct hd_lull_condition *condition, struct hd_lulls *lulls,
                   char *error, size_t error_bytes);
void hd_lulls_free(struct hd_lulls *lulls);

/** Keeps the longest; 0: all. */
void hd_lulls_cut(struct hd_lulls *lulls, uint32_t most);

/** Adds up what threads did in those that are left. False: as hd_lulls_find(). */
bool hd_lulls_look(const struct hd_model *model, struct hd_lulls *lulls, char *error, size_t error_bytes);

#endif
