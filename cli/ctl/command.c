/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file command.c
 * `heddle ctl PID COMMAND`: what is measured of a running program.
 */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "cli/ctl/ctl_internal.h"
#include "cli/ctl/search.h"
#include "output/analysis/callpaths/site_regex.h"
#include "output/model/format_names.h"
#include "support/command/options.h"
#include "support/command/output_stream.h"
#include "support/command/sigbus_guard.h"
#include "support/settings.h"

#define INTERVAL_SECONDS 1 /* if nobody says otherwise */

struct choices {
  const char *output;
  const char *under; /* a valid regular expression (site_regex.h); NULL: everywhere */
  bool json;
  double interval_seconds; /* 0: it was not said */
  double wait_seconds;
};

static bool take_seconds(const struct hd_option_use *use) {
  char *end;
  double *seconds = use->field;
  *seconds = strtod(use->argument, &end);
  return (*use->argument && !*end && *seconds >= 0.1 && *seconds <= 3600) ||
         hd_option_expect(use, "a number of seconds from 0.1 to 3600");
}

static const struct hd_option options[] = {
    {'o', "output", "FILE", "snapshot: the file to write (default %n.%p.heddle)",
     HD_OPTION_FILE(struct choices, output)},
    {'i', "interval", "SECONDS",
     "look for so long at what events cost, before and after (default 1);\n"
     "search: test for so long (default 0.25)",
     .take = take_seconds, .field = offsetof(struct choices, interval_seconds)},
    {'w', "wait", "SECONDS", "wait at most so long for the program to act (default 10)", .take = take_seconds,
     .field = offsetof(struct choices, wait_seconds)},
    {'u', "under", "REGEX",
     "on, off: only in parallel regions of callpaths through a match, as in\n"
     "'heddle report --focus'; everything else stays as it is",
     .take = hd_take_site_regex, .field = offsetof(struct choices, under), .expects = "a regular expression"},
    {0, "json", NULL, "status, search: write it as JSON (docs/ctl.md)", HD_OPTION_FLAG(struct choices, json)},
    {0},
};

static void print_commands(FILE *out) {
  fputs("Commands:\n"
        "  status          what is measured, and what it costs\n"
        "  off CLASS       measure events of this class in short windows only, and estimate the rest\n"
        "  on CLASS        measure them all again, also where the budget had switched them off\n"
        "                  (both with --under: in some callpaths only)\n"
        "  only CLASS,...  measure all events of these classes and of regions; of all others in windows only\n"
        "  routines LIST   measure these functions, too: +REGEX or -REGEX, comma-separated, as heddle run --routines\n"
        "  budget PCT|off  what events may cost of a thread's time (HEDDLE_OVERHEAD)\n"
        "  samples HZ|off  samples of what threads execute: at most as many as the program was started with\n"
        "  off, on         stop Heddle's clock, and let it go on (heddle_pause, heddle_resume); 'on' also begins\n"
        "                  the measurement of 'heddle run --dormant'. The same: pause, resume\n"
        "  snapshot        save a profile of the run so far\n"
        "  search          measure regions alone, and for a short time each what a hypothesis needs: print what was\n"
        "                  tested, found and ruled out\n"
        "\nClasses:\n",
        out);
#define HD_ROW(name, id, words) fprintf(out, "  %-15s %s\n", id, words);
  HD_CLASS_TABLE(HD_ROW)
#undef HD_ROW
}

static const struct hd_usage usage = {
    .command = "ctl",
    .synopsis = "[options] PID COMMAND [ARGUMENT]",
    .description =
        "Changes what Heddle measures of a running program, which acts at its next events. Before a change it says "
        "what\n"
        "that will cost, and afterwards what it did cost. Profiles say what was not measured, and since when.",
    .options = options,
    .lists = print_commands,
    .epilogue = "Only the program's own user may. 'heddle top --list' lists the programs that run under Heddle.",
    .none = "missing PID",
};

/* ---- commands ---- */

struct request {
  struct hd_top_request change;
  struct hd_name_choice routines;
  const struct choices *choices;
};

static int run_status(struct hd_ctl *ctl, const struct request *request) {
  return hd_ctl_status(ctl, request->choices->json);
}

static int run_snapshot(struct hd_ctl *ctl, const struct request *request) {
  return hd_ctl_snapshot(ctl, request->choices->output);
}

static int run_routines(struct hd_ctl *ctl, const struct request *request) {
  return hd_ctl_routines(ctl, &request->routines);
}

static int run_search(struct hd_ctl *ctl, const struct request *request) {
  const struct choices *choices = request->choices;
  const struct hd_search_options search = {
      .interval_seconds = choices->interval_seconds > 0 ? choices->interval_seconds : HD_SEARCH_SECONDS,
      .threshold = HD_SEARCH_THRESHOLD,
      .wait_seconds = choices->wait_seconds,
      .json = choices->json,
  };
  if (!hd_search(ctl->path, &search, stdout, ctl->error, sizeof ctl->error))
    return hd_ctl_fail(ctl);
  return hd_stream_finish(stdout, "standard output") ? HD_EXIT_OK : HD_EXIT_FAILED;
}

static int run_change(struct hd_ctl *ctl, const struct request *request) {
  return hd_ctl_change(ctl, &request->change, request->choices->under);
}

static bool take_class(const char *text, struct request *request) {
  request->change.event_class = hd_event_class_find(text);
  return request->change.event_class < HD_CLASS_COUNT || hd_usage_complain(&usage, HD_NO_CLASS_FORMAT, text);
}

