/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file event_sets.h
 * Which events are counted, and in which sets: finds the events that HEDDLE_COUNTERS names, and tries the sets out.
 *
 * Events that a source cannot count at the same time (it has fewer counters) take turns only if the user asks for it:
 * they are divided into *slots*, of which one is counted at a time. Events of slot 0 are always counted.
 */
#ifndef HEDDLE_COUNTERS_EVENT_SETS_H
#define HEDDLE_COUNTERS_EVENT_SETS_H

#include "counters/source.h"
#include "heddle-format.h"

struct hd_planned_set {
  const struct hd_source *source;
  uint32_t slot;
  uint32_t count;
  uint32_t events[HD_EVENTS_MOST]; /* indices into the plan's events */
};

struct hd_event_sets {
  uint32_t event_count;
  uint32_t set_count;
  uint32_t slots; /* 0: all events are counted all the time */
  struct hd_counter_event events[HD_EVENTS_MOST];
  struct hd_planned_set sets[HD_EVENTS_MOST];
};

/** Why a plan cannot be made, in words for the user. */
struct hd_event_sets_error {
  char event[128]; /* the event at fault; empty: all of them, or the list itself */
  bool unknown;    /* no source has an event of that name: suggest others (event_suggest.h) */
  char why[600];
};

/**
 * Makes a plan for a comma-separated list of event names. Tries the sets out on the calling thread. A name that is in
 * the list twice is counted once. If a source has not enough room for all expected threads (the processors, or
 * OMP_NUM_THREADS), another source takes the events that it can count. False: `error` says why; if events do not fit
 * together, it names those that do.
 */
bool hd_event_sets_make(struct hd_event_sets *plan, const char *list, bool take_turns,
                        struct hd_event_sets_error *error);

/** The events of a set of the plan, as the source's create() wants them. Returns their number. */
uint32_t hd_event_sets_events(const struct hd_event_sets *plan, const struct hd_planned_set *set,
                              const struct hd_counter_event *events[HD_EVENTS_MOST]);

#endif
