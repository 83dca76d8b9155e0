/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file child.h
 * What a forked child of a measured process knows of its parent. The child is a process of its own: when it uses OpenMP
 * (or enters an instrumented routine), the library's variables become what they were before the parent was measured,
 * and measurement begins anew. A child that does neither costs one reading of the clock.
 */
#ifndef HEDDLE_OMPT_CHILD_H
#define HEDDLE_OMPT_CHILD_H

#include <stdbool.h>
#include <stdint.h>

/** In what is no forked child all of this is 0. */
struct hd_child {
  uint64_t forked_ns;  /* CLOCK_MONOTONIC */
  uint32_t parent_pid; /* the process that forked this one, or its nearest forebear that is measured; 0: none */
  bool is_new;         /* it may be measured, and is not yet */
  bool is_paused;      /* the parent's measurement was paused at the fork */
};
extern struct hd_child hd_child;

/** In a forked child, at once: it was forked now; `measured`: the parent was being measured. */
void hd_child_forked(bool measured);

/** Makes such a child's library forget its parent's measurement. False: the child cannot be measured. */
bool hd_child_forget_parent(void);

/** Tells the parent's profile whether this child is measured. Once; does nothing in what is no forked child. */
void hd_child_tell_parent(bool measured);

#endif
