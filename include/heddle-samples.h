/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle-samples.h
 * What threads were executing: how often the kernel found a thread at an address, by callpath and state. Part of
 * heddle-format.h.
 *
 * Threads share the records, so their number depends on the code, not on the threads. Blocks of samples are hash tables
 * that any thread adds to: a record that is not used is all zero, and two records may have the same key.
 */
#ifndef HEDDLE_SAMPLES_H
#define HEDDLE_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

/** A thread that sends no event for long runs out of room for samples. Beside them it takes every 32nd in a second
 * ring, and those that come after the first ring is full stand for so many. */
#define HD_SAMPLE_WEIGHT 32u

/** `heddle ctl PID samples`: how many periods of the run's first samples are between two, nearest to what is asked. */
static inline uint32_t hd_sample_weight(uint64_t period_ns, uint64_t asked_ns) {
  return (uint32_t)((asked_ns + period_ns / 2) / period_ns);
}

struct hd_sample_record {
  uint64_t address; /* absolute in that process */
  uint64_t place;   /* HD_SAMPLE_PLACE; 0: the record is not used, or not yet */
  uint64_t count;   /* in units of hd_file_header.sample_period_ns of processor time */
  uint64_t taken;   /* samples that `count` consists of: each counts 1 or HD_SAMPLE_WEIGHT */
};

#define HD_SAMPLE_MODULES_MOST ((1u << 24) - 1)

/** The profile and the state that the thread was in, and the address's module; HD_NONE: it lies in none. Never 0. */
static inline uint64_t hd_sample_place(uint32_t profile, uint32_t state, uint32_t module) {
  const uint64_t number = module < HD_SAMPLE_MODULES_MOST ? module + 1 : 0;
  return (uint64_t)profile << 32 | number << 8 | (state + 1);
}

static inline uint32_t hd_sample_profile(const struct hd_sample_record *record) {
  return (uint32_t)(record->place >> 32);
}

static inline uint32_t hd_sample_state(const struct hd_sample_record *record) {
  return (uint32_t)(record->place & 255u) - 1;
}

/** HD_NONE: none. */
static inline uint32_t hd_sample_module_of(uint64_t place) {
  return (uint32_t)(place >> 8 & HD_SAMPLE_MODULES_MOST) - 1;
}
static inline uint32_t hd_sample_module(const struct hd_sample_record *record) {
  return hd_sample_module_of(record->place);
}

#endif
