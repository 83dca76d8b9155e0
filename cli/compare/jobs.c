/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file jobs.c
 * What is compared with what.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/compare/jobs.h"

#include "output/model/format_names.h"
#include "support/command/memory.h"

enum { ALL = -1 };

/* The runs of one set (or ALL) with one thread count (or ALL). Adds nothing when there are none. */
static void add_job(struct hd_compare_jobs *jobs, const struct hd_compare_sets *sets, enum hd_comparison_mode mode,
                    long set, long threads) {
  jobs->items = hd_grow_by_one(jobs->items, jobs->count, sizeof *jobs->items);
  struct hd_compare_job *job = &jobs->items[jobs->count++];
  *job = (struct hd_compare_job){.mode = mode, .inputs = hd_new(sets->run_count, sizeof *job->inputs)};
  for (size_t i = 0; i < sets->run_count; i++) {
    const struct hd_compare_run *run = &sets->runs[i];
    if ((set == ALL || run->set == set) && (threads == ALL || run->threads == threads))
      job->inputs[job->input_count++] = (struct hd_compare_input){run->model, run->set, sets->sets[run->set].label};
  }
  if (set != ALL)
    job->title = hd_print("%s", sets->sets[set].label);
  else if (threads != ALL)
    job->title = hd_print("%ld thread%s", threads, hd_plural((uint64_t)threads));
}

static size_t sets_with_several(const struct hd_compare_sets *sets) {
  size_t count = 0;
  for (size_t i = 0; i < sets->set_count; i++)
    count += sets->sets[i].thread_counts > 1;
  return count;
}

static size_t sets_with(const struct hd_compare_sets *sets, uint32_t threads) {
  size_t count = 0;
  long last = ALL;
  for (size_t i = 0; i < sets->run_count; i++) { /* runs come by set */
    count += sets->runs[i].threads == threads && sets->runs[i].set != last;
    last = sets->runs[i].threads == threads ? (long)sets->runs[i].set : last;
  }
  return count;
}

static void add_scaling(struct hd_compare_jobs *jobs, const struct hd_compare_sets *sets) {
  if (sets_with_several(sets) < 2)
    add_job(jobs, sets, HD_COMPARE_SCALING, ALL, ALL);
  else
    for (size_t i = 0; i < sets->set_count; i++)
      if (sets->sets[i].thread_counts > 1)
        add_job(jobs, sets, HD_COMPARE_SCALING, (long)i, ALL);
}

/* Sets of one thread count each are sides even if those differ: that was asked for. */
static void add_difference(struct hd_compare_jobs *jobs, const struct hd_compare_sets *sets) {
  if (sets->thread_count_count == 1 || sets_with_several(sets) == 0)
    add_job(jobs, sets, HD_COMPARE_SIDES, ALL, ALL);
  else
    for (size_t i = 0; i < sets->thread_count_count; i++)
      if (sets_with(sets, sets->thread_counts[i]) > 1)
        add_job(jobs, sets, HD_COMPARE_SIDES, ALL, sets->thread_counts[i]);
}

static bool refuse(const struct hd_compare_sets *sets, enum hd_compare_ask ask) {
  const uint32_t threads = sets->thread_counts[0];
  const char *s = hd_plural((uint64_t)threads);
  if (sets->run_count == 1)
    fprintf(stderr, "heddle: %s is a single run; a comparison needs two or more\n", sets->sets[0].path);
  else if (ask == HD_COMPARE_ASK_DIFFERENCE && sets->set_count == 1)
    fprintf(stderr, "heddle: --difference needs two or more sets of runs: all are in %s\n", sets->sets[0].path);
  else if (ask == HD_COMPARE_ASK_DIFFERENCE)
    fputs("heddle: --difference: no two sets of runs have a thread count in common\n", stderr);
  else if (ask == HD_COMPARE_ASK_SCALING)
    fprintf(stderr, "heddle: --scaling needs two or more thread counts: all runs had %u thread%s\n", threads, s);
  else
    fprintf(stderr,
            "heddle: all %zu runs in %s had %u thread%s: there is nothing to compare; add runs with other numbers of "
            "threads ('heddle scale' makes them), or another directory\n",
            sets->run_count, sets->sets[0].path, threads, s);
  return false;
}

bool hd_compare_jobs_make(struct hd_compare_jobs *jobs, const struct hd_compare_sets *sets, enum hd_compare_ask ask) {
  const bool several = sets->thread_count_count > 1;
  *jobs = (struct hd_compare_jobs){0};
  if (sets->run_count < 2 || (ask == HD_COMPARE_ASK_SCALING && !several) || (!several && sets->set_count < 2) ||
      (ask == HD_COMPARE_ASK_DIFFERENCE && sets->set_count < 2))
    return refuse(sets, ask);
  if (several && ask != HD_COMPARE_ASK_DIFFERENCE)
    add_scaling(jobs, sets);
  if (ask == HD_COMPARE_ASK_DIFFERENCE || (ask == HD_COMPARE_ASK_ANY && (!several || jobs->count > 1)))
    add_difference(jobs, sets);
  return jobs->count > 0 || refuse(sets, ask);
}

void hd_compare_jobs_free(struct hd_compare_jobs *jobs) {
  for (size_t i = 0; i < jobs->count; i++) {
    free(jobs->items[i].inputs);
    free(jobs->items[i].title);
  }
  free(jobs->items);
  *jobs = (struct hd_compare_jobs){0};
}
