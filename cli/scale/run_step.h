/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file run_step.h
 * One run: a child that is `heddle run`.
 */
#ifndef HEDDLE_CLI_SCALE_RUN_STEP_H
#define HEDDLE_CLI_SCALE_RUN_STEP_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "cli/scale/progress.h"
#include "cli/scale/store.h"

/** Signals that end a scan, and how they were dealt with before. */
struct hd_scale_signals {
  sigset_t mask;
  struct sigaction child_action;
  struct sigaction pipe_action;
  int queue;      /* descriptor */
  int stop;       /* the signal that ends the scan; 0: none came */
  bool continued; /* the scan was stopped (Ctrl-Z) and goes on */
};

bool hd_scale_signals_take(struct hd_scale_signals *signals);
void hd_scale_signals_restore(const struct hd_scale_signals *signals);

/** Sees whether one has come meanwhile; true when the scan has to end. */
bool hd_scale_signals_look(struct hd_scale_signals *signals, pid_t child);

struct hd_scale_outcome {
  int status;       /* of the run, as `heddle run` exits */
  int signal;       /* that ended heddle run itself; 0: none */
  bool interrupted; /* by a signal that ends the scan, or the run was stopped for a while: it does not count */
  double seconds;
};

/** Runs a step to its end; profiles and output are then in the store's folder. */
bool hd_scale_run(const struct hd_scale_plan *plan, const struct hd_scale_store *store,
                  const struct hd_scale_step *step, struct hd_scale_signals *signals,
                  struct hd_scale_progress *progress, struct hd_scale_outcome *outcome);

#endif
