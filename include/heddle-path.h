/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle-path.h
 * The critical path: the longest chain of busy time that had to run one after the other. Part of heddle-format.h.
 *
 * The sweep follows it while the program runs, if that was asked for, and writes what came of it when the profile is
 * closed: nothing of it outlives a program that is killed.
 */
#ifndef HEDDLE_PATH_H
#define HEDDLE_PATH_H

#include <stdint.h>

/** What is known of it; `hd_file_header.path_flags`. */
enum hd_path_flag {
  HD_PATH_ASKED = 1u << 0,   /* the sweep follows it */
  HD_PATH_KNOWN = 1u << 1,   /* its records are written */
  HD_PATH_NO_ROOM = 1u << 2, /* there was no memory to follow it to the end: no records */
  HD_PATH_TEAMS = 1u << 3,   /* locks were handed over between different teams, which it does not follow: it may be
                                longer */
  HD_PATH_TASKS = 1u << 4    /* tasks ran whose creation was not seen: likewise */
};

/** What a callpath has to do with it. */
struct hd_path_record {
  uint32_t profile;
  uint32_t reserved;
  uint64_t path_ticks; /* of the program's critical path, in this profile itself */
  /* Regions, and tasks that no task created, with all that come of them; a region in an instance of itself is left out.
   * Summed over instances: */
  uint64_t span_ticks; /* the longest chain from begin to end */
  uint64_t work_ticks; /* the busy time of all threads */
  uint64_t instances;
  uint64_t earliest_ticks; /* the length of the shortest chain with which a thread became busy in it; HD_PATH_NEVER */
  uint64_t slack_ticks;    /* each time in it could have been longer by this, and the path as it is; 0: it is on the
                              path. It may really be more. HD_PATH_NEVER: not known */
};
#define HD_PATH_NEVER UINT64_MAX

/** How the program's critical path goes on from one callpath in another. All times and counts of `to` are those when it
 *  came from `from`. */
struct hd_path_step_record {
  uint32_t from; /* a profile; HD_NONE: the path begins */
  uint32_t to;
  uint64_t ticks;   /* that it then stays there; of all that lead to a profile they add up to its path_ticks */
  uint64_t count;   /* so often */
  uint64_t changes; /* of them, another thread goes on */
};

#endif
