/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file command.c
 * `heddle events [options] [REGEX]`: what can be counted on this machine.
 */
#include "cli/command.h"

#include "cli/events/events_internal.h"
#include "counters/event_sets.h"
#include "output/metrics/event_suggest.h"
#include "support/command/options.h"
#include "support/command/output_stream.h"

enum { NEAREST_MOST = 5 };

struct choices {
  struct hd_events_choices events;
  bool groups;
};

static const struct hd_option options[] = {
    {'a', "available", NULL, "only what can be counted here", HD_OPTION_FLAG(struct choices, events.available)},
    {'g', "groups", NULL, "list groups of events instead; with REGEX also their formulas and\nmeaning",
     HD_OPTION_FLAG(struct choices, groups)},
    {0, "csv", NULL, "write comma-separated values", HD_OPTION_FLAG(struct choices, events.csv)},
    {0},
};

static const struct hd_usage usage = {
    .command = "events",
    .synopsis = "[options] [REGEX]",
    .description =
        "Lists the events that 'heddle run --events' and '--groups' can count: those of the kernel, which work\n"
        "on every machine, and those of PAPI, the processor's among them; and whether each can be counted here\n"
        "and now, which is tested.",
    .options = options,
    .epilogue =
        "REGEX is a POSIX extended regular expression, without regard to case, found anywhere in an event's name or\n"
        "description (groups: in the name, the description or an event's name).\n"
        "\n"
        "Comma-separated values: event, unit, source, available (yes, no), reason, description; with --groups:\n"
        "group, file, available, reason, events (separated by spaces), description.\n"
        "\n"
        "PAPI is opened as the program under 'heddle run' would open it; HEDDLE_PAPI=FILE names another libpapi.\n"
        "Groups are looked for in the folder HEDDLE_GROUPS, then among those that came with heddle.",
    .several = "only one regular expression can be given: 'PAPI_L1|PAPI_L2' finds either",
};

static bool take_expression(struct hd_events_choices *choices, const char *expression) {
  char error[256];
  if (!expression[0])
    return hd_usage_complain(&usage, "the regular expression is empty");
  const int status = regcomp(&choices->regex, expression, REG_EXTENDED | REG_ICASE | REG_NOSUB);
  if (status == 0) {
    choices->expression = expression;
    return true;
  }
  regerror(status, &choices->regex, error, sizeof error);
  return hd_usage_complain(&usage, "'%s': %s", expression, error);
}

static void complain_of_nothing(const struct choices *choices) {
  char near[NEAREST_MOST][128];
  const char *expression = choices->events.expression;
  const char *what = choices->groups ? "group" : "event";
  const char *where = choices->events.available ? " that can be counted here" : "";
  if (!expression) {
    fprintf(stderr, "heddle: no %s%s\n", what, where);
    return;
  }
  fprintf(stderr, "heddle: no %s%s matches '%s'", what, where, expression);
  const uint32_t count = choices->groups ? 0 : hd_event_suggest(expression, NEAREST_MOST, near);
  for (uint32_t i = 0; i < count; i++)
    fprintf(stderr, "%s%s", i == 0 ? "; nearest: " : ", ", near[i]);
  fputs(count             ? "\n"
        : choices->groups ? "; 'heddle events --groups' lists all\n"
                          : "; 'heddle events' lists all\n",
        stderr);
}

static int show(const struct choices *choices) {
  const bool shown = (choices->groups ? hd_events_groups : hd_events_list)(&choices->events, stdout);
  const bool written = hd_stream_finish(stdout, "standard output");
  if (!shown)
    complain_of_nothing(choices);
  return shown && written ? HD_EXIT_OK : HD_EXIT_FAILED;
}

int hd_cmd_events(int argc, char **argv) {
  struct choices choices = {0};
  int first = 0;
  hd_stream_guard();
  int status = HD_EXIT_OK;
  if (!hd_options_read(&usage, argc, argv, &choices, &first, &status))
    return status;
  if (first < argc && !take_expression(&choices.events, argv[first]))
    return HD_EXIT_USAGE;
  status = show(&choices);
  if (choices.events.expression)
    regfree(&choices.events.regex);
  return status;
}
