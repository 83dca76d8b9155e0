/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file budget_window.h
 * What a thread's events have cost it over its last half second, by class; and in which regions, from samples: the
 * events that are measured, every 64th of a kind, stand for the others.
 *
 * Only the thread itself calls these functions. Times are ticks.
 */
#ifndef HEDDLE_OMPT_THREAD_BUDGET_WINDOW_H
#define HEDDLE_OMPT_THREAD_BUDGET_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle-format.h"

enum {
  HD_BUDGET_SLOTS = 12, /* boundaries kept: one more than the window needs */
  HD_BUDGET_CLASSES = HD_CLASS_FIXED + 1,
  HD_BUDGET_PLACES = 8 /* regions kept: those with most samples */
};

/** Samples taken in regions of one profile. They fade: what is a second old counts for little. */
struct hd_budget_place {
  uint32_t profile; /* HD_PROGRAM_PROFILE: outside all regions */
  uint32_t spent[HD_CLASS_COUNT];
  /* Of samples whose predecessor was taken there, too: what they stand for, and the time between the two. */
  uint32_t followed_spent;
  uint32_t followed_ticks;
};

/** A sliding window. Zero at a thread's begin. */
struct hd_budget_window {
  uint64_t due_ticks;                /* the next boundary is not before this */
  uint64_t boundary_count;           /* so far; number n is ring[n % HD_BUDGET_SLOTS] */
  uint64_t refused;                  /* begins */
  uint32_t refusing;                 /* bit: an event of the class has been refused since the last change of state, */
  uint32_t refusing_turn;            /* when hd_budget.turn was this */
  uint64_t seen[HD_EVENT_KINDS];     /* events whose cost is in `spent` */
  uint64_t spent[HD_BUDGET_CLASSES]; /* so far */
  uint32_t epochs[HD_CLASS_COUNT];   /* how often each class had been switched off, of which the ring is */
  const struct hd_profile_record *place; /* the last region that was asked for (budget_here.c); NULL: none yet */
  uint32_t last_place;                   /* where the last sample was taken, */
  bool follows;                          /* the one before it was taken there, too */
  uint64_t last_ticks;                   /* when; 0: there was none */
  struct hd_budget_place places[HD_BUDGET_PLACES];
  struct hd_budget_boundary {
    uint64_t ticks;
    uint64_t spent[HD_BUDGET_CLASSES];
  } ring[HD_BUDGET_SLOTS];
};

/** The class of a kind of event. */
uint32_t hd_budget_class_of(enum hd_event_kind kind);

/** What was spent over the last half second, or since the thread began. */
struct hd_budget_costs {
  uint64_t ticks; /* for so long */
  uint64_t all;
  uint64_t by_class[HD_BUDGET_CLASSES];
};

/** Once, before any thread begins. */
void hd_budget_window_init(uint64_t ticks_per_ms);
uint64_t hd_budget_ms(uint64_t count);

void hd_budget_window_begin(struct hd_budget_window *window, const struct hd_event_cost costs[HD_EVENT_KINDS],
                            uint64_t now);

/** An event of `kind` was measured in a region: what it and those that it stands for have cost. */
void hd_budget_window_sample(struct hd_budget_window *window, uint32_t profile, enum hd_event_kind kind, uint64_t ticks,
                             uint64_t now);

/** An event cost something out of the ordinary. */
void hd_budget_window_spend(struct hd_budget_window *window, enum hd_event_kind kind, uint64_t ticks);

/** Adds up what events have cost since the last boundary, and sets the next one. */
void hd_budget_window_add(struct hd_budget_window *window, const struct hd_event_cost costs[HD_EVENT_KINDS],
                          uint64_t now);

/** A class was switched off somewhere, or all regions were: what it cost before has been paid for. */
void hd_budget_window_forget(struct hd_budget_window *window, enum hd_event_class event_class, uint32_t epoch);

void hd_budget_window_costs(const struct hd_budget_window *window, uint64_t now, struct hd_budget_costs *costs);

#endif
