/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file cmd_job.c
 * `heddle job FILE...`: the ranks of an MPI job side by side.
 */
#include "cli/command.h"

#include <limits.h>
#include <stdio.h>

#include "cli/job/job_files.h"
#include "output/views/job/job_view.h"
#include "support/command/complain.h"
#include "support/command/options.h"
#include "support/command/output_stream.h"
#include "support/command/pager.h"
#include "support/command/sigbus_guard.h"

struct choices {
  unsigned limit;
  const char *rank;
  bool all_ranks;
  bool json;
};

static const struct hd_option options[] = {
    {'n', "limit", "N", "show at most N lines of each table (default 20; 0: all)", .take = hd_take_number,
     .field = offsetof(struct choices, limit), .expects = "a number of lines"},
    {0, "rank", "N", "show one rank beside the others: first where it differs most", .take = hd_take_text,
     .field = offsetof(struct choices, rank), .expects = "a rank's number"},
    {0, "json", NULL, "write JSON (docs/mpi.md)", HD_OPTION_FLAG(struct choices, json)},
    {0, "all-ranks", NULL, "with --json: each rank's time in every place, also where it matters little",
     HD_OPTION_FLAG(struct choices, all_ranks)},
    HD_OPTION_WIDTH,
    HD_OPTION_COLOR,
    HD_OPTION_PAGER,
    {0},
};

static const struct hd_usage usage = {
    .command = "job",
    .synopsis = "[options] FILE...",
    .description = "Shows the ranks of an MPI job side by side: how well they use their threads and wait for each "
                   "other, which rank\n"
                   "is late, and in which callpaths ranks differ. A FILE is the profile of a rank, or what 'heddle "
                   "merge --job' wrote.",
    .options = options,
    .none = "missing FILE",
};

/* By its number; false: it is none. */
static bool find_rank(const struct hd_job *job, const char *text, uint32_t *index) {
  unsigned long number = 0;
  if (!hd_number_read(text, INT_MAX, &number))
    return HD_COMPLAIN("--rank needs a rank's number, not '%s'", text);
  for (*index = 0; *index < job->rank_count; ++*index)
    if (job->ranks[*index].rank == (int32_t)number)
      return true;
  return HD_COMPLAIN("there is no rank %lu among %zu", number, job->rank_count);
}

static bool show(const struct hd_job *job, const struct choices *choices) {
  uint32_t rank = 0;
  if (choices->rank && !find_rank(job, choices->rank, &rank))
    return false;
  if (choices->json)
    return hd_job_json(job, choices->all_ranks, stdout) || HD_COMPLAIN("out of memory");
  hd_pager_begin();
  if (choices->rank)
    hd_job_print_rank(job, rank, choices->limit, stdout);
  else
    hd_job_print(job, choices->limit, false, stdout);
  return true;
}

int hd_cmd_job(int argc, char **argv) {
  struct choices choices = {.limit = 20};
  int first = 0, status = HD_EXIT_OK;
  hd_stream_guard();
  hd_sigbus_guard();
  if (!hd_options_read(&usage, argc, argv, &choices, &first, &status))
    return status;
  if (choices.rank && choices.json) {
    hd_usage_complain(&usage, "either --rank or --json, which has all ranks");
    return HD_EXIT_USAGE;
  }
  struct hd_job *job = hd_job_of_files(argv + first, (size_t)(argc - first));
  const bool done = job && show(job, &choices) && hd_stream_finish(stdout, "standard output");
  hd_job_free(job);
  return done ? HD_EXIT_OK : HD_EXIT_FAILED;
}
