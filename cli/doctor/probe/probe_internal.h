/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file probe_internal.h
 * The constructs and the tool of the probe, in the child that tries a runtime out.
 */
#ifndef HEDDLE_CLI_DOCTOR_PROBE_PROBE_INTERNAL_H
#define HEDDLE_CLI_DOCTOR_PROBE_PROBE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/doctor/probe/record.h"

/** In the child only; NULL: this process is no probe. */
extern struct hd_probe *hd_probe;

/** The calling thread's. */
extern _Thread_local uint8_t hd_probe_step;
extern _Thread_local bool hd_probe_is_primary;

/** Runs all constructs on a libomp that was opened; `why` says why they cannot run at all. */
bool hd_probe_play(void *libomp, char *why, size_t why_bytes);

#endif
