/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file cmd_report.c
 * `heddle report FILE`: where a profile's regions lose time.
 */
#include "cli/command.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/open_profile.h"
#include "output/analysis/site_regex.h"
#include "output/model/model_free.h"
#include "output/views/report/report.h"
#include "support/command/output_stream.h"

enum {
  OPTION_CSV = HD_OPTION_LONG,
  OPTION_NO_CACHE,
  OPTION_AT_K,
  OPTION_WITH,
  OPTION_OVERHEAD,
  OPTION_FLAT,
  OPTION_CALLGRAPH,
  OPTION_TREE,
  OPTION_CALLERS,
  OPTION_FOCUS,
  OPTION_DEPTH
};

static const struct hd_option options[] = {
    {'t', "threads", NULL, "show what each thread did, in the whole run and per region"},
    {'H', "histogram", NULL, "show for how long how many threads were busy in each region"},
    {OPTION_AT_K, "at-k", "N", "show what runs while at most N threads are busy"},
    {OPTION_WITH, "with", "ID",
     "show what runs at the same time as one callpath: its number in\n"
     "the column Id, FILE:LINE, or a function (with --csv also when\n"
     "it has several: the column `with` says whose row it is)"},
    {OPTION_OVERHEAD, "overhead", NULL, "show what Heddle itself cost, and the times without it"},
    {OPTION_FLAT, "flat", NULL, "show each routine and construct, all its callpaths together"},
    {OPTION_CALLGRAPH, "callgraph", NULL, "show who calls whom, and what came of it"},
    {OPTION_TREE, "tree", NULL, "show the callpaths, routines included"},
    {OPTION_CALLERS, "callers", "REGEX", "show all that called the routines or constructs that match"},
    {OPTION_FOCUS, "focus", "REGEX", "only callpaths through what matches: with any of the above"},
    {OPTION_DEPTH, "depth", "K", "make every callpath its last K sites: with any of the above"},
    {'s', "sort", "KEY",
     "sort by gain (default), elapsed, wall, busy, wait, calls, imbalance\n"
     "or name. --flat: self (default), inclusive, wall, calls, elapsed or\n"
     "name; --callgraph, --tree, --callers likewise, but by inclusive"},
    {'n', "limit", "N",
     "show at most N lines (default 25; 0: all). By gain: half of them\n"
     "the busiest, since what runs well has nothing to gain"},
    {OPTION_CSV, "csv", NULL, "write comma-separated values; see below"},
    {OPTION_NO_CACHE, "no-cache", NULL, "do not write the names that were found into FILE"},
};

