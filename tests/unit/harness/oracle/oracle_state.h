/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file oracle_state.h
 * The oracle's own picture of the running program: every task with its open constructs, every thread with its task.
 */
#ifndef HEDDLE_TESTS_ORACLE_STATE_H
#define HEDDLE_TESTS_ORACLE_STATE_H

#include "oracle_data.h"

#define OR_MAX_OPEN 64

/* Why a construct is on a task's list: what its end will look for. */
enum or_tag { OR_BASE, OR_FORK, OR_WORK, OR_SYNC, OR_MUTEX, OR_MASKED, OR_JOIN, OR_ROUTINE, OR_PHASE, OR_MPI };

struct or_open {
  uint32_t node;
  enum hd_state state;
  enum or_tag tag;
  bool closing;   /* OR_SYNC: the worksharing construct's own barrier */
  uint64_t code;  /* OR_ROUTINE, OR_PHASE: which */
  uint32_t entry; /* OR_ROUTINE: its number */
};

struct or_task {
  struct or_open *open;
  uint32_t open_count;
  uint32_t node;   /* where it was created */
  uint64_t code;   /* its site */
  uint32_t region; /* implicit tasks': FK_NONE outside any */
  uint32_t inside; /* the region that the task, explicit or implicit, belongs to */
  uint32_t index;  /* implicit tasks */
  bool started;
  uint32_t caller;      /* entry of what its outermost routines are called by; FK_NONE: the program */
  uint32_t closed_work; /* node of the construct whose barrier may follow; FK_NONE */
  uint64_t work_begin;
  uint64_t work_end;
  enum hd_state busy_as; /* what its busy time counts as: the runtime's own work in an entry point */
  uint32_t barriers;     /* of its team, that this implicit task has arrived at */
  /* explicit tasks: */
  uint32_t creator; /* the thread's number */
  bool known;       /* tasks were on when it was created */
  bool unseen;      /* what runs of it is not observed */
  uint32_t height;  /* unseen: of the list that it adds to, when it began there */
  uint32_t epoch;   /* how often they had been switched off then */
  bool is_explicit;
  bool spoilt;        /* not all of it was observed: its own time is not known */
  uint64_t created;   /* when */
  uint64_t own_ticks; /* its own busy time */
  /* which of what it has begun was refused: */
  bool refused_wait;
  bool refused_lock;
  struct or_strand *strand;    /* oracle_critical.h */
  uint64_t refused_constructs; /* a bit for each that is open, the innermost one's the lowest */
  struct or_call {
    uint64_t code;
    bool refused;
  } *calls; /* routines that are open */
  uint32_t call_count;
};

struct or_thread {
  bool known;
  bool ended;
  uint32_t id; /* in the profile: threads are numbered as they are heard of, but for those that take over */
  uint32_t kind;
  uint32_t task;
  struct or_task outside;      /* what is open outside all tasks */
  uint32_t outer[OR_MAX_OPEN]; /* tasks, of both kinds, that wait on this thread for what it runs on top of them */
  uint32_t outer_count;
  struct or_task *entries[FK_MAX_ENTRIES]; /* tasks whose entry points of the runtime it is in; NULL: not observed */
  uint32_t entry_count;
  uint32_t in_mpi; /* calls that it is in, each called by the one before */
  bool leaving; /* a worker has been told of its region's end, perhaps before the primary's join */
  uint64_t last;
};

struct oracle {
  const struct fk_script *script;
  struct or_result *result;
  struct or_task *tasks;
  struct or_region *regions;
  struct or_thread threads[FK_MAX_THREADS];
  uint64_t end;
  size_t event; /* that is being handled */
  bool paused;
  const struct fk_script *raw;       /* the script with its pauses */
  unsigned epoch;                    /* pauses and resumes so far */
  uint32_t off;                      /* classes of events: a bit for each */
  uint32_t touched;                  /* likewise: they have been off */
  uint32_t task_epoch;               /* how often tasks have been switched off */
  unsigned apart;                    /* so many numbers are never taken over */
  uint32_t free_ids[FK_MAX_THREADS]; /* of threads that have ended, the last one last */
  uint32_t free_kinds[FK_MAX_THREADS];
  uint32_t free_count;
};

