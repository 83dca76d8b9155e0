/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle-concurrency.h
 * The records of exact concurrency. Part of heddle-format.h.
 *
 * The *level* of the program at an instant is the number of its threads that are busy. A sweep takes the changes of all
 * threads out of their logs (heddle-log.h) in the order of time and adds up, for every tally, how long the level was k.
 * The reader adds what the logs still hold.
 */
#ifndef HEDDLE_CONCURRENCY_H
#define HEDDLE_CONCURRENCY_H

#include <stdint.h>

/** The state of the program at an entry: was another thread busy just before? */
enum hd_entry_state { HD_SEQUENTIAL, HD_CONCURRENT, HD_ENTRY_STATES };

/**
 * One thread's entries into a profile, by the state at the caller's entry (of the innermost routine, or explicit task,
 * around it) and by the state at its own: Malony's cprof, 1987. The sweep writes it. Only routines have callers and
 * ticks; for other profiles only concurrent entries are counted, with a sequential caller, and for all threads together
 * (`thread` is HD_NONE).
 */
struct hd_entry_record {
  uint32_t profile;
  uint32_t thread;
  uint64_t visits[HD_ENTRY_STATES][HD_ENTRY_STATES]; /* [caller][own] */
  /* From entry to exit, of the thread's outermost entries that have ended. */
  uint64_t ticks[HD_ENTRY_STATES][HD_ENTRY_STATES];
  uint32_t open; /* entries on the thread's stack */
  uint32_t reserved;
};

/** The routines, explicit tasks and regions that a ring's thread is in. The sweep writes it. */
#define HD_STACK_LENGTH 1016u
struct hd_stack_record {
  uint32_t ring;  /* index */
  uint32_t level; /* of its first entry: a multiple of HD_STACK_LENGTH */
  struct hd_stack_entry {
    uint64_t since_ticks;
    uint32_t profile;
    uint8_t what;      /* enum hd_what: _CALL, _TASK, _REGION_BEGIN, _NESTED_BEGIN */
    uint8_t caller;    /* enum hd_entry_state */
    uint8_t own;       /* likewise; for a region it is the caller's */
    uint8_t outermost; /* its time counts when it ends */
  } entries[HD_STACK_LENGTH];
};

enum hd_tally_what {
  HD_TALLY_PROGRAM = 1, /* counts one, always: the program's time at level k. Profile 0 */
  HD_TALLY_BUSY = 2,    /* counts the threads that are busy in the profile, not below it: thread-time at level k */
  HD_TALLY_ELAPSED = 3  /* counts the region's running instances (not those inside another): elapsed time at level k */
};

/** Something that is counted; its time at each level is in hd_level_record. */
struct hd_tally_record {
  uint32_t profile;
  uint32_t what;  /* enum hd_tally_what */
  uint32_t count; /* now */
  uint32_t reserved;
  uint64_t since_ticks;        /* HD_TALLY_PROGRAM: all tallies lack count * (time since then) at the present level.
                                  Transitions before then were taken, though their rings may not say so yet */
  uint64_t active_since_ticks; /* when the count became larger than 0 */
  uint64_t active_ticks;       /* time with a count larger than 0, without the present stretch */
  uint64_t unpaired_ticks;     /* HD_TALLY_BUSY: the part of active_ticks without overlaps: too many others were busy */
  uint64_t tick;               /* HD_TALLY_PROGRAM: time of the last transition taken */
  uint64_t level_before;       /* HD_TALLY_PROGRAM: the level just before that instant */
};

/** A tally's ticks at levels first .. first + 6: sum of count * dt. At most one record for each tally and `first`. */
#define HD_LEVELS_PER_RECORD 7u
struct hd_level_record {
  uint32_t tally; /* index of its record */
  uint32_t first; /* multiple of HD_LEVELS_PER_RECORD */
  uint64_t ticks[HD_LEVELS_PER_RECORD];
};

/** How long threads were busy in profile a and, at the same time, other threads in profile b. a < b. */
struct hd_overlap_record {
  uint32_t a;
  uint32_t b;
  uint64_t ticks; /* 0: given up to make room for a larger one */
};

/**
 * The run in time: a fixed number of buckets; when the run outgrows them, pairs are folded into one and the width
 * doubles (Hollingsworth's time histogram). Bucket i begins at origin + i * width.
 */
#define HD_TIMELINE_BUCKETS 512u
struct hd_timeline_record {
  uint64_t origin_ticks;
  uint64_t width_ticks;
  uint64_t until_ticks; /* later time has not been added yet */
  uint32_t kept_in;     /* for the sweep alone */
  uint32_t reserved;
  uint64_t pad[4];
  struct hd_timeline_bucket {
    uint64_t none_ticks;       /* no thread busy */
    uint64_t sequential_ticks; /* one */
    uint64_t busy_ticks;       /* sum of level * dt over all levels */
  } buckets[HD_TIMELINE_BUCKETS];
};

/**
 * A region in time, likewise, from the timeline's origin on. Not all regions have one if there are very many.
 */
#define HD_HISTORY_BUCKETS 120u
#define HD_HISTORIES_MOST 64u
struct hd_history_record {
  uint32_t profile; /* 0: none yet */
  uint32_t reserved;
  uint64_t width_ticks;
  uint64_t since_ticks;   /* earlier time is in no bucket */
  uint64_t until_ticks;   /* later time has not been added yet: its buckets have so much less than its tally, */
  uint64_t elapsed_ticks; /* which had so much then */
  uint64_t busy_ticks;    /* likewise, multiplied by the level */
  struct hd_history_bucket {
    uint64_t elapsed_ticks; /* of the region's instances, summed */
    uint64_t busy_ticks;    /* sum of level * dt over them */
  } buckets[HD_HISTORY_BUCKETS];
};

/**
 * What the sweep's present step has changed in tallies, levels, overlaps, entries, stacks, rings' sweeps, the timeline,
 * histories, teams, delays, totals and rows, as it was before. Between steps there are no entries. The reader undoes a step that
 * did not end, from the last entry to the first: the transitions are still in their rings.
 */
struct hd_journal_record {
  uint64_t count;
  uint64_t reserved;
  struct hd_journal_entry {
    uint64_t offset; /* of 8 bytes in the file */
    uint64_t before; /* what they were */
  } entries[];
};

_Static_assert(sizeof(struct hd_tally_record) == 64, "one cache line");
_Static_assert(sizeof(struct hd_level_record) == 64, "one cache line");
_Static_assert(sizeof(struct hd_overlap_record) == 16, "overlap record size");
_Static_assert(sizeof(struct hd_history_record) == 48 + 16 * HD_HISTORY_BUCKETS, "two fit a block");
_Static_assert(sizeof(struct hd_journal_entry) == 16, "journal entry size");

#endif
