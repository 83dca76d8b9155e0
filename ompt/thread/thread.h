/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file thread.h
 * One thread's state machine: at any instant it is in one state (busy, waiting for some cause, runtime, idle) of one
 * row, the row of its innermost profile. Every event charges the time since the last event to that cell.
 *
 * What is innermost is kept as a stack of frames. It mirrors the thread's C stack: libomp runs explicit tasks nested on
 * the stack of the task that waits, so all but untied tasks come and go in LIFO order (task.h takes those out of the
 * stack and puts them back). A frame that starts a task is a *base* frame; constructs lie above their task's base.
 *
 * Only the thread itself calls these functions, with its own record; nothing here locks or allocates in the steady
 * state. All time is in ticks.
 */
#ifndef HEDDLE_OMPT_THREAD_THREAD_H
#define HEDDLE_OMPT_THREAD_THREAD_H

#include <omp-tools.h>
#include <stdbool.h>
#include <stdint.h>

#include "heddle-format.h"
#include "ompt/thread/budget.h"
#include "ompt/thread/clock.h"
#include "ompt/thread/record_index.h"
#include "ompt/thread/sweeper.h"
#include "ompt/thread/thread_counters.h"
#include "store/store.h"

struct hd_region;                /* region.h */
extern struct hd_store hd_store; /* tool.c */

/** Where an implicit task is among its team's barriers (barrier.h). */
struct hd_team_place {
  struct hd_arrival *arrival;         /* of the barrier it waits in; NULL: it is in none, or alone */
  uint64_t barriers;                  /* it has arrived at */
  struct hd_row_record *unmerged;     /* thread 0: row of the last barrier it has left and observed; NULL: none */
  uint64_t unmerged_number;           /* and which of its team's barriers that was */
  struct hd_total_record *unfinished; /* likewise: of the construct that this barrier closed; NULL: none */
};

/** The worksharing construct an implicit task is in or has just left: its closing barrier is charged to it. */
struct hd_worksharing {
  struct hd_row_record *row; /* NULL: none yet */
  uint64_t begin_ticks;
  uint64_t busy_at_begin;
  uint64_t present_ticks;   /* in the construct, once it has ended; its barrier is added when that ends */
  uint64_t busy_ticks;      /* likewise; tasks may run in the barrier */
  uint64_t barrier_ticks;   /* when the barrier began */
  uint64_t busy_at_barrier; /* and the thread's busy time then */
  bool ended;               /* the construct has ended, its barrier has not come yet */
  bool timed;               /* its end is told, so it has totals */
};

struct hd_frame {
  struct hd_row_record *row;
  uint16_t state;   /* enum hd_state, to return to when what lies above has ended */
  uint16_t kind;    /* enum hd_kind; base frames: HD_KIND_PROGRAM, _PARALLEL or _TASK */
  uint32_t outer;   /* index of the next frame outwards of the same kind; 0: none */
  uint32_t height;  /* of the sweep's stack (entries.h) while this frame is the innermost */
  uint32_t refused; /* base frames and routines: entries of routines since, that were refused (budget.h); masked: masked
                       blocks */
  ompt_data_t *task; /* base frames: the task; constructs that can lie in one of their own kind: what their end is known
                        by when another's begin may have been refused; else NULL */
  union {
    struct hd_frame_base {
      uint32_t below;         /* index of the base frame of the task beneath */
      uint32_t team;          /* index of the innermost base that is no explicit task's: this one, or one beneath */
      uint32_t thread_number; /* in the region's team */
      struct hd_region *region;
      struct hd_team_place place;
      struct hd_worksharing work;
    } base;
    struct hd_frame_routine { /* routine.h */
      const void *function;
      const void *call_site;    /* where it returns to */
      const void *const *slot;  /* where on the stack that stands; NULL: not known */
      const void *entered_from; /* where in its code it told of its entry */
    } routine;
    struct hd_frame_phase { /* markers.h */
      const char *name;
      uintptr_t place; /* on the stack, of the routine that holds its begin (callers.h); 0: not known */
    } phase;
  };
};

