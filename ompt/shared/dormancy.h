/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file dormancy.h
 * HEDDLE_DORMANT: the library is there and measures nothing until somebody asks for it (`heddle ctl PID on`,
 * heddle_resume(), omp_control_tool). A dormant measurement is one that is paused from its start: its clock stands at
 * the profile's begin. But no thread has a record, and the runtime sends next to no events
 * (ompt/callbacks.h).
 *
 * When it wakes threads are in the middle of something. Each introduces itself at its first event
 * (ompt/thread/introduction.h); the clock goes on when all have, or when that takes too long.
 *
 * Any thread may call these functions.
 */
#ifndef HEDDLE_OMPT_SHARED_DORMANCY_H
#define HEDDLE_OMPT_SHARED_DORMANCY_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle-format.h"
#include "support/inside.h"

struct hd_dormancy {
  bool is_asleep;      /* nothing is measured yet */
  bool was;            /* the measurement began so: what began before is not known */
  void (*wake)(void);  /* tool.c: events are heard from then on; nothing if another thread is at it */
  uint32_t known;      /* threads of which the runtime has told since, and that live; grows and falls */
  uint32_t introduced; /* threads that have introduced themselves */
  uint64_t patience_ticks;
  uint64_t patience_end; /* hd_clock_raw, when the clock goes on even if some have not */
};
extern HD_INSIDE struct hd_dormancy hd_dormancy;

/** Once, at start, before any thread has a record: begins dormant. The clock stands from now on, at the profile's
 * begin.
 */
void hd_dormancy_begin(struct hd_file_header *header, void (*wake)(void));

static inline bool hd_dormancy_is_asleep(void) {
  return __builtin_expect(__atomic_load_n(&hd_dormancy.is_asleep, __ATOMIC_ACQUIRE), false);
}

/** Did it begin dormant? Then ends may come without begins. */
static inline bool hd_dormancy_was(void) {
  return __builtin_expect(__atomic_load_n(&hd_dormancy.was, __ATOMIC_RELAXED), false);
}

/** The events are heard from here on. */
void hd_dormancy_end(void);

/** A thread begins, or ends, that is in no profile yet. */
void hd_dormancy_count(bool begins);

/** A thread has introduced itself. */
void hd_dormancy_introduced(void);

/** Whether the clock should not go on yet: threads have not introduced themselves, and it is early for that. */
bool hd_dormancy_should_wait(void);

#endif
