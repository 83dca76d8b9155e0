/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file chains.h
 * The process's chains of calling routines, each kept once.
 */
#ifndef HEDDLE_CALLPATH_CHAINS_H
#define HEDDLE_CALLPATH_CHAINS_H

#include "callpath/unwind.h"

/** The chain of `count` routines, given innermost first (as an unwinder finds them). When the memory's
 *  limit is near, or 65536 chains exist, a new one is the innermost routine alone, as if the others had been cut; NULL:
 *  no memory for that. Any thread; takes a lock, may allocate. */
const struct hd_chain *hd_chains_intern(const void *const *innermost_first, uint32_t count, bool cut);

#endif
