/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file scale_internal.h
 * The parts of `heddle scale`, in the order in which command.c uses them. Functions that return false have said why on
 * stderr.
 *
 *     values.c       parameters, as the command line has them
 *     plan.c         which runs there are, in which order; a run's command, environment and name
 *     definition.c   what a scan is, as kept in scan.json, and what must not differ when it goes on
 *     store.c        the scan's directory: what is in it already, how runs come into it
 *     scan.c         all runs, one after the other
 *     estimate.c     how long they will take
 *     profiles.c     the profiles that a run left
 *     ranks.c        those of an MPI job's ranks, put together
 *
 * How a run is made, and what is kept of it, is in cli/series.
 */
#ifndef HEDDLE_CLI_SCALE_SCALE_INTERNAL_H
#define HEDDLE_CLI_SCALE_SCALE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/series/series.h"
#include "output/model/model.h"

/* ---- values.c ---- */

/** --param NAME=a,b,c */
struct hd_scale_parameter {
  char *name;
  struct hd_texts values;
};

/** "NAME=a,b,c", where "\," stands for a comma. NULL: taken; else what is wrong, in words. Free it in any case. */
const char *hd_scale_parse_parameter(const char *text, struct hd_scale_parameter *parameter);
void hd_scale_parameter_free(struct hd_scale_parameter *parameter);

/* ---- plan.c ---- */

/** What the command line asks for. */
struct hd_scale_options {
  struct hd_series_options series;
  struct hd_series_threads threads;
  struct hd_series_threads ranks; /* none: no MPI job is run */
  const char *launcher;           /* of these: words with spaces between them, {ranks} among them */
  uint32_t warmups;               /* before the first run of each set */
  const char *bind;               /* NULL: OMP_PROC_BIND stays as it is */
  struct hd_scale_parameter *parameters;
  size_t parameter_count;
  struct hd_texts run_options; /* for `heddle run`, sorted */
  bool keep_going;
};

/** A scan varies thread counts, numbers of ranks and parameters. Each combination of the parameters' values is a set;
 * it has runs at every number of ranks with every thread count, each repeated. */
struct hd_scale_set {
  char *name;             /* its folder, "NAME=a,OTHER=b"; "": without parameters, the scan's own */
  const char **values;    /* by parameter; the options' */
  struct hd_model *first; /* the profile of a run that is there; others must be of the same program. NULL: none yet */
  uint32_t first_threads;
  struct hd_series_program program;
};

