/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file barrier.h
 * A team's barriers, as a member tells of them in its log: what Heddle's intrusion does to those who wait.
 *
 * Every thread of a team is late by its own events' cost since the team was last together (D). At a barrier the last to
 * arrive makes all late: the barrier opens G = max(t + c) - max(t - D) later than it would have without Heddle, where t
 * is when a thread arrived and c is what its arrival itself cost (Li and Zhang's virtual clock, merged in the order of
 * fork and join). So a thread's wait is too long by G, and too short by the D with which it came. Each thread takes its
 * own D out of its wait (hd_row_cell.intrusion) and tells t, D and c. The sweep finds G of that and adds it up
 * (sweep/teams.h): it makes up what the region is late by (hd_total_record.intrusion_ticks). After a barrier nobody is
 * late. No thread needs to know G.
 *
 * What an arrival costs is known when its event is over: until then its entry is written, but not shown, and
 * hd_barrier_tell (thread.h) shows it. An event that goes on to something else, as where the ends of tasks were not
 * sent, shows it before.
 *
 * Only the thread itself calls these functions.
 */
#ifndef HEDDLE_OMPT_THREAD_BARRIER_H
#define HEDDLE_OMPT_THREAD_BARRIER_H

#include "ompt/thread/team.h"

/** What a thread does in a barrier of this kind; of a region's kind: at its end. */
enum hd_state hd_barrier_state(enum hd_kind kind);

/** The innermost implicit task comes to a barrier of its team: what its next transition tells, HD_WHAT_ARRIVE, or
 *  HD_WHAT_ENTER if nobody is to be told: it is alone. With the first, hd_barrier_arrive follows. */
enum hd_what hd_barrier_begin(struct hd_thread *thread);

/** The next transition tells of that arrival: `what` is HD_WHAT_ARRIVE or HD_WHAT_FINISH with its operand, `flags` are
 *  of enum hd_log_arrival_flag. The event's end tells the rest. */
void hd_barrier_arrive(struct hd_thread *thread, uint32_t what, uint32_t flags);

/** It comes to one that is not observed (budget.h). `may_close_work`: it may be the one that closes a worksharing
 *  construct, not only a reduction's before that. */
void hd_barrier_skip(struct hd_thread *thread, bool may_close_work);

/** It leaves the barrier that it waits in; its time has not been charged yet. */
void hd_barrier_end(struct hd_thread *thread, const struct hd_frame *waiting);

/** Its own delay is what its wait was too short by; from here on it is in step with its team. The wait is that of the
 *  barrier's frame, whatever the thread does at its end: it is busy if a task has begun that is not observed. */
void hd_barrier_catch_up(struct hd_thread *thread, const struct hd_frame *waiting);

/** A worker is heard of again after its region's last barrier: that region's frames are gone, and its wait ends with
 * the next transition, which says so unless it says more. */
void hd_barrier_leave_last(struct hd_thread *worker);

#endif
