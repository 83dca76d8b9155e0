/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file steering.h
 * What `heddle ctl` asks for (heddle-control.h): found where threads look at the budget, and at regions' begins; done
 * at the begin of the next event of any thread, as if the program had asked for it just before.
 *
 * Any thread may call these functions.
 */
#ifndef HEDDLE_OMPT_THREAD_STEERING_H
#define HEDDLE_OMPT_THREAD_STEERING_H

#include <stdbool.h>
#include <stdint.h>

#include "support/inprocess/alarms.h"
#include "support/inside.h"

struct hd_thread;

struct hd_steering {
  const uint64_t *asked; /* in the profile's control block */
  uint64_t seen;         /* the last request that was acted on */
};
extern HD_INSIDE struct hd_steering hd_steering;

/** Once, at start, when there is a profile. `classes`: bits of the only ones that are measured from the first event on;
 *  0: all. */
void hd_steering_init(uint32_t classes);

/** Has something been asked for? */
static inline bool hd_steering_is_asked(void) {
  return __builtin_expect(__atomic_load_n(hd_steering.asked, __ATOMIC_RELAXED) !=
                              __atomic_load_n(&hd_steering.seen, __ATOMIC_RELAXED),
                          false);
}

/** If so the next event does it. Four instructions, once in some events. */
static inline void hd_steering_look(void) {
  if (hd_steering_is_asked())
    hd_alarms_set(HD_ALARM_ASKED);
}

/** While the measurement is dormant: begins it if somebody has asked for that. False: it is still dormant. */
bool hd_steering_wake_if_asked(void);

/** Does it, between two events of this thread; nothing if another thread is at it. */
__attribute__((cold)) void hd_steering_act(const struct hd_thread *thread);

#endif
