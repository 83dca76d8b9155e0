/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file plan.h
 * Which runs there are, in which order; a run's command, environment and name.
 *
 * A scan varies thread counts and parameters. Each combination of the parameters' values is a *set*; a set has runs at
 * every thread count, each repeated.
 */
#ifndef HEDDLE_CLI_SCALE_PLAN_H
#define HEDDLE_CLI_SCALE_PLAN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "cli/scale/values.h"
#include "output/model/model.h"
#include "support/command/texts.h"

/** What the command line asks for. */
struct hd_scale_options {
  struct hd_scale_threads threads;
  uint32_t repeats;
  uint32_t warmups; /* before the first run of each set */
  const char *directory;
  const char *bind; /* NULL: OMP_PROC_BIND stays as it is */
  struct hd_scale_parameter *parameters;
  size_t parameter_count;
  struct hd_texts run_options; /* for `heddle run`, sorted */
  bool expected_status[256];   /* with which a run may end: 0, and what --expect-status names */
  bool keep_going;
  bool start_over;
  bool quiet;
  char **command; /* argv's, NULL-terminated */
};

struct hd_scale_set {
  char *name;             /* its folder, "NAME=a,OTHER=b"; "": without parameters, the scan's own */
  const char **values;    /* by parameter; the options' */
  struct hd_model *first; /* the profile of a run that is there; others must be of the same program. NULL: none yet */
  uint32_t first_threads;
  char program[PATH_MAX];   /* the file that runs; "": not found */
  uint64_t program_content; /* a hash of it */
  struct timespec program_changed;
};

struct hd_scale_step {
  uint32_t set;
  uint32_t threads;
  uint32_t repeat; /* from 1; 0: a run that is not kept */
  bool done;
  bool failed;
  double seconds; /* what it took; 0: not known yet */
};

struct hd_scale_plan {
  const struct hd_scale_options *options;
  struct hd_scale_set *sets;
  uint32_t set_count;
  struct hd_scale_step *steps; /* in the order in which they run */
  size_t step_count;
};

/**
 * Repeat by repeat, in each every set and thread count once; the next repeat starts one later in that round, so that
 * none is always first. Before them runs that are not kept, with the most threads. Free the plan in any case.
 */
bool hd_scale_plan_make(const struct hd_scale_options *options, struct hd_scale_plan *plan);
void hd_scale_plan_free(struct hd_scale_plan *plan);

/** "t4.r2", with its set "N=1/t4.r2", or "t4, not kept". */
void hd_scale_step_name(const struct hd_scale_plan *plan, const struct hd_scale_step *step, char *name, size_t bytes);

/** The program and its arguments with {NAME} and {threads} replaced; to be freed. */
void hd_scale_step_command(const struct hd_scale_plan *plan, const struct hd_scale_step *step,
                           struct hd_texts *command);

/** The variables, "NAME=value", that are set for it; likewise. */
void hd_scale_step_environment(const struct hd_scale_plan *plan, const struct hd_scale_step *step,
                               struct hd_texts *environment);

/** Is {NAME} in the command? */
bool hd_scale_is_in_command(const struct hd_scale_options *options, const char *name);

#endif
