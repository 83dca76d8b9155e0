/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file reader_internal.h
 * For the files of the reader only: the file's bytes, and what the steps so far have made of them.
 *
 * Nothing in the bytes is trusted. The steps run in the order of the functions below; each returns false after
 * hd_reader_fail().
 */
#ifndef HEDDLE_OUTPUT_READER_READER_INTERNAL_H
#define HEDDLE_OUTPUT_READER_READER_INTERNAL_H

#include "output/model/lazy_rows.h"
#include "sweep/tallies.h"

/** Records that the sweep's book may change or make, in the order of the file. The model's memory, as they. */
struct hd_reader_list {
  void **records;
  uint32_t count, limit;
};

/** The part after its team's join of a thread's wait, which sweeps find when the profile is read. */
struct hd_reader_idle {
  struct hd_row_cell cell; /* all zero, and what the book has added */
  const struct hd_row_record *row;
  uint32_t kind; /* enum hd_cell_kind */
  struct hd_reader_idle *next;
};

struct hd_reader {
  const char *path;
  const char *bytes;
  size_t size;
  bool sealed;                  /* it has checksums */
  struct hd_clock_pair present; /* what is open ends then: its program runs. 0: it ends as the file says,
                                   or at the last event */
  uint64_t now_ticks;           /* the same on the scale of the file's times */
  uint32_t unit_count;          /* of HD_BLOCK_BYTES, after the header */
  uint32_t *unit_block;         /* by unit: index of the block it belongs to */
  uint64_t record_count[HD_BLOCK_TYPE_LAST + 1]; /* by block type */

  struct hd_row_source *source; /* the model's */
  bool *in_region;              /* by node: a region lies above it in the tree */
  uint64_t level_bytes;         /* that times by level may still take */
  uint64_t *busy_now_ticks;     /* by thread: its busy_ticks at the end, without the time before the load */
  uint64_t *idle_ticks;         /* by thread: what HD_CELL_TEAM's of its rows say */

  /* The sweep's, with what the rings still held. */
  struct hd_reader_list teams;          /* struct hd_team_record, by index */
  struct hd_reader_list totals;         /* struct hd_total_record */
  struct hd_reader_list delays;         /* struct hd_delay_record */
  const struct hd_ring_sweep **ring_of; /* by thread; NULL: it has no ring, or is over */
  struct hd_reader_idle *idles;         /* idle time that no row has yet */

  struct hd_model *model;
  char *error;
  size_t error_bytes;
};

/* ---- blocks.c: what all of them need ---- */

