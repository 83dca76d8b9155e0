/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/options.h"
#include "cli/series/series.h"
#include "support/command/memory.h"

enum { REPEATS_DEFAULT = 5, REPEATS_MOST = 10000 };

static bool take_statuses(const struct hd_option_use *use) {
  struct hd_series_options *choices = use->choices;
  for (const char *at = use->argument;; at++) {
    char *end;
    const unsigned long status = strtoul(at, &end, 10);
    if (*at < '0' || *at > '9' || status < 1 || status >= HD_RUN_FAILED || (*end && *end != ','))
      return hd_option_expect(use, use->option->expects);
    choices->expected_status[status] = true;
    at = end;
    if (!*at)
      return true;
  }
}

const struct hd_option hd_series_shared_options[] = {
    {'r', "repeats", "N", "runs of each (default 5)", .take = hd_take_number,
     .field = offsetof(struct hd_series_options, repeats), .least = 1, .most = REPEATS_MOST,
     .expects = "a number from 1 to 10000"},
    {'o', "output", "DIR",
     "where runs are kept (default PROGRAM.scale, PROGRAM.tune). What is there is\n"
     "resumed, also if more is asked for",
     .take = hd_take_text, .field = offsetof(struct hd_series_options, directory),
     .expects = "the name of a directory"},
    {0, "expect-status", "LIST",
     "exit statuses besides 0 that are no failure: numbers from 1 to 124,\n"
     "comma-separated",
     .take = take_statuses, .expects = "comma-separated numbers from 1 to 124"},
    {0, "start-over", NULL, "discard the runs that are in DIR", HD_OPTION_FLAG(struct hd_series_options, start_over)},
    {'q', "quiet", NULL, "no progress; only what went wrong, and the result",
     HD_OPTION_FLAG(struct hd_series_options, quiet)},
    {0},
};

struct hd_series_options hd_series_options_default(void) {
  return (struct hd_series_options){.repeats = REPEATS_DEFAULT, .expected_status = {[0] = true}};
}

void hd_series_options_complete(struct hd_series_options *options, const char *ending) {
  if (options->directory)
    return;
  options->made = hd_print("%s.%s", basename(options->command[0]), ending);
  options->directory = options->made;
}

void hd_series_options_free(struct hd_series_options *options) {
  free(options->made);
}

uint32_t hd_series_count_processors(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return (uint32_t)CPU_COUNT(&set);
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (uint32_t)count : 1;
}
