/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file advice.h
 * How long a loop would take under other schedules, and which one is best: by its iterations' cost (loop_cost.h), the
 * time that handing out a chunk takes, and a simulation of the schedules (schedule.h).
 *
 * What the loop was measured to take beyond what the simulation of its own schedule says (late threads, the barrier)
 * is taken to stay. A prediction's error consists of
 * - what it changes if cost is not even within the parts of the curve, but at their begin or at their end;
 * - for dynamic, which of libomp's two kinds it is, unless the loop was dynamic;
 * - what a single dear iteration may cost that large chunks hide;
 * - what the simulation of the loop's own schedule misses the measured time by, or that goes beyond it;
 * - for static schedules, how much cost differs between instances: chunks that are handed out adapt to each;
 * - what handing out takes, where that is not measured but assumed;
 * - Heddle's own part of the loop's time, and that in which its threads had no processor because others took it.
 * Caches are not modelled.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_ADVICE_H
#define HEDDLE_OUTPUT_ANALYSIS_ADVICE_H

#include "output/analysis/schedules/loop_cost.h"

enum { HD_SCHEDULES_MOST = 16 };

/** All instances of the loop. */
struct hd_predicted {
  struct hd_schedule schedule;
  double ticks;
  double error_ticks;
};

enum hd_hand_out_source {
  HD_HAND_OUT_OWN,    /* measured in this loop */
  HD_HAND_OUT_OTHERS, /* in other loops of teams of this size */
  HD_HAND_OUT_ASSUMED
};

struct hd_advice {
  struct hd_loop_cost cost; /* with cost.unknown nothing below is valid */
  double hand_out_ticks;    /* for a thread to get one chunk */
  enum hd_hand_out_source hand_out_source;
  double measured_ticks;  /* from begin to end, all instances */
  bool measured_is_least; /* threads go on without waiting for each other: that of the busiest */
  double even_ticks;      /* if the threads shared the work evenly, and at no cost */
  bool current_known;     /* predicted[0] is the schedule that the loop had; else it is not known */
  uint32_t count;
  struct hd_predicted predicted[HD_SCHEDULES_MOST];
  int best;            /* index: faster than measured by more than its error and 5 %; -1: none is */
  int second;          /* another kind that is as good; -1: none */
  bool is_indivisible; /* no schedule helps: iterations are too few, or one of them takes too long */
};

/** `node`: any; cost.unknown says so if it is no loop. To be given to hd_advice_free() in any case. */
struct hd_advice hd_advice_of(const struct hd_model *model, const struct hd_node *node);
void hd_advice_free(struct hd_advice *advice);

enum { HD_ADVICE_BYTES = 120 };

/** "schedule(dynamic,8) or schedule(guided)". There must be a best one. */
void hd_advice_words(const struct hd_advice *advice, char text[HD_ADVICE_BYTES]);

/** The time of the best one; of the two, the longer one. */
double hd_advice_ticks(const struct hd_advice *advice);

#endif
