/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file oracle.h
 * What a profile must say, worked out from the script by brute force and from the definitions alone.
 *
 * Every explicit and implicit task has its own list of open constructs; a thread's state is that of the innermost
 * construct of the task it runs. Routines and phases are on the same lists. Callpaths are plain arrays of sites. The
 * times that a worker cannot know (the primary's barrier end) are read ahead in the script. What the budget refuses is
 * left out (docs/budget.md); what a task does that is not seen is on the list of the task that its thread was in.
 * Nothing is shared with the library, not even its way of thinking: no rows, no edges, no frames of other tasks, no
 * pending states.
 */
#ifndef HEDDLE_TESTS_ORACLE_H
#define HEDDLE_TESTS_ORACLE_H

#include "fake_ompt.h"
#include "output/model/model.h"

struct or_result;

/** Works the script out. `depth`: HEDDLE_CALLPATH_DEPTH, 0: unlimited. Never NULL; to be freed with or_free. */
struct or_result *or_run(const struct fk_script *script, unsigned depth);
/** The same with HEDDLE_CYCLE_LIMIT, which or_run takes as 1. */
struct or_result *or_run_with(const struct fk_script *script, unsigned depth, unsigned cycle_limit);
/** The same with HEDDLE_THREADS_APART, which or_run and or_run_with take as unlimited. */
struct or_result *or_run_apart(const struct fk_script *script, unsigned depth, unsigned cycle_limit, unsigned apart);
void or_free(struct or_result *result);

/** The same as or_run with the critical path; for programs that end orderly. */
struct or_result *or_run_path(const struct fk_script *script);
/** NULL when the profile's agrees, with the spans of all regions and trees of tasks. */
const char *or_path_difference(const struct or_result *result, const struct hd_model *model);

/** NULL when the profile agrees in every number, else the first difference, in words (static memory). Compared: rows
 *  by callpath and thread, entries by the program's state, lifetimes, region totals and construct totals by callpath;
 *  time by level of the program, of every callpath and of every region, overlaps of all pairs of callpaths, the
 *  timeline; what the header counts of routines, phases and pauses. */
const char *or_difference(const struct or_result *result, const struct hd_model *model);

/** The same for the counts of events that count the script's time: STUB_CLOCK and the like (stub_papi.c). */
const char *or_counts_difference(const struct or_result *result, const struct hd_model *model);

/** The same when counting fails here and there: a count may be too small where that is said. */
const char *or_counts_too_small(const struct or_result *result, const struct hd_model *model);

/** The same for the numbers that do not depend on the clock: visits and instances. */
const char *or_count_difference(const struct or_result *result, const struct hd_model *model);

#endif