/** A remembered callpath step of this thread: (row it starts from, site) -> row it leads to. */
struct hd_edge {
  const void *from; /* NULL: empty slot */
  uint64_t site;
  void *to;                      /* NULL: a routine that is no routine of the user's (routine.h) */
  struct hd_row_record *counter; /* the row that counts entries: `to`, but for recursive routines */
  const void *entered_from;      /* routines: the place in the code for which this holds: */
  int32_t slot_offset;           /* bytes from the hook's frame to the slot; 0: not known */
  bool in_runtime;               /* see struct hd_step */
};

/** A routine is not given a frame when a thread has so many, or the memory's limit is near: endless recursion must not
 *  use up the memory. */
enum { HD_FRAMES_MOST = 1 << 17 };

/** Kinds of edges that are no construct's. Six bits of a site are the kind. */
enum hd_edge_kind {
  HD_EDGE_CALL = 61,    /* of an instrumented routine */
  HD_EDGE_TOTALS = 62,  /* of a row, by team size */
  HD_EDGE_CALLERS = 63, /* to the innermost of a chain of calling routines */
};
_Static_assert((int)HD_KIND_COUNT <= (int)HD_EDGE_CALL, "kinds of constructs and of other edges differ");

/** Why an event's cost is not just the usual one: event.h. */
enum hd_special {
  HD_SPECIAL_MEASURE = 1, /* Heddle does something out of the ordinary */
  HD_SPECIAL_PAUSED = 2,  /* the clock stands still */
  HD_SPECIAL_DELAY = 4    /* a test wants all of this thread's events to last longer */
};

enum hd_pending {
  HD_PENDING_LOCK = 1, /* the top frame waits for a lock; if no "acquired" follows it was a failed test */
  HD_PENDING_JOIN = 2  /* a worker waits at its region's end; its wait ends at the primary's time (region.h) */
};

struct hd_thread {
  struct hd_thread_record *record; /* in the store: last_ticks, busy_ticks, open_cell are the live state */
  uint64_t *cell;                  /* what the time since last_ticks will be charged to */
  int64_t *intrusion_cell;         /* and what Heddle took of it */
  uint64_t busy_mask;              /* all ones when that cell is a busy one */
  struct hd_event_cost *costs;     /* in the store, by kind of event */
  uint64_t event_ticks;            /* when the event began; 0: it did not look at the clock */
  int64_t caught_up;               /* part of the event's cost that is in the record's intrusion already */
  uint32_t special;                /* enum hd_special */
  struct hd_frame *top;
  struct hd_frame *base;
  struct hd_row_record
      *entered;        /* the row that counts the entry that comes with the next transition; NULL: none does */
  struct hd_ring ring; /* of its changes between busy and not, and from one profile to another while busy */
  uint32_t pending;    /* enum hd_pending */
  uint32_t height;     /* of the sweep's stack, when it has taken all transitions so far */
  bool at_work;        /* in the middle of an event: event.h */
  bool instrumented;   /* it counts events, or measures its processor time */
  struct hd_thread_counters *counters;       /* NULL: it counts nothing */
  struct hd_thread_counters *ended_counters; /* of a thread that has ended, for the next one with this record */
  struct hd_edge *edges;
  struct hd_edge passing; /* a step that found no place among them */
  uint32_t edge_mask;
  uint32_t edge_count;
  bool edges_bounded;    /* no memory for more: a new edge takes the place of another */
  struct hd_index index; /* rows and totals: HD_INDEX_ROW, HD_INDEX_TOTAL */
  uint32_t frame_limit;
  uint32_t deeper; /* open routines beyond HD_FRAMES_MOST: they have no frames */
  struct hd_frame *frames;
  uint32_t innermost[HD_KIND_COUNT]; /* index of the innermost frame of each kind; 0: none */
  struct hd_region *joining;         /* with HD_PENDING_JOIN */
  struct hd_row_record *row;         /* that `cell` lies in */
  uint64_t cpu_ns;                   /* processor time charged so far */
  uint32_t unloads;                  /* hd_modules_unloads when `edges` were last known to be right */
  struct hd_unwind_cache *unwind_cache;
  uintptr_t stack_begin; /* the thread's own stack, for routine.c; both 0: not looked up yet */
  uintptr_t stack_end;
  struct hd_region *ended_regions; /* of its own, to be used again: the newest first */
  bool has_forked;                 /* it has, or had, a region of its own */
  struct hd_store_cursor row_cursor;
  struct hd_store_cursor total_cursor;
  uint64_t woken_ticks;    /* a worker's first event since its last region's join; or its beginning */
  int64_t woken_intrusion; /* what its intrusion was before that */
  struct hd_budget_window budget;
  bool ended_orderly;           /* outside any region: its record may be continued */
  struct hd_thread *next_ended; /* in the list of such threads */
  struct hd_event_mean {        /* what the means in `costs` are made of */
    uint64_t ticks;
    uint64_t events;
  } means[HD_EVENT_KINDS];
};

