/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file path_internal.h
 * What the parts of the critical path's book share: path.c reads logs, path_teams.c does regions and barriers,
 * path_tasks.c explicit tasks, path_locks.c what is held by one at a time. For no other file.
 */
#ifndef HEDDLE_SWEEP_PATH_PATH_INTERNAL_H
#define HEDDLE_SWEEP_PATH_PATH_INTERNAL_H

#include "sweep/path/path.h"

/** The longest chain of some that have ended, for whoever waits for them. */
struct hd_path_sink {
  struct hd_chain *longest;
  uint32_t holders;
};

/** A taskgroup. */
struct hd_path_group {
  struct hd_path_group *outer;
  struct hd_path_sink *tasks;
  uint32_t holders;
};

struct hd_path_strand {
  struct hd_chain *chain;
  struct hd_path_sink *children;      /* of the tasks that it has created; NULL: none */
  struct hd_path_group *group;        /* the innermost taskgroup that its tasks belong to; NULL: none */
  struct hd_path_variable *variables; /* that its tasks depend on */
  struct hd_path_index by_address;    /* the same */
  struct hd_path_sink *all_memory;    /* of its last task that depends on all of them; NULL: none */
};

enum { HD_PATH_BARRIERS = 4 }; /* of a team that are remembered */

struct hd_path_team {
  struct hd_path_item item; /* key: HD_TEAM */
  uint64_t serial;
  uint32_t profile;
  uint32_t holders;
  uint32_t size;
  uint32_t running_tasks; /* created and not ended */
  bool counts;            /* it is no instance in one of the same profile */
  struct hd_chain *fork;  /* of its primary when it began */
  uint64_t fork_ticks;
  uint64_t work_ticks;    /* of all its threads, and of teams in it that have ended */
  struct hd_chain *tasks; /* the longest of explicit tasks that have ended since the last barrier that is over */
  struct hd_path_barrier {
    uint32_t number; /* + 1; 0: none */
    uint32_t arrived;
    bool is_over; /* all have come together: `longest` stays as it is */
    struct hd_chain *longest;
  } barriers[HD_PATH_BARRIERS];
};

/** An implicit task, or what is outside all regions. */
struct hd_path_level {
  struct hd_path_team *team; /* NULL: outside, or a team that is not known */
  struct hd_path_task *task; /* the explicit task that the thread runs in it; NULL: none */
  struct hd_path_strand strand;
  uint32_t arrived; /* number + 1 of the last barrier that it came to; 0: none */
  bool waits;       /* there */
};

/** A thread. */
struct hd_path_ring {
  bool is_known;
  uint32_t busy;  /* profile or HD_NONE */
  uint64_t place; /* slots of its log that were read */
  uint64_t tick;  /* and up to when its time was added */
  struct hd_ring_record *log;
  struct hd_path_level *levels; /* from the outside inwards */
  uint32_t level_count;
  uint32_t level_limit;
  struct hd_chain *finished; /* an undeferred task's, for its creator that goes on; NULL: none */
};

static inline struct hd_path_level *hd_path_top(const struct hd_path_ring *ring) {
  return &ring->levels[ring->level_count - 1];
}

/** What the thread runs. */
struct hd_path_strand *hd_path_current(const struct hd_path_ring *ring);

/** Adds the time up to `now`, of what is logged before then and says nothing of order. */
void hd_path_reach(struct hd_path_book *book, struct hd_path_ring *ring, uint64_t now);

/** Room for one more level, which is zero; NULL: no memory. */
struct hd_path_level *hd_path_push(struct hd_path_book *book, struct hd_path_ring *ring);
void hd_path_pop(struct hd_path_book *book, struct hd_path_ring *ring);

/** An instance of the profile has ended. */
void hd_path_sum_up(struct hd_path_book *book, uint32_t profile, uint64_t span_ticks, uint64_t work_ticks);

/* ---- path_teams.c ---- */

void hd_path_take_team(struct hd_path_book *book, struct hd_path_ring *ring, const struct hd_transition *entry);

/** It goes on behind the barrier that it waits at. */
void hd_path_leave_barrier(struct hd_path_book *book, struct hd_path_level *level);

/** A barrier that all have come to is over when all tasks have ended. */
void hd_path_check_barriers(struct hd_path_book *book, struct hd_path_team *team);

void hd_path_release_team(struct hd_path_book *book, struct hd_path_team *team);
void hd_path_free_teams(struct hd_path_book *book);

/* ---- path_tasks.c ---- */

void hd_path_take_task(struct hd_path_book *book, struct hd_path_ring *ring, enum hd_order order,
                       const struct hd_log_order *told);
/** The task was run for so long. */
void hd_path_work(struct hd_path_task *task, uint64_t ticks);
void hd_path_free_strand(struct hd_path_book *book, struct hd_path_strand *strand);
void hd_path_free_tasks(struct hd_path_book *book);

/* ---- path_locks.c ---- */

void hd_path_acquire(struct hd_path_book *book, struct hd_path_ring *ring, uint64_t lock, uint64_t now);
void hd_path_give_lock(struct hd_path_book *book, const struct hd_path_ring *ring, uint64_t lock);
void hd_path_free_locks(struct hd_path_book *book);

#endif
