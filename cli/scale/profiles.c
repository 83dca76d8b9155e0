/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/scale/scale_internal.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "output/unify/same_build.h"
#include "output/unify/unified_tree.h"
#include "support/command/directory.h"
#include "support/command/memory.h"

void hd_scale_profiles_free(struct hd_scale_profiles *profiles) {
  hd_texts_free(&profiles->paths);
  hd_model_free(profiles->first);
  *profiles = (struct hd_scale_profiles){0};
}

/* "run7", "run7.1", ...: the first process to end gets the name itself. "run7.rank0", ... of an MPI job of several. */
static bool is_profile_name(const char *name, const char *base) {
  const size_t length = strlen(base);
  if (strncmp(name, base, length) != 0)
    return false;
  name += length;
  return !*name || (*name == '.' && (isdigit((unsigned char)name[1]) || strncmp(name, ".rank", 5) == 0));
}

void hd_scale_profiles_list(const struct hd_scale *scale, const struct hd_scale_step *step, struct hd_texts *paths) {
  char path[PATH_MAX];
  hd_series_running(&scale->series, (size_t)(step - scale->plan.steps), "", path);
  const char *base = strrchr(path, '/') + 1;
  struct hd_directory directory = hd_directory_open(scale->series.running);
  while (hd_directory_next(&directory))
    if (is_profile_name(directory.name, base))
      hd_texts_add(paths, hd_print("%s/%s", scale->series.running, directory.name));
}

/* A profile of a run: is it of the program that the set's other runs are of? */
static enum hd_same_program relation(const struct hd_scale_set *set, struct hd_model *model) {
  struct hd_model *const models[] = {set->first, model};
  const struct hd_module *module;
  size_t a, b;
  return set->first ? hd_same_program(models, 2, &a, &b, &module) : HD_SAME_PROGRAM;
}

/* What comes first of a run's profiles: the same command as before, then the same program, then any. */
enum likeness { LIKE_NONE, LIKE_PROGRAM, LIKE_COMMAND };

static enum likeness likeness(const struct hd_scale_set *set, struct hd_model *model, uint32_t threads) {
  if (!set->first)
    return LIKE_COMMAND;
  if (relation(set, model) == HD_OTHER_PROGRAM)
    return LIKE_NONE;
  return hd_is_same_command(&set->first->arguments, set->first_threads, &model->arguments, threads) ? LIKE_COMMAND
                                                                                                    : LIKE_PROGRAM;
}

/* Is `a` rather to be compared than `b`? Of those that are as like, the one that ran longer. */
static bool is_better(const struct hd_scale_set *set, uint32_t threads, struct hd_model *a, struct hd_model *b) {
  if (!b)
    return true;
  const enum likeness a_like = likeness(set, a, threads);
  const enum likeness b_like = likeness(set, b, threads);
  if (a_like != b_like)
    return a_like > b_like;
  return hd_model_seconds(a, a->elapsed_ticks) > hd_model_seconds(b, b->elapsed_ticks);
}

/* Puts the path of the one to be compared first. */
static bool choose_first(const struct hd_scale_set *set, uint32_t threads, struct hd_scale_profiles *profiles,
                         char *error, size_t error_bytes) {
  for (size_t i = 0; i < profiles->paths.count; i++) {
    struct hd_model *model = NULL;
    if (!hd_profile_open(profiles->paths.items[i], &model, error, error_bytes))
      return false;
    if (!is_better(set, threads, model, profiles->first)) {
      hd_model_free(model);
      continue;
    }
    hd_model_free(profiles->first);
    profiles->first = model;
    char *path = profiles->paths.items[i];
    profiles->paths.items[i] = profiles->paths.items[0];
    profiles->paths.items[0] = path;
  }
  profiles->other_command = likeness(set, profiles->first, threads) == LIKE_PROGRAM;
  return true;
}

const char *hd_scale_profiles_find(const struct hd_scale *scale, const struct hd_scale_step *step,
                                   struct hd_scale_profiles *profiles, char *error, size_t error_bytes) {
  struct hd_scale_set *set = &scale->plan.sets[step->set];
  hd_scale_profiles_list(scale, step, &profiles->paths);
  if (!profiles->paths.count)
    return "it left no profile";
  if (!choose_first(set, step->threads, profiles, error, error_bytes))
    return error;
  switch (relation(set, profiles->first)) {
  case HD_SAME_PROGRAM:
    return hd_series_program_is_same(&set->program) ? NULL : "the program was changed during the scan";
  case HD_OTHER_BUILD:
    return "its profile is of another build than those of the runs before";
  case HD_OTHER_PROGRAM:
    break;
  }
  snprintf(error, error_bytes, "its profile is of another program (%s) than those of the runs before (%s)",
           profiles->first->header.program, set->first->header.program);
  return error;
}
