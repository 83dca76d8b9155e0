/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file marks.h
 * What a node's numbers lack, or hold besides its own, because classes of events were switched off for a time
 * (docs/budget.md), or because the runtime does not report waits: the one place that says which number is a lower
 * bound, which an upper one.
 *
 * The reader finds the marks of nodes (reader/marks.c). Whoever joins nodes joins their marks: bits are added.
 */
#ifndef HEDDLE_OUTPUT_MODEL_MARKS_H
#define HEDDLE_OUTPUT_MODEL_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle-format.h"

enum hd_mark {
  HD_MARK_MISSED = 1u << 0,    /* some entries were not observed: their time is in other nodes */
  HD_MARK_MISPLACED = 1u << 1, /* some entries belong below a construct that was not observed */
  HD_MARK_HOLDS = 1u << 2,     /* its own busy time holds constructs that were not observed */
  HD_MARK_UNCLOSED =
      1u << 3,              /* a worksharing construct: some of its barriers were not observed, nor are in its totals */
  HD_MARK_QUEUES = 1u << 4, /* busy time, also below, holds waits for locks and sections */
  HD_MARK_MEETS = 1u << 5,  /* and waits for other threads: at barriers, for tasks */
  HD_MARK_WORK = 1u << 6,   /* waiting time, also below, holds work: tasks that ran at a region's end */
  HD_MARK_LEVELS = 1u << 7, /* threads of its region, or others of the program then, count as busy while they wait */
  HD_MARK_MOVED = 1u << 8,  /* tasks that were not observed ran elsewhere in the region than where they were created */
  HD_MARK_RENAMED = 1u << 9, /* GCC-built code: ends of loops that were not observed, here or below, are other waits */
  HD_MARK_GAIN_UNKNOWN = 1u << 10, /* waits were not observed for more than a tenth of the time that its gain is of */
  HD_MARK_HANDS = 1u << 11,        /* its own busy time holds work of the runtime that its entry points did not tell */
  HD_MARK_ESTIMATED = 1u << 20,    /* what was not observed has been resolved: bounds are estimates */
  HD_MARK_RUNTIME = 1u << 12,      /* likewise busy time, also below: handing out of chunks, creation of tasks */
  HD_MARK_SINKS = 1u << 13,        /* and waits of doacross loops, which the runtime does not report */
  HD_MARK_REGIONS = 1u << 14, /* instances of regions, here or below, were counted and not observed: their time is that
                                 of the thread that began them, busy outside, and their workers idled */
  HD_MARK_WAITS = HD_MARK_QUEUES | HD_MARK_MEETS | HD_MARK_SINKS,
  HD_MARK_NO_WORK = HD_MARK_WAITS | HD_MARK_RUNTIME /* busy time, also below, holds what is none */
};
/** What inclusive times of a node have from those below it. */
#define HD_MARKS_RISING ((uint32_t)(HD_MARK_NO_WORK | HD_MARK_WORK | HD_MARK_RENAMED | HD_MARK_REGIONS))
#define HD_MARKS_OF_LEVELS ((uint32_t)(HD_MARK_NO_WORK | HD_MARK_WORK | HD_MARK_REGIONS))
/** Without all of them a gain is what it seems; without those of waits it lacks no wait. */
#define HD_MARKS_OF_UNTOLD                                                                                             \
  ((uint32_t)(HD_MARK_MISSED | HD_MARK_MISPLACED | HD_MARK_UNCLOSED | HD_MARK_WAITS | HD_MARK_WORK | HD_MARK_REGIONS))
#define HD_MARKS_OF_GAIN (HD_MARKS_OF_UNTOLD | HD_MARK_RUNTIME)

/** Classes of events that tell of waits. */
#define HD_CLASSES_OF_WAITS (1u << HD_CLASS_MUTEX | 1u << HD_CLASS_TASK | 1u << HD_CLASS_SYNC)

/** A bit of hd_node.refused more than rows have: of waits of doacross loops. HD_PROFILE_SINKS, as the reader reads it.
 */
#define HD_REFUSED_SINKS (1u << (HD_REFUSED_SECTION + 1))
#define HD_SINKS_WORDS "the runtime does not report the waits of doacross loops"

/** Bounds: what a number may be in truth. */
struct hd_bounds {
  bool at_least; /* as much or more */
  bool at_most;  /* as much or less; both: anything */
};

