/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file collect.h
 * Afterwards: finds finished profiles, and saves those of processes that were killed (cli/recover/salvage.h).
 *
 * A process that finishes moves its file and leaves a symbolic link, named after its pid, to the profile.
 */
#ifndef HEDDLE_CLI_RUN_COLLECT_H
#define HEDDLE_CLI_RUN_COLLECT_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/run/environment.h"
#include "cli/run/outcome.h"

/** One process's profile, saved. */
struct hd_run_profile {
  char path[PATH_MAX];
  pid_t pid;
  pid_t parent;    /* that forked it and is measured as well; 0: none */
  uint64_t run_ns; /* from the process's start to the end of its profile */
  int64_t bytes;
};

struct hd_run_profiles {
  struct hd_run_profile *items; /* owned; free() */
  size_t count;
  size_t running; /* processes that still write theirs */
  size_t unsaved; /* live files that could be moved nowhere: they stay in the private directory */
};

/** Writes the present time as the end into a process's live files in a directory that have none yet, and that it does
 *  not have in its memory (any more). Not into one whose clock heddle cannot read. */
void hd_run_stamp_process(const char *path, pid_t pid);

/** Finds the profiles of the run, saves live files whose process is gone, stamps the program's exit status. */
void hd_run_collect(const struct hd_run_environment *environment, const struct hd_run_outcome *outcome,
                    struct hd_run_profiles *profiles);

#endif