struct hd_scale_step {
  uint32_t set;
  uint32_t ranks; /* 0: no MPI job */
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
 * Repeat by repeat, in each every set, number of ranks and thread count once; the next repeat starts one later in that
 * round, so that none is always first. Before them runs that are not kept, with the most threads. Free the plan in any
 * case.
 */
bool hd_scale_plan_make(const struct hd_scale_options *options, struct hd_scale_plan *plan);
void hd_scale_plan_free(struct hd_scale_plan *plan);

/** "t4.r2", with ranks "n8.t4.r2", with its set "N=1/t4.r2", or "t4, not kept". */
void hd_scale_step_name(const struct hd_scale_plan *plan, const struct hd_scale_step *step, char *name, size_t bytes);

/** Where a step's runs differ from others of its set: "t4", "n8.t4". */
enum { HD_SCALE_PLACE_BYTES = 32 };
void hd_scale_step_place(const struct hd_scale_step *step, char place[HD_SCALE_PLACE_BYTES]);

/** The program and its arguments with {NAME}, {threads} and {ranks} replaced; to be freed. */
void hd_scale_step_command(const struct hd_scale_plan *plan, const struct hd_scale_step *step,
                           struct hd_texts *command);

/** The variables, "NAME=value", that are set for it; likewise. */
void hd_scale_step_environment(const struct hd_scale_plan *plan, const struct hd_scale_step *step,
                               struct hd_texts *environment);

/** The job that a step is: its name, command and environment. To be freed with hd_series_job_free(). */
void hd_scale_step_job(const struct hd_scale_plan *plan, const struct hd_scale_step *step, struct hd_series_job *job);

/** Is {NAME} in the command? */
bool hd_scale_is_in_command(const struct hd_scale_options *options, const char *name);

/* ---- definition.c ---- */

/** Finds the file that each set runs and takes a hash of its content. */
void hd_scale_programs_find(struct hd_scale_plan *plan);

/** What scan.json has to say about this plan; `before` is what is there, NULL: nothing. NULL: no memory. */
json_t *hd_scale_definition_make(const struct hd_scale_plan *plan, const json_t *before);

/** Whether a scan that is there and the one that is asked for are the same but for thread counts, repeats and
 *  parameters' values. */
bool hd_scale_definition_fits(const struct hd_scale_plan *plan, const json_t *before, const json_t *asked);

/* ---- a scan that goes on ---- */

extern const struct hd_series_kind hd_scale_kind;

struct hd_scale {
  struct hd_scale_plan plan;
  struct hd_series series;
  size_t points;     /* that the scan has, earlier ones included: thread counts by ranks and sets */
  bool told_others;  /* that runs consist of several processes */
  bool told_command; /* that runs have other arguments */
};

/** The profiles of a run, that of the process that ran longest first. */
struct hd_scale_profiles {
  struct hd_texts paths;
  struct hd_model *first; /* owned */
  bool other_command;     /* of the same program as those of the runs before, but its arguments differ */
};

/* ---- store.c ---- */

/** Makes the directory or goes on with what is in it: marks the plan's steps that are done. Call hd_series_close() in
 *  any case. */
bool hd_scale_store_open(struct hd_scale *scale);

/** The path of a step's file, "DIR/SET/t4.r2" and `ending`. */
void hd_scale_store_path(const struct hd_scale *scale, const struct hd_scale_step *step, const char *ending,
                         char path[PATH_MAX]);

/** Moves the profiles and the output to their names; the step is done. A run is there when its profile has its name,
 *  which it gets last and whole. */
bool hd_scale_store_keep(struct hd_scale *scale, struct hd_scale_step *step, struct hd_scale_profiles *profiles);

/** Likewise the file of an MPI job. */
bool hd_scale_store_keep_job(struct hd_scale *scale, struct hd_scale_step *step);

/* ---- scan.c ---- */

enum hd_scale_end {
  HD_SCALE_DONE, /* runs that failed included, if the scan is to keep going */
  HD_SCALE_FAILED,
  HD_SCALE_STOPPED, /* by a signal, `scale->series.signals.stop` */
};

/** Says how much there is to do and makes all runs that are not there yet, then closes the store. What it did not get
 *  to is said. */
enum hd_scale_end hd_scale_scan(struct hd_scale *scale, uint32_t processors);

/* ---- estimate.c ---- */

/** How far the scan is. `runs`: that step is running. */
void hd_scale_estimate(const struct hd_scale_plan *plan, size_t step, bool runs, struct hd_series_state *state);

/* ---- profiles.c ---- */

/** Finds a run's profiles. NULL: they are there and of the right program; else what is wrong, in words. */
const char *hd_scale_profiles_find(const struct hd_scale *scale, const struct hd_scale_step *step,
                                   struct hd_scale_profiles *profiles, char *error, size_t error_bytes);
void hd_scale_profiles_free(struct hd_scale_profiles *profiles);

/** The names of profiles that a run left. */
void hd_scale_profiles_list(const struct hd_scale *scale, const struct hd_scale_step *step, struct hd_texts *paths);

/* ---- ranks.c ---- */

/** Puts the profiles of an MPI job's ranks together in one file, "DIR/.running/run7.job". NULL: done; else what is
 *  wrong, in words. */
const char *hd_scale_ranks_join(struct hd_scale *scale, const struct hd_scale_step *step, char *error,
                                size_t error_bytes);

/** Elapsed seconds of the job in such a file. Negative: it cannot be read, as was said. */
double hd_scale_ranks_elapsed(char *path);

#endif
