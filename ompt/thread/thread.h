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
#include "ompt/counting/thread_counters.h"
#include "ompt/counting/thread_samples.h"
#include "ompt/shared/clock.h"
#include "ompt/shared/measuring.h"
#include "ompt/shared/ring.h"
#include "ompt/thread/budget.h"
#include "ompt/thread/edges.h"
#include "ompt/thread/frame.h"
#include "ompt/thread/record_index.h"
#include "ompt/thread/row_index.h"
#include "ompt/thread/trace.h"

/** Why an event's cost is not just the usual one: event.h. */
enum hd_special {
  HD_SPECIAL_MEASURE = 1,  /* Heddle does something out of the ordinary */
  HD_SPECIAL_PAUSED = 2,   /* the clock stands still */
  HD_SPECIAL_DELAY = 4,    /* a test wants all of this thread's events to last longer */
  HD_SPECIAL_COUNTS = 8,   /* the thread counts events */
  HD_SPECIAL_ARRIVAL = 16, /* it arrives at a barrier: what that costs is told in the log (barrier.h) */
  HD_SPECIAL_WATCHED = 32  /* a window sees it, perhaps not any more (watch.h) */
};

enum hd_pending {
  HD_PENDING_LOCK = 1 /* the top frame waits for a lock; if no "acquired" follows it was a failed test */
};

/** What there is to do before the thread changes state. */
enum hd_instrument {
  HD_INSTRUMENT_COUNTS = 1,     /* it counts events, or measures its processor time */
  HD_INSTRUMENT_UNRESOLVED = 2, /* what it does is not known (unresolved.h) */
  HD_INSTRUMENT_REFUSED = 4,    /* or may not be known again: waits or tasks were refused since its task began */
  HD_INSTRUMENT_WATCHED = 8,    /* a window sees it (watch.h) */
  HD_INSTRUMENT_TRACED = 16     /* and afterwards: it has a trace (trace.h) */
};

enum { HD_EVENT_TIMES = 6, HD_RECENT_TASKS = 8 };

/** Instances of outermost regions that are not observed, nor anything in them (construct/refused_region.h). */
struct hd_refused_regions {
  uint32_t led;                    /* that the thread has begun and not ended, nested ones included */
  bool works_in;                   /* it is, or was until it is heard of again, a worker in one */
  const struct hd_row_record *row; /* of which `cell` counts them: the last one */
  struct hd_row_cell *cell;
};

