/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file interval.h
 * A profile less an earlier one of the same run: what came between, as a profile again, for all that reads models.
 *
 * All times, visits and totals are differences, and what is computed from them (gains, shares, findings) is computed
 * anew. Instances of regions are those that began between the two; time of an instance counts in the interval in which
 * it passed. What was off in it counts as not observed; marks and notes are those of the run. What windows saw in it is
 * its own, so it can be resolved (hd_resolve). An interval has no timeline, no counters, no critical path, and no
 * holders of locks.
 */
#ifndef HEDDLE_OUTPUT_LIVE_INTERVAL_H
#define HEDDLE_OUTPUT_LIVE_INTERVAL_H

#include "output/model/model.h"

/** Makes `later` the interval since `earlier`. False: they are not of one run, in this order, and `later` is not
 *  changed. */
bool hd_interval_make(struct hd_model *later, const struct hd_model *earlier);

/** Opens a profile, as hd_profile_open() does, and makes it the interval since the one in the file `since`, unless that
 *  is NULL; both paths must outlive the model. False: `error` says why. */
bool hd_interval_open(const char *path, const char *since, struct hd_model **model, char *error, size_t error_bytes);

#endif
