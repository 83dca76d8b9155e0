/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file trace_blocks.h
 * Where traces are written (trace.h): blocks of the profile file, of which all threads together may have so many bytes.
 *
 * Either the trace ends when they have them (HEDDLE_TRACE), or it goes on, and keeps the end of the run
 * (HEDDLE_TRACE_LAST): who needs a block then gets the one that was full first, whosever it was. What is lost is thus
 * the oldest of all. Full blocks wait for that in a queue, which threads use at the same time without a lock. Each
 * thread has one that is not in it, whatever the limit.
 *
 * Of a trace of the times in which few threads were busy (trace_lulls.h) it is the same queue, but whoever takes a
 * block out passes by those that lie in such a time. When they have so many bytes the trace ends.
 */
#ifndef HEDDLE_OMPT_THREAD_TRACE_BLOCKS_H
#define HEDDLE_OMPT_THREAD_TRACE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle-format.h"

/** Once, at start. `keep_last`: of the end of the run. 0 bytes: there is no trace. */
void hd_trace_blocks_init(uint64_t limit_bytes, bool keep_last);

bool hd_trace_blocks_are_wanted(void);

/** An empty block for the thread with this number, to which nobody else writes; `number` is of those that it has had, 0
 *  for its first. NULL: there is no room. */
struct hd_block_header *hd_trace_blocks_take(uint32_t owner, uint32_t number);

/** Nothing more is written to it; what it holds ends then. */
void hd_trace_blocks_retire(struct hd_block_header *block, uint64_t end_ticks);

#endif
