/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file trace_lulls.h
 * A trace of the times in which few threads were busy (HEDDLE_TRACE_WHEN=busy<=K for TIME): lulls.
 *
 * Whether a lull lasts for TIME is known when it has. So threads write down everything, as for the end of a run, and
 * blocks are used again (trace_blocks.h) unless what they hold lies in a lull: one that lasted long enough, or one that
 * has not ended. So a lull is whole, from its first moment on.
 *
 * How many threads are busy is one number, which each of them changes when it writes that it becomes busy or no longer
 * is. Who takes the number over K, or back, notes when. Two threads that do so at the same time may do it in another
 * order than that of their times: then a lull begins or ends by so much earlier or later as lies between a thread's
 * clock and its change of the number. Any thread may call these functions.
 */
#ifndef HEDDLE_OMPT_THREAD_TRACE_LULLS_H
#define HEDDLE_OMPT_THREAD_TRACE_LULLS_H

#include <stdbool.h>
#include <stdint.h>

#include "support/few_busy.h"

/** Once, at start. False: no memory. */
bool hd_trace_lulls_init(const struct hd_few_busy *condition);

bool hd_trace_lulls_are_wanted(void);

/** One more thread is busy since then, or one less. Costs an atomic addition. */
void hd_trace_lulls_count(bool is_busy, uint64_t ticks);

enum hd_trace_need {
  HD_TRACE_NOT_NEEDED,
  HD_TRACE_MAY_BE_NEEDED, /* the lull goes on */
  HD_TRACE_NEEDED
};

/** Whether what happened from then to then is to be kept. */
enum hd_trace_need hd_trace_lulls_need(uint64_t from_ticks, uint64_t to_ticks);

/** What happened until then is no longer all there. */
void hd_trace_lulls_lose(uint64_t until_ticks);

#endif
