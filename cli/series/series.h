/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file series.h
 * Many runs of a program, one after the other, that are kept in a directory and resumed: what `heddle scale` and
 * `heddle tune` have in common. Functions that return false have said why on stderr.
 *
 *     options.c      what both have on the command line
 *     threads.c      lists of thread counts
 *     program.c      the file that runs: has it been changed since?
 *     definition.c   what a series is, as kept in its JSON file, and what must not differ when it is resumed
 *     directory.c    the directory and that file
 *     lock.c         keeps a second series out of it
 *     signals.c      signals that end a series
 *     run.c          one run: a child that is `heddle run`, or the program itself
 *     failure.c      shows a run that failed
 *     progress.c     the bar with runs done and time left, on stderr
 */
#ifndef HEDDLE_CLI_SERIES_SERIES_H
#define HEDDLE_CLI_SERIES_SERIES_H

#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "support/command/options.h"
#include "support/command/texts.h"

/* ---- options.c ---- */

/** What the command line asks for. */
struct hd_series_options {
  const char *directory; /* NULL: hd_series_complete() makes a name */
  uint32_t repeats;
  bool expected_status[256]; /* with which a run may end: 0, and what --expect-status names */
  bool start_over;
  bool quiet;
  char **command; /* argv's, NULL-terminated */
  char *made;     /* the directory's name, if it was made; owned */
};

/** Their choices are a struct hd_series_options. */
extern const struct hd_option hd_series_shared_options[];

/** What holds without any option. */
struct hd_series_options hd_series_options_default(void);

/** Makes the directory's name, PROGRAM.`ending`, unless there is one. */
void hd_series_options_complete(struct hd_series_options *options, const char *ending);
void hd_series_options_free(struct hd_series_options *options);

/** Processors that the process may use. */
uint32_t hd_series_count_processors(void);

/* ---- threads.c ---- */

enum { HD_SERIES_THREADS_MOST = 65536, HD_SERIES_COUNTS_MOST = 1024 };

/** Thread counts, ascending, each once; `items` is owned. */
struct hd_series_threads {
  uint32_t *items;
  size_t count;
};

/** "1,2,4", "1-8", "2-16:2" and what commas make of them. NULL: taken; else what is wrong, in words. */
const char *hd_series_parse_threads(const char *text, struct hd_series_threads *threads);

/** Powers of two up to `processors`, and that number. */
void hd_series_default_threads(uint32_t processors, struct hd_series_threads *threads);

/** The option's field is a struct hd_series_threads. */
hd_option_taker hd_series_take_threads;

/* ---- program.c ---- */

/** A program's file. */
struct hd_series_program {
  char path[PATH_MAX]; /* "": not found */
  uint64_t content;    /* a hash of it */
  struct timespec changed;
};

/** Finds the file that a command runs and takes a hash of its content. */
void hd_series_program_find(struct hd_series_program *program, const char *command);

/** Whether it is still what it was. */
bool hd_series_program_is_same(struct hd_series_program *program);

/** {"program": path, "content": hash}. NULL: no memory. */
json_t *hd_series_program_json(const struct hd_series_program *program);

/* ---- definition.c ---- */

/** A text; JSON holds no bytes that are not UTF-8, which are written as \xNN. NULL: no memory. */
json_t *hd_series_text(const char *text);
json_t *hd_series_texts(char *const *texts);

/** Members that any series has: the command, its directory, variables that change what a run does, the host. */
json_t *hd_series_definition(const struct hd_series_options *options);

/** True: both have the same under this key; else says what they have. */
bool hd_series_is_same(const char *key, const json_t *before, const json_t *asked);

/** Likewise of all keys (NULL ends them), and of those of hd_series_definition(); of another host it warns. */
bool hd_series_definition_fits(const char *const *keys, const json_t *before, const json_t *asked);

/** Likewise of a program's content; one that is not known on one side fits. */
bool hd_series_program_fits(const struct hd_series_program *program, const json_t *before, const json_t *asked);

/* ---- what is going on ---- */

/** Signals that end a series, and how they were dealt with before. */
struct hd_series_signals {
  sigset_t mask;
  struct sigaction child_action;
  struct sigaction pipe_action;
  int queue;      /* descriptor */
  int stop;       /* the signal that ends the series; 0: none came */
  bool continued; /* the series was stopped (Ctrl-Z) and goes on */
};

/** How far it is, when a run begins or has ended. */
struct hd_series_state {
  char name[NAME_MAX + 64]; /* of the run */
  size_t ended, total;      /* runs; total 0: not known */
  double expected_s;        /* of this run; negative: not known, nor is `left_s` */
  double left_s;            /* of all that are left, without this one */
};

struct hd_series_progress {
  struct hd_series_state state;
  bool bar;       /* stderr is a terminal */
  int shown;      /* columns of the bar that stand there */
  double begin_s; /* of the run, on a clock that nobody sets */
};

