/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file loop_cost.h
 * What a loop's iterations cost, on average over its instances: where that is known.
 *
 * - From chunks: a loop that the runtime hands out in chunks, and whose entry points were observed, has 64 parts
 *   (heddle-chunks.h). If its longest chunk is much more than its part lets expect, one iteration there is taken to
 *   cost it.
 * - From blocks: of a static loop each thread's time is known, its number in the team, and how many iterations there
 *   were. If the loop has no chunk size, each thread has one block, and the curve has as many parts as threads. Within
 *   and between them cost is taken to change steadily. OMPT does not tell schedule(static) from schedule(static,c).
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_LOOP_COST_H
#define HEDDLE_OUTPUT_ANALYSIS_LOOP_COST_H

#include "output/analysis/schedules/schedule.h"
#include "output/model/model.h"

struct hd_loop_cost {
  const char *unknown; /* why nothing is known, a sentence without a full stop; NULL: all below is valid */
  uint32_t threads;    /* of the team, always the same: 2 or more */
  double instances;
  struct hd_cost_curve curve; /* of one instance, in ticks */
  bool from_blocks;
  bool bounds_vary;    /* instances have different numbers of iterations: these are the mean's */
  uint32_t part_count; /* threads, or HD_SPACE_BUCKETS */
  double *parts;       /* mean ticks of an iteration in each part */
  double chunk;        /* from chunks: mean iterations of one */
  double longest;      /* from chunks: no iteration cost more ticks; else INFINITY */
  double hidden;       /* from chunks: of `curve`, what one dear iteration in a large chunk may have cost */
  double variation;    /* from chunks: how much more their times differ than the parts' do, as a coefficient
                          of variation; 0: no more than can be told */
};

/** `node`: a loop. To be given to hd_loop_cost_free() in any case. */
struct hd_loop_cost hd_loop_cost_of(const struct hd_model *model, const struct hd_node *node);
void hd_loop_cost_free(struct hd_loop_cost *cost);

/** What all instances of a loop with totals of its own took. These lack the barrier of its reduction, if it has one. */
double hd_loop_elapsed(const struct hd_node *node);

/** The totals that say which team ran it: its own, or those of the region around it. */
const struct hd_team_totals *hd_loop_team(const struct hd_model *model, const struct hd_node *node);

#endif
