/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file teams.h
 * What teams did: takes transitions, in the order of time, for what members tell of their parts in parallel regions,
 * and makes totals, teams' records and delays of it (heddle-teams.h), and of a worker's wait the part in which it idled
 * (HD_CELL_TEAM).
 *
 * A barrier is late by what Heddle made the last to come late by (docs/design.md, "The virtual clock"): G = when the
 * last was let go into it, minus when the last would have come. What each has told of its arrival is kept in the team's
 * record until another barrier takes that place, or the team joins: by then all have left. Of four places for barriers
 * three can be in use: when somebody arrives at barrier n, all have left n - 2.
 *
 * A thread whose own team was late has been made late by it as well. It does not know that when it arrives at a barrier
 * of the team that it belongs to; the sweep does (hd_delay_record).
 *
 * A team has ended when its primary said so and all workers that have begun have said that they finished. In a pause
 * all happens at one instant, and workers may be heard of after the end: a team is kept until time goes on. Its record
 * stays until all who wait for its end have been heard of: until then nobody knows how long they idled.
 *
 * Used by the library's sweep while the program runs and by the reader for what was left, who then closes what is open;
 * all numbers live in records of the profile file, and every change is journalled (journal.h). Not thread-safe: the
 * caller has the sweep's lock. An entry costs one look-up in a hash table. Cells of rows, which lie in their threads'
 * caches, are written once in a step. What entries say is not trusted: nothing they name is used without a check.
 */
#ifndef HEDDLE_SWEEP_TEAMS_H
#define HEDDLE_SWEEP_TEAMS_H

#include <stdbool.h>

#include "heddle-format.h"
#include "sweep/journal.h"
#include "sweep/totals.h"

/** Where the cell at a file offset is; NULL: there is none. */
typedef struct hd_row_cell *hd_cell_finder(void *context, uint64_t offset);

/** What is known of a ring besides its record. */
struct hd_team_ring {
  struct hd_delay_record *delay; /* of its newest owner; NULL: not looked for, or there is none */
  uint64_t idle_cell;            /* to which so many ticks are to be added at the end of the step */
  uint64_t idle_ticks;
  bool listed; /* it is in hd_team_book.idle */
};

struct hd_team {
  struct hd_team_record *record;
  uint32_t next;     /* index + 1: in its place of the hash table, or in the list of the free ones */
  bool is_hashed;    /* it can be found by its number */
  bool is_lingering; /* it is in hd_team_book.lingering */
};

enum { HD_TEAMS_LINGERING = 256 }; /* teams that have ended at one instant */

struct hd_team_book {
  struct hd_journal *journal;
  struct hd_file_header *header; /* what could not be kept is told here */
  hd_cell_finder *cell_at;       /* NULL: the offset is from journal.base, and right */
  void *context;                 /* for `cell_at` */
  struct hd_total_book totals;
  struct hd_team *teams; /* by index: in the order of their records, free ones included */
  uint32_t team_count;
  uint32_t team_limit;        /* entries of `teams` */
  uint32_t free;              /* index + 1 of the first; 0: none */
  uint32_t *places;           /* hash table by HD_TEAM: index + 1 of the first; 0: none */
  uint32_t place_mask;        /* entries - 1 */
  uint32_t newest;            /* index + 1 of the one that was last looked for; 0: none */
  struct hd_team_ring *rings; /* by index */
  uint32_t ring_limit;
  uint32_t *idle; /* rings with ticks to be added */
  uint32_t idle_count;
  uint32_t idle_limit;             /* entries of `idle` */
  struct hd_delay_record **delays; /* hash table by thread; NULL: free */
  uint32_t delay_mask;             /* entries - 1 */
  uint32_t delay_count;
  uint32_t lingering[HD_TEAMS_LINGERING]; /* indexes, in a circle, in the order of their ends */
  uint32_t lingering_first;
  uint32_t lingering_count;
};

/** Whether an entry says something of teams, or of order (path/path.h). */
static inline bool hd_teams_concern(uint32_t what) {
  return HD_WHAT_CARRIES(what) || what >> HD_WHAT_SHIFT == HD_WHAT_LEFT;
}

/** Takes what the transition of a ring says of teams. `idle_since`: when its thread was last heard of before; its own
 *  time, if the thread was busy just before it. */
void hd_teams_apply(struct hd_team_book *book, struct hd_ring_sweep *ring, const struct hd_transition *transition,
                    uint64_t idle_since);

/** Adds to rows' cells what has come up since the last time: before each end of a step. */
void hd_teams_end_step(struct hd_team_book *book);

/* ---- for the reader: what is left open ---- */

/** From a file: a team's record (in the order of their records, free ones included), a total, a delay. The caller has
 *  checked their profiles and threads. False: no memory. */
bool hd_teams_restore_team(struct hd_team_book *book, struct hd_team_record *record);
bool hd_teams_restore_total(struct hd_team_book *book, struct hd_total_record *record);
bool hd_teams_restore_delay(struct hd_team_book *book, struct hd_delay_record *record);

/** The open team with the smallest index that is not below `*at`, which becomes its index + 1; NULL: there is none. It
 *  may have ended: HD_TEAM_ENDED, the last words of some workers are missing; HD_TEAM_ADDED, somebody still waits. */
struct hd_team_record *hd_teams_next_open(const struct hd_team_book *book, uint32_t *at);

/** Ends the team with this index at `now`, unless its primary has, with the members' times that its record says: no
 *  more is coming. The caller may have added to begun, begun_ticks, finished, busy_ticks and busy_most_ticks. The
 * totals are added up, unless they are (HD_TEAM_ADDED). Those who wait are released afterwards. */
void hd_teams_close(struct hd_team_book *book, uint32_t index, uint64_t now);

/** The program ends at `now`: if the owner of the ring waits for a team's end it idles since the join, if there was
 * one, or since it was last heard of (hd_ring_sweep.tick). hd_teams_end_step follows. */
void hd_teams_release(struct hd_team_book *book, struct hd_ring_sweep *ring, uint64_t now);

/** Frees what is not records. */
void hd_teams_free(struct hd_team_book *book);

#endif
