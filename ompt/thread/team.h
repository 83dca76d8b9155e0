/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file team.h
 * A parallel region in flight, as its team knows it. region.h has its course.
 */
#ifndef HEDDLE_OMPT_THREAD_TEAM_H
#define HEDDLE_OMPT_THREAD_TEAM_H

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
  uintptr_t place; /* of the routine that holds it, on the primary's stack (region_callers.h); 0: not known */
  bool from_gcc;   /* started through a GOMP entry point */
  uint32_t team;   /* in the logs: HD_TEAM */
  struct hd_total_record *total; /* of this team's size, if there was space; NULL: it is folded, or of helpers */
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

/** The base frame of the thread's innermost implicit task; or of the program. */
static inline const struct hd_frame *hd_team_base(const struct hd_thread *thread) {
  return thread->frames + thread->base->base.team;
}

/** The region that the thread's innermost task belongs to; NULL: none. */
static inline struct hd_region *hd_team_current(const struct hd_thread *thread) {
  return hd_team_base(thread)->base.region;
}

/** Whether member `number` has begun to take part in the present instance. */
static inline bool hd_team_took_part(const struct hd_region *region, uint32_t number) {
  return __atomic_load_n(&region->members[number].begin_ticks, __ATOMIC_ACQUIRE) >= region->instance->begin_ticks;
}

/** Members whose numbers are known: the team, unless it is larger than was asked for. 0 before the team's size is. */
static inline uint32_t hd_team_member_count(const struct hd_region *region) {
  const struct hd_instance_record *instance = region->instance;
  return instance->team_size < instance->member_limit ? instance->team_size : instance->member_limit;
}

/** What the primary's own events have cost since its last barrier becomes the region's delay. */
static inline void hd_team_add_delay(struct hd_region *region, struct hd_thread_record *primary) {
  region->delay_ticks += primary->intrusion - primary->intrusion_base;
  primary->intrusion_base = primary->intrusion;
}

#endif
