/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file scan.h
 * All runs, one after the other.
 */
#ifndef HEDDLE_CLI_SCALE_SCAN_H
#define HEDDLE_CLI_SCALE_SCAN_H

#include <stdint.h>

#include "cli/scale/run_step.h"

/** Says how much there is to do. */
void hd_scale_announce(const struct hd_scale_plan *plan, uint32_t processors);

enum hd_scale_end {
  HD_SCALE_DONE, /* runs that failed included, if the scan is to keep going */
  HD_SCALE_FAILED,
  HD_SCALE_STOPPED, /* by a signal */
};

/** Makes all runs that are not there yet. What it did not get to is said. */
enum hd_scale_end hd_scale_scan(struct hd_scale_plan *plan, struct hd_scale_store *store,
                                struct hd_scale_signals *signals);

#endif
