/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file processor.h
 * How long each thread ran, and how long it waited for a processor, as the kernel counts it: /proc/.../schedstat. It
 * is read where a thread ends, and at the profile's end for those that have not; never at any other event.
 */
#ifndef HEDDLE_OMPT_SHARED_PROCESSOR_H
#define HEDDLE_OMPT_SHARED_PROCESSOR_H

#include <stdbool.h>

#include "heddle-format.h"

/** Before threads begin. `is_real`: threads are the kernel's, and not a test's. */
void hd_processor_init(bool is_real);

/** The calling thread's record begins, or goes on. A system call; none where the program may forbid it. */
void hd_processor_begin(struct hd_thread_record *record);

/** The calling thread ends: some 20 microseconds. errno may change, here and below. */
void hd_processor_end(struct hd_thread_record *record);

/** The profile ends: for all threads that have not. `self`: the calling thread's record, or NULL. */
void hd_processor_close(const struct hd_thread_record *self);

#endif
