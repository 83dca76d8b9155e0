/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file count_sums.h
 * Sums of counts: of a thread, a callpath, or what a report makes of several; and what the groups' formulas make of a
 * sum.
 *
 * A count is known only if it was taken: what was not told apart, or not counted on any thread that came there, is not
 * known, and never 0. Exclusive counts include those of nodes below that were not told apart (hd_counters_at); of those
 * nodes, exclusive counts are not known.
 *
 * An event that takes turns with others is scaled up where it was counted, per thread and callpath; where it never had
 * its turn, the rest of the sum stands for it. So sums add up as long as every part is known.
 */
#ifndef HEDDLE_OUTPUT_MODEL_COUNT_SUMS_H
#define HEDDLE_OUTPUT_MODEL_COUNT_SUMS_H

#include "output/metrics/group.h"
#include "output/model/model.h"

struct hd_count {
  double value;    /* what was counted; an estimate: scaled up to the whole time */
  double fraction; /* part of the time in which it was counted; below 1 the value is an estimate */
  bool known;      /* false: not counted at all, value and fraction are 0 */
  bool partial;    /* some of it is missing: on a thread that came there, or for some of the time. The value is a lower
                      bound (of an estimate: about) */
};

/** One sum. */
struct hd_count_sum {
  uint64_t missing[HD_COUNT_CLASSES]; /* as in hd_counts: of any part */
  uint64_t counted[HD_COUNT_CLASSES];
  uint64_t busy_ticks; /* thread time in which the counts of HD_COUNT_BUSY were made */
  bool incomplete;     /* a part's counts are in those of a node that does not belong to the sum: nothing is known */
  double *numbers;     /* [event][class] sums, whole numbers or estimates; [slot - 1][class] ticks of the slot; [slot -
                          1][class] ticks of all slots where this one had its turn */
};

/** Whether a node's exclusive counts are known as far as they were taken: it is told apart, in focus, and measured. */
static inline bool hd_node_has_own_counts(const struct hd_node *node) {
  return node->told_apart && node->counts_reach >= 0 && hd_node_is_measured(node);
}

/** `count` empty sums. Free with free(). */
struct hd_count_sum *hd_count_sums_new(const struct hd_model *model, size_t count);

/** Adds one thread's counts of one node. */
void hd_count_sum_add_counts(const struct hd_model *model, struct hd_count_sum *to, const struct hd_counts *from);

void hd_count_sum_add(const struct hd_model *model, struct hd_count_sum *to, const struct hd_count_sum *from);

/** Says that events, as bits, are missing in all classes. */
void hd_count_sum_miss(struct hd_count_sum *to, uint64_t events);

/** Adds a node's exclusive counts. */
void hd_count_sum_add_own(const struct hd_model *model, struct hd_count_sum *to, const struct hd_node *node);

/** Adds a node's inclusive counts. */
void hd_count_sum_add_inclusive(const struct hd_model *model, struct hd_count_sum *to, const struct hd_node *node);

/** Empties it. */
void hd_count_sum_clear(const struct hd_model *model, struct hd_count_sum *sum);

/** An event's count; `class` HD_COUNT_CLASSES: all classes together. */
struct hd_count hd_count_sum_of(const struct hd_model *model, const struct hd_count_sum *sum, uint32_t event,
                                enum hd_count_class class);

/** The event of that name; case does not matter, as in the sources. HD_NONE: the run did not count it. */
uint32_t hd_count_find_event(const struct hd_model *model, const char *name);

/** A metric of what was done while busy; never partial: of counts of which some is missing there is no value.
 *  `elapsed_ticks` NaN: there is no elapsed time. `zero` (may be NULL) becomes true when the formula has no value
 * though all that it uses is known. */
struct hd_count hd_count_sum_metric(const struct hd_model *model, const struct hd_count_sum *sum,
                                    const struct hd_group *group, const struct hd_metric *metric, double elapsed_ticks,
                                    bool *zero);

/** The elapsed time of a team, or NaN. */
double hd_count_elapsed(const struct hd_team_totals *team);

/** The part of the program's elapsed time and of a thread's lifetime in which was counted. */
double hd_count_elapsed_of_program(const struct hd_model *model);
double hd_count_lifetime(const struct hd_model *model, uint32_t thread);

#endif
