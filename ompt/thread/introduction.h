/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file introduction.h
 * A measurement that was dormant (shared/dormancy.h) has begun while threads were in the middle of something. At its
 * first event each of them asks the runtime what it is in: regions whose begin was not heard are frames of one profile,
 * HD_KIND_BEFORE, whose constructs are below it.
 *
 * If the clock goes already, the event shows in what state the thread was until then, unless it may have been busy:
 * then it is too late to count it among the busy threads of that time, so its life begins here, and the profile's
 * header says for how long it had not been heard of.
 *
 * Only the thread itself calls these functions.
 */
#ifndef HEDDLE_OMPT_THREAD_INTRODUCTION_H
#define HEDDLE_OMPT_THREAD_INTRODUCTION_H

#include "ompt/thread/thread.h"

/** The first event of a new record, of this kind, has begun and has not done anything. */
__attribute__((cold)) void hd_thread_introduce(struct hd_thread *thread, enum hd_event_kind kind);

/** The thread's row of what began before the measurement; without room for it the program's. */
struct hd_row_record *hd_thread_row_before(struct hd_thread *thread);

#endif
