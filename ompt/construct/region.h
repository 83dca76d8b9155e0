/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file region.h
 * Parallel regions and their teams: who takes part, and when the team comes together again. Each member tells what it
 * does in its own log, and reads nothing that another one writes; the sweep makes the region's numbers of that
 * (sweep/teams.h).
 *
 * Which region its implicit task belongs to a worker learns from parallel_data (known_regions.h). When the region has
 * ended it is told only at the next fork, perhaps seconds late: until then all its time is a wait, of which the sweep
 * takes what came after the team's join.
 */
#ifndef HEDDLE_OMPT_CONSTRUCT_REGION_H
#define HEDDLE_OMPT_CONSTRUCT_REGION_H

#include "ompt/thread/team.h"
#include "ompt/thread/thread.h"

/** parallel_begin on the primary: runtime time of the region begins. Returns what its members are to be told as
 *  parallel_data; 0 when there is no memory. */
uint64_t hd_region_begin(struct hd_thread *primary, uint64_t now, enum hd_kind kind, unsigned requested,
                         const void *address, bool from_gcc);

/** What a thread's implicit task of a region is when it does not wait: busy. But the runtime's own team idles. */
static inline uint32_t hd_region_task_state(const struct hd_known_region *region) {
  return region && region->of_helpers ? HD_IDLE : HD_BUSY;
}

/** The thread's newest event is the begin of a region, whose implicit task it enters next. */
bool hd_region_is_forked(const struct hd_thread *thread);

/**
 * A thread begins its implicit task: it is busy in the region, or, without one (see hd_region_begin), in the program.
 * A primary enters the region that it has forked, whatever is told: to a league of one team libomp passes the data of
 * some other region.
 */
void hd_region_enter(struct hd_thread *thread, uint64_t now, uint64_t told, ompt_data_t *task, unsigned team_size,
                     unsigned thread_number);

/** A worker is heard of again: it leaves what it was in, before it is in something else. A transition follows. */
void hd_region_leave_earlier(struct hd_thread *worker, uint64_t now);

/** A thread arrives at the region's last barrier. `flags`: HD_LOG_UNTOLD: the runtime has sent no event for that. */
void hd_region_arrive(struct hd_thread *thread, uint64_t now, uint32_t flags);

/** The last barrier ends on the primary (or, in a team of one, its implicit task): the team's join. */
void hd_region_join(struct hd_thread *primary, uint64_t now);

/** An implicit task ends: on the primary the region's end follows, a worker's may come late. */
void hd_region_leave(struct hd_thread *thread, uint64_t now);

/** parallel_end on the primary. If `told` is none of its own, its innermost region ends. */
void hd_region_end(struct hd_thread *primary, uint64_t now, uint64_t told);

#endif
