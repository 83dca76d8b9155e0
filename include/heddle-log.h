/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle-log.h
 * A thread's log: what it has done, for whoever needs several threads' numbers. Part of heddle-format.h.
 *
 * Every thread writes into a ring of its own. A sweep takes the entries out of all rings in the order of time and makes
 * of them what no thread knows by itself: how many threads were busy at once, how long a team waited and idled, which
 * member worked longest, what Heddle's own work has done to all that. The reader adds what the rings still hold.
 *
 * A ring consists of slots of 16 bytes. An entry is a transition and as many slots of what it carries (payload) as its
 * kind has, one behind the other.
 */
#ifndef HEDDLE_LOG_H
#define HEDDLE_LOG_H

#include <stdint.h>

/** A thread's change. Times never decrease along a ring, and none is earlier than what a sweep has taken already. */
struct hd_transition {
  uint64_t ticks;
  uint32_t busy; /* profile in which the thread is busy from now on; HD_NONE: it is not busy */
  uint32_t what; /* enum hd_what and its operand: HD_WHAT(what, operand) */
};

/** What else happens at a transition, and how many slots of payload follow it. The operand is a profile unless it says
 *  otherwise. Entries are counted unless the measurement was paused: HD_WHAT_UNCOUNTED. X(NAME, slots) */
#define HD_WHAT_TABLE(X)                                                                                               \
  X(NOTHING, 0)                                                                                                        \
  X(ENTER, 0)        /* the thread enters the profile; nobody needs to know when it leaves */                          \
  X(CALL, 0)         /* the thread calls a routine, which goes on its stack */                                         \
  X(TASK, 0)         /* an explicit task begins, and goes on the stack */                                              \
  X(RETURN, 0)       /* to a stack of `operand` entries */                                                             \
  X(LEFT, 0)         /* after FINISH a worker does something else than join a team */                                  \
  X(REGION_BEGIN, 1) /* of an instance: an entry of it, too. hd_log_begin */                                           \
  X(REGION_END, 2)   /* hd_log_end, hd_log_alone */                                                                    \
  X(NESTED_BEGIN, 1) /* the same inside an instance of the same profile: elapsed time is not counted */                \
  X(NESTED_END, 2)                                                                                                     \
  X(TEAM, 1)         /* a worker joins a team: its stack is empty, and its caller is the primary's when that region    \
                        began. hd_log_member */                                                                        \
  X(START, 1)        /* a primary's team begins, unless it is alone in it. hd_log_member */                            \
  X(ARRIVE, 1)       /* at a barrier of its team; a worker: but for the region's last. hd_log_arrival */               \
  X(LEAVE_WORK, 2)   /* a primary leaves the barrier that closes a worksharing construct. hd_log_arrival: the number;  \
                        hd_log_work */                                                                                 \
  X(WORKED, 2)       /* the same of a worker */                                                                        \
  X(FINISH, 2)       /* a worker arrives at its region's last barrier. hd_log_arrival, hd_log_finish */                \
  X(FINISH_AGAIN, 2) /* it waits there again, after a task, or what it took for the last was not. The same */          \
  X(JOIN, 1)         /* a primary's team has come together again, unless it was alone. hd_log_join */                  \
  X(ORDER, 1)        /* what must run one after the other, if the critical path or locks are followed; the operand is  \
                        enum hd_order. hd_log_order */

enum hd_what {
#define HD_ROW(name, slots) HD_WHAT_##name,
  HD_WHAT_TABLE(HD_ROW)
#undef HD_ROW
      HD_WHAT_COUNT
};
#define HD_WHAT_SHIFT 27
#define HD_WHAT_UNCOUNTED (1u << 26)
#define HD_WHAT(what, operand) ((uint32_t)(what) << HD_WHAT_SHIFT | (operand))
#define HD_WHAT_OPERAND(word) ((word) & (HD_WHAT_UNCOUNTED - 1))
/** These carry a payload. */
#define HD_WHAT_CARRIES(word) ((word) >= HD_WHAT(HD_WHAT_REGION_BEGIN, 0))
static inline enum hd_what hd_what_of(const struct hd_transition *transition) {
  return (enum hd_what)(transition->what >> HD_WHAT_SHIFT);
}

