/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What people write on command lines and into the environment. The first byte tells which; the rest is the text. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/fail_if.h"
#include "cli/scale/scale_internal.h"
#include "exercise.h"
#include "fuzz.h"
#include "output/analysis/callpaths/site_regex.h"
#include "output/views/job/job_view.h"
#include "store/profile_file.h"
#include "support/command/options.h"
#include "support/few_busy.h"
#include "support/settings.h"

/* A message is one line that a terminal can show, whatever it is about. */
static void check_message(const char *message) {
  if (!*message)
    abort();
  for (; *message; message++)
    if ((unsigned char)*message < ' ' || *message == 0x7f)
      abort();
}

static void try_condition(const char *text) {
  char error[512] = "";
  struct hd_fail_if *condition = hd_fail_if_new(text, error, sizeof error);
  if (!condition)
    check_message(error);
  hd_fail_if_free(condition);
}

static void try_threads(const char *text) {
  struct hd_series_threads threads = {0};
  const char *wrong = hd_series_parse_threads(text, &threads);
  for (size_t i = 0; !wrong && i < threads.count; i++)
    if (threads.items[i] == 0 || threads.items[i] > HD_SERIES_THREADS_MOST ||
        (i > 0 && threads.items[i] <= threads.items[i - 1]))
      abort();
  free(threads.items);
}

static void try_parameter(const char *text) {
  struct hd_scale_parameter parameter;
  const char *wrong = hd_scale_parse_parameter(text, &parameter);
  if (!wrong && (parameter.values.count == 0 || !*parameter.name))
    abort();
  hd_scale_parameter_free(&parameter);
}

static void try_numbers(const char *text) {
  unsigned long small = 0;
  if (hd_number_read(text, 100, &small) && small > 100)
    abort();
}

static void try_expression(const char *text) {
  char error[256] = "";
  if (!hd_site_regex_is_valid(text, error, sizeof error))
    check_message(error);
}

static void try_name(const char *text) {
  struct hd_file_header header = {.pid = 1, .rank = -1, .host = "host", .program = "../pro\ngram"};
  char path[64];
  hd_profile_file_expand_name(text, &header, path, sizeof path);
}

/* Of all variables that the library reads. */
static void try_setting(const char *text) {
  static const char *const names[] = {"HEDDLE_CALLPATH_DEPTH", "HEDDLE_UNWIND",   "HEDDLE_MEMORY",
                                      "HEDDLE_MULTIPLEX",      "HEDDLE_OVERHEAD", "HEDDLE_CYCLE_LIMIT"};
  struct hd_settings settings;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    setenv(names[i], text, 1);
  hd_settings_read(&settings);
  if (settings.overhead_ppm > 1000000)
    abort();
}

/* A scan that is there, of which anything may be broken. */
static void try_scan(const char *text) {
  char *command[] = {(char[]){"program"}, NULL};
  uint32_t counts[] = {1, 2};
  struct hd_scale_options options = {.series = {.repeats = 1, .directory = ".", .command = command},
                                     .threads = {counts, 2}};
  struct hd_scale_plan plan;
  json_t *before = json_loads(text, 0, NULL);
  if (!hd_scale_plan_make(&options, &plan))
    abort();
  json_t *asked = json_is_object(before) ? hd_scale_definition_make(&plan, before) : NULL;
  if (asked)
    hd_scale_definition_fits(&plan, before, asked);
  json_decref(asked);
  json_decref(before);
  hd_scale_plan_free(&plan);
}

static void try_few_busy(const char *text) {
  struct hd_few_busy few;
  if (hd_few_busy_read(text, &few) && !(few.least_seconds > 0 && isfinite(few.least_seconds)))
    abort();
}

/* A file of 'heddle job --json', or of another program. */
static void try_job(const char *text) {
  FILE *in = fmemopen((char *)(uintptr_t)text, strlen(text), "r");
  struct hd_job *job = in ? hd_job_read(in) : NULL;
  if (in)
    fclose(in);
  if (!job)
    return;
  FILE *sink = fz_open_sink();
  hd_job_finish(job);
  hd_job_print(job, 0, false, sink);
  hd_job_print_findings(job, sink);
  hd_job_print_rank(job, (uint32_t)job->rank_count - 1, 0, sink);
  hd_job_json(job, true, sink);
  fz_close_sink(sink);
  hd_job_free(job);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const tries[])(const char *text) = {try_condition,  try_threads, try_parameter, try_numbers,
                                                    try_expression, try_name,    try_setting,   try_scan,
                                                    try_few_busy,   try_job};
  char *text = size > 0 ? strndup((const char *)data + 1, size - 1) : NULL;
  if (text)
    tries[data[0] % (sizeof tries / sizeof *tries)](text);
  free(text);
  return 0;
}
