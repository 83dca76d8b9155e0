/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/job/compare_jobs.h"
#include "cli/scale/scale_internal.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "support/command/complain.h"
#include "support/command/directory.h"
#include "support/command/memory.h"

const struct hd_series_kind hd_scale_kind = {
    .command = "scale", .noun = "scan", .file = "scan.json", .lock = "scan.lock"};

/* ---- paths ---- */

void hd_scale_store_path(const struct hd_scale *scale, const struct hd_scale_step *step, const char *ending,
                         char path[PATH_MAX]) {
  const char *set = scale->plan.sets[step->set].name;
  char place[HD_SCALE_PLACE_BYTES];
  hd_scale_step_place(step, place);
  snprintf(path, PATH_MAX, "%.*s/%s%s%s.r%u%s", HD_SERIES_PATH_MOST, scale->series.path, set, *set ? "/" : "", place,
           step->repeat, ending);
}

/* ---- what may be removed ---- */

static const char *skip_number(const char *text) {
  return text + strspn(text, "0123456789");
}

/* Moves past such a prefix and a number behind it. */
static bool skip_part(const char **name, const char *prefix) {
  const size_t length = strlen(prefix);
  if (strncmp(*name, prefix, length) != 0 || !isdigit((unsigned char)(*name)[length]))
    return false;
  *name = skip_number(*name + length);
  return true;
}

/* t4.r2.heddle, t4.r2.heddle.1, t4.r2.out, t4.r2.failed.out, n8.t4.r2.job */
static bool is_run_file(const char *name) {
  if (!skip_part(&name, skip_part(&name, "n") ? ".t" : "t") || !skip_part(&name, ".r"))
    return false;
  if (strcmp(name, ".out") == 0 || strcmp(name, ".failed.out") == 0 || strcmp(name, ".heddle") == 0 ||
      strcmp(name, HD_JOB_ENDING) == 0)
    return true;
  return strncmp(name, ".heddle.", 8) == 0 && isdigit((unsigned char)name[8]) && !*skip_number(name + 8);
}

static bool has_profiles(const char *path) {
  struct hd_directory directory = hd_directory_open(path);
  bool found = false;
  while (hd_directory_next(&directory))
    found = found || (is_run_file(directory.name) && (strcmp(strrchr(directory.name, '.'), ".heddle") == 0 ||
                                                      strcmp(strrchr(directory.name, '.'), HD_JOB_ENDING) == 0));
  return found;
}

/* Is any run kept? */
static bool has_runs(const struct hd_scale *scale) {
  char path[PATH_MAX];
  struct hd_directory directory = hd_directory_open(scale->series.path);
  bool found = has_profiles(scale->series.path);
  while (hd_directory_next(&directory))
    found = found || (strchr(directory.name, '=') && hd_series_join(path, scale->series.path, directory.name) &&
                      has_profiles(path));
  return found;
}

/* All runs; nothing else that somebody may have put there. */
static bool discard(const struct hd_scale *scale) {
  char path[PATH_MAX];
  struct hd_directory directory = hd_directory_open(scale->series.path);
  if (!directory.stream)
    return hd_complain_of("read", scale->series.path);
  while (hd_directory_next(&directory))
    if (strchr(directory.name, '=') && hd_series_join(path, scale->series.path, directory.name)) {
      hd_series_remove(path, is_run_file);
      rmdir(path);
    }
  hd_series_remove(scale->series.path, is_run_file);
  return hd_series_forget(&scale->series);
}

/* ---- scan.json ---- */

static bool fits(const struct hd_scale *scale, const json_t *before, const json_t *asked) {
  return !before || hd_scale_definition_fits(&scale->plan, before, asked) || hd_series_is_another(&scale->series);
}

/* A scan without a run, of a command that was mistyped, is in nobody's way. */
static bool update_scan(struct hd_scale *scale) {
  json_t *before = NULL;
  if ((scale->plan.options->series.start_over || !has_runs(scale)) && !discard(scale))
    return false;
  hd_scale_programs_find(&scale->plan);
  if (!hd_series_load(&scale->series, &before)) {
    json_decref(before);
    return false;
  }
  json_t *asked = hd_scale_definition_make(&scale->plan, before);
  hd_need(asked != NULL);
  const bool done = fits(scale, before, asked) && (json_equal(before, asked) || hd_series_save(&scale->series, asked));
  /* Sets whose program was not found are not in it. */
  scale->points = json_array_size(json_object_get(asked, "threads")) * json_object_size(json_object_get(asked, "sets"));
  if (scale->plan.options->ranks.count)
    scale->points *= json_array_size(json_object_get(asked, "ranks"));
  json_decref(before);
  json_decref(asked);
  return done;
}

/* ---- what is there ---- */

static bool make_folders(const struct hd_scale *scale) {
  char path[PATH_MAX];
  bool made = true;
  for (uint32_t i = 0; made && i < scale->plan.set_count; i++)
    made = !*scale->plan.sets[i].name || !hd_series_join(path, scale->series.path, scale->plan.sets[i].name) ||
           hd_series_make(path);
  return made;
}

