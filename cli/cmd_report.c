/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file cmd_report.c
 * `heddle report FILE`: where a profile's regions lose time.
 */
#include "cli/command.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/open_profile.h"
#include "output/analysis/callpaths/site_regex.h"
#include "output/model/memory.h"
#include "output/symbols/sample_names.h"
#include "output/views/report/column_list.h"
#include "output/views/report/report.h"
#include "support/command/memory.h"
#include "support/command/output_stream.h"
#include "support/command/pager.h"

#define SORT(name, words) words,
static const char *const sort_names[HD_SORT_COUNT] = {HD_SORTS(SORT)};

struct choices {
  struct hd_report_options report;
  const char *sort;
  bool no_cache;
  const char *since;
  struct hd_run_part part;
  bool no_estimates;
};

#define ASK(asked) .one_of = {offsetof(struct choices, report.question), HD_ASK_##asked}

static const struct hd_option options[] = {
    {'t', "threads", NULL, "show what each thread did, in the whole run and per region", ASK(THREADS)},
    {'H', "histogram", NULL, "show how long each number of threads was busy, per region", ASK(HISTOGRAM)},
    {0, "timeline", NULL, "show when regions ran, and how many threads were busy then", ASK(TIMELINE)},
    {0, "at-k", "N", "show what runs while at most N threads are busy", .take = hd_take_number,
     .field = offsetof(struct choices, report.level), ASK(AT_LEVEL), .expects = "a number of threads"},
    {0, "with", "ID",
     "show what runs at the same time as one callpath: its number in\n"
     "the column Id, FILE:LINE, or a function (with --csv also when\n"
     "it has several: the column `with` says whose row it is)",
     .take = hd_take_text, .field = offsetof(struct choices, report.with), ASK(WITH),
     .expects = "an id, FILE:LINE or a function"},
    {0, "loops", NULL, "show the chunks that loops were handed out in, and what that cost", ASK(LOOPS)},
    {0, "tasks", NULL, "show how many tasks each construct created, and how many ran elsewhere", ASK(TASKS)},
    {0, "critical-path", NULL,
     "show what had to run one after the other: work, span and each\n"
     "callpath's part of the critical path ('heddle run --critical-path')",
     ASK(PATH)},
    {0, "locks", NULL,
     "show who held what others waited for: by lock, critical section or\n"
     "ordered part, its holders and hand-overs ('heddle run --locks')",
     ASK(LOCKS)},
    {0, "efficiency", NULL, "show how well run and regions use their threads, as factors (POP's)", ASK(EFFICIENCY)},
    {0, "hot", NULL, "show which functions threads execute, by callpath and state (samples)", ASK(HOT)},
    {0, "source", NULL, "show the source with the numbers of its lines beside it", ASK(SOURCE)},
    {0, "lines", NULL, "with --hot: each line of the source by itself", .take = hd_take_flag,
     .field = offsetof(struct choices, report.lines)},
    {0, "overhead", NULL, "show Heddle's own cost, and estimated times without it", ASK(OVERHEAD)},
    {0, "flat", NULL, "show each routine and construct, summed over its callpaths", ASK(FLAT)},
    {0, "callgraph", NULL, "show the call graph with time per arc", ASK(CALLGRAPH)},
    {0, "tree", NULL, "show the tree of callpaths, with routines", ASK(TREE)},
    {0, "callers", "REGEX", "show callers of matching routines and constructs", .take = hd_take_site_regex,
     .field = offsetof(struct choices, report.callers), ASK(CALLERS), .expects = "a regular expression"},
    {0, "focus", "REGEX", "keep only callpaths through a match; with any of the above", .take = hd_take_site_regex,
     .field = offsetof(struct choices, report.focus), .expects = "a regular expression"},
    {0, "depth", "K", "truncate callpaths to their last K sites; with any of the above", .take = hd_take_number,
     .field = offsetof(struct choices, report.depth), .least = 1, .expects = "a number of sites, 1 or more"},
    {'s', "sort", "KEY",
     "sort by gain (default), elapsed, wall, busy, wait, calls, imbalance\n"
     "or name. --flat: self (default), inclusive, wall, calls, elapsed or\n"
     "name; --callgraph, --tree, --callers likewise, but by inclusive.\n"
     "Or by any column of the table, by its title or name, as in --columns.\n"
     "--threads and --histogram have a table for each region: a column sorts\n"
     "its rows, a key the regions; --callgraph: a column sorts the entries",
     .take = hd_take_text, .field = offsetof(struct choices, sort), .expects = "a key or the title of a column"},
    {'n', "limit", "N",
     "show at most N lines (default 25; 0: all). By gain: half of them\n"
     "are the busiest, since a line without losses has no gain",
     .take = hd_take_number, .field = offsetof(struct choices, report.limit), .expects = "a number of lines"},
    {0, "columns", "LIST",
     "show these columns only: titles or names of those below, comma-separated;\n"
     "also such as are left out because they are 0 everywhere",
     .take = hd_take_text, .field = offsetof(struct choices, report.columns), .expects = "titles of columns"},
    HD_OPTION_WIDTH,
    HD_OPTION_COLOR,
    HD_OPTION_PAGER,
    {'v', "verbose", NULL, "begin with all that is known of the run", HD_OPTION_FLAG(struct choices, report.verbose)},
    {0, "csv", NULL, "write comma-separated values; see below", .take = hd_take_flag,
     .field = offsetof(struct choices, report.csv)},
    {0, "markdown", NULL, "write the run, its findings and the table of regions in Markdown",
     HD_OPTION_FLAG(struct choices, report.markdown)},
    HD_OPTION_SINCE(struct choices, since),
    HD_OPTION_PART(struct choices, part),
    {0, "no-estimates", NULL, "show what was observed only: unresolved time stays where it was counted",
     HD_OPTION_FLAG(struct choices, no_estimates)},
    {0, "no-cache", NULL, "do not store resolved names in FILE", .take = hd_take_flag,
     .field = offsetof(struct choices, no_cache)},
    {0},
};