/** The calling thread's record, made at its first event. NULL: not measured (no memory, a forked child, after its end).
 *  One thread-local load in the steady state. */
extern __thread struct hd_thread *hd_thread_current __attribute__((tls_model("initial-exec")));
struct hd_thread *hd_thread_find(enum hd_thread_kind kind);
static inline struct hd_thread *hd_thread_self(void) {
  struct hd_thread *thread = hd_thread_current;
  return __builtin_expect(thread && thread->record, true) ? thread : hd_thread_find(HD_THREAD_INITIAL);
}

/** The calling thread's record, if it has one already and is measured; else NULL. */
struct hd_thread *hd_thread_known(void);

/** The same, sooner: for what happens tens of millions of times a second. */
static inline struct hd_thread *hd_thread_known_soon(void) {
  struct hd_thread *thread = hd_thread_current;
  return __builtin_expect(thread && thread->record, true) ? thread : hd_thread_known();
}

/** Once, at start: sees to it that threads end that the runtime knows nothing of. The first `threads_apart` threads
 *  (at least the program's first) have records, rows and all that belongs to them of their own. Those after them
 *  continue the records of threads that have ended (life.c): memory grows with the threads that live at once, not with
 *  those that have ever lived. */
void hd_thread_init(uint64_t threads_apart);

/** At thread_begin: makes the record; what is not an initial thread begins idle. */
void hd_thread_begin(enum hd_thread_kind kind);

/** Closes the record at `now`; later events of this thread are ignored. */
void hd_thread_end(struct hd_thread *thread, uint64_t now);

/** After that, when the event is over as well: from here on another thread may continue the record. */
void hd_thread_give_record(struct hd_thread *thread);

/** Ends the measurement of a thread wherever it is: nothing is charged or counted after this. */
void hd_thread_stop(struct hd_thread *thread, uint64_t now);

/** Phases that the thread has begun and not ended. */
uint64_t hd_thread_open_phases(const struct hd_thread *thread);

/** The calling thread is not measured any more. */
void hd_thread_forget(void);

/** In a forked child: the thread that called fork forgets its record, which belongs to the parent's profile, and may
 * have one in the child's. */
void hd_thread_forget_parent(void);

/** This thread's row for a profile, or, without room for another, for a shortened one that stands for it as well; NULL
 * when there is no room for that either (counted as a folded path: the caller charges the time to a row that exists).
 * Constant time when it exists. */
struct hd_row_record *hd_thread_row(struct hd_thread *thread, uint32_t profile);

/** Keys of hd_thread.index. */
#define HD_INDEX_ROW(profile) ((uint64_t)(profile))
#define HD_INDEX_TOTAL(profile, team_size) ((uint64_t)(profile) | ((uint64_t)(team_size) + 1) << 32)

/** The slot of (from, site) in the thread's edge cache, empty (from == NULL) when it is new: the caller fills it and
 *  counts it with hd_thread_edge_added. It may have been another's until now. */
