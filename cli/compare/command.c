/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file command.c
 * `heddle compare A B C...`: what more threads, or another build, changed in each region, and why.
 */
#include "cli/command.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/fail_if.h"
#include "cli/compare/jobs.h"
#include "cli/compare/options.h"
#include "cli/compare/sets.h"
#include "output/metrics/formula.h"
#include "output/views/compare/compare.h"
#include "support/command/output_stream.h"
#include "support/command/sigbus_guard.h"

enum {
  OPTION_PREDICT = HD_COMPARE_OPTION_FIRST,
  OPTION_CSV,
  OPTION_MARKDOWN,
  OPTION_JSON,
  OPTION_CALLPATHS,
  OPTION_FAIL_IF,
  OPTION_MIN_SHARE,
  OPTION_FORCE,
  OPTION_DIFFERENCE,
  OPTION_SCALING
};

enum { EXIT_CONDITION = 3, PREDICTIONS_MOST = 64, THREADS_MOST = 1000000 };

const struct hd_option hd_compare_options[] = {
    {OPTION_PREDICT, "predict", "N,...",
     "tell the times with so many threads, too, by the laws fitted to\n"
     "the runs; takes 4 or more thread counts"},
    {OPTION_CSV, "csv", NULL, "write comma-separated values: a line per row and point"},
    {OPTION_MARKDOWN, "markdown", NULL, "write tables in Markdown"},
    {OPTION_JSON, "json", NULL, "write JSON, for scripts; docs/compare.md tells the fields"},
    {'n', "limit", "N", "show at most N regions (default 25; 0: all)"},
    {OPTION_CALLPATHS, "callpaths", NULL, "tell regions apart by the routines that call them"},
    {OPTION_FAIL_IF, "fail-if", "EXPR",
     "exit with status 3 if EXPR holds for any region or point; see\n"
     "below. May be given several times"},
    {OPTION_MIN_SHARE, "min-share", "PERCENT",
     "--fail-if tries no region shorter than this part of the run\n(default 1)"},
    {OPTION_FORCE, "force", NULL, "compare different programs or builds, too, by names"},
    {OPTION_DIFFERENCE, "difference", NULL, "take the sets as sides, the first as the baseline"},
    {OPTION_SCALING, "scaling", NULL, "compare thread counts only"},
};
const size_t hd_compare_option_count = sizeof hd_compare_options / sizeof hd_compare_options[0];

static const struct hd_usage usage = {
    .command = "compare",
    .synopsis = "[options] A B...",
    .description =
        "Shows what more threads brought, or what another build changed: for the program and each of its regions the\n"
        "time, the speedup, the wall seconds that were lost, and what they were lost to.\n"
        "\n"
        "A, B... are profiles, or directories of profiles (as 'heddle scale' leaves them). Each is a set of runs; a\n"
        "directory's subdirectories with profiles are sets of their own. Runs in one set with the same number of\n"
        "threads are repeats: with 3 or more it is told what is noise.\n"
        "\n"
        "If runs have several thread counts they are compared by thread count, all sets together. If all have the "
        "same,\n"
        "the sets are sides: the first is before, the others after. If two or more sets hold several thread counts,\n"
        "each of them is compared by thread count, then all with each other at each thread count.",
    .options = hd_compare_options,
    .option_count = sizeof hd_compare_options / sizeof hd_compare_options[0],
    .epilogue =
        "EXPR is a formula over region.NAME and program.NAME. NAME is time (here / at the baseline), seconds (here -\n"
        "at the baseline), speedup, efficiency, lost (wall seconds) or a cause: serial, imbalance, barrier_explicit,\n"
        "locks, tasks, runtime, other, work_inflation (wall seconds lost to it). What is within the noise does not\n"
        "count. For example\n"
        "\n"
        "  heddle compare --fail-if 'region.time > 1.05' before/ after/\n"
        "\n"
        "Exit status: 0; 1: it could not be done; 2: wrong options; 3: a condition of --fail-if holds.",
};

struct choices {
  struct hd_compare_view_options view;
  struct hd_compare_options compare;
  enum hd_compare_ask ask;
  uint32_t predict[PREDICTIONS_MOST];
  struct hd_condition **conditions;
  size_t condition_count;
  double least_share;
  bool failed; /* something is missing that an option needs; said */
};

static bool take_predictions(struct choices *choices, const char *argument) {
  char number[16];
  for (const char *at = argument;; at++) {
    unsigned long threads = 0;
    const size_t length = strcspn(at, ",");
    snprintf(number, sizeof number, "%.*s", length < sizeof number ? (int)length : (int)sizeof number - 1, at);
    if (length >= sizeof number || !hd_arguments_number(number, THREADS_MOST, &threads) || threads == 0) {
      hd_arguments_complain(&usage, "--predict '%s': thread counts, divided by commas", argument);
      return false;
    }
    if (choices->view.predict_count == PREDICTIONS_MOST) {
      hd_arguments_complain(&usage, "--predict takes no more than %d thread counts", PREDICTIONS_MOST);
      return false;
    }
    choices->predict[choices->view.predict_count++] = (uint32_t)threads;
    at += length;
    if (!*at)
      return true;
  }
}

static bool take_condition(struct choices *choices, const char *expression) {
  char error[512];
  struct hd_condition **grown = realloc(choices->conditions, (choices->condition_count + 1) * sizeof *grown);
  if (!grown) {
    fputs("heddle: out of memory\n", stderr);
    return false;
  }
  choices->conditions = grown;
  if (!hd_formula_open(error, sizeof error)) { /* no fault of the expression */
    fprintf(stderr, "heddle: --fail-if: %s\n", error);
    choices->failed = true;
    return true;
  }
  struct hd_condition *condition = hd_condition_new(expression, error, sizeof error);
  if (!condition) {
    hd_arguments_complain(&usage, "--fail-if: %s", error);
    return false;
  }
  grown[choices->condition_count++] = condition;
  return true;
}

