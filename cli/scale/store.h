/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file store.h
 * The directory of a scan: what is in it already, how runs come into it.
 *
 * Functions that return false have said why on stderr.
 */
#ifndef HEDDLE_CLI_SCALE_STORE_H
#define HEDDLE_CLI_SCALE_STORE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/scale/plan.h"

struct hd_scale_profiles;

struct hd_scale_store {
  char path[PATH_MAX];    /* absolute */
  char running[PATH_MAX]; /* the folder for the run that is not whole yet */
  int lock;
  size_t points;     /* that the scan has, earlier ones included: thread counts by sets */
  bool told_others;  /* that runs consist of several processes */
  bool told_command; /* that runs have other arguments */
};

/** Makes the directory or goes on with what is in it: marks the plan's steps that are done. Call hd_scale_store_close()
 *  in any case. */
bool hd_scale_store_open(struct hd_scale_plan *plan, struct hd_scale_store *store);
void hd_scale_store_close(struct hd_scale_store *store);

/** The path of a step's file, "DIR/SET/t4.r2" and `ending`. */
void hd_scale_store_path(const struct hd_scale_plan *plan, const struct hd_scale_store *store,
                         const struct hd_scale_step *step, const char *ending, char path[PATH_MAX]);

/** Likewise of a file of the run that is not whole yet. Profiles have the ending "", ".1", ... */
void hd_scale_store_running(const struct hd_scale_plan *plan, const struct hd_scale_store *store,
                            const struct hd_scale_step *step, const char *ending, char path[PATH_MAX]);

/** Is there room for a run? */
bool hd_scale_store_has_room(const struct hd_scale_store *store);

/** Empties the folder for the run that is not whole. */
bool hd_scale_store_clear(const struct hd_scale_store *store);

/** Moves them and the output to their names; the step is done. A run is there when its profile has its
 * name, which it gets last and whole. */
bool hd_scale_store_keep(struct hd_scale_plan *plan, struct hd_scale_store *store, struct hd_scale_step *step,
                         struct hd_scale_profiles *profiles);

#endif
