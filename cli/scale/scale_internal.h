/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file scale_internal.h
 * The parts of `heddle scale`, in the order in which command.c uses them. Functions that return false have said why on
 * stderr.
 *
 *     values.c       thread counts and parameters, as the command line has them
 *     plan.c         which runs there are, in which order; a run's command, environment and name
 *     definition.c   what a scan is, as kept in scan.json, and what must not differ when it goes on
 *     store.c        the scan's directory: what is in it already, how runs come into it
 *     lock.c         keeps a second scan out of it
 *     scan.c         all runs, one after the other
 *     run_step.c     one run: a child that is `heddle run`
 *     profiles.c     the profiles that it left
 *     failure.c      shows a run that failed
 *     progress.c     the bar with runs done and time left, on stderr
 */
#ifndef HEDDLE_CLI_SCALE_SCALE_INTERNAL_H
#define HEDDLE_CLI_SCALE_SCALE_INTERNAL_H

#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "output/model/model.h"
#include "support/command/texts.h"

/* ---- values.c ---- */

enum { HD_SCALE_THREADS_MOST = 65536, HD_SCALE_COUNTS_MOST = 1024 };

/** Thread counts, ascending, each once; `items` is owned. */
struct hd_scale_threads {
  uint32_t *items;
  size_t count;
};

/** --param NAME=a,b,c */
struct hd_scale_parameter {
  char *name;
  struct hd_texts values;
};

/** "1,2,4", "1-8", "2-16:2" and what commas make of them. NULL: taken; else what is wrong, in words. */
const char *hd_scale_parse_threads(const char *text, struct hd_scale_threads *threads);

/** Powers of two up to `processors`, and that number. */
void hd_scale_default_threads(uint32_t processors, struct hd_scale_threads *threads);

/** "NAME=a,b,c", where "\," stands for a comma. NULL: taken; else what is wrong, in words. Free it in any case. */
const char *hd_scale_parse_parameter(const char *text, struct hd_scale_parameter *parameter);
void hd_scale_parameter_free(struct hd_scale_parameter *parameter);

/* ---- plan.c ---- */

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

/** A scan varies thread counts and parameters. Each combination of the parameters' values is a set; it has runs at
 * every thread count, each repeated. */
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

/* ---- definition.c ---- */

/** Finds the file that each set runs and takes a hash of its content. */
void hd_scale_programs_find(struct hd_scale_plan *plan);

/** Whether a set's file is still what it was. */
bool hd_scale_program_is_same(struct hd_scale_set *set);

/** What scan.json has to say about this plan; `before` is what is there, NULL: nothing. NULL: no memory. */
json_t *hd_scale_definition_make(const struct hd_scale_plan *plan, const json_t *before);

/** Whether a scan that is there and the one that is asked for are the same but for thread counts, repeats and
 *  parameters' values. */
bool hd_scale_definition_fits(const struct hd_scale_plan *plan, const json_t *before, const json_t *asked);

/* ---- a scan that goes on ---- */

/** Signals that end a scan, and how they were dealt with before. */
struct hd_scale_signals {
  sigset_t mask;
  struct sigaction child_action;
  struct sigaction pipe_action;
  int queue;      /* descriptor */
  int stop;       /* the signal that ends the scan; 0: none came */
  bool continued; /* the scan was stopped (Ctrl-Z) and goes on */
};

struct hd_scale_progress {
  bool bar;       /* stderr is a terminal */
  int shown;      /* columns of the bar that stand there */
  size_t running; /* the step */
  double begin_s; /* of it, on a clock that nobody sets */
};

struct hd_scale {
  struct hd_scale_plan plan;
  char path[PATH_MAX];    /* the scan's directory, absolute */
  char running[PATH_MAX]; /* the directory for the run that is not whole yet */
  int lock;               /* -1: none */
  size_t points;          /* that the scan has, earlier ones included: thread counts by sets */
  bool told_others;       /* that runs consist of several processes */
  bool told_command;      /* that runs have other arguments */
  struct hd_scale_signals signals;
  struct hd_scale_progress progress;
};

