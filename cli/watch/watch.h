/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file watch.h
 * Programs that run under Heddle, and one of them as it is read again and again.
 */
#ifndef HEDDLE_CLI_WATCH_WATCH_H
#define HEDDLE_CLI_WATCH_WATCH_H

#include <limits.h>
#include <sys/types.h>

#include "output/live/live.h"
#include "output/views/top/top.h"

/* ---- programs.c: who runs ---- */

struct hd_top_program {
  pid_t pid;
  double elapsed_seconds; /* since its start */
  char program[256];
  char path[PATH_MAX]; /* of its live file */
};

struct hd_top_programs {
  struct hd_top_program *items; /* the newest first */
  size_t count;
};

/** Programs under Heddle whose live files this user may read, where these usually lie and beside the file `beside`,
 * unless it is NULL. To be freed with hd_top_programs_free(). */
struct hd_top_programs hd_top_programs_find(const char *beside);
void hd_top_programs_free(struct hd_top_programs *programs);

/** A table, or JSON. */
bool hd_top_programs_print(struct hd_top_programs *programs, bool json, FILE *out);

/* ---- watch.c: one of them ---- */

struct hd_top_watch {
  struct hd_live live;
  const char *name; /* of the file, without its directory */
  pid_t pid;        /* 0: the file is no live file */
  int process;      /* pidfd; -1: there is none */
  enum hd_top_life life;
};

/** Opens a profile's file. False: `error` says why. */
bool hd_top_watch_open(struct hd_top_watch *watch, const char *path, char *error, size_t error_bytes);

/** Whether its program runs, and writes to it. */
bool hd_top_watch_runs(const struct hd_top_watch *watch);

/** Reads it as it is now. False likewise. */
bool hd_top_watch_read(struct hd_top_watch *watch, char *error, size_t error_bytes);

/** Waits for so long, or until the program has ended. */
void hd_top_watch_wait(const struct hd_top_watch *watch, double seconds);

/** It has ended: nothing more is to be heard of it. */
void hd_top_watch_forget_process(struct hd_top_watch *watch);

void hd_top_watch_close(struct hd_top_watch *watch);

/* ---- ask.c: what is asked of it ---- */

struct hd_top_request {
  enum hd_control_command command;
  enum hd_event_class event_class;
  uint32_t ppm;
  uint64_t address; /* HD_CONTROL_ROUTINE: in the program's file */
};

/** Only the program's own user may ask, not even the superuser. */
bool hd_top_watch_is_own(const struct hd_top_watch *watch);

/** Asks the program, and does not wait. `word`: hd_control.done is that when it has acted. `replaced`: somebody else's
 *  request, which it had not seen yet. False: `error` says why it was not asked. */
bool hd_top_watch_ask(const struct hd_top_watch *watch, const struct hd_top_request *what, uint64_t *word,
                      bool *replaced, char *error, size_t error_bytes);

/** What views want to know. */
struct hd_top hd_top_of(const struct hd_top_watch *watch, enum hd_top_sort sort, uint32_t limit);

#endif