static const struct hd_usage usage = {
    .command = "report",
    .synopsis = "[options] FILE",
    .description =
        "Shows for how long how many threads of the program were busy, over the run and in its course; then the\n"
        "parallel regions, and under each the loops and other constructs inside it, by the wall time that could be\n"
        "gained if all threads of its team were always busy.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .epilogue =
        "Columns:\n"
        "  Gain, Gain%     wall time that the run would save if the team were always busy: lost thread time / team "
        "size,\n"
        "                  as far as there are processors; instances at the same time share it. As part of the run, "
        "too\n"
        "  Elapsed, Run%   regions: time from begin to end; loops: a thread's time in it on average; as part of the "
        "run\n"
        "  Wall%           part of the run, lines below included: each instant is shared among the threads that were\n"
        "                  busy then. The own parts of all lines and the time with nobody busy add up to the run\n"
        "  Calls           regions: how often one was opened; others: entries, summed over threads\n"
        "  Team, Conc      threads of the team; how many of them were busy on average\n"
        "  012             how much of the elapsed time 0, 1, 2 threads of the whole program were busy; 01------64:\n"
        "                  0, 1, then groups of up to 64\n"
        "  Imbal           longest busy time of a thread / mean; 1 is perfect balance\n"
        "  Busy, Wait ...  thread time, summed over threads, including the lines below; Wait is split by what was\n"
        "                  waited for\n"
        "  Runtime, Idle   opening and closing the region; workers that had not arrived yet or had already left\n"
        "  Proc%           --threads: of the time in which the thread wanted a processor, how much it had one\n"
        "  Heddle%         only where Heddle took more than 5 % of a line's time and 1 % of the run's: what it took of "
        "the\n"
        "                  line's busy or, if more, elapsed time. --overhead shows the times without it, an estimate\n"
        "  Id              the callpath's number, for --with (a line's first: inlining makes several of one place)\n"
        "\n"
        "The views with routines explain their columns below the table.\n"
        "\n"
        "When events were counted ('heddle run --events' or --groups) there is a column for each metric of the groups\n"
        "and for each event that is in no group, while busy and with the lines below (--flat: of the line itself). "
        "The\n"
        "table of the whole run, and --threads, also tell what was counted while waiting. Where there is no terminal\n"
        "a line of such a table has as many characters as the variable COLUMNS says, or 120. Marks:\n"
        "  -               not known: not counted, counted for a line above, or a formula without a value\n"
        "  >=              at least so much: some of it could not be counted; the notes say why\n"
        "  ~               an estimate: events took turns\n"
        "\n"
        "REGEX is a POSIX extended regular expression, found anywhere in a function's or phase's name or in\n"
        "'KIND FILE:LINE' ('loop static heat.c:42', 'routine heat.c:10').\n"
        "\n"
        "Comma-separated values (one header line, quoted as in RFC 4180, times in seconds; empty: not measured):\n"
        "  id              the callpath's number, as in the JSON\n"
        "  row, parent     the line's number in the tree and that of the line above it (0: the program)\n"
        "  kind, function, file, line, module, offset\n"
        "                  the construct and its place\n"
        "  incomplete, busy_at_most\n"
        "                  true: entries and times are at least those shown; busy times may hold waits, so waits and\n"
        "                  gains are at least those shown. The budget had switched events off; see the notes\n"
        "  calls, team_min, team_max, elapsed_s, elapsed_share, gain_s, gain_share, mean_concurrency, imbalance\n"
        "                  as above; shares are fractions of the run\n"
        "  wall_share_s, wall_share\n"
        "                  with the lines below, in seconds and as a fraction of the run\n"
        "  busy_s, wait_s, wait_CAUSE_s ..., runtime_s, idle_s\n"
        "                  thread time including the lines below; wait_s is the sum of the causes\n"
        "  EVENT inclusive, EVENT waiting inclusive, EVENT runtime inclusive, GROUP: METRIC inclusive\n"
        "                  counts while busy, while waiting and in the runtime, with the lines below, and metrics of "
        "those\n"
        "                  while busy; ... self: of the line itself. EVENT fraction ...: part of the time in which an\n"
        "                  event had its turn; EVENT at least ...: what is known of a count of which some is missing\n"
        "With --threads: one row per line and thread, with thread and thread_kind in place of calls to imbalance;\n"
        "line 0 is the thread's whole life. With --histogram: one row per region and level (number of busy threads),\n"
        "with level, elapsed_s and level_share (of the region); line 0 is the program. With --at-k: wall_s, share (of\n"
        "the time at those levels) and busy_s of each line without those below it; the last row, of kind nobody, is\n"
        "the time with no thread busy. With --with: overlap_s and active_share. With --overhead:\n"
        "corrected_..._s beside each time, an estimate of what it had been without Heddle, and overhead_share; then "
        "one\n"
        "row of kind event for each kind of Heddle's own events, with events, event_ns (each) and event_s (sum). With "
        "--flat, --tree and --callers: "
        "busy\n"
        "time of the line itself (self_s) and with what lies below it (inclusive_s), and calls_concurrent, those "
        "while\n"
        "another thread was busy. With --callgraph: one row per entry, caller and callee (role), block is the index of "
        "the\n"
        "entry whose block it is, index the line's own; calls_s_c ...: by the state at the caller's entry and at its "
        "own.\n"
        "--limit bounds the lines; --limit 0 writes them all.",
};

struct choices {
  struct hd_report_options report;
  bool cache;
};

static bool is_about_routines(enum hd_question question) {
  return question >= HD_ASK_FLAT;
}

/* Tables of regions have all keys; the views with routines only those that a routine has. */
static bool sorts_by(enum hd_question question, enum hd_sort sort) {
  static const enum hd_sort regions_only[] = {HD_SORT_GAIN, HD_SORT_BUSY, HD_SORT_WAIT, HD_SORT_IMBALANCE};
  for (size_t i = 0; is_about_routines(question) && i < sizeof regions_only / sizeof regions_only[0]; i++)
    if (sort == regions_only[i])
      return false;
  return true;
}

static bool check(void *context) {
  struct choices *choices = context;
  struct hd_report_options *report = &choices->report;
  if (report->sort == HD_SORT_COUNT)
    report->sort = report->question == HD_ASK_FLAT       ? HD_SORT_SELF
                   : is_about_routines(report->question) ? HD_SORT_INCLUSIVE
                                                         : HD_SORT_GAIN;
  if (sorts_by(report->question, report->sort))
    return true;
  hd_arguments_complain(&usage, "this view has no '%s' to sort by: self, inclusive, wall, calls, elapsed or name",
                        hd_sort_names[report->sort]);
  return false;
}

