/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file step.h
 * From one of a thread's rows to the next: callpath steps, which the thread remembers. A step that it has made before
 * takes one look into its own table; a new one asks callpath.h.
 *
 * Only the thread itself calls these functions.
 */
#ifndef HEDDLE_OMPT_THREAD_STEP_H
#define HEDDLE_OMPT_THREAD_STEP_H

#include "callpath/code/wrappers.h"
#include "ompt/thread/rows.h"
#include "ompt/thread/thread.h"

/** Puts a new edge among those remembered if there is memory. `call`: NULL but for calls of routines. */
void hd_thread_remember(struct hd_thread *thread, const struct hd_row_record *from, uint64_t site,
                        const struct hd_way *way, const struct hd_call_edge *call);

/** The miss path of hd_thread_step_from. */
struct hd_way hd_thread_step_slow(struct hd_thread *thread, struct hd_row_record *from, enum hd_kind kind,
                                  const void *address);

/** The callpath step from a row of this thread to `kind` at `address`. */
static inline struct hd_way hd_thread_step_from(struct hd_thread *thread, struct hd_row_record *from, enum hd_kind kind,
                                                const void *address) {
  const uint64_t site = hd_edge_site(kind, (uint64_t)(uintptr_t)address);
  const struct hd_edge *edge = hd_edge_at_once(&thread->edges, from, site);
  return edge ? hd_edge_way(edge) : hd_thread_step_slow(thread, from, kind, address);
}

/** Likewise from the innermost profile, for an address that the runtime tells. */
static inline struct hd_way hd_thread_step(struct hd_thread *thread, enum hd_kind kind, const void *address) {
  return hd_thread_step_from(thread, thread->top->row, kind, hd_wrappers_see_through(address));
}

#endif
