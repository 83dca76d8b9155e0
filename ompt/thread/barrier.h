/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file barrier.h
 * A team's barriers: what Heddle's intrusion does to those who wait, and who worked longest before.
 *
 * Every thread of a team is late by its own events' cost since the team was last together (D). At a barrier the last to
 * arrive makes all late: the barrier opens G = max(t + c) - max(t - D) later than it would have without Heddle, where t
 * is when a thread arrived and c is what its arrival itself cost (Li and Zhang's virtual clock, merged in the order of
 * fork and join). So a thread's wait is too long by G, and too short by the D with which it came. Each thread takes its
 * own D out of its wait (hd_row_cell.intrusion), the team's G is added up by thread number 0 (HD_CELL_TEAM)
 * and makes up what the region is late by (hd_total_record.intrusion_ticks). After a barrier nobody is late.
 *
 * Nobody waits for anybody to find this out: each thread leaves its times in its member's record, and thread 0 reads
 * them when it leaves the next barrier, or at the join. Then all have arrived there, so all have left this one, and
 * nobody has arrived at the one after the next: of four places per thread three are in use. If thread 0 does not
 * observe the next one (budget.h), it reads them when it arrives at the one after that, which nobody can have left.
 *
 * Only the thread itself calls these functions.
 */
#ifndef HEDDLE_OMPT_THREAD_BARRIER_H
#define HEDDLE_OMPT_THREAD_BARRIER_H

#include "ompt/thread/thread.h"

/** The innermost implicit task arrives at a barrier of its team; its time has been charged. */
void hd_barrier_begin(struct hd_thread *thread);

/** It arrives at one that is not observed (budget.h). `may_close_work`: it may be the one that closes a worksharing
 *  construct, not only a reduction's before that. */
void hd_barrier_skip(struct hd_thread *thread, bool may_close_work);

/** It leaves a barrier: does that close a worksharing construct on thread 0, as far as that was told of both? */
bool hd_barrier_closes_work(const struct hd_thread *thread);

/** At the end of the event with which a thread began to wait, or went back to waiting after a task. */
void hd_barrier_entered(struct hd_thread *thread);
static inline void hd_barrier_enter(struct hd_thread *thread) {
  if (thread && __builtin_expect(thread->base->base.place.arrival != NULL, false))
    hd_barrier_entered(thread);
}

/** It leaves the barrier, and its time has not been charged yet. */
void hd_barrier_end(struct hd_thread *thread);

/** It has left the barrier that closed a worksharing construct, in which it worked for `busy_ticks`, tasks in the
 *  barrier included. `total`: on thread 0, what the busiest thread's time is to be added to; else NULL. */
void hd_barrier_end_work(struct hd_thread *thread, uint64_t busy_ticks, struct hd_total_record *total);

/** On the primary at its region's join: the last barriers are merged. Its time has not been charged yet. */
void hd_barrier_join(struct hd_thread *primary);

#endif
