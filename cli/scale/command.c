/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file command.c
 * `heddle scale [options] -- PROGRAM [ARGUMENT...]`: runs a program at several thread counts and compares the runs.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/compare/options.h"
#include "cli/run/options.h"
#include "cli/run/outcome.h"
#include "cli/scale/plan.h"
#include "cli/scale/scan.h"
#include "cli/scale/store.h"
#include "cli/scale/values.h"
#include "support/command/options.h"
#include "support/command/output_stream.h"
#include "support/log.h"

enum {
  OPTION_BIND = HD_OPTION_LONG + 64,
  OPTION_PARAM,
  OPTION_WARMUP,
  OPTION_KEEP_GOING,
  OPTION_START_OVER,
  OPTION_EXPECT
};
enum { REPEATS_DEFAULT = 5, REPEATS_MOST = 10000 };

static const struct hd_option options[] = {
    {'t', "threads", "LIST",
     "thread counts: numbers and ranges, 1,2,4 or 1-8 or 2-16:2 (every second),\n"
     "divided by commas. Default: powers of two up to the number of processors,\n"
     "and that number"},
    {'r', "repeats", "N", "how often each is run (default 5)"},
    {'o', "output", "DIR",
     "where profiles and outputs are kept (default PROGRAM.scale). If a scan is\n"
     "there, it goes on: with what is missing, or with more thread counts,\n"
     "repeats, values"},
    {OPTION_BIND, "bind", "POLICY",
     "bind threads to cores: sets OMP_PROC_BIND (close, spread, ...), and\n"
     "OMP_PLACES=cores where it is not set"},
    {OPTION_PARAM, "param", "NAME=A,B,...",
     "also vary NAME: {NAME} in the command, else an environment variable.\n"
     "May be repeated: all combinations are run. '\\,' is a comma in a value"},
    {OPTION_WARMUP, "warmup", "N", "before all others, N runs that are not kept"},
    {OPTION_EXPECT, "expect-status", "LIST",
     "exit statuses, besides 0, with which a run has not failed: numbers from 1\n"
     "to 124, comma-separated"},
    {OPTION_KEEP_GOING, "keep-going", NULL, "go on when a run fails"},
    {OPTION_START_OVER, "start-over", NULL, "discard the runs that are in DIR"},
    {'q', "quiet", NULL, "no progress; only what went wrong, and the comparison"},
};

static struct hd_option_section sections[] = {
    {"Of 'heddle run', for every run:", hd_run_shared_options, HD_RUN_SHARED_COUNT},
    {"Of 'heddle compare', for what is printed at the end:", hd_compare_options, 0 /* set at start */},
};

static const struct hd_usage usage = {
    .command = "scale",
    .synopsis = "[options] [--] PROGRAM [ARGUMENT...]",
    .description =
        "Runs PROGRAM under Heddle at several thread counts, repeatedly, and prints what more threads bought\n"
        "and where the rest went. {threads} in an argument stands for the thread count. A scan that was\n"
        "interrupted goes on when the same command is given again.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .sections = sections,
    .section_count = sizeof sections / sizeof sections[0],
    .epilogue =
        "Exit status: 0; 1 when a run or the comparison failed; 2 for wrong options; 3 when a --fail-if holds;\n"
        "128+N when signal N ended the scan.",
    .in_order = true,
};

/* What is taken from the command line, and what is needed only for that. */
struct choices {
  struct hd_scale_options scale;
  struct hd_run_options run; /* to check them */
  char *directory;           /* the default */
};

/* ---- options ---- */

static bool take_count(const char *option, const char *argument, unsigned long least, uint32_t *taken) {
  unsigned long count = 0;
  const bool good = hd_arguments_number(argument, REPEATS_MOST, &count) && count >= least;
  *taken = (uint32_t)count;
  if (!good)
    hd_arguments_complain(&usage, "--%s takes a number from %lu to %d, not '%s'", option, least, REPEATS_MOST,
                          argument);
  return good;
}

