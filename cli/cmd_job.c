/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file cmd_job.c
 * `heddle job FILE...`: the ranks of an MPI job side by side.
 */
#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/open_profile.h"
#include "output/analysis/resolve/resolve.h"
#include "output/model/memory.h"
#include "output/symbols/resolve_names.h"
#include "output/views/job/job_view.h"
#include "support/command/memory.h"
#include "support/command/options.h"
#include "support/command/output_stream.h"
#include "support/command/pager.h"
#include "support/command/sigbus_guard.h"

struct choices {
  unsigned limit;
  bool json;
};

static const struct hd_option options[] = {
    {'n', "limit", "N", "show at most N lines of each table (default 20; 0: all)", .take = hd_take_number,
     .field = offsetof(struct choices, limit), .expects = "a number of lines"},
    {0, "json", NULL, "write JSON (docs/mpi.md)", HD_OPTION_FLAG(struct choices, json)},
    HD_OPTION_WIDTH,
    HD_OPTION_COLOR,
    HD_OPTION_PAGER,
    {0},
};

static const struct hd_usage usage = {
    .command = "job",
    .synopsis = "[options] FILE...",
    .description =
        "Shows the ranks of an MPI job side by side, each FILE being the profile of one: how well they use their\n"
        "threads and wait for each other, which rank is late, and in which callpaths ranks differ.",
    .options = options,
    .none = "missing FILE",
};

static void resolve_all(struct hd_model *const *models, size_t count) {
  for (size_t i = 0; i < count; i++) {
    hd_names_resolve(models[i]);
    hd_resolve(models[i]);
  }
}

static bool show(struct hd_model *const *models, size_t count, const struct choices *choices) {
  resolve_all(models, count);
  struct hd_job *job = hd_job_new(models, count);
  bool made = true;
  if (!choices->json)
    hd_pager_begin();
  if (choices->json)
    made = hd_job_json(job, stdout);
  else
    hd_job_print(job, choices->limit, stdout);
  if (!made)
    fputs("heddle: out of memory\n", stderr);
  hd_job_free(job);
  return made && hd_stream_finish(stdout, "standard output");
}

int hd_cmd_job(int argc, char **argv) {
  struct choices choices = {.limit = 20};
  int first = 0, status = HD_EXIT_OK;
  hd_stream_guard();
  hd_sigbus_guard();
  if (!hd_options_read(&usage, argc, argv, &choices, &first, &status))
    return status;
  const size_t count = (size_t)(argc - first);
  struct hd_model **models = hd_new(count, sizeof(struct hd_model *));
  const bool done = hd_open_profiles(argv + first, count, models) && show(models, count, &choices);
  for (size_t i = 0; i < count; i++)
    hd_model_free(models[i]);
  free(models);
  return done ? HD_EXIT_OK : HD_EXIT_FAILED;
}
