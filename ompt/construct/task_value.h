/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file task_value.h
 * What Heddle knows of an explicit task, in the 64 bits that the runtime keeps for it: task_data->value. No memory is
 * allocated for a task, and nothing has to be given back when it ends.
 *
 * From the lowest bit: enum hd_task_flag. What follows depends on them:
 *
 *     HD_TASK_KNOWN              the profile's number; who created the task, and once it has begun the index of the
 * base frame that it had when it ran last; how often tasks had been switched off when it was created (epoch: budget.h)
 *     and HD_TASK_TIMED          the number of its construct and creator (known_tasks.h); when it was created; a few
 *                                bits of the epoch
 *     ... and HD_TASK_STARTED    the number; which part of it began last, and the index of its base frame; the epoch
 *     ... and HD_TASK_AWAY       the number; how long its parts took; the epoch
 *     HD_TASK_PLACED             the thread's number, in the place of a profile's; the index of a frame
 *
 * Another thread may begin to run the rest of an untied task before this one has quite ended its part.
 */
#ifndef HEDDLE_OMPT_CONSTRUCT_TASK_VALUE_H
#define HEDDLE_OMPT_CONSTRUCT_TASK_VALUE_H

#include <omp-tools.h>
#include <stdbool.h>
#include <stdint.h>

#include "heddle-log.h"
#include "ompt/construct/known_tasks.h"
#include "ompt/construct/lengths.h"

enum hd_task_flag {
  HD_TASK_KNOWN = 1,
  HD_TASK_STARTED = 2, /* it has begun */
  HD_TASK_FOLDED = 4,  /* there was no space for its callpath, it is not counted */
  HD_TASK_UNSEEN = 8,  /* it runs, or has run, unobserved */
  /* It runs so, and lies on the stack of a thread though no frame says so: on top of what was the innermost frame when
   * it began. */
  HD_TASK_PLACED = HD_TASK_UNSEEN | HD_TASK_STARTED,
  HD_TASK_TIMED = 16, /* its times are kept (heddle-tasks.h) */
  HD_TASK_AWAY = 32   /* it has left the stack where it began, to go on later */
};

/** Where in the value, and how many bits. Those of one line exclude each other. */
enum {
  HD_TASK_PROFILE = 6,
  HD_TASK_PROFILE_BITS = 26,
  HD_TASK_NUMBER = 6,
  HD_TASK_NUMBER_BITS = HD_KNOWN_TASK_BITS,
  HD_TASK_CREATED = 20,
  HD_TASK_CREATED_BITS = 40, /* in units of lengths.h */
  HD_TASK_PART = 20,
  HD_TASK_PART_BITS = 12,
  HD_TASK_SPENT = 20,
  HD_TASK_SPENT_BITS = 33,
  HD_TASK_BASE = 32,
  HD_TASK_BASE_BITS = 21, /* or the creator */
  HD_TASK_EPOCH = 53,
  HD_TASK_EPOCH_BITS = 11,
  HD_TASK_FEW = 60,
  HD_TASK_FEW_BITS = 4 /* of the epoch */
};
_Static_assert(HD_WHAT_UNCOUNTED == 1u << HD_TASK_PROFILE_BITS, "a transition has as many bits for a profile");
_Static_assert((int)HD_ROW_THREADS_MOST <= 1 << HD_TASK_BASE_BITS,
               "a thread's number fits where a frame's index is later");

static inline uint64_t hd_task_bits(uint64_t number, int at, int count) {
  return (number & ((UINT64_C(1) << count) - 1)) << at;
}

static inline uint64_t hd_task_part(uint64_t value, int at, int count) {
  return value >> at & ((UINT64_C(1) << count) - 1);
}

static inline uint64_t hd_task_value(const ompt_data_t *task) {
  return __atomic_load_n(&task->value, __ATOMIC_RELAXED);
}

static inline void hd_task_set_value(ompt_data_t *task, uint64_t value) {
  __atomic_store_n(&task->value, value, __ATOMIC_RELAXED);
}

/** Whether the number of its construct is all that tells its callpath. */
static inline bool hd_task_is_timed(uint64_t value) {
  return (value & (HD_TASK_KNOWN | HD_TASK_TIMED)) == (HD_TASK_KNOWN | HD_TASK_TIMED);
}

/** One that has just been created, by nobody known to be late or early: its times are not kept. */
static inline uint64_t hd_task_untimed(uint32_t epoch, uint32_t creator, uint32_t profile, bool is_folded) {
  return hd_task_bits(epoch, HD_TASK_EPOCH, HD_TASK_EPOCH_BITS) |
         hd_task_bits(creator, HD_TASK_BASE, HD_TASK_BASE_BITS) |
         hd_task_bits(profile, HD_TASK_PROFILE, HD_TASK_PROFILE_BITS) | HD_TASK_KNOWN |
         (is_folded ? (uint64_t)HD_TASK_FOLDED : 0);
}

