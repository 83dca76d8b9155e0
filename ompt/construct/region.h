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

#include "ompt/thread/thread.h"

/** One parallel region in flight. Belongs to its primary thread; parallel_data->ptr points to it. Reused, never freed.
 */
struct hd_region {
  struct hd_instance_record *instance;
  struct hd_member_record *members;
  uint32_t base;                   /* index of its base frame on the primary's stack */
  uint32_t begins_before;          /* regions that the same primary has open around it */
  bool encloses_itself;            /* it lies in an instance of the same profile */
  struct hd_region *outer_profile; /* the next region outwards that does not; NULL: none */
  struct hd_region *next_ended;    /* in the primary's list of those that it may use again */
  struct hd_row_record *row;       /* the primary's row of the region's profile */
  const void *address;             /* parallel_begin's return address */
  uintptr_t place;                 /* of the routine that holds it, on the primary's stack (callers.h); 0: not known */
  bool from_gcc;                   /* started through a GOMP entry point */
  uint32_t team_operand;           /* of HD_WHAT_TEAM, for its workers */
  struct hd_total_record *total;   /* of this team's size, if there was space; NULL: it is folded, or of helpers */
  bool is_folded;  /* no space for its callpath, whose time is its parent's then, or for its totals: not counted */
  bool of_helpers; /* the runtime's own team for "target nowait": idle but for the tasks it runs */
  /* of the instance that is ending, taken at the join: */
  uint64_t team_busy_ticks;
  uint64_t longest_busy_ticks;
  uint64_t late_ticks; /* from the region's begin to each worker's, summed */
  /* what Heddle does to its time (barrier.h): */
  int64_t delay_ticks;      /* by so much it lasts longer, so far: since its primary's last barrier is not in it */
  int64_t intrusion_before; /* the primary's, at the region's begin, */
  int64_t base_before;      /* and that of its own team's last barrier */
};

/** parallel_begin on the primary: runtime time of the region begins. Returns NULL when there is no memory. */
struct hd_region *hd_region_begin(struct hd_thread *primary, uint64_t now, enum hd_kind kind, unsigned requested,
                                  const void *address, bool from_gcc);

/** What a thread's implicit task of a region is when it does not wait: busy. But the runtime's own team idles. */
static inline uint32_t hd_region_task_state(const struct hd_region *region) {
  return region && region->of_helpers ? HD_IDLE : HD_BUSY;
}

/** The region that the thread's innermost task belongs to; NULL: none. */
struct hd_region *hd_region_current(const struct hd_thread *thread);

/** The thread's newest event is the begin of a region, whose implicit task it enters next. */
bool hd_region_is_forked(const struct hd_thread *thread);

/**
 * A thread begins its implicit task: it is busy in the region, or, without one (see hd_region_begin), in the program.
 * What it has forked it enters, whatever `region` is: libomp hands a league of one team some other region's data.
 */
void hd_region_enter(struct hd_thread *thread, uint64_t now, struct hd_region *region, ompt_data_t *task,
                     unsigned team_size, unsigned thread_number);

/** A thread arrives at the region's last barrier. */
void hd_region_arrive(struct hd_thread *thread, uint64_t now);

/** The last barrier ends on the primary (or, in a team of one, its implicit task): the team's join. */
void hd_region_join(struct hd_thread *primary, uint64_t now);

/** A worker is heard of again, at whatever time: settles its wait at the region's end if the join is known. */
void hd_region_join_worker(struct hd_thread *worker);

/** An implicit task ends: on the primary the region's end follows, a worker's may come late. */
void hd_region_leave(struct hd_thread *thread, uint64_t now);

/** parallel_end on the primary: the totals are added up. If `told` is none of its own, its innermost region ends. */
void hd_region_end(struct hd_thread *primary, uint64_t now, const struct hd_region *told);

/** What the primary's own events have cost since its last barrier becomes the region's delay. */
void hd_region_add_primary_delay(struct hd_region *region, struct hd_thread_record *primary);

/** Whether member `number` has begun to take part in the present instance. */
bool hd_region_took_part(const struct hd_region *region, uint32_t number);

/** Members whose numbers are known: the team, unless it is larger than was asked for. 0 before the team's size is. */
uint32_t hd_region_member_count(const struct hd_region *region);

/** This thread's totals for a region's or construct's row and a team size; NULL when the store is full. */
struct hd_total_record *hd_region_total(struct hd_thread *thread, struct hd_row_record *row, uint32_t team_size);

#endif
