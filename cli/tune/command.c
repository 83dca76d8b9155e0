/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file command.c
 * `heddle tune [options] -- PROGRAM [ARGUMENT...]`: runs a program with different settings of its OpenMP runtime and
 * names those that are fastest.
 */
#include "cli/command.h"

#include <stdlib.h>

#include "cli/tune/tune_internal.h"
#include "support/command/memory.h"
#include "support/command/output_stream.h"
#include "support/command/variables.h"
#include "support/log.h"

/* What is taken from the command line, and what is needed only for that. */
struct choices {
  struct hd_tune_options tune;
  struct hd_run_options run; /* to check them */
};

static bool pass_on(const struct hd_option_use *use) {
  struct choices *choices = use->choices;
  hd_texts_add(&choices->tune.run_options, hd_run_option_text(use));
  return true;
}

static const struct hd_option options[] = {
    {'t', "threads", "LIST",
     "thread counts to try: numbers and ranges, 1,2,4 or 1-8. Default: powers of\n"
     "two up to the number of processors, and that number",
     .take = hd_series_take_threads, .field = offsetof(struct choices, tune.threads)},
    {0, "limit", "SECONDS", "end the search after so long; the result is what is known then", .take = hd_take_number,
     .field = offsetof(struct choices, tune.limit_s), .least = 1, .expects = "a number of seconds"},
    {0, "schedules", NULL, "try OMP_SCHEDULE though no loop with schedule(runtime) is seen",
     HD_OPTION_FLAG(struct choices, tune.schedules)},
    HD_OPTION_WIDTH,
    HD_OPTION_COLOR,
    {0, "json", NULL, "write JSON (docs/tune.md)", HD_OPTION_FLAG(struct choices, tune.json)},
    {0},
};

static const struct hd_option_section sections[] = {
    {NULL, hd_series_shared_options, offsetof(struct choices, tune.series), NULL},
    {"Of 'heddle run', for the first run, whose profile suggests what to try:", hd_run_shared_options,
     offsetof(struct choices, run), pass_on},
    {0},
};

static const struct hd_usage usage = {
    .command = "tune",
    .synopsis = "[options] [--] PROGRAM [ARGUMENT...]",
    .description =
        "Runs PROGRAM with different numbers of threads, ways to wait, places of threads and schedules (environment\n"
        "variables of its OpenMP runtime), and names the settings with which it is fastest, if any beat the default\n"
        "beyond the noise. Times are of PROGRAM alone, without Heddle. Repeating the command resumes the search.",
    .options = options,
    .sections = sections,
    .epilogue = "Exit status: 0, also if nothing beats the default; 1 when the program failed; 2 for wrong options;\n"
                "128+N when signal N ended the search.",
    .none = "missing PROGRAM",
    .in_order = true,
};

/* What was not said. */
static bool complete(struct choices *choices) {
  struct hd_tune_options *taken = &choices->tune;
  if (!hd_run_check_shared(&usage, &choices->run))
    return false;
  if (taken->series.repeats < HD_REPEATS_LEAST)
    return hd_usage_complain(&usage, "--repeats: fewer than %d runs of each say nothing about the noise",
                             HD_REPEATS_LEAST);
  hd_texts_sort(&taken->run_options);
  hd_series_options_complete(&taken->series, "tune");
  return true;
}

static bool print(const struct hd_tune *tune) {
  bool made = true;
  if (tune->options->json)
    made = hd_tune_print_json(tune, stdout);
  else
    hd_tune_print(tune, stdout);
  hd_need(made);
  return hd_stream_finish(stdout, "standard output");
}

/* From the first run to the last. */
static enum hd_tune_end make_runs(struct hd_tune *tune) {
  if (!hd_series_signals_take(&tune->series.signals))
    return HD_TUNE_FAILED;
  enum hd_tune_end end = hd_tune_suggest(tune);
  if (end == HD_TUNE_DONE)
    end = hd_tune_search(tune);
  hd_series_progress_clear(&tune->series);
  if (end != HD_TUNE_DONE)
    hd_log("%s; repeat the command to resume", end == HD_TUNE_FAILED ? "the search failed" : "interrupted");
  hd_series_close(&tune->series); /* before a signal may end the command */
  hd_series_signals_restore(&tune->series.signals);
  return end;
}

static int tune_program(const struct choices *choices) {
  struct hd_tune *tune = hd_new(1, sizeof *tune);
  int status = HD_EXIT_FAILED;
  tune->options = &choices->tune;
  tune->series = (struct hd_series){.kind = &hd_tune_series_kind, .options = &choices->tune.series, .lock = -1};
  tune->begin_s = hd_series_now_s();
  hd_variables_warn();
  if (hd_tune_store_open(tune)) {
    const enum hd_tune_end end = make_runs(tune);
    status = end == HD_TUNE_DONE      ? (print(tune) ? HD_EXIT_OK : HD_EXIT_FAILED)
             : end == HD_TUNE_STOPPED ? HD_RUN_SIGNAL + tune->series.signals.stop
                                      : HD_EXIT_FAILED;
  }
  hd_tune_store_close(tune);
  for (size_t i = 0; i < tune->race_count; i++)
    hd_tune_race_free(&tune->races[i]);
  for (int kind = 0; kind < HD_TUNE_KINDS; kind++)
    hd_texts_free(&tune->values[kind]);
  free(tune);
  return status;
}

static int take_and_tune(struct choices *choices, int argc, char **argv) {
  int first = 0;
  int status = HD_EXIT_OK;
  if (!hd_options_read(&usage, argc, argv, choices, &first, &status))
    return status;
  choices->tune.series.command = argv + first;
  if (!*argv[first])
    return hd_usage_complain(&usage, "%s", usage.none), HD_EXIT_USAGE;
  return complete(choices) ? tune_program(choices) : HD_EXIT_USAGE;
}

int hd_cmd_tune(int argc, char **argv) {
  struct choices choices = {.tune = {.series = hd_series_options_default()}};
  hd_stream_guard();
  const int status = take_and_tune(&choices, argc, argv);
  hd_run_options_free(&choices.run);
  hd_series_options_free(&choices.tune.series);
  free(choices.tune.threads.items);
  hd_texts_free(&choices.tune.run_options);
  return status;
}