/* The set's other profiles have to be of the same program as its first. True: this is it, and the set's. */
static bool take_first(const struct hd_scale *scale, const struct hd_scale_step *step, struct hd_model *model) {
  struct hd_scale_set *set = &scale->plan.sets[step->set];
  if (set->first)
    return false;
  set->first = model;
  set->first_threads = step->threads;
  return true;
}

static void look_for_job(const struct hd_scale *scale, struct hd_scale_step *step) {
  char path[PATH_MAX];
  hd_scale_store_path(scale, step, HD_JOB_ENDING, path);
  if (access(path, F_OK) != 0)
    return;
  step->seconds = hd_scale_ranks_elapsed(path);
  step->done = step->seconds >= 0;
  if (!step->done)
    hd_log("run %s is repeated", path);
}

/* A profile that cannot be read is made again. */
static void look_for(const struct hd_scale *scale, struct hd_scale_step *step) {
  char path[PATH_MAX];
  char error[PATH_MAX + 256];
  struct hd_model *model = NULL;
  hd_scale_store_path(scale, step, ".heddle", path);
  if (access(path, F_OK) != 0)
    return;
  if (!hd_profile_open(path, &model, error, sizeof error)) {
    hd_log("%s; this run is repeated", error);
    return;
  }
  step->done = true;
  step->seconds = hd_model_seconds(model, model->elapsed_ticks);
  if (!take_first(scale, step, model))
    hd_model_free(model);
}

/* Runs that are not kept make nothing ready that is not needed. */
static void mark_done(const struct hd_scale *scale) {
  const struct hd_scale_plan *plan = &scale->plan;
  for (size_t i = 0; i < plan->step_count; i++)
    if (plan->steps[i].repeat)
      (plan->steps[i].ranks ? look_for_job : look_for)(scale, &plan->steps[i]);
  for (size_t i = 0; i < plan->step_count; i++) {
    struct hd_scale_step *step = &plan->steps[i];
    if (step->repeat)
      continue;
    step->done = true;
    for (size_t j = 0; j < plan->step_count && step->done; j++)
      step->done = plan->steps[j].set != step->set || !plan->steps[j].repeat || plan->steps[j].done;
  }
}

bool hd_scale_store_open(struct hd_scale *scale) {
  if (!hd_series_open(&scale->series) || !update_scan(scale) || !make_folders(scale) ||
      !hd_series_clear(&scale->series))
    return false;
  mark_done(scale);
  return true;
}

/* ---- keeping a run ---- */

static bool keep_others(const struct hd_texts *paths, const char *path) {
  char to[PATH_MAX];
  size_t i = 1;
  for (; i < paths->count; i++)
    if (snprintf(to, sizeof to, "%s.%zu", path, i) >= PATH_MAX || !hd_series_move(paths->items[i], to))
      return false;
  do /* of a run that was lost before its end */
    snprintf(to, sizeof to, "%.*s.%zu", PATH_MAX - 32, path, i++);
  while (unlink(to) == 0);
  return true;
}

static void tell_of_others(struct hd_scale *scale, const struct hd_scale_profiles *profiles, const char *path) {
  const char *name = strrchr(path, '/') + 1;
  if (!scale->told_others && profiles->paths.count > 1)
    hd_log("a run has %zu processes with profiles; %s, which ran longest, is compared; the others: %s.1, ...",
           profiles->paths.count, profiles->first->header.program, name);
  scale->told_others = scale->told_others || profiles->paths.count > 1;
  if (!scale->told_command && profiles->other_command)
    hd_log("%s: the process that is compared has other arguments than that of the run before it", name);
  scale->told_command = scale->told_command || profiles->other_command;
}

static bool keep_file(const struct hd_scale *scale, const struct hd_scale_step *step, const char *ending) {
  char from[PATH_MAX], to[PATH_MAX];
  hd_series_running(&scale->series, (size_t)(step - scale->plan.steps), ending, from);
  hd_scale_store_path(scale, step, ending, to);
  return hd_series_move(from, to);
}

static bool keep_output(const struct hd_scale *scale, const struct hd_scale_step *step) {
  char failed[PATH_MAX];
  hd_scale_store_path(scale, step, ".failed.out", failed);
  unlink(failed);
  return keep_file(scale, step, ".out");
}

bool hd_scale_store_keep_job(struct hd_scale *scale, struct hd_scale_step *step) {
  if (step->repeat &&
      (!keep_output(scale, step) || !keep_file(scale, step, HD_JOB_ENDING) || !hd_series_sync(&scale->series)))
    return false;
  step->done = true;
  return true;
}

bool hd_scale_store_keep(struct hd_scale *scale, struct hd_scale_step *step, struct hd_scale_profiles *profiles) {
  char path[PATH_MAX];
  if (step->repeat) {
    hd_scale_store_path(scale, step, ".heddle", path);
    if (!keep_others(&profiles->paths, path) || !keep_output(scale, step) ||
        !hd_series_move(profiles->paths.items[0], path) || !hd_series_sync(&scale->series))
      return false;
    if (!scale->plan.options->series.quiet)
      tell_of_others(scale, profiles, path);
    if (take_first(scale, step, profiles->first))
      profiles->first = NULL;
  }
  step->done = true;
  return true;
}
