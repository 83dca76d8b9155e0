/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file command.c
 * `heddle scale [options] -- PROGRAM [ARGUMENT...]`: runs a program at several thread counts and compares the runs.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/compare/command.h"
#include "cli/run/options.h"
#include "cli/scale/scale_internal.h"
#include "support/command/memory.h"
#include "support/command/options.h"
#include "support/command/output_stream.h"
#include "support/command/variables.h"
#include "support/log.h"

enum { WARMUPS_MOST = 10000 };

/* What is taken from the command line, and what is needed only for that. */
struct choices {
  struct hd_scale_options scale;
  struct hd_run_options run; /* to check them */
  struct hd_compare_choices compare;
};

/* ---- options ---- */

static bool take_parameter(const struct hd_option_use *use) {
  struct choices *choices = use->choices;
  struct hd_scale_options *taken = &choices->scale;
  struct hd_scale_parameter *grown = hd_grow_by_one(taken->parameters, taken->parameter_count, sizeof *grown);
  taken->parameters = grown;
  struct hd_scale_parameter *parameter = &grown[taken->parameter_count++];
  const char *wrong = hd_scale_parse_parameter(use->argument, parameter);
  for (size_t i = 0; i + 1 < taken->parameter_count && !wrong; i++)
    if (strcmp(grown[i].name, parameter->name) == 0)
      wrong = "each NAME once";
  return !wrong || hd_option_expect(use, wrong);
}

/* A list for nested teams is a policy, too. */
static bool take_bind(const struct hd_option_use *use) {
  static const char *const policies[] = {"true", "false", "close", "spread", "primary", "master"};
  *(const char **)use->field = use->argument;
  for (const char *word = use->argument;; word++) {
    const size_t length = strcspn(word, ",");
    bool known = false;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
      known = known || (strlen(policies[i]) == length && strncmp(word, policies[i], length) == 0);
    if (!known)
      return hd_option_expect(use, "close, spread, primary, true or false");
    word += length;
    if (!*word)
      return true;
  }
}

static bool pass_on(const struct hd_option_use *use) {
  struct choices *choices = use->choices;
  hd_texts_add(&choices->scale.run_options, hd_run_option_text(use));
  return true;
}

static const struct hd_option options[] = {
    {'t', "threads", "LIST",
     "thread counts: numbers and ranges, 1,2,4 or 1-8 or 2-16:2 (every second),\n"
     "comma-separated. Default: powers of two up to the number of processors,\n"
     "and that number",
     .take = hd_series_take_threads, .field = offsetof(struct choices, scale.threads)},
    {0, "ranks", "LIST",
     "numbers of ranks of an MPI job, likewise: it runs with each of them, with\n"
     "each thread count of -t (without it: OMP_NUM_THREADS, else 1)",
     .take = hd_series_take_threads, .field = offsetof(struct choices, scale.ranks)},
    {0, "launcher", "WORDS",
     "how to start so many ranks: {ranks} and {threads} stand for the numbers\n"
     "(default 'mpirun -n {ranks}')",
     .take = hd_take_text, .field = offsetof(struct choices, scale.launcher),
     .expects = "a command with {ranks} in it"},
    {0, "bind", "POLICY",
     "bind threads to cores: sets OMP_PROC_BIND (close, spread, ...), and\n"
     "OMP_PLACES=cores where it is not set",
     .take = take_bind, .field = offsetof(struct choices, scale.bind)},
    {0, "param", "NAME=A,B,...",
     "also vary NAME: {NAME} in the command, else an environment variable.\n"
     "May be repeated: all combinations are run. '\\,' is a comma in a value",
     .take = take_parameter},
    {0, "warmup", "N", "make N runs first that are not kept", .take = hd_take_number,
     .field = offsetof(struct choices, scale.warmups), .most = WARMUPS_MOST, .expects = "a number from 0 to 10000"},
    {0, "keep-going", NULL, "continue after a failed run", HD_OPTION_FLAG(struct choices, scale.keep_going)},
    {0},
};

static const struct hd_option_section sections[] = {
    {NULL, hd_series_shared_options, offsetof(struct choices, scale.series), NULL},
    {"Of 'heddle run', for every run:", hd_run_shared_options, offsetof(struct choices, run), pass_on},
    {"Of 'heddle compare', for what is printed at the end:", hd_compare_options, offsetof(struct choices, compare),
     NULL},
    {0},
};

static const struct hd_usage usage = {
    .command = "scale",
    .synopsis = "[options] [--] PROGRAM [ARGUMENT...]",
    .description =
        "Runs PROGRAM under Heddle at several thread counts, repeatedly, and prints what more threads gained and\n"
        "where the rest was lost. {threads} in an argument stands for the thread count. With --ranks it is an MPI\n"
        "job, at several numbers of ranks. Repeating the command resumes an interrupted scan.",
    .options = options,
    .sections = sections,
    .epilogue =
        "Exit status: 0; 1 when a run or the comparison failed; 2 for wrong options; 3 when a --fail-if is true;\n"
        "128+N when signal N ended the scan.",
    .none = "missing PROGRAM",
    .in_order = true,
};