static bool take_statuses(struct hd_scale_options *taken, const char *argument) {
  for (const char *at = argument;; at++) {
    char *end;
    const unsigned long status = strtoul(at, &end, 10);
    if (*at < '0' || *at > '9' || status < 1 || status >= HD_RUN_FAILED || (*end && *end != ',')) {
      hd_arguments_complain(&usage, "--expect-status takes numbers from 1 to %d, comma-separated, not '%s'",
                            HD_RUN_FAILED - 1, argument);
      return false;
    }
    taken->expected_status[status] = true;
    at = end;
    if (!*at)
      return true;
  }
}

static bool take_threads(struct hd_scale_options *taken, const char *argument) {
  const char *wrong = hd_scale_parse_threads(argument, &taken->threads);
  if (wrong)
    hd_arguments_complain(&usage, "--threads takes %s, not '%s'", wrong, argument);
  return !wrong;
}

static bool take_parameter(struct hd_scale_options *taken, const char *argument) {
  struct hd_scale_parameter *grown = realloc(taken->parameters, (taken->parameter_count + 1) * sizeof *grown);
  if (!grown)
    return hd_scale_no_memory();
  taken->parameters = grown;
  struct hd_scale_parameter *parameter = &grown[taken->parameter_count++];
  const char *wrong = hd_scale_parse_parameter(argument, parameter);
  for (size_t i = 0; i + 1 < taken->parameter_count && !wrong; i++)
    if (strcmp(grown[i].name, parameter->name) == 0)
      wrong = "each NAME once";
  if (wrong)
    hd_arguments_complain(&usage, "--param takes %s, not '%s'", wrong, argument);
  return !wrong;
}

/* A list for nested teams is a policy, too. */
static bool take_bind(struct hd_scale_options *taken, const char *argument) {
  static const char *const policies[] = {"true", "false", "close", "spread", "primary", "master"};
  taken->bind = argument;
  for (const char *word = argument;; word++) {
    const size_t length = strcspn(word, ",");
    bool known = false;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
      known = known || (strlen(policies[i]) == length && strncmp(word, policies[i], length) == 0);
    if (!known) {
      hd_arguments_complain(&usage, "--bind takes close, spread, primary, true or false, not '%s'", argument);
      return false;
    }
    word += length;
    if (!*word)
      return true;
  }
}

static const struct hd_option *find_option(const struct hd_option *table, size_t count, int id) {
  for (size_t i = 0; i < count; i++)
    if (table[i].id == id)
      return &table[i];
  return NULL;
}

/* Options of other commands are passed on in one form. */
static bool pass_on(struct hd_texts *texts, const struct hd_option *option, const char *argument) {
  return hd_texts_add(texts, "--%s%s%s", option->name, argument ? "=" : "", argument ? argument : "") ||
         hd_scale_no_memory();
}

static bool take_passed(struct choices *choices, int id, const char *argument) {
  const struct hd_option *option = find_option(hd_run_shared_options, HD_RUN_SHARED_COUNT, id);
  if (option)
    return hd_run_take_shared(&usage, &choices->run, id, argument) &&
           pass_on(&choices->scale.run_options, option, argument);
  return pass_on(&choices->scale.compare_options, find_option(hd_compare_options, hd_compare_option_count, id),
                 argument);
}

static bool take_option(void *context, int id, const char *argument) {
  struct choices *choices = context;
  struct hd_scale_options *taken = &choices->scale;
  switch (id) {
  case 't':
    return take_threads(taken, argument);
  case 'r':
    return take_count("repeats", argument, 1, &taken->repeats);
  case 'o':
    taken->directory = argument;
    return true;
  case 'q':
    taken->quiet = true;
    return true;
  case OPTION_BIND:
    return take_bind(taken, argument);
  case OPTION_PARAM:
    return take_parameter(taken, argument);
  case OPTION_WARMUP:
    return take_count("warmup", argument, 0, &taken->warmups);
  case OPTION_EXPECT:
    return take_statuses(taken, argument);
  case OPTION_KEEP_GOING:
    taken->keep_going = true;
    return true;
  case OPTION_START_OVER:
    taken->start_over = true;
    return true;
  default:
    return take_passed(choices, id, argument);
  }
}

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static uint32_t count_processors(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return (uint32_t)CPU_COUNT(&set);
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (uint32_t)count : 1;
}