static bool take_routines(const char *text, struct request *request) {
  char why[256];
  return hd_name_choice_read(text, &request->routines, why, sizeof why) ||
         hd_usage_complain(&usage, "routines cannot use %s", why);
}

static bool take_classes(const char *text, struct request *request) {
  struct hd_settings settings;
  const char *expects = hd_setting_read(HD_SET_ONLY, text, &settings);
  if (expects)
    return hd_usage_complain(&usage, "only expects %s, not '%s'", expects, text);
  request->change.ppm = (uint32_t)settings.only;
  return true;
}

static bool take_budget(const char *text, struct request *request) {
  struct hd_settings settings;
  const char *expects = hd_setting_read(HD_SET_OVERHEAD, text, &settings);
  if (expects)
    return hd_usage_complain(&usage, "budget expects %s, not '%s'", expects, text);
  request->change.ppm = (uint32_t)settings.overhead_ppm;
  return true;
}

static bool take_samples(const char *text, struct request *request) {
  struct hd_settings settings;
  const char *expects = hd_setting_read(HD_SET_SAMPLES, text, &settings);
  if (expects || settings.samples_hz == HD_SAMPLES_DEFAULT)
    return hd_usage_complain(&usage, "samples expects %s, not '%s'", expects ? expects : "a number or 'off'", text);
  request->change.ppm = (uint32_t)settings.samples_hz;
  return true;
}

static const struct command {
  const char *name;
  int (*run)(struct hd_ctl *ctl, const struct request *request);
  enum hd_control_command asks;
  bool (*take)(const char *text, struct request *request); /* NULL: it has no argument */
} commands[] = {
    {"status", run_status, 0, NULL},
    {"off", run_change, HD_CONTROL_OFF, take_class},
    {"on", run_change, HD_CONTROL_ON, take_class},
    {"only", run_change, HD_CONTROL_ONLY, take_classes},
    {"off", run_change, HD_CONTROL_PAUSE, NULL},
    {"on", run_change, HD_CONTROL_RESUME, NULL},
    {"budget", run_change, HD_CONTROL_BUDGET, take_budget},
    {"samples", run_change, HD_CONTROL_SAMPLES, take_samples},
    {"pause", run_change, HD_CONTROL_PAUSE, NULL},
    {"resume", run_change, HD_CONTROL_RESUME, NULL},
    {"snapshot", run_snapshot, 0, NULL},
    {"search", run_search, 0, NULL},
    {"routines", run_routines, 0, take_routines},
};

/* Of two of one name the one for so many arguments. */
static const struct command *find_command(const char *name, int arguments) {
  const struct command *found = NULL;
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(name, commands[i].name) == 0 && (!found || arguments == 0))
      found = &commands[i];
  if (!found)
    hd_usage_complain(&usage, "there is no command '%s'", name);
  return found;
}

static bool complain_of_argument(const struct command *command) {
  return command->take ? hd_usage_complain(&usage, "%s needs one argument", command->name)
                       : hd_usage_complain(&usage, "%s takes no argument", command->name);
}

static bool take_command(int count, char **words, const struct command **command, struct request *request) {
  if (count < 1)
    return hd_usage_complain(&usage, "missing COMMAND");
  *command = find_command(words[0], count - 1);
  if (!*command)
    return false;
  request->change.command = (*command)->asks;
  if (count - 1 != ((*command)->take ? 1 : 0))
    return complain_of_argument(*command);
  return !(*command)->take || (*command)->take(words[1], request);
}

/* Regions are off outside all regions, whatever callpath that is in. */
static bool check_under(const struct choices *choices, const struct command *command, struct hd_top_request *change) {
  if (!choices->under)
    return true;
  if (command->take != take_class)
    return hd_usage_complain(&usage, "--under belongs to on CLASS and off CLASS");
  if (change->event_class == HD_CLASS_REGION)
    return hd_usage_complain(&usage, "--under: regions themselves are on, or off, in all callpaths");
  change->command = change->command == HD_CONTROL_ON ? HD_CONTROL_ON_UNDER : HD_CONTROL_OFF_UNDER;
  return true;
}

static bool check_options(const struct choices *choices, const struct command *command) {
  if (choices->output && command->run != run_snapshot)
    return hd_usage_complain(&usage, "--output belongs to snapshot");
  if (choices->json && command->run != run_status && command->run != run_search)
    return hd_usage_complain(&usage, "--json belongs to status and search");
  return true;
}

int hd_cmd_ctl(int argc, char **argv) {
  struct choices choices = {.wait_seconds = 10};
  struct request request = {.choices = &choices};
  const struct command *command = NULL;
  unsigned long pid = 0;
  int first = 0, status = HD_EXIT_OK;
  hd_stream_guard();
  hd_sigbus_guard();
  if (!hd_options_read(&usage, argc, argv, &choices, &first, &status))
    return status;
  if (!hd_number_read(argv[first], INT_MAX, &pid) || pid == 0)
    return hd_usage_complain(&usage, "'%s' is no process number", argv[first]), HD_EXIT_USAGE;
  if (!take_command(argc - first - 1, argv + first + 1, &command, &request) || !check_options(&choices, command) ||
      !check_under(&choices, command, &request.change))
    return HD_EXIT_USAGE;
  struct hd_ctl ctl = {.wait_seconds = choices.wait_seconds,
                       .interval_seconds = choices.interval_seconds > 0 ? choices.interval_seconds : INTERVAL_SECONDS};
  if (!hd_ctl_open(&ctl, pid))
    return hd_ctl_fail(&ctl);
  status = command->run(&ctl, &request);
  hd_ctl_close(&ctl);
  return status;
}
