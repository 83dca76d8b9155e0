/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file each.h
 * What the simulation predicts for each construct: by how much it lasts longer.
 */
#ifndef HEDDLE_BENCHMARKS_SIMULATION_EACH_H
#define HEDDLE_BENCHMARKS_SIMULATION_EACH_H

#include "play.h"

/** Prints a table, in ns: constructs with nothing in them, many in a row, as in benchmarks/constructs.c. `base`: with
 * costs. False: it failed, and the reason is on stderr. */
bool each_print(const struct play *base, const uint32_t *teams, int count);

#endif
