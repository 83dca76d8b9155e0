/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file fold.h
 * Makes a trace small enough for a page: three or more neighbouring stretches of a thread that are shorter than a
 * resolution become one, which is as long as that and knows how long each state was. Others stay as they are.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_HTML_TRACE_FOLD_H
#define HEDDLE_OUTPUT_VIEWS_HTML_TRACE_FOLD_H

#include "output/views/html/trace/stretches.h"

/** A stretch that stands for several takes the space of so many. */
enum { HD_FOLD_WEIGHT = 3 };

struct hd_fold;

/** `resolution_ticks` 0: nothing is folded. `take`: gets what remains; its `ticks` are valid during the call. NULL: the
 *  weight alone is wanted. Free with hd_fold_free(). */
struct hd_fold *hd_fold_new(uint32_t thread_count, uint64_t resolution_ticks, hd_stretch_taker *take, void *context);
void hd_fold_free(struct hd_fold *fold);

/** A taker for hd_stretches_walk(). */
void hd_fold_take(void *fold, const struct hd_stretch *stretch);

/** After the last one. */
void hd_fold_finish(struct hd_fold *fold);

/** Of what remained: 1 for each stretch, HD_FOLD_WEIGHT for each that stands for several. */
uint64_t hd_fold_weight(const struct hd_fold *fold);

/** In seconds: the first of 0.1 us, 0.2, 0.5, 1 us ... with which the trace weighs at most `limit`; else the longest.
 *  Reads the trace. */
double hd_fold_choose(const struct hd_model *model, uint64_t limit);

#endif
