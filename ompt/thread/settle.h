/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file settle.h
 * What a thread's next event decides of its last one (enum hd_pending).
 */
#ifndef HEDDLE_OMPT_THREAD_SETTLE_H
#define HEDDLE_OMPT_THREAD_SETTLE_H

#include "ompt/thread/thread.h"

/** Resolves what is pending, before an event is handled. */
void hd_thread_settle(struct hd_thread *thread);

/** A worker is heard of again, at whatever time: its wait at the region's end is settled, if the join is known. */
void hd_thread_join(struct hd_thread *worker);

#endif