static void list_columns(FILE *out) {
  fputs(
      "Columns: title in the text, name in --csv, unit, meaning. Times (s) are in seconds in --csv, in the text in "
      "the\n"
      "unit that stands above the table; shares (%) are fractions of 1 in --csv. First those of the table of regions;\n"
      "below an option what its view has besides.\n",
      out);
  hd_column_list_print(false, out);
}

static const struct hd_usage usage = {
    .command = "report",
    .synopsis = "[options] FILE",
    .description = "Shows how long each number of threads was busy, and when; then the parallel regions, and under "
                   "each the loops\n"
                   "and other constructs inside it, sorted by potential gain: the wall time saved if every thread of "
                   "the team were\n"
                   "always busy.",
    .options = options,
    .none = "missing FILE",
    .several = "one FILE at a time: 'heddle compare' shows several beside each other, 'heddle merge' adds them up",
    .lists = list_columns,
    .epilogue =
        "When events were counted ('heddle run --events' or --groups) there is a column for each metric of the groups\n"
        "and for each event that is in no group, while busy and with the lines below (--flat: of the line itself). "
        "The\n"
        "table of the whole run, and --threads, also show what was counted while waiting. A line of such a table has "
        "at\n"
        "most 120 characters where neither --width nor a terminal says how many. Marks:\n"
        "  -               not known: not counted, counted for a line above, or a formula without a value\n"
        "  >=              at least so much: some of it could not be counted; the notes say why\n"
        "  ~               an estimate: events took turns\n"
        "\n"
        "REGEX is a POSIX extended regular expression, found anywhere in a function's or phase's name or in\n"
        "'KIND FILE:LINE' ('loop static heat.c:42', 'routine heat.c:10').\n"
        "\n"
        "Comma-separated values (one header line, quoted as in RFC 4180; empty: not measured) begin with the place:\n"
        "  id              the callpath's number, as in the JSON\n"
        "  row, parent     the line's number in the tree and that of the line above it (0: the program)\n"
        "  kind, function, file, line, module, offset\n"
        "                  the construct and its place\n"
        "  incomplete, busy_at_most\n"
        "                  true: entries and times are at least those shown; busy times may hold waits or the "
        "runtime's work,\n"
        "                  so those and gains are at least those shown. The budget had switched events off; see the "
        "notes\n"
        "and end with what was counted, then wait_at_most, misplaced, own_at_most, levels_at_most, gain_at_least,\n"
        "gain_unknown and waits_unreported, true where numbers are not exact for the same reason, or because the\n"
        "runtime does not report waits (docs/budget.md):\n"
        "  EVENT inclusive, EVENT waiting inclusive, EVENT runtime inclusive, GROUP: METRIC inclusive\n"
        "                  counts while busy, while waiting and in the runtime, with the lines below, and metrics of "
        "those\n"
        "                  while busy; ... self: of the line itself. EVENT fraction ...: part of the time in which an\n"
        "                  event had its turn; EVENT at least ...: what is known of a count of which some is missing\n"
        "With --threads there is a row for each line and thread (line 0: the thread's whole life), with --histogram "
        "for each\n"
        "region and number of busy threads, with --timeline for each region and stretch of the run, with --callgraph "
        "for each\n"
        "entry, caller and callee (role): block is the index of the entry whose block it is, index the line's own. The "
        "last\n"
        "row of --at-k, of kind nobody, is the time with no thread busy; the rows of kind event at the end of "
        "--overhead are\n"
        "Heddle's own events.",
};

static bool is_about_routines(enum hd_question question) {
  return question >= HD_ASK_FLAT;
}

/* Tables of regions have all keys; the views with routines only those that a routine has, and what is sorted by one
 * thing of its own none. */
static bool sorts_by(enum hd_question question, enum hd_sort sort) {
  static const enum hd_question no_keys[] = {HD_ASK_LOOPS, HD_ASK_TASKS,  HD_ASK_PATH,     HD_ASK_LOCKS,
                                             HD_ASK_HOT,   HD_ASK_SOURCE, HD_ASK_AT_LEVEL, HD_ASK_WITH};
  for (size_t i = 0; i < sizeof no_keys / sizeof no_keys[0]; i++)
    if (question == no_keys[i])
      return false;
  static const enum hd_sort regions_only[] = {HD_SORT_GAIN, HD_SORT_BUSY, HD_SORT_WAIT, HD_SORT_IMBALANCE};
  for (size_t i = 0; is_about_routines(question) && i < sizeof regions_only / sizeof regions_only[0]; i++)
    if (sort == regions_only[i])
      return false;
  return true;
}

