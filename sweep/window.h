/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file window.h
 * Exact concurrency in a window of time: takes what the logs hold of it, in the order of time, and integrates it into
 * time by level, without any memory but its own. commit.h adds the result to the records of the profile file.
 *
 * The level b(t) is the number of busy threads. A tally counts something (the threads busy in a profile, the running
 * instances of a region, one for the program); for each level k it adds up count * dt over the time with b(t) = k. That
 * is linear in the count: a window adds up how much more or less than its count at the begin a tally has counted, and
 * for how long the level was k; whoever commits it knows how many there were. What is not linear, for how long a count
 * was larger than 0, is known but for the stretch that lasted at the begin.
 *
 * Not at every transition. What is kept up to date is one short row of numbers: for how long the level has been k since
 * the last settling, for the HD_WINDOW_LEVELS levels around the present one. When a tally's count goes up that row is
 * taken from what the tally is owed, when it goes down it is added; so a tally is touched only when its own count
 * changes. All that have changed are settled when the level leaves these few, and at the end.
 *
 * The logs are only read, by any number of windows at once. The memory is bounded: when it is used up, or where a
 * bucket of the histories ends, the window has a part that can be committed, and goes on behind it.
 *
 * Cost of a transition: the row is added to one or two tallies, and the heap over the logs that have something to take.
 * When the only busy thread waits and goes on with nothing in between, as in a call of MPI, both cost one number.
 * Overlaps cost one look-up for each other profile that is busy, at most HD_PAIRED_MOST, when a profile is left by its
 * last thread.
 *
 * The order of transitions at one instant does not matter, with one exception: a worker may join a team at the instant
 * at which the region begins, and everything that happens while the measurement is paused happens at one instant. So a
 * primary's transitions of an instant are taken before a worker joins its team.
 */
#ifndef HEDDLE_SWEEP_WINDOW_H
#define HEDDLE_SWEEP_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

#include "heddle-format.h"

struct hd_tallies;

enum {
  HD_PAIRED_MOST = 64, /* More profiles than these are not paired at once: overlaps would cost as much as there are
                          callpaths. */
  HD_WINDOW_LEVELS = 8,
  HD_WINDOW_TALLIES = 112,
  HD_WINDOW_CELLS = 256,
  HD_WINDOW_PAIRS = 192,
  HD_WINDOW_PIECES = 24,
  HD_WINDOW_ENTRIES = 256
};

/** What a window has seen of a tally. */
struct hd_window_tally {
  uint64_t owed[HD_WINDOW_LEVELS]; /* with (count - start) * spent what its cells lack, modulo 2^64 */
  uint32_t profile;
  uint32_t what;         /* enum hd_tally_what */
  uint32_t count;        /* now. HD_TALLY_ELAPSED: more than at the begin, modulo 2^32 */
  uint32_t start;        /* likewise, at the begin of the window's present part */
  uint64_t since;        /* HD_TALLY_BUSY: when the count became larger than 0, if that was in this part.
                            HD_TALLY_ELAPSED: when it last became `least`, or was more again */
  uint64_t active;       /* HD_TALLY_BUSY: the stretches that have begun and ended. _ELAPSED: the time at `least` */
  uint64_t unpaired;     /* of `active` */
  uint64_t ended;        /* HD_TALLY_BUSY: the stretch that it was in at the begin, if `has_ended` */
  int32_t least;         /* HD_TALLY_ELAPSED: the smallest count */
  uint32_t concurrent;   /* entries of the profile while others were busy; no routine's */
  uint32_t paired_place; /* in hd_window.paired; HD_NONE: it is not there */
  bool carried;          /* it is in the stretch that it was in at the begin */
  bool has_ended;
  bool was_paired; /* in that stretch */
  bool listed;     /* it has changed */
};

/** Ticks of a tally at some levels. They may be negative (modulo 2^64): the record has more. */
struct hd_window_cells {
  uint32_t tally; /* index; HD_NONE: the window's own time */
  uint32_t part;  /* level / HD_LEVELS_PER_RECORD */
  uint64_t ticks[HD_LEVELS_PER_RECORD];
};

/** How long threads were busy in both profiles. */
struct hd_window_pair {
  uint32_t a, b;  /* a < b */
  uint64_t ticks; /* without the stretch that both were in at the begin */
  uint64_t ended; /* that one, if `has_ended` */
  bool has_ended;
};

/** A part of the timeline. */
struct hd_window_piece {
  uint64_t until;
  uint32_t level; /* all the time; HD_NONE: it lies in one bucket */
  struct hd_timeline_bucket ticks;
};

/** A transition whose meaning depends on what its thread has called before, or on what its team has done. */
struct hd_window_entry {
  const struct hd_transition *entry;
  struct hd_ring_record *ring;
  uint64_t idle_since; /* when its thread was last heard of before; if it was busy then, the entry's own time */
  bool concurrent;
};

/** A log with something to take. */
struct hd_window_log {
  struct hd_ring_record *ring;
  struct hd_transition *entry;   /* the next one */
  uint64_t place, limit;         /* in slots: of the next one, and behind the last one */
  uint64_t tick;                 /* as in hd_ring_sweep */
  uint32_t busy, busy_before;    /* likewise */
  struct hd_window_tally *tally; /* of `busy`; NULL: not looked for yet */
};

