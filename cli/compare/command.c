/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file command.c
 * `heddle compare A B C...`: what more threads, or another build, changed in each region, and why.
 */
#include "cli/compare/command.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/compare/sets.h"
#include "cli/job/compare_jobs.h"
#include "output/analysis/losses/causes.h"
#include "support/command/complain.h"
#include "support/command/memory.h"
#include "support/command/output_stream.h"
#include "support/command/pager.h"
#include "support/command/sigbus_guard.h"

enum { EXIT_CONDITION = 3 };

#define CAUSE(name, id, ...) " " id

static const struct hd_option own_options[] = {HD_OPTION_PAGER, {0}};
static const struct hd_option_section sections[] = {{.options = hd_compare_options}, {0}};

static const struct hd_usage usage = {
    .command = "compare",
    .synopsis = "[options] A B...",
    .description =
        "Shows the effect of more threads, or of another build: for the program and each region the time, the "
        "speedup,\n"
        "the wall seconds lost, and the causes of the loss.\n"
        "\n"
        "A, B... are profiles, or directories of profiles (as 'heddle scale' leaves them). Each is a set of runs; a\n"
        "directory's subdirectories with profiles are sets of their own. Runs in one set with the same number of\n"
        "threads are repeats: with 3 or more the comparison knows what is noise. Files of MPI jobs (heddle merge "
        "--job)\n"
        "are compared with each other: efficiencies, and what changed in which places.\n"
        "\n"
        "If runs have several thread counts they are compared by thread count, all sets together. If all have the "
        "same,\n"
        "the sets are sides: the first is before, the others after. If two or more sets hold several thread counts,\n"
        "each of them is compared by thread count, then all with each other at each thread count.",
    .options = own_options,
    .sections = sections,
    .none = "missing profile or directory",
    .epilogue =
        "EXPR is a formula over region.NAME and program.NAME. NAME is time (here / at the baseline), seconds (here -\n"
        "at the baseline), speedup, efficiency, lost (wall seconds), or a cause, for the wall seconds lost to it:\n"
        " " HD_LOSSES(CAUSE) ".\n"
                             "What is within the noise does not count. For example\n"
                             "\n"
                             "  heddle compare --fail-if 'region.time > 1.05' before/ after/\n"
                             "\n"
                             "Exit status: 0; 1: failed; 2: wrong options; 3: a condition of --fail-if is true.",
};

/* Those that can be made; returns their number. What is wrong with the others is told. */
static size_t compare_all(const struct hd_compare_jobs *jobs, const struct hd_compare_choices *choices,
                          struct hd_compare_series *series) {
  char error[2 * PATH_MAX + 256];
  size_t count = 0;
  for (size_t i = 0; i < jobs->count; i++) {
    struct hd_compare_options options = choices->compare;
    options.mode = jobs->items[i].mode;
    series[count].title = jobs->items[i].title;
    series[count].comparison =
        hd_comparison_new(jobs->items[i].inputs, jobs->items[i].input_count, &options, error, sizeof error);
    if (series[count].comparison)
      count++;
    else
      fprintf(stderr, "heddle: %s%s%s\n", jobs->items[i].title ? jobs->items[i].title : "",
              jobs->items[i].title ? ": " : "", error);
  }
  return count;
}

static bool fails(const struct hd_compare_choices *choices, const struct hd_compare_series *series, size_t count) {
  bool failed = false;
  for (size_t i = 0; i < choices->condition_count; i++)
    for (size_t j = 0; j < count; j++)
      if (hd_fail_if_holds(choices->conditions[i], series[j].comparison, choices->least_share, stderr))
        failed = true;
  return failed;
}

static int compare(const struct hd_compare_sets *sets, const struct hd_compare_choices *choices, hd_compare_user *use,
                   void *context) {
  struct hd_compare_jobs jobs = {0};
  int status = HD_EXIT_FAILED;
  const bool comparable = hd_compare_jobs_make(&jobs, sets, choices->ask);
  struct hd_compare_series *series = hd_new(jobs.count, sizeof *series);
  const size_t count = comparable ? compare_all(&jobs, choices, series) : 0;
  if (count > 0) {
    status = use(context, series, count);
    if (count < jobs.count)
      status = HD_EXIT_FAILED;
  }
  for (size_t i = 0; i < count; i++)
    hd_comparison_free((struct hd_comparison *)(uintptr_t)series[i].comparison);
  free(series);
  hd_compare_jobs_free(&jobs);
  return status;
}

int hd_compare_with(const struct hd_compare_choices *choices, char **operands, size_t count, hd_compare_user *use,
                    void *context) {
  struct hd_compare_sets sets;
  const int status =
      hd_compare_sets_open(&sets, operands, count) ? compare(&sets, choices, use, context) : HD_EXIT_FAILED;
  hd_compare_sets_free(&sets);
  return status;
}

static int print(void *context, const struct hd_compare_series *series, size_t count) {
  const struct hd_compare_choices *choices = context;
  hd_compare_print(series, count, &choices->view, stdout);
  const bool written = hd_stream_finish(stdout, "standard output");
  const bool failed = fails(choices, series, count);
  return !written ? HD_EXIT_FAILED : failed ? EXIT_CONDITION : HD_EXIT_OK;
}

bool hd_compare_suits_jobs(const struct hd_compare_choices *choices) {
  return (choices->view.format != HD_COMPARE_CSV && !choices->view.predict_count && !choices->condition_count &&
          !choices->compare.callpaths && !choices->compare.force && choices->ask == HD_COMPARE_ASK_ANY) ||
         HD_COMPLAIN("a comparison of MPI jobs has --json, --markdown and --limit, and no other of these options");
}

static int compare_jobs(const struct hd_compare_choices *choices, char **operands, size_t count) {
  const struct hd_job_compare_view view = {.limit = choices->view.limit,
                                           .is_markdown = choices->view.format == HD_COMPARE_MARKDOWN,
                                           .is_json = choices->view.format == HD_COMPARE_JSON};
  return hd_compare_suits_jobs(choices) ? hd_jobs_compare(operands, count, &view) : HD_EXIT_FAILED;
}

int hd_compare_run(const struct hd_compare_choices *choices, char **operands, size_t count) {
  if (choices->failed)
    return HD_EXIT_FAILED;
  for (size_t i = 0; i < count; i++)
    if (hd_job_is_operand(operands[i]))
      return compare_jobs(choices, operands, count);
  return hd_compare_with(choices, operands, count, print, (void *)(uintptr_t)choices);
}

int hd_cmd_compare(int argc, char **argv) {
  struct hd_compare_choices choices;
  int first = 0;
  int status = HD_EXIT_OK;
  hd_compare_choices_init(&choices);
  hd_stream_guard();
  hd_sigbus_guard();
  if (hd_options_read(&usage, argc, argv, &choices, &first, &status)) {
    hd_pager_begin();
    status = hd_compare_run(&choices, argv + first, (size_t)(argc - first));
    hd_pager_end();
  }
  hd_compare_choices_free(&choices);
  return status;
}
