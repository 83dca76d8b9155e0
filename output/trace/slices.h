/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file slices.h
 * A trace as slices: what each thread is in, one in another, with what it waits for inside. For formats that know
 * begins and ends.
 *
 * A thread's slices end in the opposite order of their begins. The outermost is the program; a thread that idles, or
 * does not live, has none. An explicit task has slices of its own, from the task on, in those of the implicit task:
 * they end where the thread goes on with another task, and begin anew where it comes back. Where the thread, or the
 * trace, ends within a task, `leave_task` is called between that task's slices and those around them. Memory does not
 * grow with the trace.
 */
#ifndef HEDDLE_OUTPUT_TRACE_SLICES_H
#define HEDDLE_OUTPUT_TRACE_SLICES_H

#include "output/trace/entry.h"

struct hd_slice {
  uint64_t ticks; /* of its begin, or of its end */
  uint32_t thread;
  uint32_t node;
  uint32_t state; /* HD_BUSY: it is the node's own slice; else what the thread waits for there, or the runtime does */
};

struct hd_slices_stack {
  uint32_t *items;
  uint32_t count, limit;
};

struct hd_slices_thread {
  struct hd_slices_stack open;  /* nodes with open slices */
  struct hd_slices_stack tasks; /* for the explicit task that it is in, and those in whose regions that is: how many
                                   slices are around its own */
  uint32_t state;               /* HD_BUSY: the innermost slice is a node's */
  bool switches, next_is_task;  /* from one task to another, at the next change */
};

/** Fill in the members but the last, then hd_slices_start(). */
struct hd_slices {
  const struct hd_model *model;
  void (*begin)(void *context, const struct hd_slice *slice);
  void (*end)(void *context, const struct hd_slice *slice);
  void (*leave_task)(void *context, const struct hd_slice *slice); /* may be NULL */
  void *context;
  bool teams_alone; /* the outermost slice of a team's worker is the region, and not what its primary had called before
                     */
  struct hd_slices_thread *threads;
};

void hd_slices_start(struct hd_slices *slices);

/** What ends and begins at an entry of hd_trace_walk(). */
void hd_slices_take(const struct hd_slices *slices, const struct hd_trace_entry *entry);

/** Ends all that are open, if any, and frees memory: a damaged trace leaves some. */
void hd_slices_finish(struct hd_slices *slices, uint64_t ticks);

#endif
