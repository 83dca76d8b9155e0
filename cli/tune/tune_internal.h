/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file tune_internal.h
 * The parts of `heddle tune`, in the order in which command.c uses them. Functions that return false have said why on
 * stderr. How a run is made is in cli/series.
 *
 *     suggest.c      a first profile: what its findings suggest, which loops have schedule(runtime)
 *     settings.c     what may be tried
 *     store.c        the runs that are there, in tune.json
 *     run.c          one run of the program with some settings
 *     decide.c       which of two settings is faster, as far as their times tell
 *     search.c       all runs: races between settings, and the last one, between the winner and the default
 *     report.c       what came of it
 */
#ifndef HEDDLE_CLI_TUNE_TUNE_INTERNAL_H
#define HEDDLE_CLI_TUNE_TUNE_INTERNAL_H

#include "cli/program/inspect.h"
#include "cli/run/options.h"
#include "cli/series/series.h"
#include "output/analysis/findings/findings.h"
#include "output/comparison/bootstrap.h"

/* ---- command.c ---- */

/** What the command line asks for. */
struct hd_tune_options {
  struct hd_series_options series;
  struct hd_series_threads threads; /* empty: powers of two */
  uint32_t limit_s;                 /* 0: none */
  bool schedules;                   /* try OMP_SCHEDULE whatever is known of the program's loops */
  bool json;
  struct hd_texts run_options; /* for `heddle run`, which makes the first profile; sorted */
};

/* ---- decide.c ---- */

/** By so much of the slower time two settings must differ. */
#define HD_TUNE_LEAST 0.02

/** A setting's times against another's. */
struct hd_tune_verdict {
  double base_s, other_s;   /* medians */
  struct hd_interval saved; /* 95 %, seconds: base - other; unknown with fewer than 3 times of each */
  bool faster;              /* `other` is, beyond the noise, and by HD_TUNE_LEAST */
};

struct hd_tune_verdict hd_tune_judge(const struct hd_sample *base, const struct hd_sample *other);

/** Whether the times exclude that `other` is as fast as `best`, so that no more of them are needed. */
bool hd_tune_is_out(const struct hd_sample *best, const struct hd_sample *other);

/* ---- settings.c ---- */

/** Kinds of settings, in the order in which they are tried if nothing suggests another. */
enum hd_tune_kind { HD_TUNE_THREADS, HD_TUNE_WAIT, HD_TUNE_BIND, HD_TUNE_SCHEDULE, HD_TUNE_KINDS };

/** "threads"; the folder of its runs, too. */
const char *hd_tune_kind_id(enum hd_tune_kind kind);

/** What has been chosen: of each kind "NAME=VALUE NAME=VALUE", or NULL: as it is. */
struct hd_tune_settings {
  const char *of[HD_TUNE_KINDS];
};

/** "OMP_NUM_THREADS=2 OMP_WAIT_POLICY=active"; "": all as it is. To be freed. */
char *hd_tune_settings_text(const struct hd_tune_settings *settings);

/** That, or "default". */
const char *hd_tune_settings_name(const char *text);

/** What can be tried of a kind; to be freed. Nothing: it makes no sense. */
struct hd_tune_facts {
  const struct hd_tune_options *options;
  uint32_t processors;
  bool links_libomp;
  bool has_runtime_loops;
};
void hd_tune_values(enum hd_tune_kind kind, const struct hd_tune_facts *facts, struct hd_texts *values);

/* ---- what goes on ---- */

/** A setting in a race. */
struct hd_tune_candidate {
  struct hd_tune_settings settings;
  char *text; /* owned */
  double *seconds;
  size_t count;
  bool out;    /* it cannot win any more */
  bool failed; /* a run of it did */
};

struct hd_tune_race {
  const char *id;                       /* "threads", ..., "final" */
  const char *reason;                   /* the cause of a finding that suggests it; NULL: none does */
  struct hd_tune_candidate *candidates; /* the first is what had been chosen before; of the final: the default */
  size_t count;
  size_t winner;
  uint32_t repeats; /* that were asked for */
};

struct hd_tune {
  const struct hd_tune_options *options;
  struct hd_series series;
  struct hd_tune_facts facts;
  double weights[HD_TUNE_KINDS];      /* part of the run that findings would gain, which suggest that kind */
  const char *reasons[HD_TUNE_KINDS]; /* the cause of the largest of them */
  json_t *file;                       /* tune.json: what the series is, and its runs */
  double begin_s;                     /* of the command */
  size_t made;                        /* runs, by this command */
  double slowest_s;                   /* of all runs without Heddle so far */
  struct hd_texts values[HD_TUNE_KINDS];
  struct hd_tune_race races[HD_TUNE_KINDS + 1];
  size_t race_count;
  struct hd_tune_settings chosen;
  bool limited; /* --limit ended the search before its end */
  bool judged;  /* the final was run */
  struct hd_tune_verdict verdict;
};

enum hd_tune_end {
  HD_TUNE_DONE,
  HD_TUNE_FAILED,
  HD_TUNE_STOPPED /* by a signal, `series.signals.stop` */
};

/* ---- suggest.c ---- */

/** Makes the first profile, unless it is there, and takes from it what to try. */
enum hd_tune_end hd_tune_suggest(struct hd_tune *tune);

/* ---- store.c ---- */

extern const struct hd_series_kind hd_tune_series_kind;

/** Makes the directory, or takes the runs that are in it. Call hd_tune_store_close() in any case. */
bool hd_tune_store_open(struct hd_tune *tune);
void hd_tune_store_close(struct hd_tune *tune);

/** A run's time; NAN: it failed. False: it is not there. */
bool hd_tune_store_find(const struct hd_tune *tune, const char *race, const char *settings, uint32_t repeat,
                        double *seconds);

/** Adds one; NAN: it failed. */
bool hd_tune_store_add(struct hd_tune *tune, const char *race, const char *settings, uint32_t repeat, double seconds);

/** Where the output of a run is kept, "DIR/threads/OMP_NUM_THREADS=2.r1.out"; makes the folder. */
bool hd_tune_store_output(const struct hd_tune *tune, const char *race, const char *settings, uint32_t repeat,
                          const char *ending, char path[PATH_MAX]);

/* ---- run.c ---- */

/** The program's elapsed time in a run, from tune.json or made now; NAN: the run failed, which has been shown. */
enum hd_tune_end hd_tune_run(struct hd_tune *tune, const char *race, const char *settings, uint32_t repeat,
                             double *seconds);

/** Runs a job again until it was not interrupted. */
enum hd_tune_end hd_tune_run_job(struct hd_tune *tune, const struct hd_series_job *job,
                                 struct hd_series_outcome *outcome);

/* ---- search.c ---- */

enum hd_tune_end hd_tune_search(struct hd_tune *tune);
void hd_tune_race_free(struct hd_tune_race *race);

/* ---- report.c ---- */

void hd_tune_print(const struct hd_tune *tune, FILE *out);

/** False: no memory. */
bool hd_tune_print_json(const struct hd_tune *tune, FILE *out);

#endif
