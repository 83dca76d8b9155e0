/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file event_sets.h
 * Which events are counted, and how they are divided into sets: what HEDDLE_COUNTERS asks for, resolved and tried out.
 *
 * Events that a source cannot count at the same time (there are fewer counters than events) take turns only when that
 * is asked for: they are divided into *slots*, of which one is counted at a time. Events of slot 0 are always counted.
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

struct hd_plan {
  uint32_t event_count;
  uint32_t set_count;
  uint32_t slots; /* 0: all events are counted all the time */
  struct hd_counter_event events[HD_EVENTS_MOST];
  struct hd_planned_set sets[HD_EVENTS_MOST];
};

/** Why a plan cannot be made, for people. */
struct hd_plan_error {
  char event[128]; /* the event that it is about; empty: about all of them, or the list itself */
  bool unknown;    /* no source has an event of that name: nearest names help (hd_plan_nearest) */
  char why[600];
};

/**
 * Makes a plan for a list of event names, divided by commas, on the calling thread, which is used to try the sets out.
 * A name that is asked for twice is counted once. Where a source's room will not do for all threads that are expected
 * (the processors, or OMP_NUM_THREADS), another that can takes its events. False: `error` says why; where events do not
 * fit together it names those that do.
 */
bool hd_plan_make(struct hd_plan *plan, const char *list, bool take_turns, struct hd_plan_error *error);

/** The `most` names (16 at most) of events that look most like `name`, best first; fewer if fewer are near. They are
 *  copied into names[]. Returns how many. The command's, not the program's. */
uint32_t hd_plan_nearest(const char *name, uint32_t most, char (*names)[128]);

/** The events of a set of the plan, as the source's create() wants them. Returns their number. */
uint32_t hd_plan_set_events(const struct hd_plan *plan, const struct hd_planned_set *set,
                            const struct hd_counter_event *events[HD_EVENTS_MOST]);

#endif
