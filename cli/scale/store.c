/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/scale/scale_internal.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "support/command/complain.h"
#include "support/command/directory.h"
#include "support/command/memory.h"

static const char scan_name[] = "scan.json";
static const char part_name[] = "scan.json.part";
static const char running_name[] = ".running";

enum {
  PATH_MOST = 900,            /* of the directory: libheddle.so's names have at most 1024 bytes */
  LEAST_FREE_BYTES = 8 << 20, /* a profile takes a few hundred KiB */
};

/* ---- paths ---- */

static bool join(char path[PATH_MAX], const char *directory, const char *name) {
  return snprintf(path, PATH_MAX, "%s/%s", directory, name) < PATH_MAX;
}

static bool make(const char *path) {
  return mkdir(path, 0777) == 0 || errno == EEXIST || hd_complain_of("make the directory", path);
}

static bool sync_path(const char *path, int flags) {
  const int fd = open(path, flags | O_RDONLY | O_CLOEXEC);
  const bool synced = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL || errno == EROFS);
  const int error = errno;
  if (fd >= 0)
    close(fd);
  errno = error;
  return synced || hd_complain_of("write", path);
}

/* A file is whole under its new name even if the machine loses its power now. */
static bool move(const char *from, const char *to) {
  return sync_path(from, 0) && (rename(from, to) == 0 || hd_complain_of("write", to));
}

void hd_scale_store_path(const struct hd_scale *scale, const struct hd_scale_step *step, const char *ending,
                         char path[PATH_MAX]) {
  const char *set = scale->plan.sets[step->set].name;
  snprintf(path, PATH_MAX, "%.*s/%s%st%u.r%u%s", PATH_MOST, scale->path, set, *set ? "/" : "", step->threads,
           step->repeat, ending);
}

void hd_scale_store_running(const struct hd_scale *scale, const struct hd_scale_step *step, const char *ending,
                            char path[PATH_MAX]) {
  snprintf(path, PATH_MAX, "%.*s/run%zu%s", PATH_MAX - 64, scale->running, (size_t)(step - scale->plan.steps), ending);
}

/* ---- what may be removed ---- */

static const char *skip_number(const char *text) {
  return text + strspn(text, "0123456789");
}

/* t4.r2.heddle, t4.r2.heddle.1, t4.r2.out, t4.r2.failed.out */
static bool is_run_file(const char *name) {
  if (name[0] != 't' || !isdigit((unsigned char)name[1]))
    return false;
  name = skip_number(name + 1);
  if (strncmp(name, ".r", 2) != 0 || !isdigit((unsigned char)name[2]))
    return false;
  name = skip_number(name + 2);
  if (strcmp(name, ".out") == 0 || strcmp(name, ".failed.out") == 0 || strcmp(name, ".heddle") == 0)
    return true;
  return strncmp(name, ".heddle.", 8) == 0 && isdigit((unsigned char)name[8]) && !*skip_number(name + 8);
}

/* `chosen` NULL: all. */
static void remove_files(const char *path, bool chosen(const char *name)) {
  struct hd_directory directory = hd_directory_open(path);
  while (hd_directory_next(&directory))
    if (!chosen || chosen(directory.name))
      /* NOLINTNEXTLINE(clang-analyzer-unix.StdCLibraryFunctions): an open directory has a descriptor */
      unlinkat(dirfd(directory.stream), directory.name, 0);
}

static bool has_profiles(const char *path) {
  struct hd_directory directory = hd_directory_open(path);
  bool found = false;
  while (hd_directory_next(&directory))
    found = found || (is_run_file(directory.name) && strcmp(strrchr(directory.name, '.'), ".heddle") == 0);
  return found;
}

/* Is any run kept? */
static bool has_runs(const struct hd_scale *scale) {
  char path[PATH_MAX];
  struct hd_directory directory = hd_directory_open(scale->path);
  bool found = has_profiles(scale->path);
  while (hd_directory_next(&directory))
    found = found || (strchr(directory.name, '=') && join(path, scale->path, directory.name) && has_profiles(path));
  return found;
}

/* All runs; nothing else that somebody may have put there. */
static bool discard(const struct hd_scale *scale) {
  char path[PATH_MAX];
  struct hd_directory directory = hd_directory_open(scale->path);
  if (!directory.stream)
    return hd_complain_of("read", scale->path);
  while (hd_directory_next(&directory))
    if (strchr(directory.name, '=') && join(path, scale->path, directory.name)) {
      remove_files(path, is_run_file);
      rmdir(path);
    }
  remove_files(scale->path, is_run_file);
  return (join(path, scale->path, scan_name) && unlink(path) == 0) || errno == ENOENT || hd_complain_of("remove", path);
}

/* ---- the directory ---- */

/* Does it hold something, but no scan? */
static bool is_foreign(const char *path) {
  static const char *const ours[] = {HD_SCALE_LOCK_NAME, running_name, part_name};
  struct hd_directory directory = hd_directory_open(path);
  bool foreign = false, has_scan = false;
  while (hd_directory_next(&directory)) {
    bool is_ours = false;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
      is_ours = is_ours || strcmp(directory.name, ours[i]) == 0;
    has_scan = has_scan || strcmp(directory.name, scan_name) == 0;
    foreign = foreign || !is_ours;
  }
  return foreign && !has_scan;
}

