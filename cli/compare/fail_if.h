/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file fail_if.h
 * Conditions on a comparison, for use in continuous integration: `heddle compare --fail-if 'region.time > 1.05'`.
 *
 * An expression in muParser's language over the variables program.NAME and region.NAME, where NAME is
 *
 *     time        time here / time at the baseline
 *     seconds     time here - time at the baseline
 *     speedup, efficiency
 *     lost        wall seconds lost, all causes
 *     serial ...  wall seconds lost by cause (output/analysis/losses/causes.h)
 *
 * It is tried for every region (nested ones and worksharing constructs in regions, too) and every point but the
 * baseline; with program.* variables alone once for each point.
 *
 * What is within the noise of the repeats is taken as no difference: where the interval of the speedup holds 1, time
 * and speedup are 1 and seconds 0; where that of the lost seconds holds 0, all lost seconds are 0 and the efficiency
 * is 1. A condition counts when it holds with the measured values and also without what is noise.
 */
#ifndef HEDDLE_CLI_COMPARE_FAIL_IF_H
#define HEDDLE_CLI_COMPARE_FAIL_IF_H

#include <stdbool.h>
#include <stdio.h>

#include "output/comparison/comparison.h"

struct hd_fail_if;

/** NULL: `error` holds one line that says what is wrong with the expression, without a newline. */
struct hd_fail_if *hd_fail_if_new(const char *expression, char *error, size_t error_bytes);
void hd_fail_if_free(struct hd_fail_if *condition);

/**
 * Whether the condition holds anywhere. Says on `out`, a line each, where it does and with what values; also where it
 * would hold but for the noise, where it has no value (divided by zero), and which regions are not at both points and
 * so not tried. Regions whose time is less than `least_share` (1: all) of the program's at both points are not tried;
 * how many is said, and when it holds nowhere, that it does not.
 */
bool hd_fail_if_holds(struct hd_fail_if *condition, const struct hd_comparison *comparison, double least_share,
                      FILE *out);

#endif
