/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file cmd_merge.c
 * `heddle merge [-o OUT] FILE...`: the sum of several runs as one profile.
 */
#include "cli/command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/job/job_files.h"
#include "cli/open_profile.h"
#include "output/merge/merge.h"
#include "output/model/format_names.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "output/views/job/job_view.h"
#include "support/command/memory.h"
#include "support/command/options.h"
#include "support/command/output_stream.h"
#include "support/command/sigbus_guard.h"
#include "support/log.h"

struct choices {
  const char *output;
  bool force;
  bool quiet;
  bool job;
  bool all_ranks;
};

static const struct hd_option options[] = {
    {'o', "output", "OUT", "the file to write (default merged.heddle, with --job job.heddle)",
     HD_OPTION_FILE(struct choices, output)},
    {'f', "force", NULL, "also merge runs of different programs; replace OUT if it exists",
     HD_OPTION_FLAG(struct choices, force)},
    {'q', "quiet", NULL, "print nothing unless it fails", HD_OPTION_FLAG(struct choices, quiet)},
    {0, "job", NULL, "FILEs are of the ranks of one MPI job: write what 'heddle job' shows of them",
     HD_OPTION_FLAG(struct choices, job)},
    {0, "all-ranks", NULL, "with --job: keep each rank's time in every place, also where it matters little",
     HD_OPTION_FLAG(struct choices, all_ranks)},
    {0},
};

static const struct hd_usage usage = {
    .command = "merge",
    .synopsis = "[-o OUT] FILE...",
    .description =
        "Merges several runs of one program into one profile, which 'heddle report' and 'heddle export' read like any\n"
        "other. Callpaths match by construct, module and place, all along the path; thread 0 of all runs becomes "
        "thread\n"
        "0, and so on. Times, calls and counts add up, elapsed time too. A run that was killed, or is still running,\n"
        "counts up to its last event. Notes in OUT name the runs and what could not be merged.",
    .options = options,
    .none = "missing FILE",
};

static bool save(const struct hd_writer *writer, const struct choices *choices) {
  if (hd_writer_save(writer, choices->output, choices->force))
    return true;
  const int error = errno;
  fprintf(stderr, "heddle: %s: %s\n", choices->output, error == EEXIST ? HD_STREAM_TAKEN : strerror(error));
  return false;
}

/* What the sum consists of and lacks. */
static void print_notes(const struct hd_writer *writer, const char *path) {
  struct hd_model *model = NULL;
  char error[PATH_MAX + 256];
  if (!hd_profile_parse(path, writer->bytes, writer->size, &model, error, sizeof error))
    return;
  fprintf(stderr, "heddle: profile: %s (%.3f s)\n", path, hd_model_seconds(model, model->elapsed_ticks));
  for (size_t i = 0; i < model->file_note_count; i++)
    fprintf(stderr, "heddle: %s\n", model->notes.items[i]);
  hd_model_free(model);
}

static bool merge(struct hd_model *const *models, size_t count, const struct choices *choices) {
  struct hd_writer writer = {0};
  char error[2 * PATH_MAX + 256];
  bool done = hd_merge(models, count, choices->force, &writer, error, sizeof error);
  if (!done)
    fprintf(stderr, "heddle: %s\n", error);
  done = done && save(&writer, choices);
  if (done && !choices->quiet)
    print_notes(&writer, choices->output);
  hd_writer_free(&writer);
  return done;
}

static bool merge_runs(char **files, size_t count, const struct choices *choices) {
  struct hd_model **models = hd_new(count, sizeof(struct hd_model *));
  const bool done = hd_open_profiles(files, count, models) && merge(models, count, choices);
  for (size_t i = 0; i < count; i++)
    hd_model_free(models[i]);
  free(models);
  return done;
}

static bool merge_job(char **files, size_t count, const struct choices *choices) {
  struct hd_job *job = hd_job_of_files(files, count);
  FILE *out = job ? hd_stream_create(choices->output, choices->force) : NULL;
  const bool done = out && hd_job_json(job, choices->all_ranks, out) && hd_stream_finish(out, choices->output);
  if (done && !choices->quiet)
    hd_log("job: %s (%zu rank%s); heddle job shows it", choices->output, job->rank_count, hd_plural(job->rank_count));
  hd_job_free(job);
  return done;
}

int hd_cmd_merge(int argc, char **argv) {
  struct choices choices = {0};
  int first = 0;
  hd_stream_guard();
  hd_sigbus_guard();
  int status = HD_EXIT_OK;
  if (!hd_options_read(&usage, argc, argv, &choices, &first, &status))
    return status;
  if (choices.all_ranks && !choices.job) {
    hd_usage_complain(&usage, "--all-ranks goes with --job");
    return HD_EXIT_USAGE;
  }
  if (!choices.output)
    choices.output = choices.job ? "job.heddle" : "merged.heddle";
  const size_t count = (size_t)(argc - first);
  const bool done = choices.job ? merge_job(argv + first, count, &choices) : merge_runs(argv + first, count, &choices);
  return done ? HD_EXIT_OK : HD_EXIT_FAILED;
}
