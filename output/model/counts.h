/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file counts.h
 * What was counted, for a thread, a callpath or the whole program: sums of the threads' counts records, and what the
 * groups' formulas make of them. The sum is of counts; a formula is applied to sums.
 *
 * A count is known only if it was taken: what was not told apart, or not counted on any thread that came there, is not
 * known, and never 0. Exclusive counts include those of nodes below that were not told apart (hd_counters_at); there,
 * exclusive counts are not known.
 */
#ifndef HEDDLE_OUTPUT_MODEL_COUNTS_H
#define HEDDLE_OUTPUT_MODEL_COUNTS_H

#include "output/metrics/group.h"
#include "output/model/model.h"

struct hd_count {
  double value;    /* what was counted; an estimate: scaled up to the whole time */
  double fraction; /* part of the time in which it was counted; below 1 the value is an estimate */
  bool known;      /* false: not counted at all, value and fraction are 0 */
  bool partial; /* some of it is missing: on a thread that came there, or for some of the time. It is at least so much
                   (an estimate: about) */
};

/** What the numbers are of. */
struct hd_count_of {
  uint32_t node;   /* HD_NONE: of all */
  uint32_t thread; /* HD_NONE: of all */
  bool inclusive;  /* with the nodes below */
};
#define HD_COUNT_OF_PROGRAM ((struct hd_count_of){HD_NONE, HD_NONE, true})

/** An event's count in one class; `class` HD_COUNT_CLASSES: in all. */
struct hd_count hd_model_count(const struct hd_model *model, struct hd_count_of of, uint32_t event,
                               enum hd_count_class class);

/** The threads on which the event is not counted though they came there. Returns how many; at most `most` are
 *  stored. */
uint32_t hd_model_uncounted(const struct hd_model *model, struct hd_count_of of, uint32_t event, uint32_t *threads,
                            uint32_t most);

/** How often counters were read, on all threads, and how long that took, about. NaN: not known. */
uint64_t hd_model_readings(const struct hd_model *model);
double hd_model_reading_seconds(const struct hd_model *model);

/** A metric of one of the model's groups, while busy. `known` false: an event is not known, the formula divides by zero
 *  (counted in the model: a note says so), or it wants an elapsed time where there is none. */
struct hd_count hd_model_metric(const struct hd_model *model, struct hd_count_of of, const struct hd_group *group,
                                const struct hd_metric *metric);

/** Adds a group to those whose formulas reports show; it is the model's from here on. False: no memory, and the group
 *  has been freed. */
bool hd_model_add_group(struct hd_model *model, struct hd_group *group);

#endif