static inline struct hd_bounds hd_bounds_of(uint32_t marks, uint32_t least, uint32_t most) {
  const bool is_estimated = (marks & HD_MARK_ESTIMATED) && (marks & (least | most));
  return (struct hd_bounds){(marks & least) || is_estimated, (marks & most) || is_estimated};
}

/** Entries, and those among them while other threads were busy, or were not. */
static inline struct hd_bounds hd_bounds_of_visits(uint32_t marks) {
  return hd_bounds_of(marks, HD_MARK_MISSED, HD_MARK_MISPLACED);
}
static inline struct hd_bounds hd_bounds_of_concurrent(uint32_t marks) {
  return hd_bounds_of(marks, HD_MARK_MISSED | HD_MARK_LEVELS, HD_MARK_MISPLACED | HD_MARK_LEVELS);
}
static inline struct hd_bounds hd_bounds_of_sequential(uint32_t marks) {
  return hd_bounds_of_concurrent(marks);
}

/** Elapsed time of a team, and whatever else its totals hold but busy time. */
static inline struct hd_bounds hd_bounds_of_elapsed(uint32_t marks) {
  return hd_bounds_of(marks, HD_MARK_MISSED | HD_MARK_UNCLOSED | HD_MARK_REGIONS, HD_MARK_MISPLACED);
}

/** Busy and waiting time, with the nodes below, and busy time of its own. */
static inline struct hd_bounds hd_bounds_of_busy(uint32_t marks) {
  const uint32_t either = HD_MARK_MOVED | HD_MARK_REGIONS;
  return hd_bounds_of(marks, HD_MARK_MISSED | HD_MARK_WORK | either, HD_MARK_MISPLACED | HD_MARK_NO_WORK | either);
}
static inline struct hd_bounds hd_bounds_of_waits(uint32_t marks) {
  return hd_bounds_of(marks, HD_MARK_MISSED | HD_MARK_UNCLOSED | HD_MARK_WAITS | HD_MARK_MOVED | HD_MARK_REGIONS,
                      HD_MARK_MISPLACED | HD_MARK_WORK | HD_MARK_MOVED);
}
static inline struct hd_bounds hd_bounds_of_wait(uint32_t marks, enum hd_state state) {
  const bool queues = state >= HD_WAIT_CRITICAL && state <= HD_WAIT_ATOMIC;
  const bool closes = state == HD_WAIT_BARRIER_IMPLICIT;
  const uint32_t least = (queues ? HD_MARK_QUEUES : HD_MARK_UNCLOSED | HD_MARK_MEETS) | (closes ? HD_MARK_RENAMED : 0) |
                         (state == HD_WAIT_ORDERED ? HD_MARK_SINKS : 0);
  const uint32_t most = (closes ? HD_MARK_WORK : 0) | (state == HD_WAIT_OTHER ? HD_MARK_RENAMED : 0);
  return hd_bounds_of(marks, HD_MARK_MISSED | HD_MARK_MOVED | HD_MARK_REGIONS | least,
                      HD_MARK_MISPLACED | HD_MARK_MOVED | most);
}
static inline struct hd_bounds hd_bounds_of_own(uint32_t marks) {
  return hd_bounds_of(marks, HD_MARK_MISSED | HD_MARK_REGIONS,
                      HD_MARK_MISPLACED | HD_MARK_HOLDS | HD_MARK_HANDS | HD_MARK_REGIONS);
}

/** The runtime's own work, with the nodes below: all, and by cause. That of tasks at a region's end is waiting. */
static inline struct hd_bounds hd_bounds_of_runtime(uint32_t marks) {
  return hd_bounds_of(marks, HD_MARK_MISSED | HD_MARK_MOVED | HD_MARK_RUNTIME | HD_MARK_WORK | HD_MARK_REGIONS,
                      HD_MARK_MISPLACED | HD_MARK_MOVED);
}
static inline struct hd_bounds hd_bounds_of_runtime_by(uint32_t marks, enum hd_state state) {
  const uint32_t told = HD_MARK_RUNTIME | HD_MARK_WORK; /* of regions all is */
  return hd_bounds_of_runtime(state == HD_RUNTIME_FORK_JOIN ? marks & ~told : marks);
}

