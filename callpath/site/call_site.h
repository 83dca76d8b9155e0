/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file call_site.h
 * From the return address that an event comes with to the place that stands for the construct.
 *
 * The two differ in five cases:
 * - libomp keeps one return address per thread between an entry point and the event. A thread that leaves a critical
 *   section uses thread 0's (its __kmpc_end_critical stores and clears it): thread 0's next event may then come with
 * another thread's address, with none, or with one inside libomp. The stack shows which address is right.
 * - A function that enters the runtime as the last thing it does jumps there (a tail call): the return address is its
 *   caller's, which may be the runtime itself. The call instruction before it tells which function that was, and the
 *   only jump in there to this entry of the runtime is the place.
 * - GCC passes the runtime the function that it made out of a region or task, and gives the call the line of the block
 *   around; several constructs of a block share it. The function that is passed stands for the construct, whichever
 *   copy of the call was made.
 * - A kernel that is offloaded to the host and ends with such a jump was called by libomptarget: its `target` construct
 *   stands for the region.
 * - A loop that is all of its region is begun for a GCC-built program by the runtime itself (ompt/thread/thread.c).
 */
#ifndef HEDDLE_CALLPATH_SITE_CALL_SITE_H
#define HEDDLE_CALLPATH_SITE_CALL_SITE_H

#include <stdbool.h>
#include <stdint.h>

struct hd_call_site {
  const void *address; /* as if a return address: one behind a byte of the place */
  bool lasting;        /* the event's address always stands for this place, below the same callpath */
  bool is_tail_call; /* the construct lies in the function of `address`, or one called there: which one is not known */
};

/** What is known of the construct whose event it is. */
struct hd_construct {
  bool
      makes_tasks; /* the runtime itself does this, too (for a taskloop): an address inside it is no sign of a mix-up */
  bool is_taskloop; /* whose address is always inside the runtime: the user's call is the one next to it on the stack */
  bool has_body;    /* it may be given to the runtime as a function */
  const void *region; /* the address of the region around, for anything but a region; NULL: it is no sign of anything */
  const void *body;   /* of the construct around: a function that the runtime has called; NULL: not known */
  uint32_t unloads;   /* modules so far (modules.h): addresses may have changed their meaning */
};

/** The place of the construct whose event came with `address`. An address that cannot be resolved stays as it came.
 * Unwinds and reads code (some microseconds): for a callpath step's first time only. Any thread. Keeps errno. */
struct hd_call_site hd_call_site_find(const void *address, const struct hd_construct *asked);

/** The function that a site's address stands for (the construct's body); NULL: it is a place in the code. */
const void *hd_call_site_body(const void *address);
#endif
