/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file call_chains.h
 * The process's chains of calling routines, each kept once.
 */
#ifndef HEDDLE_CALLPATH_STACK_CALL_CHAINS_H
#define HEDDLE_CALLPATH_STACK_CALL_CHAINS_H

#include "callpath/stack/stack_cache.h"

/** Chains that a thread has found lately. All zero at first. */
struct hd_chain_memo {
  const struct hd_chain *chains[128];
};

/** hd_chains_intern by way of a memo: no lock where that has it. */
const struct hd_chain *hd_chains_recall(struct hd_chain_memo *memo, const void *const *innermost_first, uint32_t count,
                                        bool cut);

/** The chain of `count` routines, given innermost first (as an unwinder finds them). When the memory's
 *  limit is near, or 65536 chains exist, a new one is the innermost routine alone, as if the others had been cut; NULL:
 *  no memory for that. Any thread; takes a lock, may allocate. */
const struct hd_chain *hd_chains_intern(const void *const *innermost_first, uint32_t count, bool cut);

#endif
