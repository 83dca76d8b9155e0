/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/tune/tune_internal.h"
#include "support/command/memory.h"

const struct hd_series_kind hd_tune_series_kind = {
    .command = "tune", .noun = "search", .file = "tune.json", .lock = "tune.lock"};

enum { FORMAT = 1 };

static const char final_id[] = "final";

/* ---- what the search is ---- */

static json_t *define(const struct hd_tune *tune) {
  struct hd_series_program *program = hd_new(1, sizeof *program);
  const struct hd_series_options *options = &tune->options->series;
  const char *threads = getenv("OMP_NUM_THREADS");
  hd_series_program_find(program, options->command[0]);
  json_t *definition = hd_series_definition(options);
  json_t *more = json_pack("{s:i, s:o, s:o, s:o}", "heddle_tune", FORMAT, "threads",
                           threads ? hd_series_text(threads) : json_null(), "file", hd_series_program_json(program),
                           "runs", json_array());
  hd_need(definition && more && json_object_update(more, definition) == 0);
  json_decref(definition);
  free(program);
  return more;
}

static bool fits(const json_t *before, const json_t *asked, const struct hd_tune *tune) {
  static const char *const keys[] = {"heddle_tune", "threads", NULL};
  struct hd_series_program *program = hd_new(1, sizeof *program);
  hd_series_program_find(program, tune->options->series.command[0]);
  const bool same = hd_series_definition_fits(keys, before, asked);
  const bool fit =
      hd_series_program_fits(program, json_object_get(before, "file"), json_object_get(asked, "file")) && same;
  free(program);
  return fit || hd_series_is_another(&tune->series);
}

/* ---- the directory ---- */

static bool is_run_file(const char *name) {
  const size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, ".out") == 0;
}

static bool is_first_file(const char *name) {
  return strcmp(name, "first.heddle") == 0 || strcmp(name, "first.out") == 0;
}

static bool discard(const struct hd_tune *tune) {
  char path[PATH_MAX];
  for (int kind = 0; kind <= HD_TUNE_KINDS; kind++)
    if (hd_series_join(path, tune->series.path,
                       kind < HD_TUNE_KINDS ? hd_tune_kind_id((enum hd_tune_kind)kind) : final_id) &&
        access(path, F_OK) == 0) {
      hd_series_remove(path, is_run_file);
      rmdir(path);
    }
  hd_series_remove(tune->series.path, is_first_file);
  return hd_series_forget(&tune->series);
}

/* One without a run, of a command that was mistyped, is in nobody's way. */
static bool take_file(struct hd_tune *tune) {
  json_t *before = NULL, *asked = define(tune);
  bool done = (!tune->options->series.start_over || discard(tune)) && hd_series_load(&tune->series, &before);
  if (done && json_array_size(json_object_get(before, "runs")) == 0) {
    json_decref(before);
    before = NULL;
    done = discard(tune);
  }
  done = done && (!before || fits(before, asked, tune));
  tune->file = json_incref(done && before ? before : asked);
  json_decref(before);
  json_decref(asked);
  return done && hd_series_save(&tune->series, tune->file);
}

bool hd_tune_store_open(struct hd_tune *tune) {
  return hd_series_open(&tune->series) && take_file(tune) && hd_series_clear(&tune->series);
}

void hd_tune_store_close(struct hd_tune *tune) {
  hd_series_close(&tune->series);
  json_decref(tune->file);
  tune->file = NULL;
}

/* ---- runs ---- */

static bool is_text(const json_t *object, const char *key, const char *text) {
  const char *is = json_string_value(json_object_get(object, key));
  return is && strcmp(is, text) == 0;
}

bool hd_tune_store_find(const struct hd_tune *tune, const char *race, const char *settings, uint32_t repeat,
                        double *seconds) {
  const json_t *runs = json_object_get(tune->file, "runs");
  for (size_t i = 0; i < json_array_size(runs); i++) {
    const json_t *run = json_array_get(runs, i);
    if (!is_text(run, "race", race) || !is_text(run, "settings", settings) ||
        json_integer_value(json_object_get(run, "repeat")) != repeat)
      continue;
    const json_t *time = json_object_get(run, "seconds");
    *seconds = json_is_number(time) ? json_number_value(time) : NAN;
    return true;
  }
  return false;
}

bool hd_tune_store_add(struct hd_tune *tune, const char *race, const char *settings, uint32_t repeat, double seconds) {
  json_t *run = json_pack("{s:s, s:s, s:i, s:o}", "race", race, "settings", settings, "repeat", (int)repeat, "seconds",
                          isnan(seconds) ? json_null() : json_real(seconds));
  hd_need(run && json_array_append_new(json_object_get(tune->file, "runs"), run) == 0);
  return hd_series_save(&tune->series, tune->file);
}

bool hd_tune_store_output(const struct hd_tune *tune, const char *race, const char *settings, uint32_t repeat,
                          const char *ending, char path[PATH_MAX]) {
  char folder[PATH_MAX];
  if (!hd_series_join(folder, tune->series.path, race) || !hd_series_make(folder))
    return false;
  const int length = snprintf(path, PATH_MAX, "%.*s/%s.r%u%s", HD_SERIES_PATH_MOST, folder,
                              hd_tune_settings_name(settings), repeat, ending);
  for (char *blank = strrchr(path, '/'); (blank = strchr(blank, ' '));)
    *blank = '+';
  return length < PATH_MAX;
}