static bool check_parameters(const struct hd_scale_options *taken) {
  for (size_t i = 0; i < taken->parameter_count; i++)
    if (taken->bind && strcmp(taken->parameters[i].name, "OMP_PROC_BIND") == 0)
      return hd_usage_complain(&usage, "--bind and --param OMP_PROC_BIND set the same variable; use one of them");
  return true;
}

/* The one number that OMP_NUM_THREADS has; 1 without one. */
static void take_threads_of_environment(struct hd_series_threads *threads) {
  const char *set = getenv("OMP_NUM_THREADS");
  if (!set || strspn(set, "0123456789") != strlen(set) || hd_series_parse_threads(set, threads))
    hd_series_default_threads(1, threads);
}

static bool check_ranks(struct choices *choices) {
  struct hd_scale_options *taken = &choices->scale;
  if (!taken->ranks.count)
    return !taken->launcher || hd_usage_complain(&usage, "--launcher goes with --ranks");
  if (!taken->launcher)
    taken->launcher = "mpirun -n {ranks}";
  if (!strstr(taken->launcher, "{ranks}"))
    return hd_usage_complain(&usage, "--launcher '%s' does not say {ranks}: how many are to be started",
                             taken->launcher);
  if (taken->parameter_count)
    return hd_usage_complain(&usage, "either --ranks or --param: make a scan of ranks for each value");
  if (choices->run.no_mpi)
    return hd_usage_complain(&usage, "--ranks needs to see the calls of MPI: leave --no-mpi out");
  if (!taken->threads.count)
    take_threads_of_environment(&taken->threads);
  return hd_compare_suits_jobs(&choices->compare);
}

/* What was not said. */
static bool complete(struct choices *choices) {
  struct hd_scale_options *taken = &choices->scale;
  if (!hd_run_check_shared(&usage, &choices->run) || !check_parameters(taken) || !check_ranks(choices))
    return false;
  hd_texts_sort(&taken->run_options); /* in which order they were given means nothing */
  hd_series_options_complete(&taken->series, "scale");
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

static int conclude(const struct hd_scale *scale, const struct hd_compare_choices *compare) {
  char *directory = (char *)scale->plan.options->series.directory;
  const size_t failed = tell_failed(&scale->plan);
  int status = HD_EXIT_OK;
  if (scale->points > 1)
    status = hd_compare_run(compare, &directory, 1);
  else if (!scale->plan.options->series.quiet)
    hd_log("nothing to compare in %s: 'heddle compare %s OTHER' compares it with another scan", directory, directory);
  return failed ? HD_EXIT_FAILED : status;
}

static int scan(const struct choices *choices) {
  struct hd_scale scale = {.series = {.kind = &hd_scale_kind, .options = &choices->scale.series, .lock = -1}};
  int status = HD_EXIT_FAILED;
  hd_variables_warn();
  if (hd_scale_plan_make(&choices->scale, &scale.plan) && hd_scale_store_open(&scale)) {
    const enum hd_scale_end end = hd_scale_scan(&scale, hd_series_count_processors());
    status = end == HD_SCALE_DONE      ? conclude(&scale, &choices->compare)
             : end == HD_SCALE_STOPPED ? HD_RUN_SIGNAL + scale.series.signals.stop
                                       : HD_EXIT_FAILED;
  }
  hd_series_close(&scale.series);
  hd_scale_plan_free(&scale.plan);
  return status;
}

static int take_and_scan(struct choices *choices, int argc, char **argv) {
  int first = 0;
  int status = HD_EXIT_OK;
  if (!hd_options_read(&usage, argc, argv, choices, &first, &status))
    return status;
  choices->scale.series.command = argv + first;
  if (!*argv[first])
    return hd_usage_complain(&usage, "%s", usage.none), HD_EXIT_USAGE;
  if (!complete(choices))
    return HD_EXIT_USAGE;
  if (!choices->scale.threads.count)
    hd_series_default_threads(hd_series_count_processors(), &choices->scale.threads);
  return scan(choices);
}

int hd_cmd_scale(int argc, char **argv) {
  struct choices choices = {.scale = {.series = hd_series_options_default()}};
  hd_stream_guard();
  hd_compare_choices_init(&choices.compare);
  const int status = take_and_scan(&choices, argc, argv);
  hd_run_options_free(&choices.run);
  hd_series_options_free(&choices.scale.series);
  free(choices.scale.threads.items);
  free(choices.scale.ranks.items);
  for (size_t i = 0; i < choices.scale.parameter_count; i++)
    hd_scale_parameter_free(&choices.scale.parameters[i]);
  free(choices.scale.parameters);
  hd_texts_free(&choices.scale.run_options);
  hd_compare_choices_free(&choices.compare);
  return status;
}
