/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle-trace.h
 * The trace: when each thread changed its state, and what it began or ended then. Part of heddle-format.h.
 *
 * A thread writes entries one behind the other into blocks of its own. An entry tells only what is other than at the
 * one before, and has 2 to 6 bytes as a rule:
 *
 *     1 byte          bits 0-3: the state from now on (enum hd_state); HD_STATE_COUNT: the thread has ended
 *                     bit 4: HD_TRACE_MOVES, bit 5: HD_TRACE_MARKS
 *                     bits 6-7: the time that has passed has so many bytes and one; HD_TRACE_LONG: it is a number
 *     1-3 bytes       that time in ticks, in the byte order of the file
 *     HD_TRACE_MOVES  a number: the profile that it is in, as the difference to the one before (zigzag: 0, -1, 1, ...)
 *     HD_TRACE_MARKS  1 byte: what else happens (enum hd_what), HD_TRACE_HERE, HD_TRACE_SAME_TEAM; then numbers: its
 *                     operand, unless HD_TRACE_HERE says that it is the profile; for TEAM, START and JOIN the
 *                     team's ring and number, unless it is the one that was told last in this block; for TEAM and START
 *                     the thread's number, or the team's size
 *
 * Numbers have 7 bits a byte, the least significant first; bit 7: more follow (LEB128).
 *
 * Times and states are those that rows have: what lies between two entries is what the thread's rows were charged. But
 * a worker that waits at its region's end tells no more until it is called again: its wait ends when its team's primary
 * has a JOIN, and from then on it idles.
 */
#ifndef HEDDLE_TRACE_H
#define HEDDLE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle-log.h"

/** Begins each block; entries follow. The block's `count` is the bytes used, this record included. */
struct hd_trace_record {
  uint64_t ticks;   /* since then the thread is */
  uint32_t profile; /* in this profile, */
  uint32_t state;   /* in that state; HD_TRACE_BEGINS: and it has not lived before */
};
#define HD_TRACE_BEGINS (1u << 31)

enum {
  HD_TRACE_STATE = 15,
  HD_TRACE_MOVES = 1 << 4,
  HD_TRACE_MARKS = 1 << 5,
  HD_TRACE_LENGTH_SHIFT = 6,
  HD_TRACE_LONG = 3
};
enum { HD_TRACE_WHAT = 31, HD_TRACE_HERE = 1 << 5, HD_TRACE_SAME_TEAM = 1 << 6 };

/** What names a team. A worker is in the one that it joined last. */
static inline bool hd_trace_names_team(enum hd_what what) {
  return what == HD_WHAT_TEAM || what == HD_WHAT_START || what == HD_WHAT_JOIN;
}

/** The longest entry: a time of 64 bits and five numbers of 32. */
enum { HD_TRACE_ENTRY_MOST = 1 + 10 + 5 + 1 + 4 * 5 };

_Static_assert(sizeof(struct hd_trace_record) == 16, "trace record size");

#endif
