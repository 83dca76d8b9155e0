/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file part.h
 * The profile of a part of a run, from its trace: the profile as it would have been if the run had ended at a time,
 * without what it would have been at an earlier one (live/interval.h).
 *
 * To the tick, what a snapshot at that time would have said (tests compare the two) of times, visits, levels, regions
 * and constructs; also the critical path and holders of locks, unless something is subtracted. What a trace does not
 * have is left out: counters, samples, Heddle's own cost, histograms of chunks and tasks. Of a trace that does not
 * begin with the run it is made from a moment on when no parallel region is open (quiet.h).
 */
#ifndef HEDDLE_OUTPUT_REPLAY_PART_H
#define HEDDLE_OUTPUT_REPLAY_PART_H

#include "output/model/model.h"

/** Seconds since the program's start. All zero: the whole run. */
struct hd_run_part {
  double from_seconds;
  double to_seconds; /* 0: to its end */
};

/** Of the trace only that part is shown from then on (hd_trace_window). False: the trace has nothing of it, as `error`
 *  says. */
bool hd_part_show(struct hd_model *model, const struct hd_run_part *part, char *error, size_t error_bytes);

/** The profile as it was at `ticks`, a time of the file, from the trace of a whole run; or what came of a trace's
 * window until then, if no region is open where that begins. False: `error` says why. The caller frees *then. */
bool hd_part_until(const struct hd_model *model, uint64_t ticks, struct hd_model **then, char *error,
                   size_t error_bytes);

/** The profile of that part, of a model that has been changed by nobody. False: `error` says why. The caller frees
 * *part. */
bool hd_part_of(struct hd_model *model, const struct hd_run_part *wanted, struct hd_model **part, char *error,
                size_t error_bytes);

/** As hd_profile_open(), but of that part. `part` may be NULL: the whole run. */
bool hd_part_open(const char *path, const struct hd_run_part *part, struct hd_model **model, char *error,
                  size_t error_bytes);

/** What the run did not follow, but its trace tells: the critical path, and holders of locks. Nothing of profiles that
 *  have both, or that have no trace of the whole run. */
void hd_part_add_order(struct hd_model *model);

#endif