/** How a run has ended. */
struct hd_scale_outcome {
  int status;       /* as `heddle run` exits */
  int signal;       /* that ended heddle run itself; 0: none */
  bool interrupted; /* by a signal that ends the scan, or the run was stopped for a while: it does not count */
  double seconds;
};

/** The profiles of a run, that of the process that ran longest first. */
struct hd_scale_profiles {
  struct hd_texts paths;
  struct hd_model *first; /* owned */
  bool other_command;     /* of the same program as those of the runs before, but its arguments differ */
};

/* ---- store.c ---- */

/** Makes the directory or goes on with what is in it: marks the plan's steps that are done. Call hd_scale_store_close()
 *  in any case. */
bool hd_scale_store_open(struct hd_scale *scale);
void hd_scale_store_close(struct hd_scale *scale);

/** The path of a step's file, "DIR/SET/t4.r2" and `ending`. */
void hd_scale_store_path(const struct hd_scale *scale, const struct hd_scale_step *step, const char *ending,
                         char path[PATH_MAX]);

/** Likewise of a file of the run that is not whole yet. Profiles have the ending "", ".1", ... */
void hd_scale_store_running(const struct hd_scale *scale, const struct hd_scale_step *step, const char *ending,
                            char path[PATH_MAX]);

/** Is there room for a run? */
bool hd_scale_store_has_room(const struct hd_scale *scale);

/** Empties the directory for the run that is not whole. */
bool hd_scale_store_clear(const struct hd_scale *scale);

/** Moves the profiles and the output to their names; the step is done. A run is there when its profile has its name,
 *  which it gets last and whole. */
bool hd_scale_store_keep(struct hd_scale *scale, struct hd_scale_step *step, struct hd_scale_profiles *profiles);

/* ---- lock.c ---- */

#define HD_SCALE_LOCK_NAME "scan.lock"

/** Locks the directory until `scale->lock` is closed, in this process and in a child that is a run. False: it is -1. */
bool hd_scale_lock(struct hd_scale *scale);

/* ---- scan.c ---- */

enum hd_scale_end {
  HD_SCALE_DONE, /* runs that failed included, if the scan is to keep going */
  HD_SCALE_FAILED,
  HD_SCALE_STOPPED, /* by a signal, `scale->signals.stop` */
};

/** Says how much there is to do and makes all runs that are not there yet, then closes the store. What it did not get
 *  to is said. */
enum hd_scale_end hd_scale_scan(struct hd_scale *scale, uint32_t processors);

/* ---- run_step.c ---- */

bool hd_scale_signals_take(struct hd_scale_signals *signals);
void hd_scale_signals_restore(const struct hd_scale_signals *signals);

/** Sees whether one has come meanwhile, which is passed on to `child` unless that is 0; true when the scan has to
 *  end. */
bool hd_scale_signals_look(struct hd_scale_signals *signals, pid_t child);

/** Runs a step to its end; profiles and output are then in the directory for runs that are not whole. */
bool hd_scale_run(struct hd_scale *scale, const struct hd_scale_step *step, struct hd_scale_outcome *outcome);

/* ---- profiles.c ---- */

/** Finds a run's profiles. NULL: they are there and of the right program; else what is wrong, in words. */
const char *hd_scale_profiles_find(const struct hd_scale *scale, const struct hd_scale_step *step,
                                   struct hd_scale_profiles *profiles, char *error, size_t error_bytes);
void hd_scale_profiles_free(struct hd_scale_profiles *profiles);

/* ---- failure.c ---- */

/** Shows a run that failed: its command, why, and the end of its output, which is kept as "t4.r2.failed.out". */
void hd_scale_failure_show(const struct hd_scale *scale, const struct hd_scale_step *step,
                           const struct hd_scale_outcome *outcome, const char *why);

/* ---- progress.c ---- */

/** Seconds on a clock that nobody sets. */
double hd_scale_now_s(void);

/** A step begins; it is still running: draws the bar again; it has ended. */
void hd_scale_progress_begin(struct hd_scale *scale, size_t step);
void hd_scale_progress_tick(struct hd_scale *scale);
void hd_scale_progress_end(struct hd_scale *scale);

/** Takes the bar away, for other lines. */
void hd_scale_progress_clear(struct hd_scale *scale);

#endif
