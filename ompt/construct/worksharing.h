/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file worksharing.h
 * Worksharing constructs that end in a barrier of their own (loop, sections, single, ...): how long each thread was
 * there and how long it worked, which each tells in its log. State: struct hd_worksharing of the implicit task
 * (frame.h).
 *
 * Called by the thread itself, after the event's time has been charged.
 */
#ifndef HEDDLE_OMPT_CONSTRUCT_WORKSHARING_H
#define HEDDLE_OMPT_CONSTRUCT_WORKSHARING_H

#include "ompt/thread/thread.h"

/** The construct begins; `row` is its own. Not `timed`: on some thread of the team its end will not be told (GCC's
 *  single), or there was no space and the row is another's; so it gets no totals. */
void hd_worksharing_begin(struct hd_thread *thread, uint64_t now, struct hd_row_record *row, bool timed);

/** It ends. What runs between here and its barrier is not its time. */
void hd_worksharing_end(struct hd_thread *thread, uint64_t now);

/** The barrier that closes it, which follows its end directly. */
void hd_worksharing_barrier_begin(struct hd_thread *thread, uint64_t now);

/** Before the event's time is charged, in which the thread leaves that barrier: its transition tells so. */
void hd_worksharing_leave(struct hd_thread *thread);
void hd_worksharing_barrier_end(struct hd_thread *thread, uint64_t now);

#endif
