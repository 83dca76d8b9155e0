/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle-trace.h
 * The trace: when each thread changed its state, and what it began or ended then. Part of heddle-format.h.
 *
 * A thread writes entries one behind the other into blocks of its own. An entry tells only what is other than at the
 * one before, and has 2 to 6 bytes as a rule:
 *
 *     1 byte          bits 0-3: the state from now on (hd_trace_code_of); HD_TRACE_STATE: its code has a byte of its own,
 * which follows
 *                     bit 4: HD_TRACE_MOVES, bit 5: HD_TRACE_MARKS
 *                     bits 6-7: the time that has passed has so many bytes and one; HD_TRACE_LONG: it is a number
 *     1-3 bytes       that time in ticks, in the byte order of the file
 *     HD_TRACE_MOVES  a number: the profile that it is in, as the difference to the one before (zigzag: 0, -1, 1, ...)
 *     HD_TRACE_MARKS  1 byte: what else happens (enum hd_what or hd_trace_kind), HD_TRACE_HERE, HD_TRACE_SAME_TEAM,
 * HD_TRACE_UNCOUNTED; then numbers: its operand, unless HD_TRACE_HERE says that it is the profile; for REGION_BEGIN,
 * TEAM, START, JOIN and FINISH the team's ring and number, unless it is the one that was told last in this block; for
 * TEAM and START hd_log_member.number, for ARRIVE, LEAVE_WORK and WORKED HD_TRACE_BARRIER(); for the last two
 * hd_log_work's two numbers and the gap (hd_log_gap_of); for ORDER, HD_TRACE_CHUNK and HD_TRACE_SAMPLE two names
 *
 * Numbers have 7 bits a byte, the least significant first; bit 7: more follow (LEB128). A name is what tasks, locks and
 * the like are known by (struct hd_log_order: a and b). Its number is 0 for 0; else one more than the difference to the
 * last one of its kind that was not 0 in this block (zigzag).
 *
 * Times and states are those that rows have: what lies between two entries is what the thread's rows were charged. But
 * a worker that waits at its region's end tells no more until it is called again: its wait ends when its team's primary
 * has a JOIN, and from then on it idles.
 *
 * A trace with a condition (HD_FILE_TRACE_WHEN) has stretches, which are listed apart (struct hd_trace_stretch_record).
 * At its first event after a stretch a thread has a HD_TRACE_LEAVES, at the stretch's end: what it does from then on is
 * not told. At its first event after the next one's begin it has a HD_TRACE_GOES_ON, at the time of its last change of
 * state, which may lie before the stretch: since then it does what the entry says. Teams that it leads come before
 * that. A thread without an event between two stretches has neither: it does what it did.
 */
#ifndef HEDDLE_TRACE_H
#define HEDDLE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle-log.h"
#include "heddle-states.h"

/** Begins each block; entries follow. The block's `count` is the bytes used, this record included. A thread's blocks go
 *  on where the one before ends, unless that is missing: of a trace of a run's end older ones have been written over.
 */
struct hd_trace_record {
  uint64_t ticks;    /* since then the thread is */
  uint32_t profile;  /* in this profile, */
  uint32_t state;    /* in that state */
  uint32_t number;   /* of the thread's blocks, from 0 */
  uint32_t waits_in; /* the team at whose end the thread waits as a worker; HD_NONE: in none */
};

/** All threads' entries are told from begin to end. In the order of time; none begins where the one before ends. */
struct hd_trace_stretch_record {
  uint64_t begin_ticks;
  uint64_t end_ticks; /* HD_TRACE_GOES_ON_TICKS: it goes on */
};
#define HD_TRACE_GOES_ON_TICKS UINT64_MAX
/** HD_FILE_TRACE_LULLS: the first record is none, but its `begin_ticks` says how long each lasts at least. The second,
 *  with this end, is the one that goes on, behind all others: it counts only if it has lasted for so long when the trace
 *  ends; its begin may be UINT64_MAX: there is none. */
#define HD_TRACE_MAY_COUNT_TICKS (UINT64_MAX - 1)

enum {
  HD_TRACE_STATE = 15,
  HD_TRACE_MOVES = 1 << 4,
  HD_TRACE_MARKS = 1 << 5,
  HD_TRACE_LENGTH_SHIFT = 6,
  HD_TRACE_LONG = 3
};
enum { HD_TRACE_WHAT = 31, HD_TRACE_HERE = 1 << 5, HD_TRACE_SAME_TEAM = 1 << 6, HD_TRACE_UNCOUNTED = 1 << 7 };

/** A state's number in entries, so that the four bits are enough for most; HD_STATE_COUNT: the thread has ended. */
static inline uint32_t hd_trace_code_of(uint32_t state) {
  return state >= HD_RUNTIME_FIRST ? state - HD_RUNTIME_FIRST : state + HD_STATE_COUNT + 1 - HD_RUNTIME_FIRST;
}
static inline uint32_t hd_trace_state_of(uint32_t code) {
  return (code + HD_RUNTIME_FIRST) % (HD_STATE_COUNT + 1);
}

/** A worker waits for its region's end. */
static inline bool hd_trace_is_finish(uint32_t what) {
  return what == HD_WHAT_FINISH || what == HD_WHAT_FINISH_AGAIN;
}

/** A thread leaves a barrier that closes a worksharing construct. */
static inline bool hd_trace_is_work(uint32_t what) {
  return what == HD_WHAT_LEAVE_WORK || what == HD_WHAT_WORKED;
}

