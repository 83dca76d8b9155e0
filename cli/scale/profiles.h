/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file profiles.h
 * Finds the profiles of a run.
 */
#ifndef HEDDLE_CLI_SCALE_PROFILES_H
#define HEDDLE_CLI_SCALE_PROFILES_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/scale/plan.h"
#include "cli/scale/store.h"

/** What came of a run that went well: its profiles, that of the process that ran longest first. */
struct hd_scale_profiles {
  struct hd_texts paths;
  struct hd_model *first; /* owned */
  bool other_command;     /* of the same program as those of the runs before, but its arguments differ */
  double seconds;         /* that it ran */
};
void hd_scale_profiles_free(struct hd_scale_profiles *profiles);

/** Finds a run's profiles. NULL: they are there and of the right program; else what is wrong, in words. */
const char *hd_scale_profiles_find(const struct hd_scale_plan *plan, const struct hd_scale_store *store,
                                   const struct hd_scale_step *step, struct hd_scale_profiles *profiles, char *error,
                                   size_t error_bytes);

#endif
