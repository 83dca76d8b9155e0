/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file perf_permission.h
 * Why the kernel lets this process count nothing, or less than it asked for, or has nothing to count with.
 */
#ifndef HEDDLE_COUNTERS_PERF_PERMISSION_H
#define HEDDLE_COUNTERS_PERF_PERMISSION_H

#include <stdbool.h>
#include <stddef.h>

/** How much perf_event_open(2) may count at these settings of /proc/sys/kernel/perf_event_paranoid, at most. */
enum { HD_PARANOID_KERNEL_TOO = 1, HD_PARANOID_USER_CODE = 2 };

/** Content of /proc/sys/kernel/perf_event_paranoid; INT_MIN: it cannot be read. */
int hd_permission_paranoid(void);

/** Why perf_event_open(2) refused something that needs a setting of `most` or less: one line, without a newline. */
void hd_permission_explain(int most, char *why, size_t why_bytes);

/** Whether the kernel has no counter of the processor to count with, as in most virtual machines: perf_event_open(2)
 *  knows none of the hardware events. False where it is not known, for it is forbidden. */
bool hd_permission_lacks_hardware(void);

#endif