/** At barriers: which one (hd_log_arrival.number); and a flag: of ARRIVE, LEAVE_WORK and WORKED HD_LOG_CLOSES_WORK, of
 *  FINISH HD_LOG_UNTOLD. */
#define HD_TRACE_BARRIER(number, flag) ((uint32_t)(number) % HD_LOG_BARRIERS << 1 | ((flag) ? 1u : 0u))
static inline bool hd_trace_has_number(uint32_t what) {
  return what == HD_WHAT_TEAM || what == HD_WHAT_START || what == HD_WHAT_ARRIVE || hd_trace_is_finish(what) ||
         hd_trace_is_work(what);
}

static inline bool hd_trace_is_begin(uint32_t what) {
  return what == HD_WHAT_REGION_BEGIN || what == HD_WHAT_NESTED_BEGIN;
}

/** What else than enum hd_what an entry may tell. */
enum hd_trace_kind {
  HD_TRACE_CHUNK = HD_WHAT_COUNT, /* the thread got iterations of its loop; a: the first, counted from 0; b: so many */
  HD_TRACE_LEAVES,                /* the stretch has ended */
  HD_TRACE_LEADS,                 /* a new one has begun, and the thread leads this team of the region `operand`, the
                                     outermost first; HD_TRACE_UNCOUNTED: whose workers have all arrived */
  HD_TRACE_GOES_ON,               /* it does this */
  HD_TRACE_WAITS_ON,              /* likewise, and it waits as a worker at the end of that team */
  HD_TRACE_SAMPLE,                /* a sample found the thread in this state and profile (heddle-samples.h); a: at this
                                     address, b: it counts as so many; `operand`: the address's module, plus 1; 0: none */
  HD_TRACE_KIND_COUNT
};
_Static_assert((int)HD_TRACE_KIND_COUNT <= HD_TRACE_WHAT + 1, "all kinds fit their bits");

static inline bool hd_trace_goes_on(uint32_t what) {
  return what == HD_TRACE_LEADS || what == HD_TRACE_GOES_ON || what == HD_TRACE_WAITS_ON;
}

/** What names a team. A worker is in the one that it joined last. */
static inline bool hd_trace_names_team(uint32_t what) {
  return hd_trace_is_begin(what) || what == HD_WHAT_TEAM || what == HD_WHAT_START || what == HD_WHAT_JOIN ||
         hd_trace_is_finish(what) || what == HD_TRACE_LEADS || what == HD_TRACE_WAITS_ON;
}

/** What the names of an ORDER, a HD_TRACE_CHUNK or a HD_TRACE_SAMPLE stand for. */
enum hd_trace_name {
  HD_TRACE_NO_NAME, /* it is 0 */
  HD_TRACE_TASK,
  HD_TRACE_LOCK,
  HD_TRACE_VARIABLE,  /* of which a task depends */
  HD_TRACE_ITERATION, /* the first of a chunk */
  HD_TRACE_NUMBER,
  HD_TRACE_ADDRESS,
  HD_TRACE_NAMES
};
struct hd_trace_names {
  uint8_t a, b; /* enum hd_trace_name */
};
static inline struct hd_trace_names hd_trace_names_of(enum hd_order order) {
  switch (order) {
  case HD_ORDER_ACQUIRED:
  case HD_ORDER_RELEASED:
    return (struct hd_trace_names){HD_TRACE_LOCK, HD_TRACE_NO_NAME};
  case HD_ORDER_WAITS:
  case HD_ORDER_TRIES:
    return (struct hd_trace_names){HD_TRACE_LOCK, HD_TRACE_NUMBER};
  case HD_ORDER_CREATE:
    return (struct hd_trace_names){HD_TRACE_TASK, HD_TRACE_NUMBER};
  case HD_ORDER_SWITCH:
    return (struct hd_trace_names){HD_TRACE_TASK, HD_TRACE_TASK};
  case HD_ORDER_READS:
  case HD_ORDER_WRITES:
  case HD_ORDER_EXCLUDES:
  case HD_ORDER_JOINS:
    return (struct hd_trace_names){HD_TRACE_TASK, HD_TRACE_VARIABLE};
  case HD_ORDER_WRITES_ALL:
  case HD_ORDER_DEPENDS_END:
    return (struct hd_trace_names){HD_TRACE_TASK, HD_TRACE_NO_NAME};
  case HD_ORDER_THREAD:
  case HD_ORDER_TASKWAIT:
  case HD_ORDER_GROUP:
  case HD_ORDER_GROUP_END:
  case HD_ORDER_FAILED:
    break;
  }
  return (struct hd_trace_names){HD_TRACE_NO_NAME, HD_TRACE_NO_NAME};
}
static const struct hd_trace_names hd_trace_names_of_chunk = {HD_TRACE_ITERATION, HD_TRACE_NUMBER};
static const struct hd_trace_names hd_trace_names_of_sample = {HD_TRACE_ADDRESS, HD_TRACE_NUMBER};

/** Such an entry says in what state and profile the thread is from now on; others say what they did before. */
static inline bool hd_trace_is_change(uint32_t what) {
  return what != HD_WHAT_ORDER && what != HD_TRACE_CHUNK && what != HD_TRACE_SAMPLE && !hd_trace_is_work(what);
}

/** The longest entry: a time of 64 bits, three numbers of 32 and three of 64. */
enum { HD_TRACE_ENTRY_MOST = 2 + 10 + 5 + 1 + 2 * 5 + 3 * 10 };

_Static_assert(sizeof(struct hd_trace_record) == 24, "trace record size");
_Static_assert(sizeof(struct hd_trace_stretch_record) == 16, "trace stretch record size");

#endif
