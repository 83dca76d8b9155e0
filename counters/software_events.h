/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file software_events.h
 * The names of the kernel's software events, whoever counts them (kernel.c, usage.c).
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
  bool
      in_user; /* not only the kernel can be the cause: without permission for the kernel, user code is still counted */
  const char *unit;
  const char *description;
};

enum { HD_SOFTWARE_COUNT = 10 };
extern const struct hd_software hd_software[HD_SOFTWARE_COUNT];

/** By name, without regard to case: perf::PAGE-FAULTS and perf::PERF_COUNT_SW_PAGE_FAULTS are libpfm's, page-faults is
 *  perf's own. NULL: no such event. */
const struct hd_software *hd_software_of_name(const char *name);

/** NULL: no such event. */
const struct hd_software *hd_software_of_config(uint64_t config);

#endif
