/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/open_profile.h"

#include <limits.h>
#include <stdio.h>

#include "output/reader/open.h"
#include "output/symbols/name_cache.h"
#include "output/symbols/resolve_names.h"
#include "support/command/output_stream.h"
#include "support/command/sigbus_guard.h"

/* The index of FILE in argv; 0 with the exit status in `status` when there is nothing to open. */
static int find_file(const struct hd_profile_command *command, int argc, char **argv, int *status) {
  int first = 0;
  *status = HD_EXIT_USAGE;
  switch (hd_arguments_parse(command->usage, argc, argv, command->take_option, command->choices, &first)) {
  case HD_ARGUMENTS_HELP:
    *status = hd_stream_finish(stdout, "standard output") ? HD_EXIT_OK : HD_EXIT_FAILED;
    return 0;
  case HD_ARGUMENTS_WRONG:
    return 0;
  case HD_ARGUMENTS_OK:
    break;
  }
  if (command->check && !command->check(command->choices))
    return 0;
  if (argc - first == 1)
    return first;
  hd_arguments_complain(command->usage, first == argc ? "which FILE?" : "one FILE at a time");
  return 0;
}

struct hd_model *hd_open_profile(const struct hd_profile_command *command, int argc, char **argv, int *status) {
  hd_stream_guard();
  hd_cut_file_guard();
  const int file = find_file(command, argc, argv, status);
  if (file == 0)
    return NULL;
  struct hd_model *model = NULL;
  char error[PATH_MAX + 256];
  if (!hd_profile_open(argv[file], &model, error, sizeof error)) {
    fprintf(stderr, "heddle: %s\n", error);
    *status = HD_EXIT_FAILED;
    return NULL;
  }
  if (hd_names_resolve(model) > 0 && *command->cache)
    hd_names_store(model);
  return model;
}
