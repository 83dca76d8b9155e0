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

/** The profile as it is now, to be freed with hd_model_free(). NULL: `ctl->error` says why. */
struct hd_model *hd_ctl_read(struct hd_ctl *ctl);

/** Reads, waits for an interval, and reads again, which is left in `after`. False: `ctl->error` says why. */
bool hd_ctl_rates_now(struct hd_ctl *ctl, struct hd_live_rates *rates, struct hd_model **after);

/* ---- change.c, routines.c, status.c, snapshot.c: the commands; each returns the exit status ---- */

int hd_ctl_change(struct hd_ctl *ctl, const struct hd_top_request *change);
int hd_ctl_routines(struct hd_ctl *ctl, const struct hd_name_choice *choice);
int hd_ctl_status(struct hd_ctl *ctl, bool json);
int hd_ctl_snapshot(struct hd_ctl *ctl, const char *output);

int hd_ctl_fail(const struct hd_ctl *ctl);

#endif
