/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file wrappers.h
 * Through libheddle-entry.so to the program's code. The runtime takes a construct's place from the return address of
 * its entry point: if the call came through a wrapper, that is in the wrapper.
 */
#ifndef HEDDLE_CALLPATH_CODE_WRAPPERS_H
#define HEDDLE_CALLPATH_CODE_WRAPPERS_H

#include "callpath/code/code_kind.h"
#include "entry/entries.h"

/** Once, at start: these are the wrappers. NULL: there are none. Any thread may ask from then on. */
void hd_wrappers_find(const struct heddle_entries *entries);

/** The return address of the outermost wrapper that the calling thread is in since it left the program's code. */
const void *hd_wrappers_caller(const void *address);

/** The loop that the calling thread's innermost wrapper makes ready; NULL: none, or there are no wrappers. */
const struct heddle_iterations *hd_wrappers_loop(void);

/** Whether it has schedule(runtime). */
bool hd_wrappers_loop_is_by_runtime(void);

/** An address that the runtime tells; if it lies in a wrapper, the wrapper's own return address. */
static inline const void *hd_wrappers_see_through(const void *address) {
  return __builtin_expect(hd_code_in(&hd_code_entries, address), 0) ? hd_wrappers_caller(address) : address;
}

#endif