struct hd_window_head {
  uint64_t key; /* by the time of its next transition */
  struct hd_window_log *log;
};

/** A window's time, and what all of a batch share. */
struct hd_window_span {
  uint64_t until;  /* its end: what happens then belongs to it only if it is the last of a batch */
  uint64_t origin; /* the timeline's, and the width of its buckets: 1 << width_bits, or wider by now */
  uint32_t width_bits;
  bool is_last;     /* of its batch: it ends with its last transition */
  bool keeps_calls; /* there may be routines */
};

struct hd_window {
  /* The present. */
  uint64_t spent[HD_WINDOW_LEVELS]; /* for how long the level was first_level + i, since the last settling */
  uint64_t shown[HD_WINDOW_LEVELS]; /* how much of it is in the timeline's pieces */
  uint64_t at;                      /* all is up to date until then */
  uint64_t bucket_end;              /* of the timeline's bucket in which `at` lies */
  uint64_t stop;                    /* keys from this one on are not taken */
  uint64_t bucket_ends;             /* of the histories (histories.h): the part ends there at the latest */
  uint64_t tick;                    /* of the last instant */
  uint32_t level;
  uint32_t first_level;
  uint32_t level_before;        /* just before the last instant */
  uint32_t count;               /* heads */
  uint64_t left;                /* transitions that may follow in this part */
  struct hd_window_head *heads; /* a binary heap (Knuth 5.2.3), with room for one more than logs */
  struct hd_window_log *logs;
  uint32_t *log_of; /* by ring index; HD_NONE: none */
  uint32_t log_count;
  uint32_t log_limit; /* memory for so many logs and ring indexes */

  /* How it was planned. */
  struct hd_window_span span;
  uint64_t from;                      /* begin of the present part */
  uint64_t end;                       /* the first key that does not belong to the window */
  uint64_t most;                      /* transitions in a part */
  uint32_t place;                     /* in hd_batch.windows */
  const struct hd_tallies *committed; /* what is known of the begin; NULL: only what the logs say */

  /* The result of the present part. */
  uint32_t tally_count;
  uint32_t cells_count;
  uint32_t pair_count;
  uint32_t piece_count;
  uint32_t entry_count;
  uint32_t listed_count;
  uint32_t paired_count;
  bool piece_is_open; /* the last one may become longer */
  bool is_finished;   /* no part follows */
  bool moves_logs;    /* it ends in the middle of an instant, or as the last: the logs say how far they were taken */
  bool is_crowded;    /* more profiles were busy at its begin than are paired: only who commits it can tell which */
  struct hd_window_pair *newest;
  struct hd_window_tally *paired[HD_PAIRED_MOST];
  struct hd_window_tally *listed[HD_WINDOW_TALLIES];
  struct hd_window_tally tallies[HD_WINDOW_TALLIES];
  struct hd_window_cells cells[HD_WINDOW_CELLS];
  struct hd_window_pair pairs[HD_WINDOW_PAIRS];
  struct hd_window_piece pieces[HD_WINDOW_PIECES];
  struct hd_window_entry entries[HD_WINDOW_ENTRIES];
  /* Hash tables with open addressing: numbers from 1 on. */
  uint8_t tally_slots[2 * 128];
  uint16_t cells_slots[2 * HD_WINDOW_CELLS];
  uint16_t pair_slots[512];
};

/** Bytes of a window over so many rings with indexes below `rings`; and the window in so much zeroed memory. */
size_t hd_window_bytes(uint32_t rings);
struct hd_window *hd_window_make(void *memory, uint32_t rings);

/** What all windows share that take what is not later than `until`; the last one's. */
struct hd_window_span hd_window_whole(const struct hd_tallies *tallies, uint64_t until);

/** A window that begins where all that was taken is committed. Rings follow. */
void hd_window_begin(struct hd_window *window, const struct hd_window_span *span, const struct hd_tallies *committed);

/** A window that begins at `from`. Rings follow, then hd_window_begin_busy. */
void hd_window_begin_at(struct hd_window *window, const struct hd_window_span *span, uint64_t from);

/** Adds a ring, as it is committed, up to slot number `limit`, exclusive. */
void hd_window_add(struct hd_window *window, struct hd_ring_record *ring, uint64_t limit);

/** Likewise from slot number `place` on, before which its thread was `busy`, since `tick` at the latest. */
void hd_window_add_from(struct hd_window *window, struct hd_ring_record *ring, uint64_t place, uint64_t limit,
                        uint64_t tick, uint32_t busy);

/** In which profiles all threads are busy (HD_NONE: not) when the window begins. */
void hd_window_begin_busy(struct hd_window *window, const uint32_t *states, uint32_t count);

/** Integrates the window, or the next part of it. */
void hd_window_integrate(struct hd_window *window);

/** After a part was committed: goes on behind it. */
void hd_window_continue(struct hd_window *window, const struct hd_tallies *committed);

#endif