struct hd_edge *hd_thread_edge_slot(struct hd_thread *thread, const void *from, uint64_t site);
void hd_thread_edge_added(struct hd_thread *thread);

/** That edge, if it is in the cache; else NULL. */
const struct hd_edge *hd_thread_edge_known(const struct hd_thread *thread, const void *from, uint64_t site);

/** Puts a new edge into the cache if there is memory. */
void hd_thread_remember(struct hd_thread *thread, const struct hd_edge *edge);

/** Forgets all edges: a module was unloaded, and its addresses may stand for other code by now. */
void hd_thread_forget_edges(struct hd_thread *thread, uint32_t unloads);

/** The miss path of hd_thread_step_from. */
const struct hd_edge *hd_thread_step_slow(struct hd_thread *thread, struct hd_row_record *from, enum hd_kind kind,
                                          const void *address);

/** More room for frames; moves them. False: no memory; the thread's measurement then ends here, and the profile says
 *  that a thread was lost. */
bool hd_thread_grow_frames(struct hd_thread *thread);

/** Whether there is room for more frames of routines, when those there are are in use. */
bool hd_thread_can_nest(const struct hd_thread *thread);

/** Resolves what is pending, before an event is handled. */
void hd_thread_settle(struct hd_thread *thread);

static inline uint64_t hd_thread_site(uint32_t kind, uint64_t address) {
  return address ^ (uint64_t)kind << 58;
}

static inline uint64_t hd_thread_edge_hash(const void *from, uint64_t site) {
  uint64_t hash = ((uint64_t)(uintptr_t)from >> 5) + site * 0x9E3779B97F4A7C15u; /* Fibonacci hashing, Knuth 6.4 */
  return hash ^ hash >> 32;
}

/** The edge, if it stands where the first look finds it; NULL: it may be elsewhere, or new. */
static inline const struct hd_edge *hd_thread_edge_at_once(const struct hd_thread *thread, const void *from,
                                                           uint64_t site) {
  const struct hd_edge *edge = &thread->edges[hd_thread_edge_hash(from, site) & thread->edge_mask];
  return __builtin_expect(edge->from == from && edge->site == site, true) ? edge : NULL;
}

/** The callpath step from a row of this thread to `kind` at `address`. Valid until the next one. */
static inline const struct hd_edge *hd_thread_step_from(struct hd_thread *thread, struct hd_row_record *from,
                                                        enum hd_kind kind, const void *address) {
  uint64_t site = hd_thread_site(kind, (uint64_t)(uintptr_t)address);
  const struct hd_edge *edge = hd_thread_edge_at_once(thread, from, site);
  return edge ? edge : hd_thread_step_slow(thread, from, kind, address);
}

/** Likewise from the innermost profile. */
static inline const struct hd_edge *hd_thread_step(struct hd_thread *thread, enum hd_kind kind, const void *address) {
  return hd_thread_step_from(thread, thread->top->row, kind, address);
}

/** With counters or processor time: brings them up to date before the thread goes to `state` of `row`. */
void hd_thread_switch_instruments(struct hd_thread *thread, const struct hd_row_record *row, uint32_t state);

/** Names the cell that time is charged to from now on. */
static inline void hd_thread_point_at(struct hd_thread *thread, struct hd_row_record *row, uint32_t state) {
  thread->row = row;
  thread->cell = &row->ticks[state];
  thread->intrusion_cell = &row->intrusion[hd_intrusion_class_of(state)];
  thread->busy_mask = state == HD_BUSY ? UINT64_MAX : 0;
  thread->record->open_cell = hd_store_offset(&hd_store, thread->cell);
}

