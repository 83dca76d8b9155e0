/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file region_pool.h
 * A thread's own regions, each with a block of the store for its instance: made when there are too few, never freed.
 * Only the thread itself calls these functions. In the steady state nothing is allocated.
 */
#ifndef HEDDLE_OMPT_CONSTRUCT_REGION_POOL_H
#define HEDDLE_OMPT_CONSTRUCT_REGION_POOL_H

#include "ompt/thread/thread.h"

/** A region for `requested` threads, which none of an earlier team's reads any more. NULL: there is no memory. */
struct hd_region *hd_region_pool_take(struct hd_thread *primary, unsigned requested);

/** It has ended; its workers may be heard of later. */
void hd_region_pool_give(struct hd_thread *primary, struct hd_region *region);

#endif