/** Busy time below alone: what was not observed is its own. */
static inline struct hd_bounds hd_bounds_of_below(uint32_t marks) {
  const struct hd_bounds busy = hd_bounds_of_busy(marks);
  return (struct hd_bounds){busy.at_least || (marks & HD_MARK_HOLDS), busy.at_most};
}

/** Lost time, and what could be gained. */
static inline struct hd_bounds hd_bounds_of_gain(uint32_t marks) {
  const struct hd_bounds waits = hd_bounds_of_waits(marks & ~(uint32_t)HD_MARK_MOVED); /* it is the team's */
  return (struct hd_bounds){waits.at_least || (marks & HD_MARK_RUNTIME), waits.at_most};
}

/** Busy threads of a team on average; imbalance. Of a part of its instances they may be anything. */
static inline struct hd_bounds hd_bounds_of_concurrency(uint32_t marks) {
  const uint32_t part = HD_MARK_MISSED | HD_MARK_MISPLACED | HD_MARK_UNCLOSED | HD_MARK_REGIONS;
  return hd_bounds_of(marks, part | HD_MARK_WORK, part | HD_MARK_NO_WORK);
}
static inline struct hd_bounds hd_bounds_of_imbalance(uint32_t marks) {
  return hd_bounds_of(marks, HD_MARKS_OF_GAIN, HD_MARKS_OF_GAIN);
}

/** Time by the number of busy threads, and what follows from it: wall shares, overlaps. */
static inline struct hd_bounds hd_bounds_of_levels(uint32_t marks) {
  const uint32_t all = HD_MARKS_OF_GAIN | HD_MARK_LEVELS | HD_MARK_MOVED;
  return hd_bounds_of(marks, all, all);
}

/** How many threads were busy at any time. */
static inline struct hd_bounds hd_bounds_of_busy_threads(uint32_t marks) {
  const bool is_either = marks & HD_MARK_REGIONS;
  return (struct hd_bounds){is_either || (marks & HD_MARK_WORK) ||
                                ((marks & HD_MARK_LEVELS) && !(marks & HD_MARK_NO_WORK)),
                            is_either || (marks & (HD_MARK_NO_WORK | HD_MARK_LEVELS)) != 0};
}

/** `a` / `b`, or `a` - `b`. */
static inline struct hd_bounds hd_bounds_against(struct hd_bounds a, struct hd_bounds b) {
  return (struct hd_bounds){a.at_least || b.at_most, a.at_most || b.at_least};
}

/** Before the number in a text: ">=", "<=", "~"; NULL: it is exact. */
static inline const char *hd_bounds_text(struct hd_bounds bounds) {
  return bounds.at_least && bounds.at_most ? "~" : bounds.at_least ? ">=" : bounds.at_most ? "<=" : NULL;
}

/** Likewise of a gain: "?" where it is unknown, and at least what is shown if anything. */
static inline const char *hd_gain_text(uint32_t marks) {
  return marks & HD_MARK_GAIN_UNKNOWN ? "?" : hd_bounds_text(hd_bounds_of_gain(marks));
}

/** The marks in comma-separated values, in front and at the end of a line, and in JSON: true or false. X(CSV's name,
 *  JSON's, marks any of which make it true) */
#define HD_MARK_TABLE(X)                                                                                               \
  X("incomplete", "incomplete", HD_MARK_MISSED | HD_MARK_UNCLOSED | HD_MARK_REGIONS)                                   \
  X("busy_at_most", "busy_at_most", HD_MARK_NO_WORK | HD_MARK_REGIONS)
#define HD_MORE_MARK_TABLE(X)                                                                                          \
  X("wait_at_most", "wait_at_most", HD_MARK_WORK)                                                                      \
  X("misplaced", "misplaced", HD_MARK_MISPLACED)                                                                       \
  X("own_at_most", "own_busy_at_most", HD_MARK_HOLDS | HD_MARK_HANDS | HD_MARK_REGIONS)                                \
  X("levels_at_most", "levels_at_most", HD_MARK_LEVELS)                                                                \
  X("gain_at_least", "potential_gain_at_least", HD_MARK_MISSED | HD_MARK_UNCLOSED | HD_MARK_NO_WORK | HD_MARK_REGIONS) \
  X("gain_unknown", "potential_gain_unknown", HD_MARK_GAIN_UNKNOWN)                                                    \
  X("waits_unreported", "waits_unreported", HD_MARK_SINKS)                                                             \
  X("estimated", "estimated", HD_MARK_ESTIMATED)

#endif
