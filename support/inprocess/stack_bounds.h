/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file stack_bounds.h
 * The bounds of a stack, from /proc/self/maps: pthread_getattr_np uses malloc, and may not be called where a signal
 * handler may have interrupted that.
 */
#ifndef HEDDLE_SUPPORT_INPROCESS_STACK_BOUNDS_H
#define HEDDLE_SUPPORT_INPROCESS_STACK_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

/** The mapping that `inside` lies in, with the gap below into which it may grow. False: not known, or the program is in
 * a sandbox. Costs some system calls; errno may change. */
bool hd_own_stack(uintptr_t inside, uintptr_t *begin, uintptr_t *end);

#endif
