/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file known_steps.h
 * Steps from one callpath to another that some thread has made before. Every thread makes each step once (then it
 * remembers it itself), and all threads of a new team make the same ones at the same time: they find them here without
 * waiting for one another, and without asking the dynamic linker whose code an address is.
 */
#ifndef HEDDLE_CALLPATH_KNOWN_STEPS_H
#define HEDDLE_CALLPATH_KNOWN_STEPS_H

#include <stdbool.h>
#include <stdint.h>

struct hd_step_key {
  const void *address;
  uint32_t parent; /* number of the callpath it starts from */
  uint16_t kind;
  bool is_call; /* of an instrumented routine */
};

/** Where a step leads to: profiles, by id. */
struct hd_step {
  uint32_t profile; /* whose time it is */
  uint32_t counter; /* where entries are counted: another for a routine's recursive call. HD_NONE: nowhere */
};

/** Any thread; never waits. `unloads`: modules that were unloaded so far (hd_modules_unloads). A step that was made
 *  when there were fewer does not count: its address may stand for other code by now. */
bool hd_known_steps_find(const struct hd_step_key *key, uint32_t unloads, struct hd_step *ends);

/** One thread at a time. Without memory for it the step stays unknown. */
void hd_known_steps_add(const struct hd_step_key *key, uint32_t unloads, struct hd_step ends);

#endif
