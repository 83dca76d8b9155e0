/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file clock_scale.h
 * Brings the clocks of several runs together. All identities are linear in the ticks, so they survive multiplication by
 * a whole number, but not rounding: a run's ticks are multiplied so that all runs' units come to about the same length.
 */
#ifndef HEDDLE_OUTPUT_UNIFY_CLOCK_SCALE_H
#define HEDDLE_OUTPUT_UNIFY_CLOCK_SCALE_H

#include "output/model/model.h"

/**
 * Fills factors[i]: ticks of models[i] times this are ticks of the common clock, whose length is `*seconds_per_tick`.
 * Clocks whose rates differ by less than 0.1 % are those of one machine, calibrated twice, and get the same factor.
 * False: the clocks are too different, or the runs too long: the thread time of all would not fit 62 bits.
 */
bool hd_clocks_join(struct hd_model *const *models, size_t count, uint64_t *factors, double *seconds_per_tick);

#endif
