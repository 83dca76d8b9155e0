/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file alarms.h
 * One word for all that an event would have to ask for before it can begin, from whoever changes it: as long as the
 * word is what the thread knows it to be, there is nothing to ask.
 *
 * Any thread may call these functions; those that change the word are rare.
 */
#ifndef HEDDLE_SUPPORT_INPROCESS_ALARMS_H
#define HEDDLE_SUPPORT_INPROCESS_ALARMS_H

#include <stdint.h>

#include "support/inside.h"

/** The lower eight bits of the word; the others count. They are never all set. */
enum hd_alarm {
  HD_ALARM_CLOCK = 1,  /* the clock is not the processor's counter */
  HD_ALARM_STANDS = 2, /* the clock is paused */
  HD_ALARM_CLOSED = 4, /* the profile is closed: events are to be ignored */
  HD_ALARM_ASKED = 8,  /* `heddle ctl` asks for something */
  HD_ALARM_BITS = 255,
  HD_ALARM_UNLOAD = 256, /* is added when modules have been unloaded: their addresses may stand for other code; */
  HD_ALARM_TRACE = HD_ALARM_UNLOAD /* or when the trace's condition begins or ends to hold (trace_when.h) */
};
extern HD_INSIDE uint32_t hd_alarms;

static inline uint32_t hd_alarms_now(void) {
  return __atomic_load_n(&hd_alarms, __ATOMIC_ACQUIRE);
}

static inline void hd_alarms_set(enum hd_alarm alarm) {
  __atomic_fetch_or(&hd_alarms, (uint32_t)alarm, __ATOMIC_SEQ_CST);
}

static inline void hd_alarms_clear(enum hd_alarm alarm) {
  __atomic_fetch_and(&hd_alarms, ~(uint32_t)alarm, __ATOMIC_RELEASE);
}

/** Of those that are counted: every thread looks at its next event. */
static inline void hd_alarms_count(enum hd_alarm alarm) {
  __atomic_fetch_add(&hd_alarms, (uint32_t)alarm, __ATOMIC_RELEASE);
}

#endif