struct hd_thread {
  struct hd_thread_record *record; /* in the store: last_ticks, busy_ticks, open_cell are the live state */
  uint32_t expected_alarms;        /* hd_alarms when an event has nothing to ask for; HD_NOT_EXPECTED: there is always
                                      something; HD_AT_WORK: in the middle of an event (event.h) */
  uint32_t known_alarms;           /* what that is between events */
  struct hd_row_cell *cell;        /* what the time since last_ticks will be charged to */
  struct hd_event_cost *costs;     /* in the store, by kind of event */
  uint64_t event_ticks;            /* when the event began; 0: it did not look at the clock */
  int64_t caught_up;               /* part of the event's cost that is in the record's intrusion already */
  uint32_t special;                /* enum hd_special */
  struct hd_frame *top;
  struct hd_frame *base;
  struct hd_row_record
      *entered;         /* the row that counts the entry that comes with the next transition; NULL: none does */
  struct hd_ring ring;  /* of its changes between busy and not, and from one profile to another while busy */
  uint32_t pending;     /* enum hd_pending */
  uint32_t height;      /* of the sweep's stack, when it has taken all transitions so far */
  uint32_t instruments; /* enum hd_instrument */
  struct hd_thread_counters *counters;       /* NULL: it counts nothing */
  struct hd_thread_counters *ended_counters; /* of a thread that has ended, for the next one with this record */
  struct hd_thread_samples samples;
  struct hd_thread_trace trace;
  struct hd_edges edges;
  struct hd_row_index index;
  struct hd_index known_regions; /* of its own */
  struct hd_thread_chunks {      /* chunks.h */
    struct hd_index index;       /* of struct hd_chunks_record, by profile */
    struct hd_store_cursor cursor;
  } chunks;
  struct hd_thread_tasks {                             /* construct/known_tasks.h */
    struct hd_index index;                             /* of struct hd_task_construct, by profile */
    struct hd_task_construct *recent[HD_RECENT_TASKS]; /* by the lowest bits of the profile */
    struct hd_store_cursor cursor;
  } tasks;
  struct hd_thread_watch { /* watch.h */
    bool has_begun;        /* what is being charged is in it */
    bool of_regions;       /* it is a window of regions: nothing in these ends it */
    uint32_t classes;      /* whose events do not end it */
    uint32_t window;       /* the number of the one that what is being charged began in, */
    uint32_t place;        /* the profile of the region, or HD_PROGRAM_PROFILE: outside all, */
    bool sees_regions;     /* and hd_watched_record.of_regions */
    uint32_t next_window;  /* that of the one in which the event has begun */
    struct hd_index index; /* of struct hd_watched_record, by that and the profile */
    struct hd_store_cursor cursor;
  } watch;
  struct hd_frame *last_frame; /* there is room for */
  uint32_t deeper;             /* open routines beyond HD_FRAMES_MOST: they have no frames */
  struct hd_frame *frames;
  uint32_t innermost[HD_KIND_COUNT]; /* index of the innermost frame of each kind; 0: none */
  struct hd_row_record *row;         /* that `cell` lies in */
  struct hd_row_cell uncounted;      /* counts for which there was no cell */
  uint64_t cpu_ns;                   /* processor time charged so far */
  struct hd_stack_cache *unwind_cache;
  uintptr_t stack_begin; /* the thread's own stack, for routine.c; both 0: not looked up yet */
  uintptr_t stack_end;
  struct hd_region *ended_regions; /* of its own, to be used again */
  bool has_forked;                 /* it has, or had, a region of its own */
  struct hd_row_record *free_rows; /* of its own, not used yet */
  uint32_t free_row_count;
  struct hd_store_cursor membership_cursor;
  uint64_t woken_ticks;    /* a worker's first event since it finished its last region; or its beginning */
  int64_t woken_intrusion; /* what its intrusion was before that */
  struct hd_budget_window budget;
  struct hd_refused_regions refused;
  uint32_t refusals;      /* waits, mutexes and tasks that have begun and were not observed */
  uint32_t unseen_tasks;  /* that have begun on its stack and not ended */
  bool is_newcomer;       /* the measurement may have begun in the midst of what it does (introduction.h), */
  bool was_asleep;        /* and it had begun before */
  bool ended_orderly;     /* outside any region: its record may be continued */
  void *next_ended;       /* hd_thread: in the list of such threads */
  struct hd_event_times { /* of the ordinary events that were timed last: event.c */
    uint32_t count;       /* of a kind: the next is last[count % HD_EVENT_TIMES]; from two times as many back to once */
    uint32_t last[HD_EVENT_TIMES];
  } times[HD_EVENT_KINDS];
};

/** Values that hd_alarms never has. */
enum { HD_AT_WORK = HD_ALARM_BITS, HD_NOT_EXPECTED = HD_ALARM_BITS | HD_ALARM_UNLOAD };

static inline bool hd_thread_is_at_work(const struct hd_thread *thread) {
  return __atomic_load_n(&thread->expected_alarms, __ATOMIC_ACQUIRE) == HD_AT_WORK;
}

/** Ends the measurement of a thread wherever it is: nothing is charged or counted after this. */
void hd_thread_stop(struct hd_thread *thread, uint64_t now);

/** Phases that the thread has begun and not ended. */
uint64_t hd_thread_open_phases(const struct hd_thread *thread);

/** More room for frames; moves them. False: no memory; the thread's measurement then ends here, and the profile says
 *  that a thread was lost. */
__attribute__((cold)) bool hd_thread_grow_frames(struct hd_thread *thread);

/** Whether there is room for more frames of routines, when those there are are in use. */
bool hd_thread_can_nest(const struct hd_thread *thread);

/** hd_thread_change() of a thread with instruments, which are brought up to date before: counters, processor time,
 *  unresolved time; and afterwards its trace. */
void hd_thread_switch_instruments(struct hd_thread *thread, uint64_t now, struct hd_row_record *row, uint32_t state);

/** The cell of a row that has none for a state (or hd_cell_kind) yet, or not in its first record. Without room for one,
 *  that of the program's row, which has those of all times; a count is lost then. */
struct hd_row_cell *hd_thread_cell_slow(struct hd_thread *thread, struct hd_row_record *row, uint32_t kind);

static inline struct hd_row_cell *hd_thread_cell(struct hd_thread *thread, struct hd_row_record *row, uint32_t kind) {
  const uint32_t cell = hd_row_find(row, kind);
  return __builtin_expect(cell < HD_ROW_CELLS, true) ? &row->cells[cell] : hd_thread_cell_slow(thread, row, kind);
}

/** Names the cell, of this row, that time is charged to from now on. */
static inline void hd_thread_point_at(struct hd_thread *thread, struct hd_row_record *row, struct hd_row_cell *cell) {
  thread->row = row;
  thread->cell = cell;
  thread->record->open_cell = hd_store_offset(&hd_store, cell);
}