static bool check_parameters(const struct hd_scale_options *taken) {
  for (size_t i = 0; i < taken->parameter_count; i++)
    if (taken->bind && strcmp(taken->parameters[i].name, "OMP_PROC_BIND") == 0) {
      hd_arguments_complain(&usage, "--bind and --param OMP_PROC_BIND set the same");
      return false;
    }
  return true;
}

static int compare(const struct hd_scale_options *taken, const char *last_option, const char *directory) {
  struct hd_texts arguments = {0};
  bool made = hd_texts_add(&arguments, "compare");
  for (size_t i = 0; i < taken->compare_options.count; i++)
    made = made && hd_texts_add(&arguments, "%s", taken->compare_options.items[i]);
  made = made && hd_texts_add(&arguments, "%s", last_option);
  made = made && (!directory || hd_texts_add(&arguments, "%s", directory));
  const int status = made ? hd_cmd_compare((int)arguments.count, arguments.items) : HD_EXIT_FAILED;
  hd_texts_free(&arguments);
  return status;
}

/* In a child: compare reads its options, and --help, which comes last, if nothing is wrong with them. */
static _Noreturn void try_comparison(const struct hd_scale_options *taken, int complaint) {
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const bool ready = null >= 0 && dup2(null, STDOUT_FILENO) >= 0 && dup2(complaint, STDERR_FILENO) >= 0;
  hd_log_take_stderr();
  _exit(ready ? compare(taken, "--help", NULL) : HD_EXIT_OK);
}

/* Its complaint is ours, without the command's name and what follows the first line. */
static void pass_complaint(char *text) {
  static const char prefix[] = "heddle compare: ";
  text[strcspn(text, "\n")] = '\0';
  hd_arguments_complain(&usage, "%s", strncmp(text, prefix, strlen(prefix)) == 0 ? text + strlen(prefix) : text);
}

/* What compare would say of its options is said before anything runs. */
static bool check_comparison(const struct hd_scale_options *taken) {
  char text[1024] = "";
  int ends[2];
  int status = 0;
  if (!taken->compare_options.count || pipe2(ends, O_CLOEXEC) != 0)
    return true;
  const pid_t child = fork();
  if (child == 0)
    try_comparison(taken, ends[1]);
  close(ends[1]);
  FILE *complaint = fdopen(ends[0], "r");
  if (complaint) {
    (void)!fread(text, 1, sizeof text - 1, complaint);
    fclose(complaint);
  }
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const bool wrong = WIFEXITED(status) && WEXITSTATUS(status) == HD_EXIT_USAGE;
  if (wrong)
    pass_complaint(text);
  return !wrong;
}

/* What was not said. */
static bool complete(struct choices *choices) {
  struct hd_scale_options *taken = &choices->scale;
  if (!hd_run_check_shared(&usage, &choices->run) || !check_parameters(taken) || !check_comparison(taken))
    return false;
  if (taken->run_options.count) /* in which order they were given means nothing */
    qsort(taken->run_options.items, taken->run_options.count, sizeof(char *), compare_texts);
  if (taken->directory && !*taken->directory) {
    hd_arguments_complain(&usage, "--output takes the name of a directory");
    return false;
  }
  if (taken->directory)
    return true;
  const char *slash = strrchr(taken->command[0], '/');
  if (asprintf(&choices->directory, "%s.scale", slash ? slash + 1 : taken->command[0]) < 0)
    return hd_scale_no_memory();
  taken->directory = choices->directory;
  return true;
}

/* ---- the end ---- */

