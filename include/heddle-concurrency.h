/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle-concurrency.h
 * The records of exact concurrency. Part of heddle-format.h.
 *
 * The *level* of the program at an instant is the number of its threads that are busy. Every thread writes its changes
 * (transitions) into a ring of its own; a sweep takes them out of all rings in the order of time and adds up, for every
 * tally, how long the level was k. The reader adds what the rings still hold.
 */
#ifndef HEDDLE_CONCURRENCY_H
#define HEDDLE_CONCURRENCY_H

#include <stdint.h>

/** A thread's change. Times never decrease along a ring, and none is earlier than what a sweep has taken already. */
struct hd_transition {
  uint64_t ticks;
  uint32_t busy; /* profile in which the thread is busy from now on; HD_NONE: it is not busy */
  uint32_t what; /* enum hd_what and its operand: HD_WHAT(what, operand) */
};

/** What else happens at a transition. Entries are counted unless the measurement was paused: HD_WHAT_UNCOUNTED. */
enum hd_what {
  HD_WHAT_NOTHING,
  HD_WHAT_REGION_BEGIN, /* of an instance of profile `operand`: an entry of it, too */
  HD_WHAT_REGION_END,
  HD_WHAT_NESTED_BEGIN, /* the same inside an instance of the same profile: elapsed time is not counted */
  HD_WHAT_NESTED_END,
  HD_WHAT_ENTER,  /* the thread enters profile `operand`; nobody needs to know when it leaves */
  HD_WHAT_CALL,   /* the thread calls routine `operand`, which goes on its stack */
  HD_WHAT_TASK,   /* an explicit task begins, and goes on the stack */
  HD_WHAT_RETURN, /* to a stack of `operand` entries */
  HD_WHAT_TEAM,   /* a worker joins a team: its stack is empty, and its caller is the primary's when that region began.
                     The operand (HD_TEAM) is the primary's ring and the number of region begins before that one on the
                     primary's stack */
  HD_WHAT_COUNT
};
#define HD_WHAT_SHIFT 28
#define HD_WHAT_UNCOUNTED (1u << 27)
#define HD_WHAT(what, operand) ((uint32_t)(what) << HD_WHAT_SHIFT | (operand))
#define HD_WHAT_OPERAND(word) ((word) & (HD_WHAT_UNCOUNTED - 1))
static inline enum hd_what hd_what_of(const struct hd_transition *transition) {
  return (enum hd_what)(transition->what >> HD_WHAT_SHIFT);
}
#define HD_TEAM_RING_BITS 20
#define HD_TEAM(ring, before) ((ring) | (before) << HD_TEAM_RING_BITS)
#define HD_TEAM_RING(operand) ((operand) & ((1u << HD_TEAM_RING_BITS) - 1))
#define HD_TEAM_BEFORE(operand) ((operand) >> HD_TEAM_RING_BITS)
#define HD_TEAM_BEFORE_MOST 127u
#define HD_RING_LENGTH 1008u

/** How far the sweep has come with a ring. */
struct hd_ring_sweep {
  uint64_t tail;        /* transitions taken out */
  uint64_t tick;        /* time of the last one */
  uint32_t busy;        /* as of the last one: profile or HD_NONE */
  uint32_t busy_before; /* likewise, just before that instant */
  uint32_t thread;      /* of the newest owner */
  uint32_t index;       /* the ring's own, smaller than the number of blocks for rings */
  uint32_t height;      /* of its stack (hd_stack_record) */
  uint32_t base_state;  /* enum hd_entry_state of the caller while the stack is empty */
  uint64_t released;    /* transitions whose places may be used again: the tail at the end of the sweep's last step */
  uint32_t kept_in;     /* for the sweep alone */
  uint32_t reserved;
  uint64_t pad;
};

/** One thread's transitions: number n lies in transitions[n % HD_RING_LENGTH]. After its thread another uses the ring.
 */
struct hd_ring_record {
  struct hd_ring_sweep sweep; /* written by the sweep */
  /* Written by the owner. */
  uint64_t head;            /* transitions put in; release order */
  uint64_t latest_ticks;    /* time of the newest */
  uint64_t tentative_ticks; /* the owner may still take back the newest, at this time; 0: no */
  uint32_t writing;         /* the owner is writing a transition, not earlier than `latest_ticks` */
  uint32_t ended;           /* the owner writes no more */
  uint64_t next;            /* file offset of the next ring in a list, for the library */
  uint64_t pad_head[3];
  struct hd_transition transitions[HD_RING_LENGTH];
};

/** The state of the program at an entry: was another thread busy just before? */
enum hd_entry_state { HD_SEQUENTIAL, HD_CONCURRENT, HD_ENTRY_STATES };

/**
 * One thread's entries into a profile, by the state at the caller's entry (of the innermost routine, or explicit task,
 * around it) and by the state at its own: Malony's cprof, 1987. The sweep writes it. Only routines have callers and
 * ticks; for other profiles only concurrent entries are counted, with a sequential caller.
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
  uint64_t since_ticks;        /* count * (time since then) is not yet added at the present level */
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
 * What the sweep's present step has changed in tallies, levels, overlaps, entries, stacks, rings' sweeps and the
 * timeline, as it was before. Between steps there are no entries. The reader undoes a step that did not end, from the
 * last entry to the first: the transitions are still in their rings.
 */
struct hd_journal_record {
  uint64_t count;
  uint64_t reserved;
  struct hd_journal_entry {
    uint64_t offset; /* of 8 bytes in the file */
    uint64_t before; /* what they were */
  } entries[];
};

_Static_assert(sizeof(struct hd_ring_sweep) == 64, "one cache line");
_Static_assert(sizeof(struct hd_tally_record) == 64, "one cache line");
_Static_assert(sizeof(struct hd_level_record) == 64, "one cache line");
_Static_assert(sizeof(struct hd_overlap_record) == 16, "overlap record size");
_Static_assert(sizeof(struct hd_journal_entry) == 16, "journal entry size");

#endif
