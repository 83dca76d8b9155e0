/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file chunks.h
 * How long a thread works on the chunks of a loop, and where among the loop's iterations they are (heddle-chunks.h).
 *
 * libheddle-entry.so tells the loop's bounds and each chunk's (entry/entries.h). A chunk's time goes from the end of
 * the request that brought it to the begin of the next; both must have been observed.
 *
 * Only the thread itself calls these functions, in an event. Nothing allocates after a loop's first chunk.
 */
#ifndef HEDDLE_OMPT_CONSTRUCT_CHUNKS_H
#define HEDDLE_OMPT_CONSTRUCT_CHUNKS_H

#include <stdint.h>

#include "entry/entries.h"
#include "ompt/thread/frame.h"

struct hd_thread;

/** The loop whose frame this is begins. `is_kept`: it has a profile of its own. */
void hd_chunks_begin_loop(struct hd_frame *loop, bool is_kept);

/** The thread got a chunk. When it begins to work on it is not known yet. */
void hd_chunks_take(struct hd_frame *loop, const struct heddle_iterations *chunk);

/** It begins to work on what it got, if it got anything since it asked last. */
static inline void hd_chunks_start(struct hd_frame *loop, uint64_t now) {
  if (loop->loop.has_chunk && loop->loop.begin_ticks == 0)
    loop->loop.begin_ticks = now;
}

/** It has done that, if its begin is known, and asks for the next. */
void hd_chunks_finish_observed(struct hd_thread *thread, struct hd_frame *loop, uint64_t now);
static inline void hd_chunks_finish(struct hd_thread *thread, struct hd_frame *loop, uint64_t now) {
  if (loop->loop.begin_ticks != 0)
    hd_chunks_finish_observed(thread, loop, now);
  loop->loop.has_chunk = false;
}

#endif
