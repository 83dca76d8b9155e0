/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file switched_program.h
 * Random programs in which classes of events are switched off and on at any event.
 */
#ifndef HEDDLE_TESTS_SWITCHED_PROGRAM_H
#define HEDDLE_TESTS_SWITCHED_PROGRAM_H

#include "fake_ompt.h"

/** Sections that lie in each other get different names, as they must have. */
void sw_name_sections(struct fk_script *script);

/** Switches the classes in `classes` (bits) now and then, between thread 0's first events and its last. */
void sw_add(struct fk_script *script, uint64_t seed, uint32_t classes);

/** The same as `heddle ctl` does it, between any two events; and gives it other budgets. */
void sw_ask(struct fk_script *script, uint64_t seed);

/** Ends the script shortly after one of thread 0's regions: its workers have not told of their ends yet, perhaps. */
void sw_kill_after_a_join(struct fk_script *script, uint64_t seed);

/** Calls `check` with HEDDLE_SEEDS seeds (default 100), or with HEDDLE_SEED alone. */
void sw_play_seeds(void (*check)(uint64_t seed));

#endif