/** Writes "PATH: " and the reason into the caller's error text. Always false. */
bool hd_reader_fail(struct hd_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Calls `take` for each record of a type, in the order of the file, until it returns false. */
typedef bool hd_reader_taker(struct hd_reader *reader, const void *record, uint32_t index);
bool hd_reader_each(struct hd_reader *reader, enum hd_block_type type, hd_reader_taker *take);

/** Finds the blocks, and how many records of each type there are. */
bool hd_reader_walk_blocks(struct hd_reader *reader);

/** The row and state of the cell at a file offset; NULL when there is none. */
const struct hd_row_record *hd_reader_find_cell(const struct hd_reader *reader, uint64_t offset, enum hd_state *state);

/** The counts record (in the order of the file) and class that an hd_thread_record.counting means; likewise. */
bool hd_reader_find_counts(const struct hd_reader *reader, uint64_t offset, uint32_t *counts, uint32_t *class);

/** The row of the HD_CELL_TEAM or HD_CELL_UNRESOLVED_TEAM, which `kind` says, at a file offset; NULL when there is
 *  none. */
const struct hd_row_record *hd_reader_find_team_cell(const struct hd_reader *reader, uint64_t offset, uint32_t *kind);

/* ---- the steps, in the order in which open.c takes them ---- */

/** foreign_files.c: what a file that is no profile seems to be, and what to do with it. Never NULL. */
const char *hd_reader_name_other(const char *bytes, size_t size);

/** counts.c: the header's part on counters, before blocks are looked at. */
bool hd_reader_check_counters(struct hd_reader *reader);

/** rollback.c: what the sweep had not finished, after the blocks are known and before anything is taken. */
void hd_reader_take_back(struct hd_reader *reader);

/** records.c: modules, nodes, threads, rows and texts into the model. */
bool hd_reader_take_records(struct hd_reader *reader);

/** totals.c, for records.c: adds the rows of the file to their nodes and threads. */
bool hd_reader_add_rows(struct hd_reader *reader);

/** counts.c, for records.c: the text of a group of events; a note says what is wrong with it. */
void hd_reader_take_group(struct hd_model *model, const char *text, size_t bytes);

/** close_intervals.c: when the profile ends, and how long its program ran before. */
bool hd_reader_find_end(struct hd_reader *reader);

/** levels.c: time by level, overlaps and the timeline, closed at the end of the profile; and what is known of teams. */
bool hd_reader_take_levels(struct hd_reader *reader);

/** levels.c: whether times by level may take so much more memory. A program's measurement takes a small part of what is
 * allowed; a few damaged records could ask for an array up to a very high level for each callpath. */
bool hd_reader_take_level_bytes(struct hd_reader *reader, uint64_t bytes);

/** For levels.c, teams.c: hd_record_allocator, for records in the model's memory. `context` is the reader. */
void *hd_reader_add_record(void *context, enum hd_block_type type, size_t bytes);

/** For levels.c, teams.c: the records of teams into the sweep's book; and afterwards what became of them. */
bool hd_reader_restore_teams(struct hd_reader *reader, struct hd_tallies *tallies);
void hd_reader_fill_teams(struct hd_reader *reader, struct hd_tallies *tallies);

/** close_intervals.c: ends what threads were in. */
bool hd_reader_close_threads(struct hd_reader *reader);

/** close_teams.c: ends the regions that were running, adds up regions and worksharing constructs. */
bool hd_reader_close_teams(struct hd_reader *reader);

/** For close_intervals.c: the team for whose end the thread waits; NULL: it waits for none. */
static inline const struct hd_team_record *hd_reader_awaited(const struct hd_reader *reader, uint32_t thread) {
  const struct hd_ring_sweep *sweep = reader->ring_of[thread];
  return sweep && sweep->waits_in > 0 ? reader->teams.records[sweep->waits_in - 1] : NULL;
}

/** counts.c: events, counts and where they belong. */
bool hd_reader_take_counts(struct hd_reader *reader);

/** samples.c: what threads were executing. */
bool hd_reader_take_samples(struct hd_reader *reader);

/** loops.c: chunks. */
bool hd_reader_take_loops(struct hd_reader *reader);

/** tasks.c: how long tasks took. */
bool hd_reader_take_tasks(struct hd_reader *reader);

/** paths.c: the critical path. */
bool hd_reader_take_paths(struct hd_reader *reader);

/** locks.c: who held what others waited for. */
bool hd_reader_take_locks(struct hd_reader *reader);

/** watched.c: what windows saw. */
bool hd_reader_take_watched(struct hd_reader *reader);

/** overhead.c: what Heddle's own work cost, and what was switched off. */
bool hd_reader_take_overhead(struct hd_reader *reader);

/** totals.c: adds up nodes, threads and the tree. */
bool hd_reader_sum_up(struct hd_reader *reader);

/** marks.c, for totals.c: what nodes' own numbers lack because events were switched off; and when marks of those below
 * have been added, whose gains are not known. */
void hd_reader_mark(struct hd_reader *reader);
void hd_reader_mark_gains(struct hd_model *model);

/** uncounted_threads.c: what threads without rows counted is missing. */
void hd_reader_find_losses(struct hd_model *model);

/** notes.c: what the header says could not be measured, in words. */
void hd_reader_add_notes(struct hd_model *model);

/** For notes.c: which events the runtime does not always send, and what is lost by it; what is wrong with counters;
 * what samples lack; where Heddle's own work was much, what was switched off, and what was shortened. */
void hd_reader_note_callbacks(struct hd_model *model);
void hd_reader_note_counters(struct hd_model *model);
void hd_reader_note_samples(struct hd_model *model);
void hd_reader_note_overhead(struct hd_model *model);

#endif
