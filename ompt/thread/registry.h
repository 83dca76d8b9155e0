/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file registry.h
 * The records of all threads. Those that begin or end at the same time do not wait for one another.
 */
#ifndef HEDDLE_OMPT_THREAD_REGISTRY_H
#define HEDDLE_OMPT_THREAD_REGISTRY_H

#include "ompt/thread/thread.h"

/** A record of its own for a new thread, and one for what its events cost. False: the store is full. */
bool hd_registry_add(struct hd_thread *thread, enum hd_thread_kind kind);

/** A thread has ended: one of its kind may take its record over. Its `record` is then what it was at its end. */
void hd_registry_give(struct hd_thread *thread);

/** Takes over the record of one that has ended; NULL: there is none just now. */
struct hd_thread *hd_registry_take(enum hd_thread_kind kind);

/** Before a thread of this kind gets a record: hd_registry_while_alone must know of it. */
void hd_registry_count_own(enum hd_thread_kind kind);

/** Does something that must not happen while a thread that sends events of its own accord, other than the caller, may
 *  begin: only if there has never been one. False: not done. `act` NULL: asks only. */
bool hd_registry_while_alone(const struct hd_thread *thread, void (*act)(void *data), void *data);

#endif
