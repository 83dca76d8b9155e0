/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file profile.h
 * A large profile, for reports to be timed on.
 */
#ifndef HEDDLE_BENCHMARKS_SIMULATION_PROFILE_H
#define HEDDLE_BENCHMARKS_SIMULATION_PROFILE_H

#include <stdbool.h>

/** Arguments: FILE THREADS CALLPATHS [ONE_IN]. False: not these; or it failed, and the reason is on stderr. */
bool profile_make(const char *folder, int argc, char **argv);

#endif
