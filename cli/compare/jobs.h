/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file jobs.h
 * What `heddle compare` is to compare with what.
 */
#ifndef HEDDLE_CLI_COMPARE_JOBS_H
#define HEDDLE_CLI_COMPARE_JOBS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/compare/sets.h"
#include "output/comparison/comparison.h"

enum hd_compare_ask { HD_COMPARE_ASK_ANY, HD_COMPARE_ASK_SCALING, HD_COMPARE_ASK_DIFFERENCE };

/** One comparison to be made. */
struct hd_compare_job {
  enum hd_comparison_mode mode;
  char *title;                     /* NULL: the only one */
  struct hd_compare_input *inputs; /* labels are the sets' */
  size_t input_count;
};

struct hd_compare_jobs {
  struct hd_compare_job *items;
  size_t count;
};

/**
 * All runs of one thread count: the sets are sides. Several: scaling, all sets together; but if two or more sets hold
 * several each, scaling of each such set, then the sets as sides at each thread count that two or more have. `ask`
 * wants one or the other only. False: stderr has said why there is nothing to compare. The
 * sets must outlive the jobs; free those in any case.
 */
bool hd_compare_jobs_make(struct hd_compare_jobs *jobs, const struct hd_compare_sets *sets, enum hd_compare_ask ask);
void hd_compare_jobs_free(struct hd_compare_jobs *jobs);

#endif
