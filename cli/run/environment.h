/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file environment.h
 * What the program needs: finds libheddle.so and libomp, makes the private directory, sets the environment.
 */
#ifndef HEDDLE_CLI_RUN_ENVIRONMENT_H
#define HEDDLE_CLI_RUN_ENVIRONMENT_H

#include <limits.h>
#include <stdbool.h>

#include "cli/recover/private_directory.h"
#include "cli/run/counters.h"
#include "cli/run/options.h"

struct hd_run_environment {
  char output[PATH_MAX];    /* absolute name template */
  char library[PATH_MAX];   /* libheddle.so */
  char libomp[PATH_MAX];    /* "": not preloaded */
  bool preload;             /* libheddle.so, too */
  bool untold_libgomp;      /* the program runs on libgomp, which tells nothing */
  char directory[PATH_MAX]; /* private; "" when there is none */
  int lock;                 /* on it */
  char probes[HD_PRIVATE_PROBE_COUNT][PATH_MAX];
  struct hd_run_counters counters;
};

/** Finds and makes everything the program needs. False: the reason is on stderr and nothing is left behind. */
bool hd_run_environment_prepare(const struct hd_run_options *options, struct hd_run_environment *environment);

/** Sets the variables in this process's own environment: for the forked child, just before exec. False: no memory. */
bool hd_run_environment_apply(const struct hd_run_options *options, const struct hd_run_environment *environment);

/** Removes the private directory and what heddle and the library made in it; while there are live files, all stays. */
void hd_run_environment_remove(struct hd_run_environment *environment);

#endif
