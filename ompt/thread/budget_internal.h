/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file budget_internal.h
 * What is off where: between the files of the budget only.
 */
#ifndef HEDDLE_OMPT_THREAD_BUDGET_INTERNAL_H
#define HEDDLE_OMPT_THREAD_BUDGET_INTERNAL_H

#include "ompt/thread/budget.h"

/** A class that was switched off in the regions of a profile. There are as many as such pairs; never freed. */
struct hd_budget_off {
  struct hd_budget_off *next;
  uint32_t profile; /* HD_NONE: everywhere */
  uint32_t event_class;
  bool is_off;
  bool is_asked;                      /* it was asked for, everywhere */
  bool in_part;                       /* but in regions of profiles that spare it (hd_profile_record.spared) */
  uint64_t off_ticks;                 /* when it was last switched off, */
  uint64_t on_ticks;                  /* and on */
  uint64_t length_ticks;              /* for which it was, or is, off */
  uint64_t cost_ppm;                  /* what it cost a thread while it was last on, of all its time */
  uint64_t apart_ticks;               /* no such region has run since then: that does not count as off; 0: one runs */
  struct hd_switch_record *record;    /* of that time; NULL: there was no room */
  struct hd_switch_record *others[2]; /* of all for which there were no more single records, [1] in part; NULL: none */
};

/** Regions of a profile where classes are off are watched in windows. As many as such profiles; never freed. */
struct hd_budget_watch {
  struct hd_budget_watch *next;
  uint32_t profile;
  bool is_open;
  uint64_t change_ticks;   /* when it opens, or closes */
  uint64_t distance_ticks; /* from one window to the next, on average */
};

struct hd_budget_state {
  bool closed;
  hd_budget_mute *mute;
  struct hd_budget_off *offs;
  struct hd_budget_watch *watches;
  uint64_t random;
  struct hd_store_cursor cursor;
  uint32_t records;
  uint32_t regions; /* outermost ones since a class was last switched off */
  /* How often each was switched off, and when tasks last were: atomic. All else is under the lock. */
  uint32_t epochs[HD_CLASS_COUNT];
  uint64_t tasks_off_ticks;
};
extern HD_INSIDE struct hd_budget_state hd_budget_state;

/** Nobody waits for it. */
bool hd_budget_lock(void);
void hd_budget_unlock(void);

/** Under the lock: a class in the regions of a profile. NULL: no memory. */
struct hd_budget_off *hd_budget_find_off(uint32_t profile, enum hd_event_class event_class);

/** Under the lock: it goes off at `now`, where `off` says, and the profile says so; and on again, which is to be
 * followed by hd_budget_look_over(): what `hd_budget` says follows from the rest. */
void hd_budget_begin_off(const struct hd_thread *thread, struct hd_budget_off *off, uint64_t now, uint64_t cost_ppm);
void hd_budget_end_off(struct hd_budget_off *off, uint64_t now);

/** Under the lock: a class that is off because it was asked for is off in part from now on, or everywhere: its record
 *  says so. `more`: also in regions where it was on. What is spared has been changed before. */
void hd_budget_change_off(const struct hd_thread *thread, struct hd_budget_off *off, bool in_part, bool more,
                          uint64_t now);
void hd_budget_look_over(uint64_t now);

/** What is off, or on in a window, in regions of a profile: as of hd_budget_bits_of; and outside all regions. */
uint32_t hd_budget_off_at(const struct hd_profile_record *place);
uint32_t hd_budget_outside(void);

/** The profile of the innermost region that the thread works for; HD_PROGRAM_PROFILE: none. */
uint32_t hd_budget_place(const struct hd_thread *thread);

/** Where an event of a region costs something, which may have begun or ended with it: HD_PROGRAM_PROFILE if that is an
 *  outermost one. And what regions cost a thread, if many of them are outermost ones; 0: too little for these to go
 * off, or they may not. */
uint32_t hd_budget_place_of_region(const struct hd_thread *thread, enum hd_event_kind kind);
uint64_t hd_budget_cost_of_regions(const struct hd_thread *thread, const struct hd_budget_costs *costs,
                                   uint64_t limit_ticks);

/** Under the lock: the runtime sends the events of these classes again. */
void hd_budget_unmute(uint32_t classes);

/** Under the lock: one of its regions runs again; what it was without one does not count as off. */
void hd_budget_come_back(struct hd_budget_off *off, uint64_t now);

/** Under the lock: the word of a profile that has the bits of the classes that are off there; from HD_OPEN_SHIFT on
 *  those that are on in a window; from HD_WINDOW_SHIFT on the number of the last window, which wraps around. HD_NONE:
 * of all profiles: asked for, or in tests. */
enum { HD_OPEN_SHIFT = 8, HD_WINDOW_SHIFT = 16, HD_OFF_MASK = (1 << HD_WINDOW_SHIFT) - 1 };
uint32_t *hd_budget_bits_of(uint32_t profile);

/** Is a class to be switched on again, or a window to be opened or closed? */
static inline bool hd_budget_is_due(uint64_t now) {
  return __builtin_expect(now >= __atomic_load_n(&hd_budget.wake_ticks, __ATOMIC_RELAXED), false);
}

/** Does that. */
void hd_budget_do_what_is_due(uint64_t now);

/** budget_watch.c. Under the lock: a class has been switched off there, or is about to be switched on. */
void hd_budget_watch_off(uint32_t profile, uint64_t now);
void hd_budget_watch_on(uint32_t profile, uint32_t event_class);

/** Under the lock: opens and closes what is due; returns when that is the next time. */
uint64_t hd_budget_watch_change(uint64_t now);

/** Under the lock: events cost a thread more than the budget though all that can be is off: in windows, perhaps. */
void hd_budget_watch_less(void);

/** A test opens and closes a window for a class that is off everywhere. */
void hd_budget_watch_for_test(uint32_t event_class, bool is_open);

#endif