static bool check_format(const struct hd_report_options *report) {
  if (report->csv && report->question == HD_ASK_SOURCE)
    return hd_usage_complain(&usage, "--source is for people; --csv or --hot --lines --csv have its numbers");
  if (report->markdown && report->csv)
    return hd_usage_complain(&usage, "either --csv or --markdown");
  if (report->markdown && report->question != HD_ASK_REGIONS)
    return hd_usage_complain(&usage, "--markdown is for the table of regions");
  return true;
}

static bool check_columns(const struct hd_report_options *report) {
  const char *wrong;
  if (!report->columns)
    return true;
  if (report->csv)
    return hd_usage_complain(&usage, "--columns is for text: --csv has all");
  if (report->question == HD_ASK_HISTOGRAM || report->question == HD_ASK_TIMELINE)
    return hd_usage_complain(&usage, "--columns: this view is no table");
  if (hd_column_list_has(report->question, report->columns, &wrong))
    return true;
  char *titles = hd_column_list_titles(report->question);
  if (*titles)
    hd_usage_complain(&usage, "--columns: this view has no '%.*s': it has %s", (int)strcspn(wrong, ","), wrong, titles);
  else
    hd_usage_complain(&usage, "--columns: this view is no table");
  free(titles);
  return false;
}

static enum hd_sort key_of(const char *name) {
  enum hd_sort key = 0;
  while (key < HD_SORT_COUNT && strcmp(sort_names[key], name) != 0)
    key++;
  return key;
}

static bool refuse_sort(const struct hd_report_options *report, const char *name) {
  char keys[256] = "";
  char *titles = hd_column_list_titles(report->question);
  for (enum hd_sort key = 0; key < HD_SORT_COUNT; key++)
    if (sorts_by(report->question, key))
      snprintf(keys + strlen(keys), sizeof keys - strlen(keys), "%s%s", *keys ? ", " : "", sort_names[key]);
  if (!*keys && !*titles)
    hd_usage_complain(&usage, "--sort: this view has one order only");
  else
    hd_usage_complain(&usage, "this view has no '%s' to sort by: it has %s%s%s", name, keys,
                      *keys && *titles ? ", and the columns " : "", titles);
  free(titles);
  return false;
}

/* A key, or a column. Threads are sorted in the table of each region, and regions by a key: some words are both. */
static bool choose_sort(struct hd_report_options *report, const char *name) {
  const char *wrong;
  report->sort = report->question == HD_ASK_FLAT       ? HD_SORT_SELF
                 : is_about_routines(report->question) ? HD_SORT_INCLUSIVE
                                                       : HD_SORT_GAIN;
  if (!name)
    return true;
  const enum hd_sort key = key_of(name);
  const bool is_key = key < HD_SORT_COUNT && sorts_by(report->question, key);
  const bool is_column = !strchr(name, ',') && hd_column_list_has(report->question, name, &wrong);
  if (is_key)
    report->sort = key;
  if (is_column && (!is_key || report->question == HD_ASK_THREADS))
    report->sort_column = name;
  return is_key || is_column || refuse_sort(report, name);
}

static bool check(void *context) {
  struct choices *choices = context;
  struct hd_report_options *report = &choices->report;
  if (report->lines && report->question != HD_ASK_HOT)
    return hd_usage_complain(&usage, "--lines needs --hot");
  if (!check_format(report) || !check_columns(report))
    return false;
  return choose_sort(report, choices->sort);
}

int hd_cmd_report(int argc, char **argv) {
  struct choices choices = {.report = {.limit = 25}};
  const struct hd_profile_command command = {.usage = &usage,
                                             .choices = &choices,
                                             .no_cache = &choices.no_cache,
                                             .since = &choices.since,
                                             .part = &choices.part,
                                             .no_estimates = &choices.no_estimates,
                                             .check = check};
  int status = HD_EXIT_OK;
  struct hd_model *model = hd_open_profile(&command, argc, argv, &status);
  if (!model)
    return status;
  if (choices.report.question == HD_ASK_HOT || choices.report.question == HD_ASK_SOURCE)
    hd_sample_names_resolve(model);
  if (choices.report.question == HD_ASK_PATH || choices.report.question == HD_ASK_LOCKS)
    hd_part_add_order(model);
  hd_pager_begin();
  enum hd_report_end end = hd_report_narrow(model, &choices.report, stderr);
  if (end == HD_REPORT_MADE)
    end = hd_report_print(model, &choices.report, stdout, stderr);
  const bool written = hd_stream_finish(stdout, "standard output");
  hd_model_free(model);
  return end == HD_REPORT_MADE && written ? HD_EXIT_OK : HD_EXIT_FAILED;
}
