/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file unresolved.h
 * Unresolved time: what a thread did then is not known, because events were refused (budget.h) or not even sent. It
 * begins with the first begin that was refused, and ends with the thread's next change of state: what is refused does
 * not tell when it is over. Inside a refused wait or entry
 * point it begins again whenever something ends that was observed in there.
 *
 * It is part of the busy time, and of the wait for a region's end where tasks were refused; a cell of the row that the
 * time is charged to says how much of it (HD_CELL_UNRESOLVED). Where whole regions are refused (construct/
 * refused_region.h) it is also part of the idle time of their workers (HD_CELL_UNRESOLVED_REGIONS).
 *
 * Only the thread itself calls these functions. Nothing here costs anything while no event is refused.
 */
#ifndef HEDDLE_OMPT_THREAD_UNRESOLVED_H
#define HEDDLE_OMPT_THREAD_UNRESOLVED_H

#include "ompt/thread/thread.h"

/** A begin was refused at `now`, and the row is marked. */
void hd_unresolved_begin(struct hd_thread *thread, uint64_t now);

/** A begin was refused: marks the row, too (hd_budget_mark). `now`: 0 if the event has not looked at the clock; the
 *  first since the last change of state does. */
void hd_unresolved_refuse(struct hd_thread *thread, uint32_t event_class, uint64_t now);

/** The thread is in an instance of a region that is refused, in or outside of its own row. */
void hd_unresolved_begin_regions(struct hd_thread *thread, uint64_t now);

/** That was a wait's, of this thread (NULL: of none that is known), or a task that is not observed has begun in one;
 * and the end of a wait. */
void hd_unresolved_begin_wait(struct hd_thread *thread);
void hd_unresolved_end_wait(void);

/** The same of an entry point of the runtime, of a loop or to create a task. */
void hd_unresolved_begin_entry(struct hd_thread *thread, bool of_loop);
void hd_unresolved_end_entry(struct hd_thread *thread, bool of_loop);

/** A task has begun that is not observed. */
void hd_unresolved_begin_task(struct hd_thread *thread, uint64_t now);

/** Whether the thread waits for its region's end, and all of that is known so far. */
bool hd_unresolved_is_known_wait(const struct hd_thread *thread);

/** A thread begins to work where classes of events are not even sent. */
void hd_unresolved_begin_unheard(struct hd_thread *thread, uint64_t now);

/** The thread is in `state` since `now`, perhaps again within what was refused. */
void hd_unresolved_go_on(struct hd_thread *thread, uint64_t now, uint32_t state);

/** Just before the thread goes to `state` at `now`; its frames are what they are then. */
void hd_unresolved_switch(struct hd_thread *thread, uint64_t now, uint32_t state);

#endif
