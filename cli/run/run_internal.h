/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file run_internal.h
 * The parts of `heddle run`, in the order in which command.c uses them. Functions that return false have said why on
 * stderr.
 *
 *     environment.c   what the program needs: libheddle.so, libomp, the private directory, variables
 *     trace_condition.c  when a trace is written
 *     counters.c      what is counted: the groups of events are found, the events tried out
 *     watch.c         which processes write profiles, and when they die
 *     follow.c        finds and reads the profile of one that runs
 *     progress.c      says meanwhile what the program is doing
 *     companion.c     steers it meanwhile: searches for what it loses time to, or measures by rules
 *     process.c       starts the program, forwards signals, waits
 *     collect.c       finds finished profiles, and saves those of processes that were killed
 *     summary.c       names the profiles and shows the most important one
 *     diagnose.c      why there is no profile, or why the program did not start
 */
#ifndef HEDDLE_CLI_RUN_RUN_INTERNAL_H
#define HEDDLE_CLI_RUN_RUN_INTERNAL_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/recover/private_directory.h"
#include "cli/run/options.h"
#include "cli/watch/watch.h"

/** What is counted: variables for the program. */
struct hd_run_counters {
  bool chosen;  /* on the command line; false: the environment is left as it is */
  char *events; /* HEDDLE_COUNTERS: each once; owned */
  char *groups; /* HEDDLE_GROUP_TEXT; owned; NULL: none */
};

/** Signals that were blocked for the run, and what was done with them before. */
struct hd_run_signals {
  sigset_t mask;
  struct sigaction child_action;
};

/** How the program has ended. */
struct hd_run_outcome {
  pid_t pid;
  int exit_status; /* as a shell reports it */
  int signal;      /* that ended the program; 0: none */
  bool started;    /* false: exec failed; the reason is on stderr, exit_status says which */
};

/** One process's profile, saved. */
struct hd_run_profile {
  char path[PATH_MAX];
  char program[64]; /* cut */
  pid_t pid;
  pid_t parent;  /* that forked it and is measured as well; 0: none */
  size_t wanted; /* bytes of the path that are the name it was to have: ".1", ... was added; 0: it has that name, or is
                    elsewhere */
  uint64_t run_ns; /* from the process's start to the end of its profile */
};

struct hd_run_profiles {
  struct hd_run_profile *items; /* those that ran longest first; owned; free() */
  size_t count;
  size_t running; /* processes that still write theirs */
  size_t unsaved; /* live files that could be moved nowhere: they stay in the private directory */
};

/** Files of jobs that ranks of the run have written. */
struct hd_run_jobs {
  char **paths; /* each once; owned, as the array is */
  size_t count;
};

struct hd_run {
  const struct hd_run_options *options;
  char output[PATH_MAX];    /* absolute name template */
  char library[PATH_MAX];   /* libheddle.so */
  char libomp[PATH_MAX];    /* "": not preloaded */
  bool preload;             /* libheddle.so, too */
  unsigned measurable;      /* functions with sleds that nobody chose among; 0: none, or none is known */
  char entries[PATH_MAX];   /* libheddle-entry.so; "": not preloaded */
  char mpi[PATH_MAX];       /* what stands in front of MPI; "": not preloaded */
  bool untold_libgomp;      /* the program runs on libgomp, which tells nothing */
  char directory[PATH_MAX]; /* private; "" when there is none */
  int lock;                 /* on it */
  char probes[HD_PRIVATE_PROBE_COUNT][PATH_MAX];
  struct hd_run_counters counters;
  char *trace_condition;      /* HEDDLE_TRACE_WHEN; owned; NULL: as it stands in the options or the environment */
  struct hd_run_watch *watch; /* NULL: the system has no more watches to give, and the run goes on without */
  struct hd_run_signals signals;
  struct hd_run_outcome outcome;
  struct hd_run_profiles profiles;
  struct hd_run_jobs jobs;
};

/* ---- environment.c ---- */

/** Finds and makes everything the program needs. False: nothing is left behind. */
bool hd_run_environment_prepare(struct hd_run *run);

/** Sets the variables in this process's own environment: for the forked child, just before exec. False: no memory; that
 *  is not said. */
bool hd_run_environment_apply(const struct hd_run *run);

/** Removes the private directory and what heddle and the library made in it; while there are live files, all stays. */
void hd_run_environment_remove(struct hd_run *run);

/* ---- counters.c ---- */

/** Appends names to a list that commas divide, which may be NULL. */
void hd_run_list_add(char **list, const char *names);