static bool take_share(struct choices *choices, const char *argument) {
  char *end = NULL;
  const double percent = strtod(argument, &end);
  if (end != argument && *end == '\0' && percent >= 0 && percent <= 100) {
    choices->least_share = percent / 100;
    return true;
  }
  hd_arguments_complain(&usage, "--min-share '%s' is not a percentage", argument);
  return false;
}

static bool take_format(struct choices *choices, enum hd_compare_format format) {
  const enum hd_compare_format before = choices->view.format;
  choices->view.format = format;
  if (before == HD_COMPARE_TEXT || before == format)
    return true;
  hd_arguments_complain(&usage, "only one of --csv, --markdown and --json at a time");
  return false;
}

static bool take_ask(struct choices *choices, enum hd_compare_ask ask) {
  const enum hd_compare_ask before = choices->ask;
  choices->ask = ask;
  if (before == HD_COMPARE_ASK_ANY || before == ask)
    return true;
  hd_arguments_complain(&usage, "either --difference or --scaling");
  return false;
}

static bool take_option(void *context, int id, const char *argument) {
  struct choices *choices = context;
  switch (id) {
  case OPTION_PREDICT:
    return take_predictions(choices, argument);
  case OPTION_CSV:
    return take_format(choices, HD_COMPARE_CSV);
  case OPTION_MARKDOWN:
    return take_format(choices, HD_COMPARE_MARKDOWN);
  case OPTION_JSON:
    return take_format(choices, HD_COMPARE_JSON);
  case 'n':
    if (hd_arguments_number(argument, UINT_MAX, &choices->view.limit))
      return true;
    hd_arguments_complain(&usage, "'%s' is not a number of regions", argument);
    return false;
  case OPTION_FAIL_IF:
    return take_condition(choices, argument);
  case OPTION_MIN_SHARE:
    return take_share(choices, argument);
  case OPTION_DIFFERENCE:
    return take_ask(choices, HD_COMPARE_ASK_DIFFERENCE);
  case OPTION_SCALING:
    return take_ask(choices, HD_COMPARE_ASK_SCALING);
  case OPTION_FORCE:
    choices->compare.force = true;
    return true;
  default:
    choices->compare.callpaths = true;
    return true;
  }
}

/* ---- comparing ---- */

/* Those that can be made; returns their number. What is wrong with the others is told. */
static size_t compare_all(const struct hd_compare_jobs *jobs, const struct choices *choices,
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

static bool fails(const struct choices *choices, const struct hd_compare_series *series, size_t count) {
  bool failed = false;
  for (size_t i = 0; i < choices->condition_count; i++)
    for (size_t j = 0; j < count; j++)
      if (hd_condition_holds(choices->conditions[i], series[j].comparison, choices->least_share, stderr))
        failed = true;
  return failed;
}

static int compare(const struct hd_compare_sets *sets, const struct choices *choices) {
  struct hd_compare_jobs jobs = {0};
  int status = HD_EXIT_FAILED;
  size_t count = 0;
  struct hd_compare_series *series = NULL;
  if (hd_compare_jobs_make(&jobs, sets, choices->ask))
    series = calloc(jobs.count, sizeof *series);
  if (series)
    count = compare_all(&jobs, choices, series);
  if (count > 0) {
    const bool printed = hd_compare_print(series, count, &choices->view, stdout);
    if (!printed)
      fputs("heddle: out of memory\n", stderr);
    const bool written = hd_stream_finish(stdout, "standard output");
    const bool failed = fails(choices, series, count);
    status = !printed || !written || count < jobs.count ? HD_EXIT_FAILED : failed ? EXIT_CONDITION : HD_EXIT_OK;
  }
  for (size_t i = 0; i < count; i++)
    hd_comparison_free((struct hd_comparison *)(uintptr_t)series[i].comparison);
  free(series);
  hd_compare_jobs_free(&jobs);
  return status;
}

static int run(int argc, char **argv, struct choices *choices) {
  struct hd_compare_sets sets;
  int first = 0;
  switch (hd_arguments_parse(&usage, argc, argv, take_option, choices, &first)) {
  case HD_ARGUMENTS_HELP:
    return hd_stream_finish(stdout, "standard output") ? HD_EXIT_OK : HD_EXIT_FAILED;
  case HD_ARGUMENTS_WRONG:
    return HD_EXIT_USAGE;
  case HD_ARGUMENTS_OK:
    break;
  }
  if (first == argc) {
    hd_arguments_complain(&usage, "which profiles or directories?");
    return HD_EXIT_USAGE;
  }
  if (choices->failed)
    return HD_EXIT_FAILED;
  const int status =
      hd_compare_sets_open(&sets, argv + first, (size_t)(argc - first)) ? compare(&sets, choices) : HD_EXIT_FAILED;
  hd_compare_sets_free(&sets);
  return status;
}

int hd_cmd_compare(int argc, char **argv) {
  struct choices choices = {.view = {.limit = 25}, .least_share = 0.01};
  choices.view.predict = choices.predict;
  hd_stream_guard();
  hd_cut_file_guard();
  const int status = run(argc, argv, &choices);
  for (size_t i = 0; i < choices.condition_count; i++)
    hd_condition_free(choices.conditions[i]);
  free(choices.conditions);
  return status;
}
