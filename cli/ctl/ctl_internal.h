/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file ctl_internal.h
 * `heddle ctl`: a running program, what its events cost, and what it is asked for.
 */
#ifndef HEDDLE_CLI_CTL_INTERNAL_H
#define HEDDLE_CLI_CTL_INTERNAL_H

#include <limits.h>

#include "cli/watch/watch.h"
#include "heddle-format.h"
#include "support/name_choice.h"

enum { HD_CTL_ERROR_BYTES = PATH_MAX + 256 };

struct hd_ctl {
  char path[PATH_MAX]; /* of the live profile */
  struct hd_top_watch watch;
  double wait_seconds;     /* for the program's next event, at most */
  double interval_seconds; /* over which costs are seen */
  char error[HD_CTL_ERROR_BYTES];
};

/* ---- target.c: the program ---- */

/** Opens the live profile of the process; only its own user may. False: `ctl->error` says why. */
bool hd_ctl_open(struct hd_ctl *ctl, unsigned long pid);
void hd_ctl_close(struct hd_ctl *ctl);

/** How the program answered. */
struct hd_ctl_answer {
  double seconds; /* after so long */
  bool replaced;  /* somebody else's request, which it had not seen yet */
};

/** Asks the program, and waits until it has acted. False: `ctl->error` says why it has not. */
bool hd_ctl_ask(struct hd_ctl *ctl, const struct hd_top_request *what, struct hd_ctl_answer *answer);

/** Of a clock that only goes forward. */
double hd_ctl_seconds_now(void);

/** The profile as it is now, to be freed with hd_model_free(). NULL: `ctl->error` says why. */
struct hd_model *hd_ctl_read(struct hd_ctl *ctl);

/** Reads, waits for an interval, and reads again, which is left in `after`. False: `ctl->error` says why. */
bool hd_ctl_rates_now(struct hd_ctl *ctl, struct hd_live_rates *rates, struct hd_model **after);

/* ---- places.c: where a class goes off, or on ---- */

/** Callpaths that are meant by a regular expression. */
struct hd_ctl_places {
  bool *callpaths; /* by node id: one that is meant, or below one; owned */
  uint32_t *ids;   /* those that are meant and not below another; owned */
  uint32_t count;
};

/** Finds them; the model has names, and the expression is valid. To be freed with hd_ctl_places_free(), also if it is
 *  false: then there is none, or no parallel region at or below one, as has been said on stderr. */
bool hd_ctl_places_find(const struct hd_model *model, const char *expression, struct hd_ctl_places *places);
void hd_ctl_places_free(struct hd_ctl_places *places);

/** Whether the class is off in all parallel regions there, because it was asked for; on in all of them, also for the
 *  budget. */
bool hd_ctl_places_are_off(const struct hd_ctl_places *places, const struct hd_model *model, enum hd_event_class c);
bool hd_ctl_places_are_on(const struct hd_ctl_places *places, const struct hd_model *model, enum hd_event_class c);

/* ---- change.c, routines.c, status.c, snapshot.c: the commands; each returns the exit status ---- */

/** `under`: a valid regular expression, by which callpaths are meant; NULL: everywhere. */
int hd_ctl_change(struct hd_ctl *ctl, const struct hd_top_request *change, const char *under);
int hd_ctl_routines(struct hd_ctl *ctl, const struct hd_name_choice *choice);
int hd_ctl_status(struct hd_ctl *ctl, bool json);
int hd_ctl_snapshot(struct hd_ctl *ctl, const char *output);

int hd_ctl_fail(const struct hd_ctl *ctl);

#endif