/** Does such a list have a name between all commas? */
bool hd_run_list_is_valid(const char *list);

/** One of region, loop and all? */
bool hd_run_counters_at_is_valid(const char *at);

/** Is anything to be counted, by the command line or by the environment? */
bool hd_run_wants_counters(const struct hd_run_options *options);

/** Reads the groups and tries out, in a process of its own, whether the events can be counted here. False: the line on
 *  stderr names the event or the group's file. */
bool hd_run_counters_prepare(const struct hd_run_options *options, struct hd_run_counters *counters);

/** Sets the variables in this process's own environment. False: no memory; that is not said. */
bool hd_run_counters_apply(const struct hd_run_counters *counters);
void hd_run_counters_free(struct hd_run_counters *counters);

/* ---- trace_condition.c ---- */

/** "phase NAME" or "region FILE:LINE"? */
bool hd_run_trace_condition_is_valid(const char *text);

/** Finds the addresses of the region that the condition names, if it does. False: the program has none of that line. */
bool hd_run_trace_condition_prepare(struct hd_run *run);

/* ---- watch.c ---- */

/** Starts watching the private directory. Without a watch (NULL is fine for all functions) the time of death of
 *  processes other than the program itself stays unknown. */
struct hd_run_watch *hd_run_watch_start(const struct hd_run *run);

/** Readable when there is something to handle; -1 without a watch. */
int hd_run_watch_descriptor(const struct hd_run_watch *watch);

/** Takes what has happened since; stamps the live files of processes that died. Does not block. */
void hd_run_watch_handle(struct hd_run_watch *watch);

/** Gives processes that are just ending up to `limit_ms` to do so. */
void hd_run_watch_settle(struct hd_run_watch *watch, int limit_ms);

/** Did a runtime try to load the probe? False when nobody watched. */
bool hd_run_watch_saw_probe(const struct hd_run_watch *watch, enum hd_private_probe probe);
void hd_run_watch_stop(struct hd_run_watch *watch);

/* ---- follow.c ---- */

/** Begins with zeros. */
struct hd_run_follower {
  struct hd_top_watch watch;
  char path[PATH_MAX]; /* of its file */
  bool follows;
};

/** Reads the profile of a process of the run that measures now. False: there is none. */
bool hd_run_follow(struct hd_run_follower *follower, const char *directory);

/* ---- progress.c ---- */

/** From 2 s on, a line on the terminal that is renewed every second, if it was asked for. NULL: nothing to stop. */
struct hd_run_progress *hd_run_progress_start(const struct hd_run *run);

/** Clears it. */
void hd_run_progress_stop(struct hd_run_progress *progress);

/* ---- companion.c ---- */

/** Starts the process that steers the program, if --search or --measure asked for it. NULL: nothing to finish. */
struct hd_run_companion *hd_run_companion_start(const struct hd_run *run);

/** When the program has ended: what was found is on stderr then. */
void hd_run_companion_finish(struct hd_run_companion *companion);

/* ---- process.c ---- */

/**
 * Runs the command to its end. Signals that others send to heddle meanwhile go on to the program; those that the
 * terminal sends reach it anyway. They stay blocked until hd_run_signals_restore, so that a profile is not lost on
 * the way. The program gets descriptors, directory, signal mask and dispositions as heddle got them.
 * False: heddle itself failed.
 */
bool hd_run_process(struct hd_run *run);
void hd_run_signals_restore(const struct hd_run_signals *signals);

/* ---- collect.c ---- */

/** Writes the present time as the end into a process's live files in a directory that have none yet, and that it does
 *  not have in its memory (any more). Not into one whose clock heddle cannot read. */
void hd_run_stamp_process(const char *path, pid_t pid);

/** Finds the profiles of the run, saves live files whose process is gone, stamps the program's exit status. A process
 *  that finishes moves its file and leaves a symbolic link, named after its pid, to the profile. */
void hd_run_collect(struct hd_run *run);

/* ---- summary.c ---- */

/** Caches symbol names in the profiles and, unless the run is quiet, prints at most 25 lines about them on stderr; in
 *  any case that some process still runs, or that another run's profile has the name that was asked for. */
void hd_run_summarize(const struct hd_run *run);

/* ---- diagnose.c: each on stderr, with the cure ---- */

/** Says why execvp failed with `error`. */
void hd_run_explain_start(const char *command, int error);

/** Says why there is no profile. */
void hd_run_diagnose(const struct hd_run *run);

/** After a program that aborted on the libomp of --gomp: says that its own runtime may still run it. */
void hd_run_explain_gomp(const struct hd_run *run);

#endif
