/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file call_site.h
 * Puts right the return addresses that libomp has mixed up.
 *
 * libomp keeps one return address per thread between an entry point and the event. Whoever leaves a critical section
 * uses thread 0's (its __kmpc_end_critical stores and clears it): thread 0's next event may then come with another
 * thread's address, with none, or with one inside libomp. The stack tells which it should have been.
 */
#ifndef HEDDLE_CALLPATH_CALL_SITE_H
#define HEDDLE_CALLPATH_CALL_SITE_H

#include <stdbool.h>

/** Once, at start, with any function of the runtime. Loads what unwinding needs. */
void hd_call_site_init(const void *runtime_function);

/** The return address in the user's code from which the runtime was entered, when that is certain and differs from
 *  `address`; else `address`. `from_runtime`: the runtime itself does this too (a taskloop makes its tasks), so an
 * address inside it is no sign of a mix-up. Unwinds (about 2 us): for a callpath step's first time only. Any thread. */
const void *hd_call_site_check(const void *address, bool from_runtime);

/** Whether a return address lies in the OpenMP runtime. False when it is not known where that lies. */
bool hd_call_site_in_runtime(const void *address);

#endif