static size_t tell_failed(const struct hd_scale_plan *plan) {
  size_t failed = 0;
  char name[NAME_MAX + 64];
  for (size_t i = 0; i < plan->step_count; i++)
    failed += plan->steps[i].failed;
  if (!failed || !plan->options->keep_going)
    return failed;
  hd_log("%zu of %zu runs failed, and are not in the comparison:", failed, plan->step_count);
  for (size_t i = 0; i < plan->step_count; i++)
    if (plan->steps[i].failed) {
      hd_scale_step_name(plan, &plan->steps[i], name, sizeof name);
      hd_log("  %s", name);
    }
  return failed;
}

static int conclude(const struct hd_scale_plan *plan, const struct hd_scale_store *store) {
  const size_t failed = tell_failed(plan);
  int status = HD_EXIT_OK;
  if (store->points > 1)
    status = compare(plan->options, "--", plan->options->directory);
  else if (!plan->options->quiet)
    hd_log("nothing to compare in %s: 'heddle compare %s OTHER' compares it with another scan",
           plan->options->directory, plan->options->directory);
  return failed ? HD_EXIT_FAILED : status;
}

static int scan_in(struct hd_scale_plan *plan, struct hd_scale_store *store) {
  struct hd_scale_signals signals;
  if (!hd_scale_store_open(plan, store))
    return HD_EXIT_FAILED;
  if (!plan->options->quiet)
    hd_scale_announce(plan, count_processors());
  if (!hd_scale_signals_take(&signals))
    return HD_EXIT_FAILED;
  const enum hd_scale_end end = hd_scale_scan(plan, store, &signals);
  hd_scale_store_close(store);
  hd_scale_signals_restore(&signals);
  if (end == HD_SCALE_DONE)
    return conclude(plan, store);
  return end == HD_SCALE_STOPPED ? HD_RUN_SIGNAL + signals.stop : HD_EXIT_FAILED;
}

static int scan(const struct hd_scale_options *taken) {
  struct hd_scale_plan plan;
  struct hd_scale_store store = {.lock = -1};
  const int status = hd_scale_plan_make(taken, &plan) ? scan_in(&plan, &store) : HD_EXIT_FAILED;
  hd_scale_store_close(&store);
  hd_scale_plan_free(&plan);
  return status;
}

static int take_and_scan(struct choices *choices, int argc, char **argv) {
  int first = 0;
  switch (hd_arguments_parse(&usage, argc, argv, take_option, choices, &first)) {
  case HD_ARGUMENTS_HELP:
    return hd_stream_finish(stdout, "standard output") ? HD_EXIT_OK : HD_EXIT_FAILED;
  case HD_ARGUMENTS_WRONG:
    return HD_EXIT_USAGE;
  case HD_ARGUMENTS_OK:
    break;
  }
  if (first >= argc || !*argv[first]) {
    hd_arguments_complain(&usage, "which program?");
    return HD_EXIT_USAGE;
  }
  choices->scale.command = argv + first;
  if (!complete(choices))
    return HD_EXIT_USAGE;
  if (!choices->scale.threads.count && !hd_scale_default_threads(count_processors(), &choices->scale.threads))
    return hd_scale_no_memory(), HD_EXIT_FAILED;
  return scan(&choices->scale);
}

int hd_cmd_scale(int argc, char **argv) {
  struct choices choices = {.scale = {.repeats = REPEATS_DEFAULT, .expected_status = {[0] = true}}};
  hd_stream_guard();
  sections[1].count = hd_compare_option_count;
  const int status = take_and_scan(&choices, argc, argv);
  hd_run_options_free(&choices.run);
  free(choices.directory);
  free(choices.scale.threads.items);
  for (size_t i = 0; i < choices.scale.parameter_count; i++)
    hd_scale_parameter_free(&choices.scale.parameters[i]);
  free(choices.scale.parameters);
  hd_texts_free(&choices.scale.run_options);
  hd_texts_free(&choices.scale.compare_options);
  return status;
}
