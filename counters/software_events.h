/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file software_events.h
 * The kernel's software events, for the sources that count them (kernel.c, usage.c).
 */
#ifndef HEDDLE_COUNTERS_SOFTWARE_EVENTS_H
#define HEDDLE_COUNTERS_SOFTWARE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

struct hd_software {
  const char *name; /* after perf:: */
  const char *alias;
  const char *constant; /* after PERF_COUNT_SW_ */
  uint32_t config;      /* PERF_COUNT_SW_... */
  bool in_user;         /* user code can be the cause: it is counted even without permission for the kernel */
  const char *unit;
  const char *description;
  const char *in_usage; /* what usage.c counts in addition, in words; NULL: usage.c does not have the event */
};

enum { HD_SOFTWARE_COUNT = 10 };
extern const struct hd_software hd_software[HD_SOFTWARE_COUNT];

/** Finds an event by name, in upper or lower case: perf::PAGE-FAULTS and perf::PERF_COUNT_SW_PAGE_FAULTS are libpfm's
 *  names, page-faults is perf's. NULL: no such event. */
const struct hd_software *hd_software_of_name(const char *name);

#endif