/** Slots of an entry with this `what`, its transition included. */
#define HD_SLOTS_MOST 3u
static inline uint32_t hd_what_slots(uint32_t what) {
#define HD_ROW(name, slots) | (uint64_t)(slots) << 2 * HD_WHAT_##name
  const uint64_t slots = 0 HD_WHAT_TABLE(HD_ROW);
#undef HD_ROW
  return HD_WHAT_CARRIES(what) ? 1 + ((uint32_t)(slots >> 2 * (what >> HD_WHAT_SHIFT)) & 3u) : 1;
}
#define HD_ROW(name, slots) _Static_assert(HD_WHAT_CARRIES(HD_WHAT(HD_WHAT_##name, 0)) == (slots > 0), #name);
HD_WHAT_TABLE(HD_ROW)
#undef HD_ROW
_Static_assert((int)HD_WHAT_COUNT <= 1 << (32 - HD_WHAT_SHIFT), "all kinds fit their bits");

/** A team: its primary's ring, and the number of the region among those that this ring has begun, modulo 4096. Entries
 *  are taken in the order of time, so there is no doubt which one is meant. */
#define HD_TEAM_RING_BITS 20
#define HD_TEAM_NUMBERS 4096u
#define HD_TEAM(ring, number) ((uint32_t)(ring) | (uint32_t)(number) % HD_TEAM_NUMBERS << HD_TEAM_RING_BITS)
#define HD_TEAM_RING(team) ((team) & ((1u << HD_TEAM_RING_BITS) - 1))
#define HD_TEAM_NUMBER(team) ((team) >> HD_TEAM_RING_BITS)

/* ---- payload: one slot each ---- */

enum hd_log_region_flag {
  HD_LOG_UNCOUNTED =
      1u << 0,             /* its time is not added up: it lies in an instance of the same profile, or has no space */
  HD_LOG_UNASKED = 1u << 1 /* it is not counted as an instance: it began in a pause, or has no space */
};

struct hd_log_begin {
  uint32_t team;
  uint32_t flags; /* enum hd_log_region_flag */
  uint64_t reserved;
};

struct hd_log_end {
  uint32_t team;
  uint32_t team_size;
  int64_t delay; /* by which the primary's own events have made the region longer, but for what barriers tell */
};

/** What a primary that was alone has not told before. */
struct hd_log_alone {
  uint64_t busy_ticks; /* in the region */
  uint64_t reserved;
};

struct hd_log_member {
  uint32_t team;
  uint32_t number;  /* START: the team's size. TEAM: the thread's number in it, and HD_LOG_BEFORE_SHIFT */
  uint64_t primary; /* TEAM: its thread's id, which nobody needs but the trace */
};
/** TEAM: of how many regions the primary was in one before this one; more count as that. */
#define HD_LOG_BEFORE_SHIFT 24
#define HD_LOG_BEFORE_MOST 255u

/** What TEAM or START carries. */
static inline const struct hd_log_member *hd_log_member_of(const struct hd_transition *transition) {
  return (const struct hd_log_member *)(const void *)(transition + 1);
}

struct hd_log_join {
  uint32_t team;
  uint32_t reserved;
  uint64_t busy_ticks; /* of the primary in the region */
};

enum hd_log_arrival_flag {
  HD_LOG_LAST = 1u << 0,       /* a primary's ARRIVE: at the region's last barrier, which JOIN ends */
  HD_LOG_AGAIN = 1u << 1,      /* the thread was there already, and has run a task meanwhile */
  HD_LOG_UNTOLD = 1u << 2,     /* FINISH: the arrival itself says nothing */
  HD_LOG_CLOSES_WORK = 1u << 3 /* ARRIVE: the barrier closes a worksharing construct */
};

