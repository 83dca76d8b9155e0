/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file stack_walk.h
 * One unwinding of the calling thread's stack: the user's routines on it, and what must be found in memory for the same
 * stack to be there again. Where all return addresses are known it goes by what was learned of them (known_frames.h),
 * some ten nanoseconds a frame; else by the C compiler's unwinder, which takes some 400, and is learned from.
 */
#ifndef HEDDLE_CALLPATH_STACK_STACK_WALK_H
#define HEDDLE_CALLPATH_STACK_STACK_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "callpath/stack/known_frames.h"
#include "callpath/stack/stack_check.h"

/** What an unwinding finds. The caller gives the room. */
struct hd_frames {
  const void **routines; /* of the user's code, innermost first; first instructions */
  uint32_t routine_limit;
  uint32_t routine_count;
  bool cut;              /* see struct hd_chain */
  uintptr_t place;       /* the stack pointer in the innermost routine */
  struct hd_proof proof; /* complete: when it holds, these are the routines again */

  /* Kept from one unwinding to the next, all asked for by the same function: */
  struct hd_known_frames *known; /* NULL: nothing is kept */
  uintptr_t own_bytes;           /* from `own` to the stack pointer of its caller; 0: not known yet */
  uint64_t by_library;           /* unwindings that the C compiler's unwinder had to do */
};

/** Loads the unwinder and finds the libraries whose routines are not the user's. False: no unwinder. */
bool hd_stack_walk_init(void);

/** Unwinds from the frame at `own` (__builtin_frame_address(0) of a function that is still running) outwards: see
 *  hd_stack_cache_callers_below. False: nothing known. */
bool hd_stack_walk(struct hd_frames *frames, uintptr_t own, const void *code, uintptr_t limit);

#endif
