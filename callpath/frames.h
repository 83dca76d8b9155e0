/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file frames.h
 * One unwinding of the calling thread's stack: the user's routines on it, and what must be found in memory for the same
 * stack to be there again.
 */
#ifndef HEDDLE_CALLPATH_FRAMES_H
#define HEDDLE_CALLPATH_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

/** A word of the stack and what it holds. */
struct hd_frame_check {
  const uintptr_t *slot;
  uintptr_t value;
};

/** What an unwinding finds. The caller gives the room. */
struct hd_frames {
  const void **routines; /* of the user's code, innermost first; first instructions */
  uint32_t routine_limit;
  uint32_t routine_count;
  struct hd_frame_check *checks; /* innermost first: a slot is only known to be on the stack if those before it hold */
  uint32_t check_limit;
  uint32_t check_count;
  bool cut;      /* see struct hd_chain */
  bool provable; /* the checks prove that the stack is the same; otherwise unwind again next time */
};

/** Loads the unwinder and finds the libraries whose routines are not the user's. False: no unwinder. */
bool hd_frames_init(void);

/** Unwinds from the frame at `own` (__builtin_frame_address(0) of a function that is still running) outwards: see
 *  hd_unwind_callers. False: nothing known. Keeps errno. */
bool hd_frames_walk(struct hd_frames *frames, uintptr_t own, const void *code);

#endif
