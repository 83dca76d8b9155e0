/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/open_profile.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/analysis/resolve/resolve.h"
#include "output/live/interval.h"
#include "output/reader/open.h"
#include "output/symbols/name_cache.h"
#include "output/symbols/resolve_names.h"
#include "support/command/output_stream.h"
#include "support/command/sigbus_guard.h"

bool hd_take_seconds(const struct hd_option_use *use) {
  char *end;
  double *seconds = use->field;
  *seconds = strtod(use->argument, &end);
  return (*use->argument && !*end && isfinite(*seconds) && *seconds >= 0) ||
         hd_option_expect(use, "seconds since the program's start");
}

static bool wants_part(const struct hd_profile_command *command) {
  return command->part && (command->part->from_seconds > 0 || command->part->to_seconds > 0);
}

struct hd_model *hd_open_file(const struct hd_profile_command *command, const char *path) {
  struct hd_model *model = NULL;
  char error[2 * PATH_MAX + 256];
  const char *since = command->since ? *command->since : NULL;
  if (wants_part(command) ? !hd_part_open(path, command->part, &model, error, sizeof error)
                          : !hd_interval_open(path, since, &model, error, sizeof error)) {
    fprintf(stderr, "heddle: %s\n", error);
    return NULL;
  }
  if (hd_names_resolve(model) > 0 && !*command->no_cache)
    hd_names_store(model);
  if (command->no_estimates && !*command->no_estimates)
    hd_resolve(model);
  return model;
}

bool hd_open_options(const struct hd_profile_command *command, int argc, char **argv, int *first, int *status) {
  hd_stream_guard();
  hd_sigbus_guard();
  if (!hd_options_read(command->usage, argc, argv, command->choices, first, status))
    return false;
  if (wants_part(command) && command->since && *command->since)
    hd_usage_complain(command->usage, "either --since or --from and --to");
  else if (!command->check || command->check(command->choices))
    return true;
  *status = HD_EXIT_USAGE;
  return false;
}

struct hd_model *hd_open_profile(const struct hd_profile_command *command, int argc, char **argv, int *status) {
  int file = 0;
  if (!hd_open_options(command, argc, argv, &file, status))
    return NULL;
  struct hd_model *model = hd_open_file(command, argv[file]);
  *status = model ? HD_EXIT_OK : HD_EXIT_FAILED;
  return model;
}

bool hd_open_profiles(char **files, size_t count, struct hd_model **models) {
  char error[PATH_MAX + 256];
  bool done = true;
  for (size_t i = 0; i < count; i++) /* all that is wrong is said at once */
    if (!hd_profile_open(files[i], &models[i], error, sizeof error)) {
      fprintf(stderr, "heddle: %s\n", error);
      done = false;
    }
  return done;
}
