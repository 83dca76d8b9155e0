/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file budget.h
 * The overhead budget: what Heddle's events may cost a thread, as a share of its time (HEDDLE_OVERHEAD, 2 % unless said
 * otherwise). When a thread has paid more than that share of half a second in its last half second, however young it
 * is, Heddle switches off the finest class of events that contributes to it, and switches it on again after a time that
 * brings its cost back under the budget.
 *
 * Off means that the class's *begins* are refused: a callback finds a bit set and returns. An *end* is still heard when
 * the thread has what it ends open, so whatever was observed when it began is observed whole, and nothing of what
 * began while its class was off is, however long it lasts. So rows and states are as if the program had not said that
 * it entered what was refused: its time is that of what surrounds it, and all identities hold.
 *   entry     begin and end of one entry point are told by the same wrapper, which keeps whether the begin was observed
 *   mutex     critical, ordered and atomic are known by the lock's address (hd_frame.task), so a refused one inside an
 *             observed one does not end it
 *   task      an explicit task is known by its data; one that was created, or not yet begun, when its class was off is
 *             never observed (`epoch`), nor is such a part of an untied one; it is marked when it begins, so that
 *             nobody takes it up in the middle. A wait in which one begins counts as busy from then on, unless it is
 *             at a region's end. What it leaves open ends with it
 *   call      each frame of a routine counts the entries refused above it, and takes as many exits for theirs
 *   work      the closing barrier of a refused loop belongs to the region. Each frame of a masked block counts the
 *             blocks refused in it
 *   sync      the wait is not told from the work around it. A region's last barrier is observed with its region
 *   region    an instance of an outermost region, with all that is in it on every thread, however long it lasts: what
 *             members are told of it says so. Only its number is counted (construct/refused_region.h). It goes off
 *             outside all regions, where regions alone cost several times the budget; what was off in regions is on
 *             again then, because they are seen in windows only
 *
 * A class is off in the regions of one profile, where it was dear (or outside all regions; or everywhere, if `heddle
 * ctl` asked for that), and only while a thread works for one of them, the innermost one counts: elsewhere it may be
 * cheap. The profile's record says which classes are off there. What is off everywhere may be off in part: not in
 * regions of profiles that spare the class, which those do that were asked for, and all below them (callpath.h).
 * `hd_budget.off` says which are off anywhere, so nothing is looked up as long as nothing is off.
 *
 * When no thread can be sending them, at an outermost region's begin while the program has one initial thread, the
 * runtime is told to send the events of a class that is off there no more, and to send them again at its end:
 * ompt_set_callback with NULL is not safe at any other time, because libomp looks at a bit and at a pointer one after
 * the other and without a lock. Setting the pointer before the bit, as it does, is safe where stores are seen in their
 * order: elsewhere events are refused only.
 *
 * Where begins were refused the thread's row says so (hd_row_record.refused): only there, and above, may numbers lack
 * something or hold what they should not. Where they were not even sent, the region's profile does.
 *
 * Any thread may call these functions. The bits are read by all in every callback and written a few times a second at
 * most.
 */
#ifndef HEDDLE_OMPT_THREAD_BUDGET_H
#define HEDDLE_OMPT_THREAD_BUDGET_H

#include <omp-tools.h>
#include <stdbool.h>
#include <stdint.h>

#include "heddle-format.h"
#include "ompt/thread/budget_window.h"
#include "support/inside.h"

struct hd_thread;
struct hd_row_record;

struct hd_budget {
  uint32_t off;        /* bit: the class is off in some region */
  uint32_t everywhere; /* it is off wherever a thread is: asked for, or in tests */
  uint32_t touched;    /* it has been off, at some time */
  uint32_t muted;      /* the runtime does not even send its events */
  uint32_t turn;       /* goes on after each change of what is off where */
  uint32_t limit_ppm;  /* 0: no limit, nothing is ever switched off */
  uint64_t wake_ticks; /* when the next class is to be switched on again; UINT64_MAX: none */
};
extern HD_INSIDE struct hd_budget hd_budget;

/** Tells the runtime to send the events of these classes no more, or again. */
typedef void hd_budget_mute(uint32_t classes, bool mute);

/** Once, at start, when the clock runs. */
void hd_budget_init(uint64_t limit_ppm, hd_budget_mute *mute);

