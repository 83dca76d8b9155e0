/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle-rows.h
 * One thread's numbers for one callpath. Part of heddle-format.h.
 *
 * A large team has millions of rows, and each of them few states: a loop is worked in and waited at. So a row names the
 * states that it has cells for. It fills one line of the cache, which its thread shares with nobody.
 */
#ifndef HEDDLE_ROWS_H
#define HEDDLE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle-events.h"
#include "heddle-states.h"

/** What a cell is for: a state of the thread, or one of these. */
enum hd_cell_kind {
  HD_CELL_CPU = HD_STATE_COUNT, /* `ticks`: processor time in nanoseconds, exclusive; only with HD_FILE_CPU_TIME */
  /* `ticks`: of the wait at a region's last barrier the part after the team's join, when the thread was idle: it
   * belongs to the program's row. The sweep writes it, into the cell that the owner has made. */
  HD_CELL_TEAM,
  /* These count, in `ticks` and in `intrusion`: */
  HD_CELL_CHUNKS, /* a loop's: chunks that this thread got, and their iterations */
  HD_CELL_TASKS,  /* a task construct's: tasks that this thread created, and those it began to run that another created
                   */
  /* `ticks`: unresolved time, in which events were refused, so that what the thread did is not known: part of the
   * busy time, and of the waits at a region's end where tasks were refused. There HD_CELL_UNRESOLVED_TEAM takes the
   * place of HD_CELL_TEAM: its ticks are no wait, nor are they unresolved. */
  HD_CELL_UNRESOLVED, /* `intrusion`: of `ticks`, those of waits */
  HD_CELL_UNRESOLVED_TEAM,
  /* A static loop's: the iterations of each instance that this thread came to, all of them and not only its own part,
   * summed; and the thread's number in the team + 1, or HD_NUMBERS_VARY. */
  HD_CELL_STATIC,
  HD_CELL_WATCHED_TEAM, /* likewise of waits that are in a hd_watched_record, too */
  HD_CELL_REFUSED, /* `ticks` counts: an outermost region's instances that this thread began and that were refused */
  /* `ticks`: unresolved time since a region was refused, outside all regions: part of the busy time, or, a worker's, of
   * the idle time, which `intrusion` says. */
  HD_CELL_UNRESOLVED_REGIONS,
  HD_CELL_REGIONS_TEAM, /* as HD_CELL_WATCHED_TEAM, where windows watch regions */
  HD_CELL_MPI,          /* `ticks` counts: bytes that the call's arguments have named */
  HD_CELL_KINDS
};

/** The thread had more than one number in the teams that ran the loop. */
#define HD_NUMBERS_VARY INT64_C(-1)

/** What is known of a thread's number, 0: nothing yet, after `number` was seen, too. */
static inline int64_t hd_numbers_join(int64_t known, int64_t number) {
  return known == 0 || known == number ? number : number == 0 ? known : HD_NUMBERS_VARY;
}

struct hd_row_cell {
  uint64_t ticks; /* exclusive: spent while this profile was the thread's innermost */
  /* Contained in `ticks`. But for waits at a team's barriers: minus what the thread had gathered since its team was
   * last together. */
  int64_t intrusion;
};

enum { HD_ROW_CELLS = 3, HD_ROW_KIND_BITS = 5, HD_ROW_REFUSED_BITS = 7, HD_ROW_THREADS_MOST = 1 << 15 };

/** The bit of hd_row_record.refused for sections: critical, ordered, atomic. Locks, of the same class, enclose nothing.
 *  Of regions a cell says what was refused (HD_CELL_REFUSED): their class needs no bit. */
enum { HD_REFUSED_SECTION = HD_CLASS_REGION };

/**
 * What windows saw of a thread in one profile: where a class of events is switched off it is observed in windows. A
 * time that begins with an event of such a class belongs to them if that event was observed, up to the next event of
 * the class that begins something, or any of another class. Where regions are off, it lasts to the next begin of an
 * outermost one, or any event outside regions. It is in the thread's rows, too. HD_CELL_WATCHED_TEAM and
 * HD_CELL_REGIONS_TEAM have what was no wait in truth.
 */
