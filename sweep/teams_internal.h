/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file teams_internal.h
 * What the parts of a book of teams share: teams.c takes what members tell, team_records.c finds records and gives them
 * back, team_barriers.c does barriers, team_delays.c what threads were delayed by. For no other file.
 */
#ifndef HEDDLE_SWEEP_TEAMS_INTERNAL_H
#define HEDDLE_SWEEP_TEAMS_INTERNAL_H

#include "sweep/teams.h"

/** What carries on an entry: which it is of, and what it says. */
struct hd_team_entry {
  struct hd_ring_sweep *ring;
  const struct hd_transition *transition;
  bool is_primary;
};

static inline uint32_t hd_team_operand(const struct hd_team_entry *entry) {
  return HD_WHAT_OPERAND(entry->transition->what);
}

/** At least one, though it may not be known yet. */
static inline uint32_t hd_team_size(const struct hd_team_record *record) {
  return record->team_size ? record->team_size : 1;
}

/** The record will change. */
static inline void hd_team_keep(struct hd_team_book *book, struct hd_team_record *record) {
  hd_journal_keep_once(book->journal, &record->kept_in, record, sizeof *record / sizeof(uint64_t));
}

/** The total of a team for a profile; NULL: no space. */
static inline struct hd_total_record *hd_team_total(struct hd_team_book *book, const struct hd_team_record *record,
                                                    uint32_t profile) {
  return hd_totals_change(&book->totals, profile, record->primary, hd_team_size(record));
}

/* ---- team_records.c ---- */

/** The team with this number (HD_TEAM); NULL: it is not known. */
struct hd_team *hd_team_find(struct hd_team_book *book, uint32_t number);

/** A record taken into use for a team with this number, which is not known yet; NULL: no space. */
struct hd_team *hd_team_take(struct hd_team_book *book, uint32_t number);

/** It can no longer be found: its number is another's. */
void hd_team_hide(struct hd_team_book *book, struct hd_team *team);

/** Gives the record back. */
void hd_team_give(struct hd_team_book *book, struct hd_team *team);

/** What is known of a ring; NULL: no memory. */
struct hd_team_ring *hd_team_ring(struct hd_team_book *book, const struct hd_ring_sweep *ring);

/* ---- team_barriers.c ---- */

/** A member arrives at a barrier; the team's record is kept. */
void hd_team_arrive(struct hd_team_book *book, struct hd_team_record *record, const struct hd_team_entry *entry,
                    bool again);

/** A member leaves one that closed a worksharing construct. */
void hd_team_leave_work(struct hd_team_book *book, struct hd_team_record *record, const struct hd_team_entry *entry);

/** The team has come together: what its barriers were late by is added up. False: the primary has not told of the last
 *  one. */
bool hd_team_leave_all(struct hd_team_book *book, struct hd_team_record *record);

/* ---- team_delays.c ---- */

/** By how much a member is late that arrives at a barrier and has told of `late` ticks: with what its own teams have
 *  made it late by. */
int64_t hd_team_delay_late(struct hd_team_book *book, const struct hd_team_record *record,
                           const struct hd_team_entry *entry, int64_t late, bool again);

/** The thread is in step with its team. */
void hd_team_delay_start(struct hd_team_book *book, const struct hd_ring_sweep *ring);

/** The primary begins a region; its team is together; the region ends, and its barriers have made it late. */
void hd_team_delay_begin(struct hd_team_book *book, struct hd_team_record *record, const struct hd_ring_sweep *ring);
void hd_team_delay_add(struct hd_team_book *book, struct hd_team_record *record, const struct hd_ring_sweep *ring);
void hd_team_delay_end(struct hd_team_book *book, struct hd_team_record *record, const struct hd_ring_sweep *ring);

#endif