/** Charges the time since the last event. */
static inline void hd_thread_charge(struct hd_thread *thread, uint64_t now) {
  struct hd_thread_record *record = thread->record;
  /* `now` may be a region's join time, a few ticks ahead of this processor's clock. */
  uint64_t ticks = now > record->last_ticks ? now - record->last_ticks : 0;
  *thread->cell += ticks;
  *thread->intrusion_cell += record->intrusion - record->intrusion_charged;
  __atomic_store_n(&record->intrusion_charged, record->intrusion, __ATOMIC_RELAXED);
  /* Atomic because the region's primary reads it; the barrier between orders the two. */
  __atomic_store_n(&record->busy_ticks, record->busy_ticks + (ticks & thread->busy_mask), __ATOMIC_RELAXED);
  __atomic_store_n(&record->last_ticks, record->last_ticks + ticks, __ATOMIC_RELAXED);
}

/** Heddle's own work from here to the event's end is out of the ordinary: its time is measured, and it is not counted
 * as the program's. */
static inline void hd_thread_leave_program(struct hd_thread *thread) {
  if (!(thread->special & HD_SPECIAL_MEASURE) && thread->event_ticks == 0)
    thread->event_ticks = hd_clock_now();
  thread->special |= HD_SPECIAL_MEASURE;
  if (__builtin_expect(thread->counters != NULL, false))
    hd_counters_leave_program(thread);
}

/**
 * The one place where a thread changes state: charges the time since the last event and names the next cell. When the
 * thread becomes busy, stops, or is busy in another profile than before, or something else happens (ring.what), that
 * is a transition; its time, which is then the record's last_ticks, may be a little later than `now` (concurrency.h).
 */
static inline void hd_thread_switch(struct hd_thread *thread, uint64_t now, struct hd_row_record *row, uint32_t state) {
  uint32_t busy = state == HD_BUSY ? row->profile : HD_NONE;
  if (__builtin_expect(thread->instrumented, false))
    hd_thread_switch_instruments(thread, row, state);
  if (busy != thread->ring.busy || thread->ring.what) {
    if (hd_ring_is_due(&thread->ring)) {
      hd_thread_leave_program(thread);
      hd_ring_make_room(&thread->ring);
    }
    if (!hd_ring_open(&thread->ring, &now))
      return; /* the profile is closed: its end is where the reader closes what is open */
    hd_thread_charge(thread, now);
    if (thread->entered)
      thread->entered->visits++;
    thread->entered = NULL;
    hd_ring_put(&thread->ring, thread->record->last_ticks, busy);
  } else {
    hd_thread_charge(thread, now);
  }
  hd_thread_point_at(thread, row, state);
}

/** An entry of `row` is to be counted by `counter` (NULL: by none), unless the measurement is paused, with the
 * transition that comes with it: not if the profile is closed meanwhile. Returns that transition's hd_transition.what.
 */
static inline uint32_t hd_thread_count(struct hd_thread *thread, enum hd_what what, const struct hd_row_record *row,
                                       struct hd_row_record *counter) {
  if (__builtin_expect(!counter || hd_clock_is_paused(), false))
    return what == HD_WHAT_ENTER ? 0 : HD_WHAT(what, (counter ? counter : row)->profile) | HD_WHAT_UNCOUNTED;
  thread->entered = counter;
  return HD_WHAT(what, counter->profile);
}

/** The time of an event whose switch has been made: `now`, or what it was moved to. */
static inline uint64_t hd_thread_time(const struct hd_thread *thread, uint64_t now) {
  return now > thread->record->last_ticks ? now : thread->record->last_ticks;
}

/** The last switch did not happen: since then the thread has been in `state` of `row`, but for what a sweep has counted
 *  already. */
void hd_thread_take_back(struct hd_thread *thread, struct hd_row_record *row, uint32_t state);

/** The top frame becomes the innermost of its kind, and the reverse. So an event finds what it ends, or a thread what
 * it is in, without a look at the frames between: programs nest tasks, routines and regions thousands deep. */
static inline void hd_thread_link_top(struct hd_thread *thread) {
  uint32_t *innermost = &thread->innermost[thread->top->kind];
  thread->top->outer = *innermost;
  *innermost = (uint32_t)(thread->top - thread->frames);
}

static inline void hd_thread_unlink_top(struct hd_thread *thread) {
  thread->innermost[thread->top->kind] = thread->top->outer;
}

