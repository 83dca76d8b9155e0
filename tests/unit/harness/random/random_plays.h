/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Random programs: the profile must agree with the oracle in every number, and the identities must hold. */
#ifndef HEDDLE_TESTS_RANDOM_PLAYS_H
#define HEDDLE_TESTS_RANDOM_PLAYS_H

#include "fake_ompt.h"
#include "random_program.h"

/** Plays HEDDLE_SEEDS programs (default 100), or HEDDLE_SEED alone with its script on stderr; the variants take turns.
 * Fails after five programs that do not agree. `what` stands before the seeds that failed. */
void pl_check(const char *what, struct rp_options program, const struct fk_options *variants, unsigned count);

#endif
