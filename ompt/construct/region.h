/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file region.h
 * Parallel regions and their teams: who took part, when the team came together again, and what was lost.
 *
 * The runtime tells a worker that a region has ended only at the next fork, seconds late. So the primary writes the
 * join time into the region's instance, and every worker reads it when it is heard of next: its wait ends there, and
 * what follows is idle time. An instance is used again once all workers have read it (`pending`), so a thread needs as
 * many as it has regions open, plus about one, however many regions the program runs.
 */
#ifndef HEDDLE_OMPT_CONSTRUCT_REGION_H
#define HEDDLE_OMPT_CONSTRUCT_REGION_H

#include "ompt/thread/team.h"
#include "ompt/thread/thread.h"

/** parallel_begin on the primary: runtime time of the region begins. Returns NULL when there is no memory. */
struct hd_region *hd_region_begin(struct hd_thread *primary, uint64_t now, enum hd_kind kind, unsigned requested,
                                  const void *address, bool from_gcc);

/** What a thread's implicit task of a region is when it does not wait: busy. But the runtime's own team idles. */
static inline uint32_t hd_region_task_state(const struct hd_region *region) {
  return region && region->of_helpers ? HD_IDLE : HD_BUSY;
}

/** The thread's newest event is the begin of a region, whose implicit task it enters next. */
bool hd_region_is_forked(const struct hd_thread *thread);

/**
 * A thread begins its implicit task: it is busy in the region, or, without one (see hd_region_begin), in the program.
 * A primary enters the region that it has forked, whatever `region` is: to a league of one team libomp passes the data
 * of some other region.
 */
void hd_region_enter(struct hd_thread *thread, uint64_t now, struct hd_region *region, ompt_data_t *task,
                     unsigned team_size, unsigned thread_number);

/** A thread arrives at the region's last barrier. */
void hd_region_arrive(struct hd_thread *thread, uint64_t now);

/** The last barrier ends on the primary (or, in a team of one, its implicit task): the team's join. */
void hd_region_join(struct hd_thread *primary, uint64_t now);

/** An implicit task ends: on the primary the region's end follows, a worker's may come late. */
void hd_region_leave(struct hd_thread *thread, uint64_t now);

/** parallel_end on the primary: the totals are added up. If `told` is none of its own, its innermost region ends. */
void hd_region_end(struct hd_thread *primary, uint64_t now, const struct hd_region *told);

/** This thread's totals for a region's or construct's row and a team size; NULL when the store is full. */
struct hd_total_record *hd_region_total(struct hd_thread *thread, struct hd_row_record *row, uint32_t team_size);

#endif