/** The current task's innermost frame of a kind, and the next one outwards of the same kind; NULL: there is none. */
static inline struct hd_frame *hd_thread_innermost(const struct hd_thread *thread, enum hd_kind kind) {
  struct hd_frame *frame = thread->frames + thread->innermost[kind];
  return frame > thread->base ? frame : NULL;
}

static inline struct hd_frame *hd_thread_next_outwards(const struct hd_thread *thread, const struct hd_frame *inner) {
  struct hd_frame *frame = thread->frames + inner->outer;
  return frame > thread->base ? frame : NULL;
}

/** Enters a construct: its frame becomes the innermost, in `state`. */
static inline void hd_thread_push(struct hd_thread *thread, uint64_t now, struct hd_row_record *row, enum hd_kind kind,
                                  uint32_t state) {
  if (__builtin_expect(thread->top + 1 == thread->frames + thread->frame_limit, false) &&
      !hd_thread_grow_frames(thread))
    return;
  struct hd_frame *frame = ++thread->top;
  frame->row = row;
  frame->state = (uint16_t)state;
  frame->kind = (uint16_t)kind;
  frame->height = thread->height;
  frame->task = NULL;
  hd_thread_link_top(thread);
  hd_thread_switch(thread, now, row, state);
}

/** Tells the sweep which of the entries on its stack have ended, when the top frame has changed downwards. A region's
 * end says so itself. */
static inline void hd_thread_lower(struct hd_thread *thread) {
  if (__builtin_expect(thread->height == thread->top->height, true))
    return;
  thread->height = thread->top->height;
  if (thread->ring.what == 0)
    thread->ring.what = HD_WHAT(HD_WHAT_RETURN, thread->height);
}

/** Back to the frame below the top, in the state it was left in. */
static inline void hd_thread_pop(struct hd_thread *thread, uint64_t now) {
  hd_thread_unlink_top(thread);
  const struct hd_frame *below = --thread->top;
  hd_thread_lower(thread);
  hd_thread_switch(thread, now, below->row, below->state);
}

/** The top frame's state changes (a critical section is entered, a task goes on). */
static inline void hd_thread_set_state(struct hd_thread *thread, uint64_t now, uint32_t state) {
  thread->top->state = (uint16_t)state;
  hd_thread_switch(thread, now, thread->top->row, state);
}

/** `frame` becomes the innermost; what lies above it was left without a word. Routines among it are counted. Charges
 *  nothing: hd_thread_set_state or hd_thread_pop must follow. */
void hd_thread_drop_above(struct hd_thread *thread, const struct hd_frame *frame);

/** Takes a frame out from under others, which go on. */
void hd_thread_take_out(struct hd_thread *thread, uint64_t now, struct hd_frame *frame);

/** The innermost open construct of `kind` of the current task: what an end ends, since constructs of a kind nest. `id`:
 * what its frame's `task` must be, if that is not NULL and begins may have been refused. NULL: its begin was not seen.
 */
struct hd_frame *hd_thread_find_open(const struct hd_thread *thread, enum hd_kind kind, const void *id);

/** Leaves that construct and all that was left open inside it. False: there is none (its begin was never sent);
 *  counted, unless begins have been refused. */
bool hd_thread_leave(struct hd_thread *thread, uint64_t now, enum hd_kind kind, const void *id);

/** Does something that must not happen while a thread that sends events of its own accord, other than the caller, may
 *  begin: only if there has never been one. False: not done. */
bool hd_thread_while_alone(const struct hd_thread *thread, void (*act)(void *data), void *data);

/** Leaves everything above the current task's base frame, which goes to `state`. */
void hd_thread_unwind_task(struct hd_thread *thread, uint64_t now, uint32_t state);

/** Makes the frame just pushed the base of `task`, and the reverse: pops the current base and all above it. */
void hd_thread_open_base(struct hd_thread *thread, ompt_data_t *task, struct hd_region *region, uint32_t number);
void hd_thread_close_base(struct hd_thread *thread, uint64_t now);

#endif
