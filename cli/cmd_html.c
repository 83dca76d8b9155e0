/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file cmd_html.c
 * `heddle html [-o PAGE] FILE`: a profile, or an MPI job, as a page for a browser.
 */
#include "cli/command.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/compare/command.h"
#include "cli/job/compare_jobs.h"
#include "cli/job/job_files.h"
#include "cli/open_profile.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "output/symbols/sample_names.h"
#include "output/views/html/comparisons.h"
#include "output/views/html/html.h"
#include "output/views/html/job_page.h"
#include "support/command/directory.h"
#include "support/command/output_stream.h"
#include "support/log.h"

struct choices {
  struct hd_html_options html;
  const char *output;
  bool force;
  bool no_cache;
  const char *since;
  struct hd_run_part part;
};

static const struct hd_option options[] = {
    {'o', "output", "PAGE", "write to the file PAGE instead of standard output",
     HD_OPTION_FILE(struct choices, output)},
    {0, "force", NULL, "replace PAGE if it exists; also compare different programs or builds, by names",
     HD_OPTION_FLAG(struct choices, force)},
    {0, "no-source", NULL, "leave out the lines of source files", HD_OPTION_FLAG(struct choices, html.no_source)},
    {0, "trace-changes", "N",
     "embed at most N changes of a trace (default: 8000000; 0: no trace);\n"
     "beyond that, merge neighbouring short ones",
     .take = hd_take_number, .field = offsetof(struct choices, html.trace_changes), .expects = "a number of changes"},
    HD_OPTION_SINCE(struct choices, since),
    HD_OPTION_PART(struct choices, part),
    {0, "no-estimates", NULL, "show what was observed only: unresolved time stays where it was counted",
     HD_OPTION_FLAG(struct choices, html.no_estimates)},
    {0, "no-cache", NULL, "do not store resolved names in FILE", HD_OPTION_FLAG(struct choices, no_cache)},
    {0},
};

static const struct hd_usage usage = {
    .command = "html",
    .synopsis = "-o PAGE [options] FILE [FILE|DIRECTORY...]",
    .description =
        "Writes a page that shows a profile in a browser: findings, concurrency over time, callpaths, threads, hot\n"
        "functions, counters, the trace, and the lines of source files that are found now. The page is one file, and\n"
        "needs no network. Of several profiles, or of directories with profiles: what 'heddle compare' says of them. "
        "Of\n"
        "the file of an MPI job: what 'heddle job' says, and its ranks in time.",
    .options = options,
    .none = "missing FILE",
};

static int finish(FILE *out, bool made, const struct choices *choices) {
  if (!made)
    fputs("heddle: out of memory\n", stderr);
  const bool written = hd_stream_finish(out, choices->output ? choices->output : "standard output");
  return made && written ? HD_EXIT_OK : HD_EXIT_FAILED;
}

static bool has_times(const struct choices *choices) {
  return choices->part.from_seconds > 0 || choices->part.to_seconds > 0;
}

static bool has_part(const struct choices *choices) {
  return choices->since || has_times(choices);
}

static FILE *open_page(const struct choices *choices) {
  return choices->output ? hd_stream_create(choices->output, choices->force) : stdout;
}

static int write_page(struct hd_model *model, const struct choices *choices) {
  FILE *out = open_page(choices);
  return out ? finish(out, hd_html_write(model, &choices->html, out), choices) : HD_EXIT_FAILED;
}

/* A part of a run has no trace of its own: it was made from that of the whole run. */
static int write_page_of_part(struct hd_model *part, const char *path, struct choices *choices) {
  char error[2 * PATH_MAX + 256];
  struct hd_model *whole = NULL;
  int status = HD_EXIT_FAILED;
  if (hd_profile_open(path, &whole, error, sizeof error) && hd_part_show(whole, &choices->part, error, sizeof error)) {
    choices->html.trace_of = whole;
    status = write_page(part, choices);
  } else {
    hd_log("%s", error);
  }
  hd_model_free(whole);
  return status;
}

static int write_comparisons(void *context, const struct hd_compare_series *series, size_t count) {
  const struct choices *choices = context;
  FILE *out = open_page(choices);
  return out ? finish(out, hd_html_write_comparisons(series, count, out), choices) : HD_EXIT_FAILED;
}

/* What heddle merge --job wrote has no callpaths, trace or source. */
static int write_job(char **file, const struct choices *choices) {
  const struct hd_html_options *html = &choices->html;
  if (has_part(choices) || choices->no_cache || html->no_source || html->no_estimates ||
      html->trace_changes != HD_HTML_TRACE_CHANGES)
    return hd_log("%s holds a job: its page has -o and --force, and no other option", *file), HD_EXIT_FAILED;
  struct hd_job *job = hd_job_of_files(file, 1);
  FILE *out = job ? open_page(choices) : NULL;
  const int status = out ? finish(out, hd_html_write_job(job, out), choices) : HD_EXIT_FAILED;
  hd_job_free(job);
  return status;
}

/* Nobody reads half a megabyte of markup on a terminal. */
static bool check(void *of) {
  const struct choices *choices = of;
  return choices->output || !isatty(STDOUT_FILENO) ||
         hd_usage_complain(&usage, "a page is not for a terminal: name a file with -o");
}

static int compare(struct choices *choices, char **operands, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (hd_job_is_operand(operands[i]))
      return hd_log("%s holds a job, which has a page of its own; 'heddle compare' compares jobs", operands[i]),
             HD_EXIT_FAILED;
  struct hd_compare_choices all;
  hd_compare_choices_init(&all);
  all.compare.force = choices->force;
  const int status = hd_compare_with(&all, operands, count, write_comparisons, choices);
  hd_compare_choices_free(&all);
  return status;
}

int hd_cmd_html(int argc, char **argv) {
  struct choices choices = {.html.trace_changes = HD_HTML_TRACE_CHANGES};
  const struct hd_profile_command command = {.usage = &usage,
                                             .choices = &choices,
                                             .no_cache = &choices.no_cache,
                                             .since = &choices.since,
                                             .part = &choices.part,
                                             .check = check};
  int first = 0, status = HD_EXIT_OK;
  if (!hd_open_options(&command, argc, argv, &first, &status))
    return status;
  const bool is_comparison = argc - first > 1 || hd_is_directory(argv[first]);
  if (!is_comparison && hd_job_is_in(argv[first]))
    return write_job(argv + first, &choices);
  if (is_comparison && has_part(&choices))
    return hd_usage_complain(&usage, "--since, --from and --to are for one FILE"), HD_EXIT_USAGE;
  if (is_comparison)
    return compare(&choices, argv + first, (size_t)(argc - first));
  struct hd_model *model = hd_open_file(&command, argv[first]);
  if (!model)
    return HD_EXIT_FAILED;
  hd_sample_names_resolve(model);
  status = has_times(&choices) ? write_page_of_part(model, argv[first], &choices) : write_page(model, &choices);
  hd_model_free(model);
  return status;
}
