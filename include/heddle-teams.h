/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle-teams.h
 * The records of parallel regions, their teams and worksharing constructs. Part of heddle-format.h.
 *
 * A team's members write instances, members and totals themselves (HD_LOG_TELLS_TEAMS is 0). The records of teams,
 * delays and memberships are for a sweep that finds out what a team did from what each member tells in its log
 * (heddle-log.h); nobody writes them yet. Then only what a thread notes of its own part in a team is not the sweep's:
 * with that the reader closes the regions of a killed program.
 */
#ifndef HEDDLE_TEAMS_H
#define HEDDLE_TEAMS_H

#include <stddef.h>
#include <stdint.h>

/** 1: the logs tell of teams, and the sweep makes totals and teams' records of it. 0: each thread does so itself, with
 *  struct hd_instance_record, struct hd_member_record and hd_row_record.merged. */
#define HD_LOG_TELLS_TEAMS 0

/**
 * Totals over the finished instances of a parallel region, or of a worksharing construct that ends in its own barrier,
 * for one team size and one thread as the team's primary.
 * Per instance, p threads: capacity += p * elapsed (construct: the time of each thread in it and in its barrier);
 * busy += sum of busy (construct: tasks that ran in its barrier included); busy_max += p * (largest busy of a thread).
 * Hence lost time = capacity - busy, potential gain = lost / p, imbalance = busy_max / busy (weighted by busy time).
 */
struct hd_total_record {
  uint32_t profile;
  uint32_t thread;    /* the primary */
  uint32_t team_size; /* p; 0: not filled. Merged files: 0 when it was never known */
  uint32_t open;      /* merged files: so many of the instances had not ended; else 0 */
  uint64_t instances;
  uint64_t elapsed_ticks; /* outermost instances only: a recursive one lies inside its ancestor's */
  uint64_t busy_ticks;
  uint64_t busy_max_ticks; /* already multiplied by p */
  uint64_t idle_ticks;     /* of the team's workers: before they arrived, after the join. 0 for worksharing */
  uint64_t capacity_ticks; /* thread time at hand */
  int64_t intrusion_ticks; /* regions: contained in elapsed_ticks */
  /* Waits of the profile at its team's barriers: by how much Heddle delayed the last thread to arrive, times p, summed.
   * A profile's corrected waiting time is the sum over its rows of ticks - intrusion, minus this. A profile that is no
   * region or construct has this alone. */
  int64_t merged;
};

enum hd_team_flag {
  HD_TEAM_OPEN = 1u << 8, /* the record is in use; with it: enum hd_log_region_flag */
  HD_TEAM_JOINED = 1u << 9,
  HD_TEAM_ENDED = 1u << 10 /* but not all of its workers have arrived at its last barrier: its log is not all there */
};

enum hd_barrier_flag {
  HD_BARRIER_USED = 1u << 0,      /* somebody has arrived */
  HD_BARRIER_FIRST = 1u << 1,     /* thread number 0 has arrived */
  HD_BARRIER_LEFT = 1u << 2,      /* and left */
  HD_BARRIER_LEFT_WORK = 1u << 3, /* and the barrier closed a worksharing construct there */
  HD_BARRIER_LAST = 1u << 4       /* the region's last: it is left when the team joins */
};