/** Barriers are counted from 1 in each region, modulo 4096; also those that are not told of. The operand of the entry
 *  is the profile that the thread waits in, or has waited in; of LEAVE_WORK and WORKED the construct's. */
#define HD_LOG_BARRIERS 4096u
struct hd_log_arrival {
  uint32_t team;
  uint32_t cost; /* ticks that the event itself took: the thread was let go into the barrier so much later; no more
                    than UINT32_MAX */
  uint64_t number : 12;
  uint64_t flags : 5; /* enum hd_log_arrival_flag */
  uint64_t late : 47; /* hd_log_late_of: ticks by which Heddle had delayed the thread since its team was last together.
                         LEAVE_WORK: see hd_log_gap_of */
};
#define HD_LOG_LATE_BITS 47
#define HD_LOG_LATE(ticks) ((uint64_t)(ticks) & ((1ull << HD_LOG_LATE_BITS) - 1))
static inline int64_t hd_log_late_of(const struct hd_log_arrival *arrival) {
  return (int64_t)((uint64_t)arrival->late << (64 - HD_LOG_LATE_BITS)) >> (64 - HD_LOG_LATE_BITS);
}

/** LEAVE_WORK: of the primary's time from the construct's begin to here, what `capacity_ticks` lacks. The upper part is
 *  in `cost`. */
static inline uint64_t hd_log_gap_of(const struct hd_log_arrival *arrival) {
  return (uint64_t)arrival->cost << HD_LOG_LATE_BITS | arrival->late;
}

struct hd_log_work {
  uint64_t capacity_ticks; /* of this thread in the construct and in its barrier */
  uint64_t busy_ticks;     /* tasks in the barrier included */
};

struct hd_log_finish {
  uint64_t busy_ticks; /* of this thread in the region, so far */
  uint64_t idle_cell;  /* file offset of the HD_CELL_TEAM of the row whose wait this is; 0: none */
};

/** What must run one after the other, besides what teams tell, and who waits for what. A task is named by the address
 *  of its data, until it ends. */
enum hd_order {
  HD_ORDER_THREAD,      /* an initial thread begins */
  HD_ORDER_ACQUIRED,    /* a: a lock or a critical section, ... */
  HD_ORDER_RELEASED,    /* likewise */
  HD_ORDER_CREATE,      /* a: a task; b: hd_order_created */
  HD_ORDER_SWITCH,      /* a: the task that ends, or 0; b: the task that the thread runs from now on */
  HD_ORDER_TASKWAIT,    /* the task has waited for those that it created */
  HD_ORDER_GROUP,       /* it begins a taskgroup */
  HD_ORDER_GROUP_END,   /* it has waited for the tasks of its innermost one */
  HD_ORDER_READS,       /* a: a task that the thread has just created; b: the address of what it depends on, as `in` */
  HD_ORDER_WRITES,      /* likewise, as `out` or `inout` */
  HD_ORDER_EXCLUDES,    /* likewise, as `mutexinoutset` */
  HD_ORDER_JOINS,       /* likewise, as `inoutset` */
  HD_ORDER_WRITES_ALL,  /* a: likewise; on `omp_all_memory` */
  HD_ORDER_DEPENDS_END, /* a: a task that was only a wait for what it depends on: that has ended */
  HD_ORDER_WAITS,       /* a: a lock, ... that the thread waits for; b: the profile it waits in */
  HD_ORDER_TRIES,       /* likewise, but it does not wait: it has the lock at once, or goes on without */
  HD_ORDER_FAILED       /* the last WAITS was no wait, but the test of a lock that failed */
};

struct hd_log_order {
  uint64_t a, b;
};

/** CREATE: besides the task's profile, whether its creator waits for its end; and whether it is only a wait. */
#define HD_ORDER_UNDEFERRED (1ull << 32)
#define HD_ORDER_ONLY_WAITS (1ull << 33)