/** Files and words by which one kind of series differs from another. */
struct hd_series_kind {
  const char *command; /* "scale" */
  const char *noun;    /* "scan" */
  const char *file;    /* "scan.json" */
  const char *lock;    /* "scan.lock" */
};

struct hd_series {
  const struct hd_series_kind *kind;
  const struct hd_series_options *options;
  char path[PATH_MAX];    /* the directory, absolute */
  char running[PATH_MAX]; /* the directory for the run that is not whole yet */
  int lock;               /* -1: none */
  struct hd_series_signals signals;
  struct hd_series_progress progress;
};

/** A run. */
struct hd_series_job {
  char name[NAME_MAX + 64];
  size_t index;                       /* for its files' names */
  struct hd_texts variables;          /* "NAME=value", that are set for it */
  struct hd_texts launcher;           /* starts `heddle run` for each rank; none: this process is `heddle run` */
  struct hd_texts command;            /* the program and its arguments */
  const struct hd_texts *run_options; /* of `heddle run`; NULL: the program itself is run */
};

void hd_series_job_free(struct hd_series_job *job);

/** How a run has ended. */
struct hd_series_outcome {
  int status;       /* as `heddle run`, or a shell, exits */
  int signal;       /* that ended the child itself; 0: none */
  bool interrupted; /* by a signal that ends the series, or the run was stopped for a while: it does not count */
  double seconds;   /* from the start of the child to its end */
};

/* ---- directory.c ---- */

enum { HD_SERIES_PATH_MOST = 900 }; /* of the directory: libheddle.so's names have at most 1024 bytes */

/** Makes the directory or finds the series that is in it, and locks it. Call hd_series_close() in any case. */
bool hd_series_open(struct hd_series *series);
void hd_series_close(struct hd_series *series);

/** "DIRECTORY/NAME". False: too long. */
bool hd_series_join(char path[PATH_MAX], const char *directory, const char *name);

/** Makes a directory unless it is there. */
bool hd_series_make(const char *path);

/** Moves a file, which is whole under its new name even if the machine loses its power now. */
bool hd_series_move(const char *from, const char *to);
bool hd_series_sync(const struct hd_series *series);

/** Removes the files in a directory that are `chosen`; NULL: all. */
void hd_series_remove(const char *path, bool chosen(const char *name));

/** Removes the series' JSON file. */
bool hd_series_forget(const struct hd_series *series);

/** The series' JSON file; NULL: there is none yet. False: it cannot be read. */
bool hd_series_load(const struct hd_series *series, json_t **file);

/** Writes it: whole, or it stays as it was. */
bool hd_series_save(const struct hd_series *series, const json_t *file);

/** Complains that another series is in the directory. Always false. */
bool hd_series_is_another(const struct hd_series *series);

/** The path of a file of the run that is not whole yet. Profiles have the ending "", ".1", ... */
void hd_series_running(const struct hd_series *series, size_t index, const char *ending, char path[PATH_MAX]);

/** Makes and empties the directory for the run that is not whole. */
bool hd_series_clear(const struct hd_series *series);

/** Is there room for a run? */
bool hd_series_has_room(const struct hd_series *series);

/* ---- lock.c ---- */

/** Locks the directory until `lock` is closed, in this process and in a child that is `heddle run`. False: it is -1. */
bool hd_series_lock(struct hd_series *series);

/* ---- signals.c ---- */

bool hd_series_signals_take(struct hd_series_signals *signals);
void hd_series_signals_restore(const struct hd_series_signals *signals);

/** Sees whether one has come meanwhile, which is passed on to `child` unless that is 0; true when the series has to
 *  end. */
bool hd_series_signals_look(struct hd_series_signals *signals, pid_t child);

/* ---- run.c ---- */

/** Runs a job to its end; profiles and output are then in the directory for runs that are not whole. */
bool hd_series_run(struct hd_series *series, const struct hd_series_job *job, struct hd_series_outcome *outcome);

/* ---- failure.c ---- */

/** Whether a run ended with a status that is no failure. */
bool hd_series_is_expected(const struct hd_series *series, const struct hd_series_outcome *outcome);

/** Shows a run that failed: its command, why, and the end of its output, which is moved to `kept`. */
void hd_series_failure_show(const struct hd_series *series, const struct hd_series_job *job,
                            const struct hd_series_outcome *outcome, const char *why, const char *kept);

/* ---- progress.c ---- */

/** Seconds on a clock that nobody sets. */
double hd_series_now_s(void);

/** A run begins; it is still running: draws the bar again; it has ended, after so many seconds. */
void hd_series_progress_begin(struct hd_series *series, const struct hd_series_state *state);
void hd_series_progress_tick(struct hd_series *series);
void hd_series_progress_end(struct hd_series *series, const struct hd_series_state *state, double seconds);

/** Takes the bar away, for other lines. */
void hd_series_progress_clear(struct hd_series *series);

#endif
