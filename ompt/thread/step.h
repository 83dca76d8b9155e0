/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file step.h
 * From one of a thread's rows to the next: the row of a profile, and the callpath steps between them, which the thread
 * remembers. A step that it has made before takes one look into its own table; a new one asks callpath.h.
 *
 * Only the thread itself calls these functions.
 */
#ifndef HEDDLE_OMPT_THREAD_STEP_H
#define HEDDLE_OMPT_THREAD_STEP_H

#include "ompt/thread/thread.h"

/** Keys of hd_thread.index. */
#define HD_INDEX_ROW(profile) ((uint64_t)(profile))
#define HD_INDEX_TOTAL(profile, team_size) ((uint64_t)(profile) | ((uint64_t)(team_size) + 1) << 32)

/** This thread's row for a profile, or, without room for another, for a shortened one that stands for it as well; NULL
 * when there is no room for that either (counted as a folded path: the caller charges the time to a row that exists).
 * Constant time when it exists. */
struct hd_row_record *hd_thread_row(struct hd_thread *thread, uint32_t profile);

/** That edge, if it is in the cache; else NULL. */
const struct hd_edge *hd_thread_edge_known(const struct hd_thread *thread, const void *from, uint64_t site);

/** Puts a new edge into the cache if there is memory. */
void hd_thread_remember(struct hd_thread *thread, const struct hd_edge *edge);

/** Forgets all edges: a module was unloaded, and its addresses may stand for other code by now. */
void hd_thread_forget_edges(struct hd_thread *thread, uint32_t unloads);

/** The miss path of hd_thread_step_from. */
const struct hd_edge *hd_thread_step_slow(struct hd_thread *thread, struct hd_row_record *from, enum hd_kind kind,
                                          const void *address);

static inline uint64_t hd_thread_site(uint32_t kind, uint64_t address) {
  return address ^ (uint64_t)kind << 58;
}

static inline uint64_t hd_thread_edge_hash(const void *from, uint64_t site) {
  uint64_t hash = ((uint64_t)(uintptr_t)from >> 5) + site * 0x9E3779B97F4A7C15u; /* Fibonacci hashing, Knuth 6.4 */
  return hash ^ hash >> 32;
}

/** The edge, if it stands where the first look finds it; NULL: it may be elsewhere, or new. */
static inline const struct hd_edge *hd_thread_edge_at_once(const struct hd_thread *thread, const void *from,
                                                           uint64_t site) {
  const struct hd_edge *edge = &thread->edges[hd_thread_edge_hash(from, site) & thread->edge_mask];
  return __builtin_expect(edge->from == from && edge->site == site, true) ? edge : NULL;
}

/** The callpath step from a row of this thread to `kind` at `address`. Valid until the next one. */
static inline const struct hd_edge *hd_thread_step_from(struct hd_thread *thread, struct hd_row_record *from,
                                                        enum hd_kind kind, const void *address) {
  uint64_t site = hd_thread_site(kind, (uint64_t)(uintptr_t)address);
  const struct hd_edge *edge = hd_thread_edge_at_once(thread, from, site);
  return edge ? edge : hd_thread_step_slow(thread, from, kind, address);
}

/** Likewise from the innermost profile. */
static inline const struct hd_edge *hd_thread_step(struct hd_thread *thread, enum hd_kind kind, const void *address) {
  return hd_thread_step_from(thread, thread->top->row, kind, address);
}

#endif
