/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file counters.h
 * What `heddle run` counts: finds the groups of events and tries out the events, before anything else happens.
 */
#ifndef HEDDLE_CLI_RUN_COUNTERS_H
#define HEDDLE_CLI_RUN_COUNTERS_H

#include <stdbool.h>

#include "cli/run/options.h"

/** What is counted: variables for the program. */
struct hd_run_counters {
  bool chosen;  /* on the command line; false: the environment is left as it is */
  char *events; /* HEDDLE_COUNTERS: each once; owned */
  char *groups; /* HEDDLE_GROUP_TEXT; owned; NULL: none */
};

/** Appends names to a list that commas divide, which may be NULL. False: no memory. */
bool hd_run_list_add(char **list, const char *names);

/** Does such a list have a name between all commas? */
bool hd_run_list_is_valid(const char *list);

/** One of region, loop and all? */
bool hd_run_counters_at_is_valid(const char *at);

/** Is anything to be counted, by the command line or by the environment? */
bool hd_run_wants_counters(const struct hd_run_options *options);

/** Reads the groups and tries out, in a process of its own, whether the events can be counted here. False: a line on
 *  stderr names the event or the group's file, and why. */
bool hd_run_counters_prepare(const struct hd_run_options *options, struct hd_run_counters *counters);

/** Sets the variables in this process's own environment. False: no memory. */
bool hd_run_counters_apply(const struct hd_run_counters *counters);

void hd_run_counters_free(struct hd_run_counters *counters);

#endif
