/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file perf_permission.h
 * Why the kernel lets this process count nothing, or less than it asked for.
 */
#ifndef HEDDLE_COUNTERS_PERF_PERMISSION_H
#define HEDDLE_COUNTERS_PERF_PERMISSION_H

#include <stddef.h>

/** How much perf_event_open(2) may count at these settings of /proc/sys/kernel/perf_event_paranoid, at most. */
enum { HD_PARANOID_KERNEL_TOO = 1, HD_PARANOID_USER_CODE = 2 };

/** Content of /proc/sys/kernel/perf_event_paranoid; INT_MIN: it cannot be read. */
int hd_permission_paranoid(void);

/** Why perf_event_open(2) refused something that needs a setting of `most` or less: one line, without a newline. */
void hd_permission_explain(int most, char *why, size_t why_bytes);

#endif
