/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file cmd_report.c
 * `heddle report FILE`: where a profile's regions lose time.
 */
#include "command.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "open_profile.h"
#include "output/report.h"
#include "support/stream.h"

enum { OPTION_CSV = HD_OPTION_LONG, OPTION_NO_CACHE };

static const struct hd_option options[] = {
    {'t', "threads", NULL, "show what each thread did, in the whole run and per region"},
    {'s', "sort", "KEY", "sort by gain (default), elapsed, busy, wait, calls, imbalance\nor name"},
    {'n', "limit", "N", "show at most N lines (default 25; 0: all)"},
    {OPTION_CSV, "csv", NULL, "write comma-separated values; see below"},
    {OPTION_NO_CACHE, "no-cache", NULL, "do not write the names that were found into FILE"},
};

static const struct hd_usage usage = {
    .command = "report",
    .synopsis = "[options] FILE",
    .description =
        "Shows the parallel regions of a profile, and under each the loops and other constructs inside it, by the\n"
        "wall time that could be gained if all threads of its team were always busy.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .epilogue =
        "Columns:\n"
        "  Gain, Gain%     lost thread time / team size; the same as part of the run\n"
        "  Elapsed, Run%   time between the begin and the end, on the thread that opened it; as part of the run\n"
        "  Calls           regions: how often one was opened; others: entries, summed over threads\n"
        "  Team, Conc      threads of the team; how many of them were busy on average\n"
        "  Imbal           longest busy time of a thread / mean; 1 is perfect balance\n"
        "  Busy, Wait ...  thread time, summed over threads, including the lines below; Wait is split by what was\n"
        "                  waited for\n"
        "  Runtime, Idle   opening and closing the region; workers that had not arrived yet or had already left\n"
        "\n"
        "Comma-separated values (one header line, quoted as in RFC 4180, times in seconds; empty: not measured):\n"
        "  row, parent     the line's number in the tree and that of the line above it (0: the program)\n"
        "  kind, function, file, line, module, offset\n"
        "                  the construct and its place\n"
        "  calls, team_min, team_max, elapsed_s, elapsed_share, gain_s, gain_share, mean_concurrency, imbalance\n"
        "                  as above; shares are fractions of the run\n"
        "  busy_s, wait_s, wait_CAUSE_s ..., runtime_s, idle_s\n"
        "                  thread time including the lines below; wait_s is the sum of the causes\n"
        "With --threads: one row per line and thread, with thread and thread_kind in place of calls to imbalance;\n"
        "line 0 is the thread's whole life. --limit bounds the lines; --limit 0 writes them all.",
};

struct choices {
  struct hd_report_options report;
  bool cache;
};

static bool take_sort(struct choices *choices, const char *name) {
  for (int i = 0; i < HD_SORT_COUNT; i++)
    if (strcmp(name, hd_sort_names[i]) == 0) {
      choices->report.sort = (enum hd_sort)i;
      return true;
    }
  hd_arguments_complain(&usage, "cannot sort by '%s'", name);
  return false;
}

static bool take_option(void *context, int id, const char *argument) {
  struct choices *choices = context;
  switch (id) {
  case 't':
    choices->report.threads = true;
    return true;
  case 's':
    return take_sort(choices, argument);
  case 'n':
    if (hd_arguments_number(argument, UINT_MAX, &choices->report.limit))
      return true;
    hd_arguments_complain(&usage, "'%s' is not a number of lines", argument);
    return false;
  case OPTION_CSV:
    choices->report.csv = true;
    return true;
  default:
    choices->cache = false;
    return true;
  }
}

int hd_cmd_report(int argc, char **argv) {
  struct choices choices = {.report = {.sort = HD_SORT_GAIN, .limit = 25}, .cache = true};
  const struct hd_profile_command command = {&usage, take_option, &choices, &choices.cache};
  int status = HD_EXIT_OK;
  struct hd_model *model = hd_open_profile(&command, argc, argv, &status);
  if (!model)
    return status;
  const bool made = hd_report_print(model, &choices.report, stdout);
  if (!made && !ferror(stdout))
    fputs("heddle: out of memory\n", stderr);
  const bool written = hd_stream_finish(stdout, "standard output");
  hd_model_free(model);
  return made && written ? HD_EXIT_OK : HD_EXIT_FAILED;
}