static bool take_sort(struct choices *choices, const char *name) {
  for (int i = 0; i < HD_SORT_COUNT; i++)
    if (strcmp(name, hd_sort_names[i]) == 0) {
      choices->report.sort = (enum hd_sort)i;
      return true;
    }
  hd_arguments_complain(&usage, "cannot sort by '%s'", name);
  return false;
}

/* A report answers one question. */
static bool take_question(struct choices *choices, enum hd_question question) {
  const enum hd_question before = choices->report.question;
  choices->report.question = question;
  if (before == HD_ASK_REGIONS || before == question)
    return true;
  hd_arguments_complain(&usage, "only one of --threads, --histogram, --at-k, --with, --overhead, --flat, --callgraph, "
                                "--tree and --callers at a time");
  return false;
}

static bool take_level(struct choices *choices, const char *argument) {
  unsigned long level = 0;
  if (!hd_arguments_number(argument, UINT32_MAX, &level)) {
    hd_arguments_complain(&usage, "'%s' is not a number of threads", argument);
    return false;
  }
  choices->report.level = (uint32_t)level;
  return take_question(choices, HD_ASK_AT_LEVEL);
}

static bool take_with(struct choices *choices, const char *argument) {
  if (!argument[0]) {
    hd_arguments_complain(&usage, "--with needs an id, FILE:LINE or a function");
    return false;
  }
  choices->report.with = argument;
  return take_question(choices, HD_ASK_WITH);
}

static bool take_expression(const char **to, const char *name, const char *argument) {
  char error[256];
  *to = argument;
  if (!argument[0]) {
    hd_arguments_complain(&usage, "--%s needs a regular expression", name);
    return false;
  }
  if (hd_match_is_valid(argument, error, sizeof error))
    return true;
  hd_arguments_complain(&usage, "--%s '%s': %s", name, argument, error);
  return false;
}

static bool take_depth(struct choices *choices, const char *argument) {
  unsigned long depth = 0;
  if (!hd_arguments_number(argument, UINT_MAX, &depth) || depth == 0) {
    hd_arguments_complain(&usage, "'%s' is not a number of sites, 1 or more", argument);
    return false;
  }
  choices->report.depth = (uint32_t)depth;
  return true;
}

static bool take_option(void *context, int id, const char *argument) {
  struct choices *choices = context;
  switch (id) {
  case 't':
    return take_question(choices, HD_ASK_THREADS);
  case 'H':
    return take_question(choices, HD_ASK_HISTOGRAM);
  case OPTION_AT_K:
    return take_level(choices, argument);
  case OPTION_WITH:
    return take_with(choices, argument);
  case OPTION_OVERHEAD:
    return take_question(choices, HD_ASK_OVERHEAD);
  case OPTION_FLAT:
    return take_question(choices, HD_ASK_FLAT);
  case OPTION_CALLGRAPH:
    return take_question(choices, HD_ASK_CALLGRAPH);
  case OPTION_TREE:
    return take_question(choices, HD_ASK_TREE);
  case OPTION_CALLERS:
    return take_expression(&choices->report.callers, "callers", argument) && take_question(choices, HD_ASK_CALLERS);
  case OPTION_FOCUS:
    return take_expression(&choices->report.focus, "focus", argument);
  case OPTION_DEPTH:
    return take_depth(choices, argument);
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
  struct choices choices = {.report = {.sort = HD_SORT_COUNT, .limit = 25}, .cache = true};
  const struct hd_profile_command command = {&usage, take_option, &choices, &choices.cache, check};
  int status = HD_EXIT_OK;
  struct hd_model *model = hd_open_profile(&command, argc, argv, &status);
  if (!model)
    return status;
  enum hd_report_end end = hd_report_narrow(model, &choices.report, stderr);
  if (end == HD_REPORT_MADE)
    end = hd_report_print(model, &choices.report, stdout, stderr);
  if (end == HD_REPORT_NO_MEMORY && !ferror(stdout))
    fputs("heddle: out of memory\n", stderr);
  const bool written = hd_stream_finish(stdout, "standard output");
  hd_model_free(model);
  return end == HD_REPORT_MADE && written ? HD_EXIT_OK : HD_EXIT_FAILED;
}
