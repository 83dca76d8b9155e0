/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file live.h
 * The profile of a program that runs, read again and again.
 *
 * A reading is a copy of the file: the program is not asked, does not wait, and does not know of it. What threads are
 * in counts until the copy was begun. The file changes while it is copied, so one record may be some microseconds older
 * than another. Where an event came just between two that belong together, sums do not add up: then the file is read
 * again, and what is left of that is known (`error_seconds`).
 */
#ifndef HEDDLE_OUTPUT_LIVE_LIVE_H
#define HEDDLE_OUTPUT_LIVE_LIVE_H

#include "output/live/rates.h"
#include "output/model/model.h"

/** A callpath's name, as it was found first. */
struct hd_live_name {
  struct hd_name name;
  bool fresh;
};

/** Begins with `path`, for messages, `file`, open, and the rest 0. */
struct hd_live {
  const char *path;
  int file;
  struct hd_model *model;     /* the run so far, as of the newest reading; NULL: there was none */
  struct hd_model *run;       /* the same, with estimates of what was not observed (hd_resolve); may be `model` */
  struct hd_model *interval;  /* what came since the reading before, likewise; NULL: that was the first */
  struct hd_live_rates rates; /* of events between them; seconds 0: there was none */
  double error_seconds;       /* by so much a number of the newest reading may be wrong */
  struct hd_live_name *names; /* by node */
  uint32_t name_count;
};

/** Reads the file. `present`: its program runs (hd_profile_read). False: `error` says why, and all is as before. */
bool hd_live_read(struct hd_live *live, bool present, char *error, size_t error_bytes);

/** Reads which callpaths there are now, and their names: of other numbers of `model` some may be older than others, and
 *  there is no interval, nor are there estimates. Likewise. */
bool hd_live_read_callpaths(struct hd_live *live, char *error, size_t error_bytes);

/** A model of the file as it is now, to be freed with hd_model_free(); of several tries the one whose sums add up best,
 * and by how many seconds they do not. NULL: `error` says why; else it is empty. */
struct hd_model *hd_live_copy(const struct hd_live *live, bool present, double *error_seconds, char *error,
                              size_t error_bytes);

/** Frees all but the descriptor. */
void hd_live_free(struct hd_live *live);

/** By how much the sums of a model do not add up: 0 for every whole profile. */
uint64_t hd_live_error_ticks(const struct hd_model *model);

#endif