/** Likewise; they are. */
static inline uint64_t hd_task_created(uint32_t epoch, uint32_t number, uint64_t now) {
  return hd_task_bits(epoch, HD_TASK_FEW, HD_TASK_FEW_BITS) |
         hd_task_bits(now >> hd_lengths_scale.unit_shift, HD_TASK_CREATED, HD_TASK_CREATED_BITS) |
         hd_task_bits(number, HD_TASK_NUMBER, HD_TASK_NUMBER_BITS) | HD_TASK_KNOWN | HD_TASK_TIMED;
}

/** Since a timed task that has not begun yet was created, in ticks. Another processor's clock may be a little ahead. */
static inline uint64_t hd_task_delay(uint64_t value, uint64_t now) {
  const uint64_t created = hd_task_part(value, HD_TASK_CREATED, HD_TASK_CREATED_BITS);
  const uint64_t units = hd_task_part((now >> hd_lengths_scale.unit_shift) - created, 0, HD_TASK_CREATED_BITS);
  const bool is_ahead = units >> (HD_TASK_CREATED_BITS - 10) == (1u << 10) - 1;
  return is_ahead ? 0 : units << hd_lengths_scale.unit_shift;
}

/** Whether a timed task that has not begun yet was surely created before `then`. */
static inline bool hd_task_was_created_before(uint64_t value, uint64_t then, uint64_t now) {
  return now - hd_task_delay(value, now) + (UINT64_C(1) << hd_lengths_scale.unit_shift) <= then;
}

/** Whether tasks, last switched off at `off_ticks`, have not been since it was created. A few bits of the epoch come
 * again, but one that has them alone has the time of its creation, too. */
static inline bool hd_task_is_of_epoch(uint64_t value, uint32_t epoch, uint64_t off_ticks, uint64_t now) {
  const bool has_few = hd_task_is_timed(value) && !(value & HD_TASK_STARTED);
  const uint64_t differs = has_few ? hd_task_part(value, HD_TASK_FEW, HD_TASK_FEW_BITS) ^ epoch
                                   : hd_task_part(value, HD_TASK_EPOCH, HD_TASK_EPOCH_BITS) ^ epoch;
  return (differs & ((1u << (has_few ? HD_TASK_FEW_BITS : HD_TASK_EPOCH_BITS)) - 1)) == 0 &&
         !(has_few && hd_task_was_created_before(value, off_ticks, now));
}

/** An index too large for its bits is none. */
static inline uint64_t hd_task_with_base(uint64_t value, uint32_t index) {
  const uint64_t known = index < 1u << HD_TASK_BASE_BITS ? index : 0;
  return (value & ~hd_task_bits(UINT64_MAX, HD_TASK_BASE, HD_TASK_BASE_BITS)) | known << HD_TASK_BASE;
}

/** A timed task's part number `part` begins on the base frame with this index. */
static inline uint64_t hd_task_begun(uint64_t value, uint32_t epoch, uint32_t part, uint32_t index) {
  const uint64_t kept =
      value & (hd_task_bits(UINT64_MAX, HD_TASK_NUMBER, HD_TASK_NUMBER_BITS) | HD_TASK_KNOWN | HD_TASK_TIMED);
  return hd_task_with_base(kept | hd_task_bits(epoch, HD_TASK_EPOCH, HD_TASK_EPOCH_BITS) |
                               hd_task_bits(part, HD_TASK_PART, HD_TASK_PART_BITS) | HD_TASK_STARTED,
                           index);
}

/** What its parts took so far, one part in 2^27 exactly, and back. */
enum { HD_TASK_SPENT_DIGITS = 27 };
static inline uint64_t hd_task_away(uint64_t value, uint64_t ticks) {
  const int length = 64 - __builtin_clzll(ticks | 1);
  const int shift = length > HD_TASK_SPENT_DIGITS ? length - HD_TASK_SPENT_DIGITS : 0;
  const uint64_t kept = value & ~hd_task_bits(UINT64_MAX, HD_TASK_SPENT, HD_TASK_SPENT_BITS);
  return kept | HD_TASK_AWAY |
         hd_task_bits((uint64_t)shift << HD_TASK_SPENT_DIGITS | ticks >> shift, HD_TASK_SPENT, HD_TASK_SPENT_BITS);
}

static inline uint64_t hd_task_spent(uint64_t value) {
  const uint64_t spent = hd_task_part(value, HD_TASK_SPENT, HD_TASK_SPENT_BITS);
  return (spent & ((1u << HD_TASK_SPENT_DIGITS) - 1)) << (spent >> HD_TASK_SPENT_DIGITS);
}

#endif
