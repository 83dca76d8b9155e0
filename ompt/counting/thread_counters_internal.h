/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file thread_counters_internal.h
 * What the parts of the counters share: thread_counters.c, which counts at every event, and thread_counters_life.c,
 * which begins and ends it. For nobody else.
 */
#ifndef HEDDLE_OMPT_COUNTING_THREAD_COUNTERS_INTERNAL_H
#define HEDDLE_OMPT_COUNTING_THREAD_COUNTERS_INTERNAL_H

#include <pthread.h>

#include "counters/event_sets.h"
#include "ompt/counting/thread_counters.h"
#include "ompt/thread/thread.h"

struct hd_thread_counters {
  struct hd_event_set *sets[HD_EVENTS_MOST]; /* as in the plan; NULL: not counted on this thread */
  uint64_t before[HD_EVENTS_MOST];           /* at the last reading */
  uint64_t owed[HD_EVENTS_MOST];             /* costs of readings that are still to be taken out */
  struct hd_counts_record *at;               /* where what has been counted since belongs; NULL: nowhere */
  enum hd_count_class class;
  bool taken;                        /* there was a reading in this event */
  bool away;                         /* since then it is Heddle that runs */
  uint64_t epoch;                    /* of the last reading, see epoch_now() */
  uint32_t slot;                     /* whose turn it is; 0: there are no turns */
  uint64_t turn_since;               /* ticks */
  uint64_t slot_ticks_from;          /* the slot's ticks are charged up to here */
  struct hd_counts_record **records; /* by profile: where its counts go */
  uint32_t record_limit;
  struct hd_store_cursor cursor;
  struct hd_thread *thread;
  struct hd_thread_counters *next;
};

/** What is counted, the same for all threads. */
struct hd_counters {
  struct hd_event_sets plan;
  struct hd_event_record *events; /* in the store */
  uint64_t all;                   /* bit e of every event; 0: nothing is counted */
  uint64_t turn_ticks;            /* how long a turn lasts at least */
};
extern struct hd_counters hd_counters;

/** Every pause and every resume makes it one larger: even while the clock runs, odd while it stands. */
uint64_t hd_counters_epoch(void);

/** Bit e of the events of a set. */
uint64_t hd_counters_events_of(const struct hd_planned_set *planned);

/** Whether the thread counts the plan's set `set` now: it could be made, and it is its turn. */
bool hd_counters_set_runs(const struct hd_thread_counters *mine, uint32_t set);

/** The thread does not count a set any more. One that failed is never read again: its descriptors may be another's by
 *  now. */
void hd_counters_give_up(struct hd_thread_counters *mine, uint32_t set);

/** Fills now[] for the events of the plan's set `set`. False: it cannot be read. */
bool hd_counters_read_set(const struct hd_thread_counters *mine, uint32_t set, uint64_t *now);

/** Fills now[] for the events returned; `failed`: those whose set could not be read. */
uint64_t hd_counters_read_sets(struct hd_thread_counters *mine, uint64_t *now, uint64_t *failed);

/** Counts from here, whatever came before. */
void hd_counters_read_baseline(struct hd_thread_counters *mine);

/** Adds what the events have gained since the last reading to where the thread was. */
void hd_counters_charge(struct hd_thread_counters *mine, const uint64_t *now, uint64_t events);

/** Some of these events is missing from there. */
void hd_counters_miss(const struct hd_thread_counters *mine, uint64_t events);

/** A slot's sets begin to count; hd_counters_change_slot: in place of the present slot's. */
void hd_counters_start_slot(struct hd_thread_counters *mine, uint32_t slot);
void hd_counters_change_slot(struct hd_thread_counters *mine, uint32_t slot);

#endif
