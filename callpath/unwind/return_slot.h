/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file return_slot.h
 * Where on the stack a running function's return address stands. It tells whether that call is still going on: the
 * address stands there until something else is called from a place further out.
 */
#ifndef HEDDLE_CALLPATH_UNWIND_RETURN_SLOT_H
#define HEDDLE_CALLPATH_UNWIND_RETURN_SLOT_H

/** `frame`: __builtin_frame_address(0) of the calling function, which was called by a function that returns to
 *  `call_site`. NULL: not known (no unwinder, not x86-64). Unwinds (about 2 us). */
const void *const *hd_return_slot_of_caller(const void *frame, const void *call_site);

#endif