static bool make_directory(struct hd_scale *scale) {
  const char *name = scale->plan.options->directory;
  if (!make(name))
    return false;
  if (!realpath(name, scale->path))
    return hd_complain_of("use", name);
  if (!hd_is_directory(scale->path))
    return HD_COMPLAIN("%s exists and is not a directory; name another with -o", name);
  if (strlen(scale->path) > PATH_MOST - NAME_MAX || !join(scale->running, scale->path, running_name))
    return HD_COMPLAIN("%s: the path of this directory is too long", scale->path);
  return !is_foreign(scale->path) ||
         HD_COMPLAIN("%s exists and is not empty, but holds no scan; name another directory with -o", name);
}

/* ---- scan.json ---- */

static bool load_scan(const struct hd_scale *scale, json_t **scan) {
  char path[PATH_MAX];
  json_error_t error;
  *scan = NULL;
  if (!join(path, scale->path, scan_name) || access(path, F_OK) != 0)
    return true;
  *scan = json_load_file(path, 0, &error);
  return json_is_object(*scan) || HD_COMPLAIN("cannot read %s: %s; --start-over discards all runs in this directory",
                                              path, *scan ? "not a JSON object" : error.text);
}

/* It is whole, or as it was. */
static bool save_scan(const struct hd_scale *scale, const json_t *scan) {
  char path[PATH_MAX];
  char part[PATH_MAX];
  if (!join(path, scale->path, scan_name) || !join(part, scale->path, part_name))
    return false;
  if (json_dump_file(scan, part, JSON_INDENT(1)) != 0)
    return hd_complain_of("write", part);
  return move(part, path) && sync_path(scale->path, O_DIRECTORY);
}

static bool fits(const struct hd_scale *scale, const json_t *before, const json_t *asked) {
  return !before || hd_scale_definition_fits(&scale->plan, before, asked) ||
         HD_COMPLAIN("%s holds another scan, see above; name another directory with -o, or discard its runs with "
                     "--start-over",
                     scale->path);
}

/* A scan without a run, of a command that was mistyped, is in nobody's way. */
static bool update_scan(struct hd_scale *scale) {
  json_t *before = NULL;
  if ((scale->plan.options->start_over || !has_runs(scale)) && !discard(scale))
    return false;
  hd_scale_programs_find(&scale->plan);
  if (!load_scan(scale, &before)) {
    json_decref(before);
    return false;
  }
  json_t *asked = hd_scale_definition_make(&scale->plan, before);
  hd_need(asked != NULL);
  const bool done = fits(scale, before, asked) && (json_equal(before, asked) || save_scan(scale, asked));
  /* Sets whose program was not found are not in it. */
  scale->points = json_array_size(json_object_get(asked, "threads")) * json_object_size(json_object_get(asked, "sets"));
  json_decref(before);
  json_decref(asked);
  return done;
}

/* ---- what is there ---- */

static bool make_folders(const struct hd_scale *scale) {
  char path[PATH_MAX];
  bool made = make(scale->running);
  for (uint32_t i = 0; made && i < scale->plan.set_count; i++)
    made = !*scale->plan.sets[i].name || !join(path, scale->path, scale->plan.sets[i].name) || make(path);
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
      look_for(scale, &plan->steps[i]);
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
  if (!make_directory(scale) || !hd_scale_lock(scale) || !update_scan(scale) || !make_folders(scale) ||
      !hd_scale_store_clear(scale))
    return false;
  mark_done(scale);
  return true;
}

void hd_scale_store_close(struct hd_scale *scale) {
  if (scale->lock < 0)
    return;
  remove_files(scale->running, NULL);
  rmdir(scale->running);
  close(scale->lock);
  scale->lock = -1;
}

bool hd_scale_store_has_room(const struct hd_scale *scale) {
  errno = 0;
  if (hd_directory_room(scale->path) >= LEAST_FREE_BYTES)
    return true;
  if (errno)
    return hd_complain_of("use", scale->path);
  return HD_COMPLAIN("%s: less than %d MiB left on this disk; make room, then repeat the command to resume",
                     scale->path, LEAST_FREE_BYTES >> 20);
}

bool hd_scale_store_clear(const struct hd_scale *scale) {
  remove_files(scale->running, NULL);
  return access(scale->running, W_OK) == 0 || hd_complain_of("write", scale->running);
}

/* ---- keeping a run ---- */

static bool keep_others(const struct hd_texts *paths, const char *path) {
  char to[PATH_MAX];
  size_t i = 1;
  for (; i < paths->count; i++)
    if (snprintf(to, sizeof to, "%s.%zu", path, i) >= PATH_MAX || !move(paths->items[i], to))
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

bool hd_scale_store_keep(struct hd_scale *scale, struct hd_scale_step *step, struct hd_scale_profiles *profiles) {
  char path[PATH_MAX];
  char output[PATH_MAX];
  char from[PATH_MAX];
  if (step->repeat) {
    hd_scale_store_path(scale, step, ".failed.out", output);
    unlink(output);
    hd_scale_store_path(scale, step, ".out", output);
    hd_scale_store_path(scale, step, ".heddle", path);
    hd_scale_store_running(scale, step, ".out", from);
    if (!keep_others(&profiles->paths, path) || !move(from, output) || !move(profiles->paths.items[0], path) ||
        !sync_path(scale->path, O_DIRECTORY))
      return false;
    if (!scale->plan.options->quiet)
      tell_of_others(scale, profiles, path);
    if (take_first(scale, step, profiles->first))
      profiles->first = NULL;
  }
  step->done = true;
  return true;
}
