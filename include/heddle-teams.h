/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle-teams.h
 * The records of parallel regions, their teams and worksharing constructs. Part of heddle-format.h.
 *
 * A sweep makes totals and teams' records of what each member tells in its log (heddle-log.h). Only what a thread notes
 * of its own part in a team is its own: with that the reader closes the regions of a killed program.
 */
#ifndef HEDDLE_TEAMS_H
#define HEDDLE_TEAMS_H

#include <stdint.h>

/**
 * Totals over the finished instances of a parallel region, or of a worksharing construct that ends in its own barrier,
 * for one team size and one thread as the team's primary. The sweep makes them.
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
  HD_TEAM_ENDED = 1u << 10,
  HD_TEAM_ADDED = 1u << 11 /* to the totals: what all its workers told of their ends was taken */
};

enum hd_barrier_flag {
  HD_BARRIER_USED = 1u << 0,       /* somebody has arrived */
  HD_BARRIER_LEFT = 1u << 1,       /* all have left: what it was late by is added up */
  HD_BARRIER_LEFT_WORK = 1u << 2,  /* the primary has told of the worksharing construct that it closed */
  HD_BARRIER_MET = 1u << 3,        /* the primary has told that it arrived */
  HD_BARRIER_CLOSES_WORK = 1u << 4 /* and that it closes a worksharing construct */
};

enum { HD_TEAM_BARRIERS = 4 };

/** One parallel region that runs, or that a worker waits for that has not been heard of since. Used again. */
struct hd_team_record {
  uint32_t team;      /* HD_TEAM */
  uint32_t profile;   /* of the region */
  uint32_t primary;   /* thread id */
  uint32_t flags;     /* enum hd_team_flag, hd_log_region_flag */
  uint32_t team_size; /* 0 until the primary's implicit task begins */
  uint32_t begun;     /* workers that have begun their implicit tasks, */
  uint32_t finished;  /* and arrived at the last barrier */
  uint32_t pending;   /* workers that have finished and have not been heard of since */
  uint64_t begin_ticks;
  uint64_t join_ticks;
  uint64_t end_ticks;
  uint64_t begun_ticks;       /* of each worker's begin the time, summed, modulo 2^64 */
  uint64_t late_finish_ticks; /* of each arrival at the last barrier after the join: how long after it, summed */
  uint64_t busy_ticks;        /* of the primary, after the join, and of the workers that have finished */
  uint64_t busy_most_ticks;   /* of one */
  int64_t delay;              /* by which its barriers, and at its end its primary, have made it longer, so far */
  uint32_t last_barrier;      /* its number + HD_LOG_BARRIERS; 0: not told yet */
  uint32_t kept_in;           /* for the sweep alone */
  /* What its primary's hd_delay_record was when it began, but for the thread. */
  int64_t ticks_before;
  int64_t base_before;
  int64_t arrived_before;
  /* The last ones, by number % 4: when somebody arrives at number n, all have left n - 2. But in a pause any number of
   * barriers may be told of one member before the others: behind the four lies the first that this has pushed out. What
   * else began at that instant took no time. */
  struct hd_team_barrier {
    uint32_t number;
    uint32_t flags;           /* enum hd_barrier_flag */
    uint32_t profile;         /* that the primary waits in */
    uint32_t work;            /* with HD_BARRIER_LEFT_WORK: of the construct, on the primary */
    uint64_t entered;         /* when Heddle let the last thread go into it */
    uint64_t undelayed;       /* when the last would have come without Heddle, had nothing delayed the team when last
                                 together */
    uint64_t busy_most_ticks; /* of one member in the worksharing construct that it closed, so far */
    uint64_t tick;            /* when it was last told of */
  } barriers[HD_TEAM_BARRIERS + 1];
};

/** By how much the barriers of the teams that a thread has led made it late, beyond hd_thread_record.intrusion. */
struct hd_delay_record {
  uint32_t thread;
  uint32_t kept_in; /* for the sweep alone */
  int64_t ticks;    /* in all */
  int64_t base;     /* part of it that was there when its team was last together before that, */
  int64_t arrived;  /* and when it last arrived at a barrier of its team */
};

/** What a thread notes of its part in a team, for programs that are killed. */
struct hd_membership_record {
  uint32_t team; /* HD_TEAM */
  uint32_t thread;
  uint64_t begin_ticks;   /* 0: of none */
  uint64_t busy_at_begin; /* its hd_thread_record.busy_ticks when its implicit task began */
};

_Static_assert(sizeof(struct hd_team_record) == 128 + 240, "no gaps");
_Static_assert(sizeof(struct hd_delay_record) == 32, "half a cache line");
_Static_assert(sizeof(struct hd_membership_record) == 24, "fits a thread's record");

#endif
