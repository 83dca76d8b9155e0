/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file thread_counters.h
 * Events counted for callpaths: at every change between profiles that are told apart (enum hd_counters_at), and between
 * working and waiting, the thread reads its counters and adds what they have gained to where it was.
 *
 * An event reads at most once, before anything else that takes long. What Heddle itself does that is out of the
 * ordinary (new rows, a sweep) is left out by a second reading at the event's end; what a reading adds to the counts is
 * found out at start and taken out.
 *
 * With turns (event_sets.h) a thread counts the events of one slot at a time. Turns change at readings, and the ticks
 * of each slot are kept, so that the part of the time that was counted is known and not guessed.
 *
 * Only the thread itself calls these functions, with its own record. Cost: one branch without counters; the source's
 * reading with them (docs/overhead.md).
 */
#ifndef HEDDLE_OMPT_COUNTING_THREAD_COUNTERS_H
#define HEDDLE_OMPT_COUNTING_THREAD_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle-format.h"
#include "support/settings.h"

struct hd_thread;

/** One thread's event sets and where their counts go. */
struct hd_thread_counters;

/** At start: resolves the events that are asked for, and says so in the profile. If they cannot be counted, stderr and
 *  a note in the profile say why, and nothing is counted. */
void hd_counters_init(const struct hd_settings *settings);

/** Bit e of every event that is counted. */
uint64_t hd_counters_events(void);

/** A new thread, which is in `state` of `row`, begins to count. What it cannot count, its record says. */
void hd_counters_start(struct hd_thread *thread, const struct hd_row_record *row, uint32_t state);

/** The thread goes to `state` of `row`: hd_thread_switch. */
void hd_counters_move(struct hd_thread *thread, const struct hd_row_record *row, uint32_t state);

/** The last such move did not happen, or it is the first: what is counted from the last reading on belongs there. */
void hd_counters_point_at(struct hd_thread *thread, const struct hd_row_record *row, uint32_t state);

/** Reads now what this event would read anyway. */
void hd_counters_read(struct hd_thread *thread);

/** What comes until the event's end is Heddle's own and not the program's. */
void hd_counters_leave_program(struct hd_thread *thread);

/** The event ends. */
void hd_counters_return(struct hd_thread *thread);

/** Just before and just after the clock is paused or resumed, on the thread that does so: outside any event, with
 * nothing pending. */
void hd_counters_before_pause(struct hd_thread *thread);
void hd_counters_after_pause(struct hd_thread *thread);

/** The thread ends: its last move has been made. */
void hd_counters_end(struct hd_thread *thread);

/** The profile ends: the calling thread (NULL: it is not measured) counts up to here. */
void hd_counters_close(struct hd_thread *self);

/** No event comes after this: the other threads count up to here, too, where a source can be read by another thread.
 *  Where it cannot, or a thread is in the middle of an event, what it has counted since its last reading is missing,
 * and the profile says so. */
void hd_counters_close_others(const struct hd_thread *self);

#endif
