/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file team.h
 * A parallel region in flight, as its team knows it, and as only its primary does. construct/region.h has its course.
 */
#ifndef HEDDLE_OMPT_THREAD_TEAM_H
#define HEDDLE_OMPT_THREAD_TEAM_H

#include "ompt/thread/thread.h"

/** What all of a team know of their region. Never changes, and is never freed (construct/known_regions.h). */
struct hd_known_region {
  uint32_t index; /* its number */
  uint32_t profile;
  uint32_t primary;                            /* thread id */
  uint32_t ring;                               /* index of the primary's */
  const struct hd_known_region *outer_profile; /* the next region outwards that does not lie in an instance of its own
                                                  profile; NULL: none, or there was no memory to know */
  const void *address;                         /* parallel_begin's return address */
  uint32_t begins_before;                      /* regions that the same primary has open around it */
  bool encloses_itself;                        /* it lies in an instance of the same profile */
  bool from_gcc;                               /* started through a GOMP entry point */
  bool is_folded;                              /* no space for its callpath, whose time is its parent's then */
  bool is_traced;                              /* its instances open the trace (trace_when.h) */
  bool of_helpers; /* the runtime's own team for "target nowait": idle but for the tasks it runs */
};

/** One that runs, as its primary leads it. Reused, never freed. */
struct hd_region {
  const struct hd_known_region *known;
  uint64_t told;      /* parallel_data->value */
  uint32_t team;      /* in the logs: HD_TEAM */
  uint32_t team_size; /* 0 until the primary's implicit task begins */
  bool has_joined;
  uint64_t busy_ticks;                     /* of its primary, then */
  const struct hd_region *outer_profile;   /* the next one outwards that its primary leads and that does not lie in an
                                              instance of its own profile; NULL: none */
  const struct hd_known_region *worked_in; /* likewise, behind all those, and its primary is a worker there */
  uintptr_t place; /* of the routine that holds it, on the primary's stack (region_callers.h); 0: not known */
  struct hd_membership_record *membership; /* its primary's own */
  /* What its primary does to its time (barrier.h): */
  int64_t delay_ticks;          /* by so much it lasts longer, so far: since its primary's last barrier is not in it */
  int64_t intrusion_before;     /* the primary's, at the region's begin, */
  int64_t base_before;          /* and that of its own team's last barrier */
  struct hd_region *next_ended; /* in the primary's list of those that it may use again */
};

/** The base frame of the thread's innermost implicit task; or of the program. */
static inline const struct hd_frame *hd_team_base(const struct hd_thread *thread) {
  return thread->frames + thread->base->base.team;
}

/** The region that the thread's innermost task belongs to; NULL: none. */
static inline const struct hd_known_region *hd_team_current(const struct hd_thread *thread) {
  return hd_team_base(thread)->base.region;
}

/** What the primary's own events have cost since its last barrier becomes the region's delay. */
static inline void hd_team_add_delay(struct hd_region *region, struct hd_thread_record *primary) {
  region->delay_ticks += primary->intrusion - primary->intrusion_base;
  primary->intrusion_base = primary->intrusion;
}

#endif
