/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file watch.h
 * Notices, while the program runs, which processes write profiles and when they die.
 */
#ifndef HEDDLE_CLI_RUN_WATCH_H
#define HEDDLE_CLI_RUN_WATCH_H

#include <stdbool.h>

#include "cli/run/environment.h"

struct hd_run_watch;

/** Starts watching the private directory; NULL when the system has no more watches to give: the run goes on without,
 *  hd_run_watch_* accept NULL, and the time of death of processes other than the program itself stays unknown. */
struct hd_run_watch *hd_run_watch_start(const struct hd_run_environment *environment);

/** Readable when there is something to handle; -1 without a watch. */
int hd_run_watch_descriptor(const struct hd_run_watch *watch);

/** Takes what has happened since; stamps the live files of processes that died. Does not block. */
void hd_run_watch_handle(struct hd_run_watch *watch);

/** Gives processes that are just ending up to `limit_ms` to do so. */
void hd_run_watch_settle(struct hd_run_watch *watch, int limit_ms);

/** Did a runtime try to load the probe? False when nobody watched. */
bool hd_run_watch_saw_probe(const struct hd_run_watch *watch, enum hd_private_probe probe);

void hd_run_watch_stop(struct hd_run_watch *watch);

#endif