/* ---- rings ---- */

#define HD_RING_LENGTH 496u

/** How far the sweep has come with a ring. */
struct hd_ring_sweep {
  uint64_t tail;        /* slots taken out */
  uint64_t tick;        /* time of the last entry */
  uint32_t busy;        /* as of the last one: profile or HD_NONE */
  uint32_t busy_before; /* likewise, just before that instant */
  uint32_t height;      /* of its stack (hd_stack_record) */
  uint32_t base_state;  /* enum hd_entry_state of the caller while the stack is empty */
  uint64_t idle_cell;   /* what its owner's last FINISH named; 0: none */
  uint64_t busy_told;   /* what that said of its busy time */
  uint32_t waits_in; /* index + 1 of the hd_team_record for whose end the owner waits since its last FINISH; 0: none */
  uint32_t kept_in;  /* for the sweep alone */
  uint32_t thread;   /* of the newest owner */
  uint32_t index;    /* the ring's own, smaller than the number of blocks for rings */
};

/** Why an owner fences (frontier.h). */
enum hd_ring_fence {
  HD_RING_MARKED = 1u << 0, /* it is, or was, silent */
  HD_RING_CLOSED = 1u << 1  /* the profile is closed */
};

/** One thread's log: slot number n lies in transitions[n % HD_RING_LENGTH], and what an entry carries right behind its
 *  transition. After its thread another uses the ring. */
struct hd_ring_record {
  struct hd_ring_sweep sweep; /* written by the sweep */
  /* Written by the owner. */
  uint64_t head;         /* slots put in; release order: only whole entries */
  uint64_t latest_ticks; /* time of the newest, written after `head`; 0: of this owner there is none */
  uint32_t writing;      /* the owner is writing an entry, not earlier than `latest_ticks` */
  uint32_t tentative;    /* the owner may still take back the newest, or the one that it is writing */
  uint32_t ended;        /* the owner writes no more */
  uint32_t fences;       /* enum hd_ring_fence; written by sweeps, rarely */
  uint64_t quiet_ns;     /* when a sweep last found the ring silent, for the library */
  uint64_t next;         /* file offset of the next ring in a list, for the library */
  uint64_t begun;        /* regions begun by owners that have left it, or numbers skipped, for the library: the next
                            one goes on from there, because some may never end */
  uint64_t pad_head;
  struct hd_transition transitions[HD_RING_LENGTH + HD_SLOTS_MOST - 1];
  /* Written by the sweep. */
  uint64_t released; /* slots whose places may be used again: the tail at the end of the sweep's last step */
  uint64_t pad[3];
};

/** The entry at slot number `n`, and the one behind an entry; what an entry carries lies behind its transition. */
static inline struct hd_transition *hd_log_at(struct hd_ring_record *ring, uint64_t n) {
  return &ring->transitions[n % HD_RING_LENGTH];
}

static inline struct hd_transition *hd_log_skip(struct hd_ring_record *ring, struct hd_transition *at, uint64_t slots) {
  at += slots;
  return at < ring->transitions + HD_RING_LENGTH ? at : at - HD_RING_LENGTH;
}

_Static_assert(sizeof(struct hd_transition) == 16, "a slot");
_Static_assert(sizeof(struct hd_log_begin) == 16 && sizeof(struct hd_log_end) == 16 &&
                   sizeof(struct hd_log_member) == 16 && sizeof(struct hd_log_arrival) == 16 &&
                   sizeof(struct hd_log_work) == 16 && sizeof(struct hd_log_finish) == 16 &&
                   sizeof(struct hd_log_join) == 16 && sizeof(struct hd_log_alone) == 16 &&
                   sizeof(struct hd_log_order) == 16,
               "payload fills slots");
_Static_assert(sizeof(struct hd_ring_sweep) == 64, "one cache line");

#endif