struct hd_watched_record {
  uint32_t profile;
  uint32_t thread;
  uint32_t of_regions; /* 1: in windows of regions, which see what is in these, too; it is outside them that they are */
  uint32_t reserved;
  uint64_t visits;
  uint64_t ticks[HD_STATE_COUNT];
  int64_t intrusion[HD_INTRUSION_CLASSES]; /* contained in them */
  /* Only in the record of a region's profile, or of the program: how windows differ, by what each saw of the thread in
   * such regions, or outside all, whatever construct it was in, without `intrusion`. Windows of regions: of the
   * program. */
  uint64_t window;    /* the last one's number; 0: there was none */
  uint64_t last[2];   /* what it saw: ticks, and busy ones among them */
  uint64_t windows;   /* those before it, */
  uint64_t sums[2];   /* and sums over them of both, */
  double products[3]; /* and of ticks * ticks, ticks * busy, busy * busy */
};

/** Adds the last window to the sums of those before it. */
static inline void hd_watched_end_window(struct hd_watched_record *record) {
  const double ticks = (double)record->last[0], busy = (double)record->last[1];
  record->windows += record->window != 0;
  record->sums[0] += record->last[0];
  record->sums[1] += record->last[1];
  record->products[0] += ticks * ticks;
  record->products[1] += ticks * busy;
  record->products[2] += busy * busy;
  record->window = record->last[0] = record->last[1] = 0;
}

/** A thread may have several rows of one profile: their numbers add up. One that is all zero stands for none. */
struct hd_row_record {
  uint32_t profile;
  uint32_t thread : 15;
  uint32_t refused : HD_ROW_REFUSED_BITS; /* bit: constructs of that class (enum hd_event_class) began here and were not
                                             observed: the class was off. Their time is this row's or that of rows
                                             below, as if they had not been there; HD_REFUSED_SECTION: some of them may
                                             enclose others */
  uint32_t second : HD_ROW_KIND_BITS;     /* what cells[1] is for; 0: it is free. cells[0] is HD_BUSY's */
  uint32_t third : HD_ROW_KIND_BITS;      /* what cells[2] is for */
  uint64_t visits;
  struct hd_row_cell cells[HD_ROW_CELLS];
};
_Static_assert(sizeof(struct hd_row_record) == 64, "one line of the cache");
_Static_assert((int)HD_REFUSED_SECTION < HD_ROW_REFUSED_BITS, "a bit for each class, and one more");
_Static_assert(HD_BUSY == 0 && (int)HD_CELL_KINDS <= 1 << HD_ROW_KIND_BITS,
               "the kind of a cell fits its bits, and 0 is none but HD_BUSY");

/** Whether a cell's ticks are part of the wait for a region's end, and were idle time. */
static inline bool hd_cell_is_idle(uint32_t kind) {
  return kind == HD_CELL_TEAM || kind == HD_CELL_UNRESOLVED_TEAM || kind == HD_CELL_WATCHED_TEAM ||
         kind == HD_CELL_REGIONS_TEAM;
}

/** What a row's cell is for; 0 for those after the first: nothing yet. */
static inline uint32_t hd_row_kind(const struct hd_row_record *row, uint32_t cell) {
  return cell == 0 ? (uint32_t)HD_BUSY : cell == 1 ? row->second : row->third;
}

/** The index of the cell for a state or hd_cell_kind; HD_ROW_CELLS: the row has none. */
static inline uint32_t hd_row_find(const struct hd_row_record *row, uint32_t kind) {
  return kind == HD_BUSY ? 0u : kind == row->second ? 1u : kind == row->third ? 2u : (uint32_t)HD_ROW_CELLS;
}

/** The cell for a state or hd_cell_kind, which gets a free one if it has none yet. NULL: none is free. */
static inline struct hd_row_cell *hd_row_claim(struct hd_row_record *row, uint32_t kind) {
  uint32_t cell = hd_row_find(row, kind);
  if (cell == HD_ROW_CELLS && row->second == 0) {
    row->second = kind & ((1u << HD_ROW_KIND_BITS) - 1);
    cell = 1;
  } else if (cell == HD_ROW_CELLS && row->third == 0) {
    row->third = kind & ((1u << HD_ROW_KIND_BITS) - 1);
    cell = 2;
  }
  return cell == HD_ROW_CELLS ? NULL : &row->cells[cell];
}

#endif