/** What the thread runs. Never NULL. */
struct or_task *or_running(struct oracle *o, struct or_thread *thread);
/** The same, or the innermost beneath it that is seen: what is unseen adds to that one's list. Never NULL, and there is
 *  always something on its list. */
struct or_task *or_task_of(struct oracle *o, struct or_thread *thread);
struct or_open *or_top_of(struct or_task *task);
/** The state that it is in. */
enum hd_state or_state_of(struct or_task *task);
struct or_open *or_push(struct or_task *task, uint32_t node, enum hd_state state, enum or_tag tag);
/** Leaves all but the first `keep` of what is open in a task: routines are left without an exit. */
void or_drop(struct oracle *o, const struct or_thread *thread, struct or_task *task, uint32_t keep);
/** Leaves the innermost open construct with `tag` and everything inside it. */
void or_pop(struct oracle *o, const struct or_thread *thread, struct or_task *task, enum or_tag tag);
/** Something is entered for the first time: a visit. */
void or_enter(struct oracle *o, const struct or_thread *thread, uint32_t node);
uint32_t or_node_of(struct oracle *o, struct or_thread *thread);
/** Whether a barrier is the one at its region's end: libomp 14 and 16 tell it by the address alone. */
bool or_is_join(const struct oracle *o, const struct fk_event *e);

/** Classes of events that are switched off: oracle_refused.c. */
void or_switch(struct oracle *o, const struct fk_event *e);
bool or_is_off(const struct oracle *o, enum hd_event_class event_class);
/** Whether an event is nobody's: it begins something while that is off, or ends what was not observed. */
bool or_refuses(struct oracle *o, struct or_thread *thread, const struct fk_event *e);

/** oracle_task_times.c: the thread was busy; something began on it that was not observed; a part of a task begins, and
 *  counts at `node`; a part ends, a later one follows; a task ends. */
void or_times_add(struct oracle *o, const struct or_thread *thread, uint64_t ticks);
void or_times_spoil(struct oracle *o, const struct or_thread *thread);
void or_times_begin(struct oracle *o, struct or_task *task, uint32_t node, uint64_t now, bool is_first);
void or_times_leave(struct or_task *task);
void or_times_end(struct oracle *o, const struct or_task *task);

void or_switch_to(struct or_thread *thread, uint32_t task);
void or_on_create(struct oracle *o, struct or_thread *thread, const struct fk_event *e);
void or_on_schedule(struct oracle *o, struct or_thread *thread, const struct fk_event *e);
bool or_is_gcc(const struct oracle *o, const struct or_task *task);
bool or_is_lock(uint32_t kind);
bool or_is_barrier(uint32_t kind);
void or_on_work(struct oracle *o, struct or_thread *thread, const struct fk_event *e);
void or_on_sync(struct oracle *o, struct or_thread *thread, const struct fk_event *e);
void or_on_mutex(struct oracle *o, struct or_thread *thread, const struct fk_event *e);
void or_on_masked(struct oracle *o, struct or_thread *thread, const struct fk_event *e);
/** Routines and phases: oracle_routines.c. */
void or_on_routine(struct oracle *o, struct or_thread *thread, const struct fk_event *e);
void or_on_phase(struct oracle *o, struct or_thread *thread, const struct fk_event *e);
/** The entry of the innermost routine in a task, or what called its outermost. */
uint32_t or_caller(const struct or_task *task);
/** Notes an entry that is no routine's: its number. */
uint32_t or_note(struct oracle *o, const struct or_thread *thread, uint32_t node, uint32_t caller, bool counted);
/** The entries of a task's routines end with the profile. */
void or_end_entries(struct oracle *o, const struct or_thread *thread, struct or_task *task);
/** Notes where the thread is since this event, for its counts: oracle_counts.c. */
void or_mark(struct oracle *o, struct or_thread *thread, unsigned epoch_before, enum or_reading reading);
/** A copy of the script with its times on the clock that stands still in pauses; the caller frees its events. */
struct fk_script or_unpaused(const struct fk_script *script, struct or_result *result);
/** Whether an event ends the profile. */
bool or_is_last(const struct fk_event *e);
/** 1: the clock stops, -1: it runs again, 0: neither. */
int or_pauses(const struct fk_event *e);

#endif
