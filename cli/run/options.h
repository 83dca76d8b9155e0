/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file options.h
 * What of a program's run is measured, and with which libraries: options of all commands that run programs; how these
 * exit.
 */
#ifndef HEDDLE_CLI_RUN_OPTIONS_H
#define HEDDLE_CLI_RUN_OPTIONS_H

#include <stdbool.h>

#include "support/command/options.h"
#include "support/settings.h"

/** Exit statuses besides the program's own; those of env(1), timeout(1) and the shell. */
enum hd_run_exit { HD_RUN_FAILED = 125, HD_RUN_CANNOT_EXECUTE = 126, HD_RUN_NOT_FOUND = 127, HD_RUN_SIGNAL = 128 };

/** Is a library loaded with the program? */
enum hd_run_preload {
  HD_RUN_PRELOAD_AUTO, /* when the program's file, or a library that it links, calls for it */
  HD_RUN_PRELOAD_YES,
  HD_RUN_PRELOAD_NO
};

/** What the command line asks for. The strings belong to argv. */
struct hd_run_options {
  const char *output;                /* NULL: $HEDDLE_OUTPUT, else "%n.%p.heddle" */
  const char *threads;               /* for OMP_NUM_THREADS; NULL: it stays as it is */
  const char *library;               /* NULL: found */
  const char *libomp;                /* NULL: found */
  const char *set[HD_SETTING_COUNT]; /* variables for libheddle.so; NULL: these stay as they are */
  char *events;                      /* to count, divided by commas; owned; NULL: HEDDLE_COUNTERS */
  char *groups;                      /* of events: names and files, divided by commas; owned */
  char *measured;                    /* functions with sleds, a choice among names; owned; NULL: HEDDLE_ROUTINES */
  enum hd_run_preload routines;      /* libheddle.so, otherwise loaded when an OpenMP runtime asks for it */
  enum hd_run_preload handout;       /* libheddle-entry.so */
  bool no_mpi;                       /* nothing in front of MPI */
  bool gomp;
  bool quiet;
  bool progress;
  bool search;
  struct hd_rules *rules; /* what is measured where (cli/ctl/rules.h); owned; NULL: no rules */
  char **command;         /* NULL-terminated */
};

/** Their choices are a struct hd_run_options. */
extern const struct hd_option hd_run_shared_options[];

/** Takes what an option says of the setting that its `value` names; without an argument: on. */
bool hd_run_take_setting(const struct hd_option_use *use);

/** An option of theirs that was given, in one form, to be passed on to `heddle run`. The caller frees. */
char *hd_run_option_text(const struct hd_option_use *use);

/** Whether all that was taken goes together. False: the user of `usage` has been told why not. */
bool hd_run_check_shared(const struct hd_usage *usage, const struct hd_run_options *taken);

/** Frees what the options own. */
void hd_run_options_free(struct hd_run_options *options);

#endif