/** Charges the time since the last event, in which the thread was busy in this profile, or in none. Returns the new
 *  last_ticks. */
static inline uint64_t hd_thread_charge(struct hd_thread *thread, uint64_t now, uint32_t busy) {
  struct hd_thread_record *record = thread->record;
  const uint64_t last = record->last_ticks;
  const int64_t intrusion = record->intrusion;
  const int64_t uncharged = intrusion - record->intrusion_charged;
  /* `now` may be a region's join time, a few ticks ahead of this processor's clock. */
  const uint64_t ticks = now > last ? now - last : 0;
  thread->cell->ticks += ticks;
  thread->cell->intrusion += uncharged;
  __atomic_store_n(&record->intrusion_charged, intrusion, __ATOMIC_RELAXED);
  /* Atomic because the region's primary reads it; the barrier between orders the two. */
  __atomic_store_n(&record->busy_ticks, record->busy_ticks + (busy == HD_NONE ? 0 : ticks), __ATOMIC_RELAXED);
  __atomic_store_n(&record->last_ticks, last + ticks, __ATOMIC_RELAXED);
  return last + ticks;
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

/** The thread stops working while its implicit task waits in a barrier: the next transition tells so (barrier.c). */
__attribute__((cold)) void hd_barrier_wait_again(struct hd_thread *thread, uint64_t now);

/** What the thread's log holds is told now, because the event goes on to something else (barrier.c). */
__attribute__((cold)) void hd_barrier_tell(struct hd_thread *thread);
static inline void hd_thread_tell_held(struct hd_thread *thread) {
  if (__builtin_expect(thread->ring.held != NULL, false))
    hd_barrier_tell(thread);
}

/** Puts an entry that was to come with the next transition before it, since that tells something else. */
__attribute__((cold)) void hd_thread_put_before(struct hd_thread *thread, uint64_t now);

/** Before an entry when hd_ring_is_due: tells what is held, and makes room for one in the thread's log. */
__attribute__((cold)) void hd_thread_make_room(struct hd_thread *thread);

/** What the current task's busy time counts as now. */
static inline uint32_t hd_thread_counts_as(const struct hd_thread *thread, uint32_t state) {
  return state == HD_BUSY ? thread->base->base.busy_as : state;
}

/** The second half of hd_thread_switch. Returns hd_transition.what of the transition; 0: there was none; HD_NONE: the
 *  profile is closed, and nothing was done. */
static inline uint32_t hd_thread_change(struct hd_thread *thread, uint64_t now, struct hd_row_record *row,
                                        uint32_t state) {
  const uint32_t before = thread->ring.busy;
  const uint32_t busy = state == HD_BUSY ? row->profile : HD_NONE;
  uint32_t what = 0;
  struct hd_row_cell *cell = hd_thread_cell(thread, row, state);
  if (busy != before || thread->ring.what) {
    if (__builtin_expect(busy == HD_NONE && thread->base->base.place.waits && !thread->ring.holds, false))
      hd_barrier_wait_again(thread, now);
    if (hd_ring_is_due(&thread->ring))
      hd_thread_make_room(thread);
    what = thread->ring.what;
    if (!hd_ring_open(&thread->ring, &now))
      return HD_NONE; /* its end is where the reader closes what is open */
    now = hd_thread_charge(thread, now, before);
    if (thread->entered) {
      thread->entered->visits++;
      thread->entered = NULL;
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    hd_thread_point_at(thread, row, cell); /* before the log: that is how a killed program's reader takes it */
    hd_ring_put(&thread->ring, now, busy);
  } else {
    hd_thread_charge(thread, now, before);
    hd_thread_point_at(thread, row, cell);
  }
  return what;
}

/**
 * The one place where a thread changes state: charges the time since the last event and names the next cell. When the
 * thread becomes busy, stops, or is busy in another profile than before, or something else happens (ring.what), that
 * is a transition; its time, which is then the record's last_ticks, may be a little later than `now` (ring.h).
 */
static inline void hd_thread_switch(struct hd_thread *thread, uint64_t now, struct hd_row_record *row, uint32_t state) {
  state = hd_thread_counts_as(thread, state);
  if (__builtin_expect(thread->instruments != 0, false))
    hd_thread_switch_instruments(thread, now, row, state);
  else
    hd_thread_change(thread, now, row, state);
}

/** An entry of `row` is to be counted by `counter` (NULL: by none), unless the measurement is paused, with the
 * transition that comes with it: not if the profile is closed meanwhile. Returns that transition's hd_transition.what.
 */
static inline uint32_t hd_thread_count(struct hd_thread *thread, enum hd_what what, const struct hd_row_record *row,
                                       struct hd_row_record *counter) {
  if (__builtin_expect(!counter || thread->special & HD_SPECIAL_PAUSED, false))
    return what == HD_WHAT_ENTER ? 0 : HD_WHAT(what, (counter ? counter : row)->profile) | HD_WHAT_UNCOUNTED;
  thread->entered = counter;
  return HD_WHAT(what, counter->profile);
}

/** The state that time is charged to. A row fills a line, and cells lie in it. HD_STATE_COUNT: none. */
static inline uint32_t hd_thread_state(const struct hd_thread *thread) {
  const struct hd_row_record *row = (const void *)((uintptr_t)thread->cell & ~(uintptr_t)(sizeof *row - 1));
  const uint32_t state = hd_row_kind(row, (uint32_t)(thread->cell - row->cells));
  return state < HD_STATE_COUNT ? state : (uint32_t)HD_STATE_COUNT;
}

/** The thread is in an instance of a region that is not observed: nothing in it is. */
static inline bool hd_thread_is_refused(const struct hd_thread *thread) {
  return thread->refused.led > 0 || thread->refused.works_in;
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

/** Puts a frame on top, to be followed by hd_thread_switch. False: there was no room, and the thread's measurement has
 *  ended. */
static inline bool hd_thread_put_frame(struct hd_thread *thread, struct hd_row_record *row, enum hd_kind kind,
                                       uint32_t state) {
  if (__builtin_expect(thread->top == thread->last_frame, false) && !hd_thread_grow_frames(thread))
    return false;
  struct hd_frame *frame = ++thread->top;
  frame->row = row;
  frame->state = (uint8_t)state;
  frame->kind = (uint8_t)kind;
  frame->waits = 0;
  frame->height = thread->height;
  frame->task = NULL;
  hd_thread_link_top(thread);
  return true;
}

/** Enters a construct: its frame becomes the innermost, in `state`. */
static inline void hd_thread_push(struct hd_thread *thread, uint64_t now, struct hd_row_record *row, enum hd_kind kind,
                                  uint32_t state) {
  if (hd_thread_put_frame(thread, row, kind, state))
    hd_thread_switch(thread, now, row, state);
}

/** Tells the sweep which of the entries on its stack have ended, when the top frame has changed downwards: with the
 *  next transition, or, if that tells something else, just before it. A region's end says so itself. */
__attribute__((cold)) void hd_thread_return(struct hd_thread *thread, uint64_t now);
static inline void hd_thread_lower(struct hd_thread *thread, uint64_t now) {
  if (__builtin_expect(thread->height != thread->top->height, false))
    hd_thread_return(thread, now);
}

/** Back to the frame below the top, in the state it was left in. */
static inline void hd_thread_pop(struct hd_thread *thread, uint64_t now) {
  hd_thread_unlink_top(thread);
  const struct hd_frame *below = --thread->top;
  hd_thread_lower(thread, now);
  hd_thread_switch(thread, now, below->row, below->state);
}

/** The top frame's state changes (a critical section is entered, a task goes on). */
static inline void hd_thread_set_state(struct hd_thread *thread, uint64_t now, uint32_t state) {
  thread->top->state = (uint8_t)state;
  hd_thread_switch(thread, now, thread->top->row, state);
}

/** `frame` becomes the innermost; what lies above it was left without an event. Routines among it are counted. Charges
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
bool hd_thread_leave_slow(struct hd_thread *thread, uint64_t now, enum hd_kind kind, const void *id);
static inline bool hd_thread_leave(struct hd_thread *thread, uint64_t now, enum hd_kind kind, const void *id) {
  const struct hd_frame *top = thread->top;
  if (__builtin_expect(top->kind != kind || (top->task && top->task != id), false))
    return hd_thread_leave_slow(thread, now, kind, id);
  hd_thread_pop(thread, now);
  return true;
}

/** Resolves what is pending (enum hd_pending), before an event is handled. */
void hd_thread_settle(struct hd_thread *thread);

/** Leaves everything above the current task's base frame, which goes to `state`. */
void hd_thread_unwind_task(struct hd_thread *thread, uint64_t now, uint32_t state);

/** Makes the frame just put on top the base of `task`, and the reverse: pops the current base and all above it. */
void hd_thread_open_base(struct hd_thread *thread, ompt_data_t *task, const struct hd_known_region *region,
                         uint32_t number);
void hd_thread_close_base(struct hd_thread *thread, uint64_t now);

#endif