/** One parallel region that runs, or that a worker waits for that has not been heard of since. Used again. */
struct hd_team_record {
  uint32_t team;      /* HD_TEAM */
  uint32_t profile;   /* of the region */
  uint32_t primary;   /* thread id */
  uint32_t flags;     /* enum hd_team_flag, hd_log_region_flag */
  uint32_t team_size; /* 0 until the primary's implicit task begins */
  uint32_t begun;     /* workers that have begun their implicit tasks, */
  uint32_t finished;  /* members that have arrived at the last barrier */
  uint32_t pending;   /* workers that have not been heard of since then */
  uint64_t begin_ticks;
  uint64_t join_ticks;
  uint64_t end_ticks;
  uint64_t begun_ticks;       /* of each worker's begin the time, summed, modulo 2^64 */
  uint64_t late_finish_ticks; /* of each arrival at the last barrier after the join: how long after it, summed */
  uint64_t busy_ticks;        /* of the members that have finished */
  uint64_t busy_most_ticks;   /* of one */
  int64_t delay;              /* by which its barriers have made it longer, so far */
  /* What its primary's hd_delay_record was when it began, but for the thread. */
  int64_t ticks_before;
  int64_t taken_before;
  int64_t base_before;
  uint32_t team_before;
  uint32_t number_before;
  uint32_t kept_in;    /* for the sweep alone */
  uint32_t next_ended; /* likewise */
  uint64_t pad[7];
  /* The last ones, by number % 4. When somebody arrives at number n, all have left n - 2. */
  struct hd_team_barrier {
    uint32_t number;
    uint32_t flags;   /* enum hd_barrier_flag */
    uint32_t profile; /* that thread number 0 waits in */
    uint32_t reserved;
    uint64_t entered; /* when Heddle let the last thread go into it */
    uint64_t
        undelayed; /* when the last would have come without Heddle, had nothing delayed the team when last together */
    uint64_t busy_most_ticks; /* in the worksharing construct that it closed: of one member, */
    uint64_t busy_ticks;      /* of all, */
    uint64_t capacity_ticks;  /* with their waits, */
    uint64_t elapsed_ticks;   /* and thread number 0's time in it */
  } barriers[4];
};

/** By how much the barriers of the teams that a thread has led made it late, beyond hd_thread_record.intrusion. */
struct hd_delay_record {
  uint32_t thread;
  uint32_t reserved;
  int64_t ticks; /* in all */
  int64_t taken; /* part of it that is in waits: as of its last arrival at a barrier of its team */
  int64_t base;  /* part of it that was there when its team was last together, before that arrival */
  uint32_t team; /* of that arrival: which barrier */
  uint32_t number;
  uint64_t pad[3];
};

/** What a thread notes of its part in a team, for programs that are killed. */
struct hd_membership_record {
  uint32_t team; /* HD_TEAM */
  uint32_t thread;
  uint64_t begin_ticks;   /* 0: of none */
  uint64_t busy_at_begin; /* its hd_thread_record.busy_ticks when its implicit task began */
};

/* ---- while HD_LOG_TELLS_TEAMS is 0 ---- */

/** One parallel region that is running, or whose workers have not all had an event since. Reused. */
struct hd_instance_record {
  uint32_t profile;
  uint32_t primary;      /* thread id */
  uint32_t team_size;    /* 0 until the primary's implicit task begins */
  uint32_t member_limit; /* room for members after this record */
  uint64_t begin_ticks;  /* parallel_begin */
  uint64_t join_ticks;   /* end of the last barrier on the primary; 0 before */
  uint64_t end_ticks;    /* parallel_end; 0 while running */
  /* Its time is not added up: it lies in an instance of the same profile, has no space, or is the runtime's own (hidden
   * helper threads). */
  uint32_t uncounted;
  uint32_t pending; /* workers that have not yet read join_ticks */
  uint32_t unasked; /* it is not counted as an instance: it began in a pause, or has no space */
  uint32_t pad[3];
};

/** One thread of a team; member i has thread number i. Belongs to the running instance only if `begin_ticks` is not
 *  before the instance's: the next instance does not clear it. */
struct hd_member_record {
  uint32_t thread; /* HD_NONE: never used */
  uint32_t reserved;
  uint64_t thread_record; /* file offset of the thread's record */
  uint64_t begin_ticks;   /* its implicit task's begin */
  uint64_t busy_at_begin; /* its busy_ticks then */
  uint64_t pad[4];
  /* At its team's last barriers, in turn: barrier.h. A cache line each. */
  struct hd_arrival {
    uint64_t busy;      /* in the worksharing construct that the barrier closed; 0: none */
    uint64_t entered;   /* when Heddle let the thread go into the barrier */
    uint64_t undelayed; /* when it would have come without Heddle, had nothing delayed the team when last together */
    uint64_t number;    /* of the barrier, counted from 1, times 2; plus 1 when it closes a worksharing construct */
    uint64_t pad[4];
  } arrivals[4];
};

_Static_assert(sizeof(struct hd_team_record) == 192 + 256, "whole cache lines");
_Static_assert(sizeof(struct hd_delay_record) == 64, "one cache line");
_Static_assert(sizeof(struct hd_membership_record) == 24, "fits a thread's record");
_Static_assert(offsetof(struct hd_member_record, arrivals) == 64, "arrivals are alone on their cache lines");

#endif
