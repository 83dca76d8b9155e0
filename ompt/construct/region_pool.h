/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file region_pool.h
 * The regions that a thread leads: as many as it has ever had open at once, never freed. Only the thread itself calls
 * these functions. In the steady state nothing is allocated.
 */
#ifndef HEDDLE_OMPT_CONSTRUCT_REGION_POOL_H
#define HEDDLE_OMPT_CONSTRUCT_REGION_POOL_H

#include "ompt/thread/thread.h"

/** One that is not in use. NULL: there is no memory. */
struct hd_region *hd_region_pool_take(struct hd_thread *primary);

/** It has ended. */
void hd_region_pool_give(struct hd_thread *primary, struct hd_region *region);

#endif