/** `heddle ctl` asks for it, at `now`: a class goes off wherever a thread is, but for windows (`cost_ppm`: what it
 * costs a thread, by which they are so rare as if it went off because of that; 0: not known); or is on again
 * everywhere; or the classes of a mask are on again, and all others go off; or there is another budget (0: none, and
 * what went off because of it is on again). False: somebody else is at it; to be asked again. */
bool hd_budget_ask_off(const struct hd_thread *thread, enum hd_event_class event_class, uint64_t cost_ppm,
                       uint64_t now);
bool hd_budget_ask_on(enum hd_event_class event_class, uint64_t now);
bool hd_budget_ask_only(const struct hd_thread *thread, uint32_t classes, uint64_t now);
bool hd_budget_ask_limit(uint64_t limit_ppm, uint64_t now);

/** Likewise: a class goes off, or on again, in regions of a profile and of those below it only. Off there and on
 *  elsewhere it is off in part; what is off, or on, everywhere stays so. */
bool hd_budget_ask_under(const struct hd_thread *thread, enum hd_event_class event_class, uint32_t profile, bool off,
                         uint64_t now);

/** A test's runtime switches classes itself, at once; with HD_CLASS_COUNT added it closes (off) and opens windows for
 * one that is off. */
void hd_budget_switch_for_test(uint32_t event_class, bool off);

/** At the profile's end: nothing is switched any more. */
void hd_budget_close(void);

/** A thread begins at `now`: what its record's earlier threads have paid is not its concern. */
void hd_budget_begin(struct hd_thread *thread, uint64_t now);

/** At the end of an event of `kind` that was measured, at `now`. `special_ticks`: its cost if it did something out of
 *  the ordinary, else 0. About 2 ns, twenty times a second one microsecond. */
void hd_budget_check(struct hd_thread *thread, enum hd_event_kind kind, uint64_t special_ticks, uint64_t now);

/** A thread has just begun a region, or is about to end one, at `now`: nothing to do as long as nothing is off. */
void hd_budget_begin_region(const struct hd_thread *thread, uint64_t now);
void hd_budget_end_region(const struct hd_thread *thread, uint64_t now);

/** Whether any of these classes is off where the thread is, or on in a window only. */
bool hd_budget_is_restricted(struct hd_thread *thread, uint32_t classes);

/** Whether outermost regions are off, or on in a window only. */
bool hd_budget_watches_regions(void);

/** Whether regions may be off where the thread is: not while it counts events, or the critical path or locks are
 * followed. */
bool hd_budget_may_refuse_regions(const struct hd_thread *thread);

/** The classes whose events the runtime does not even send, off where the thread is. */
uint32_t hd_budget_unheard_here(struct hd_thread *thread);

/** What an event of the class (or HD_REFUSED_SECTION) began was not observed: the row in whose time it is, or whose
 *  numbers lack it, says so. */
static inline void hd_budget_mark(struct hd_row_record *row, uint32_t event_class) {
  if (!(row->refused >> event_class & 1))
    row->refused = (row->refused | 1u << event_class) & ((1u << (HD_REFUSED_SECTION + 1)) - 1);
}

/** What events may cost a thread; 0: there is no limit. */
static inline uint32_t hd_budget_limit_ppm(void) {
  return __atomic_load_n(&hd_budget.limit_ppm, __ATOMIC_RELAXED);
}

/** Is any class off, in any region? */
static inline bool hd_budget_is_any_off(void) {
  return __builtin_expect(__atomic_load_n(&hd_budget.off, __ATOMIC_RELAXED) != 0, false);
}

/** Has it been off? Then ends may come without begins. */
static inline bool hd_budget_touched(enum hd_event_class event_class) {
  return __builtin_expect((__atomic_load_n(&hd_budget.touched, __ATOMIC_RELAXED) >> event_class & 1) != 0, false);
}

/** Has any? */
static inline bool hd_budget_has_switched(void) {
  return __builtin_expect(__atomic_load_n(&hd_budget.touched, __ATOMIC_RELAXED) != 0, false);
}

/** The measurement begins in the midst of what the program does: ends may come without begins, of whatever class. */
void hd_budget_expect_ends(void);

/** The measurement of one more routine begins, perhaps while it runs: exits may come without entries. */
void hd_budget_expect_exits(void);

/** How often tasks have been switched off: a task is observed only in the time in which it was created. */
uint32_t hd_budget_task_epoch(void);
/** When they last were; 0: never. */
uint64_t hd_budget_tasks_off_ticks(void);

#endif
