/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file open_profile.h
 * What the commands of the form `heddle NAME [options] FILE` have in common: reading the command line and the profile.
 */
#ifndef HEDDLE_CLI_OPEN_PROFILE_H
#define HEDDLE_CLI_OPEN_PROFILE_H

#include <stdbool.h>

#include "output/model/model.h"
#include "output/replay/part.h"
#include "support/command/options.h"

struct hd_profile_command {
  const struct hd_usage *usage;
  void *choices;                  /* of the command line */
  const bool *no_cache;           /* in the choices: do not keep the names that are found in FILE */
  const bool *no_estimates;       /* likewise: leave unresolved time unresolved. NULL: in any case */
  const char *const *since;       /* likewise: only what came after this profile of the same run */
  const struct hd_run_part *part; /* likewise: only that part of the run; NULL: the command shows whole runs only */
  bool (*check)(void *choices);   /* whether the options go together, once all are known; complains if not. NULL: yes */
};

#define HD_OPTION_SINCE(choices, member)                                                                               \
  {0, "since", "EARLIER",                                                                                              \
   "show only what came after the profile EARLIER of the same run\n"                                                   \
   "('heddle ctl PID snapshot')",                                                                                      \
   HD_OPTION_FILE(choices, member)}

#define HD_OPTION_PART(choices, member)                                                                                \
  {0,                                                                                                                  \
   "from",                                                                                                             \
   "SECONDS",                                                                                                          \
   "with a trace ('heddle run --trace'): show only what happened from then on",                                        \
   .take = hd_take_seconds,                                                                                            \
   .field = offsetof(choices, member.from_seconds)},                                                                   \
  {                                                                                                                    \
    0, "to", "SECONDS", "likewise, only until then", .take = hd_take_seconds,                                          \
        .field = offsetof(choices, member.to_seconds)                                                                  \
  }

/** For options: seconds since the program's start, into a double. */
bool hd_take_seconds(const struct hd_option_use *use);

/** Parses the command line; the operands begin at argv[*first]. False: the command ends with `status`. */
bool hd_open_options(const struct hd_profile_command *command, int argc, char **argv, int *first, int *status);

/** Opens a profile and finds its names, as the choices say. NULL: the reason is on stderr. */
struct hd_model *hd_open_file(const struct hd_profile_command *command, const char *path);

/** Both, for the one FILE of a command line: opens it and finds its names. Returns the model, which the caller frees
 * with hd_model_free; or NULL with the exit status in `status`: --help was answered, or stderr says what is wrong. */
struct hd_model *hd_open_profile(const struct hd_profile_command *command, int argc, char **argv, int *status);

/** Opens several, without their names, into `models`, which begin as NULL. False: stderr says of each that cannot be
 *  opened why. */
bool hd_open_profiles(char **files, size_t count, struct hd_model **models);

#endif
