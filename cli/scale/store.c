/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/scale/store.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cli/scale/definition.h"
#include "cli/scale/lock.h"
#include "cli/scale/profiles.h"
#include "output/model/model_free.h"
#include "output/reader/open.h"
#include "support/log.h"

static const char scan_name[] = "scan.json";
static const char running_name[] = ".running";

enum {
  PATH_MOST = 900,            /* of the directory: libheddle.so's names have at most 1024 bytes */
  LEAST_FREE_BYTES = 8 << 20, /* a profile takes a few hundred KiB */
};

/* ---- helpers ---- */

static bool fail(const char *what, const char *path) {
  hd_log("cannot %s %s: %s", what, path, strerror(errno));
  return false;
}

static bool join(char path[PATH_MAX], const char *directory, const char *name) {
  return snprintf(path, PATH_MAX, "%s/%s", directory, name) < PATH_MAX;
}

static bool is_there(const char *directory, const char *name) {
  char path[PATH_MAX];
  return join(path, directory, name) && access(path, F_OK) == 0;
}

static bool sync_path(const char *path, int flags) {
  const int fd = open(path, flags | O_RDONLY | O_CLOEXEC);
  const bool synced = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL || errno == EROFS);
  const int error = errno;
  if (fd >= 0)
    close(fd);
  errno = error;
  return synced;
}

/* A file is whole under its new name even if the machine loses its power now. */
static bool move(const char *from, const char *to) {
  return (sync_path(from, 0) && rename(from, to) == 0) || fail("write", to);
}

void hd_scale_store_path(const struct hd_scale_plan *plan, const struct hd_scale_store *store,
                         const struct hd_scale_step *step, const char *ending, char path[PATH_MAX]) {
  const char *set = plan->sets[step->set].name;
  snprintf(path, PATH_MAX, "%.*s/%s%st%u.r%u%s", PATH_MOST, store->path, set, *set ? "/" : "", step->threads,
           step->repeat, ending);
}

void hd_scale_store_running(const struct hd_scale_plan *plan, const struct hd_scale_store *store,
                            const struct hd_scale_step *step, const char *ending, char path[PATH_MAX]) {
  snprintf(path, PATH_MAX, "%.*s/run%zu%s", PATH_MAX - 64, store->running, (size_t)(step - plan->steps), ending);
}

/* ---- what may be removed ---- */

static const char *skip_number(const char *text) {
  while (isdigit((unsigned char)*text))
    text++;
  return text;
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

static bool is_any_file(const char *name) {
  return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static void remove_files(const char *path, bool chosen(const char *name)) {
  DIR *directory = opendir(path);
  const struct dirent *entry;
  while (directory && (entry = readdir(directory)))
    if (chosen(entry->d_name))
      /* NOLINTNEXTLINE(clang-analyzer-unix.StdCLibraryFunctions): an open directory has a descriptor */
      unlinkat(dirfd(directory), entry->d_name, 0);
  if (directory)
    closedir(directory);
}

static bool has_profiles(const char *path) {
  DIR *directory = opendir(path);
  const struct dirent *entry;
  bool found = false;
  while (directory && !found && (entry = readdir(directory))) {
    const char *ending = strrchr(entry->d_name, '.');
    found = is_run_file(entry->d_name) && strcmp(ending, ".heddle") == 0;
  }
  if (directory)
    closedir(directory);
  return found;
}

/* Is any run kept? */
static bool has_runs(const struct hd_scale_store *store) {
  char path[PATH_MAX];
  DIR *directory = opendir(store->path);
  const struct dirent *entry;
  bool found = has_profiles(store->path);
  while (directory && !found && (entry = readdir(directory)))
    found = strchr(entry->d_name, '=') && join(path, store->path, entry->d_name) && has_profiles(path);
  if (directory)
    closedir(directory);
  return found;
}

/* All runs; nothing else that somebody may have put there. */
static bool discard(const struct hd_scale_store *store) {
  char path[PATH_MAX];
  DIR *directory = opendir(store->path);
  const struct dirent *entry;
  if (!directory)
    return fail("read", store->path);
  while ((entry = readdir(directory)))
    if (strchr(entry->d_name, '=') && join(path, store->path, entry->d_name)) {
      remove_files(path, is_run_file);
      rmdir(path);
    }
  closedir(directory);
  remove_files(store->path, is_run_file);
  return (join(path, store->path, scan_name) && unlink(path) == 0) || errno == ENOENT || fail("remove", path);
}

/* ---- the directory ---- */

/* Does it hold something, but no scan? */
static bool is_foreign(const char *path) {
  DIR *directory = opendir(path);
  const struct dirent *entry;
  bool foreign = false;
  while (directory && (entry = readdir(directory)))
    foreign = foreign || (is_any_file(entry->d_name) && strcmp(entry->d_name, HD_SCALE_LOCK_NAME) != 0 &&
                          strcmp(entry->d_name, running_name) != 0 && strcmp(entry->d_name, "scan.json.part") != 0);
  if (directory)
    closedir(directory);
  return foreign && !is_there(path, scan_name);
}

static bool make_directory(const struct hd_scale_options *options, struct hd_scale_store *store) {
  struct stat status;
  if (mkdir(options->directory, 0777) != 0 && errno != EEXIST)
    return fail("make the directory", options->directory);
  if (!realpath(options->directory, store->path) || stat(store->path, &status) != 0)
    return fail("use", options->directory);
  if (!S_ISDIR(status.st_mode)) {
    hd_log("%s exists and is not a directory; name another with -o", options->directory);
    return false;
  }
  if (strlen(store->path) > PATH_MOST - NAME_MAX || !join(store->running, store->path, running_name)) {
    hd_log("%s: the path of this directory is too long", store->path);
    return false;
  }
  if (!is_foreign(store->path))
    return true;
  hd_log("%s exists and is not empty, but holds no scan; name another directory with -o", options->directory);
  return false;
}

/* ---- scan.json ---- */

static bool load_scan(const struct hd_scale_store *store, json_t **scan) {
  char path[PATH_MAX];
  json_error_t error;
  *scan = NULL;
  if (!join(path, store->path, scan_name) || access(path, F_OK) != 0)
    return true;
  *scan = json_load_file(path, 0, &error);
  if (json_is_object(*scan))
    return true;
  hd_log("cannot read %s: %s; --start-over discards all runs in this directory", path,
         *scan ? "it is no object" : error.text);
  return false;
}

/* It is whole, or as it was. */
static bool save_scan(const struct hd_scale_store *store, const json_t *scan) {
  char path[PATH_MAX];
  char part[PATH_MAX];
  if (!join(path, store->path, scan_name) || !join(part, store->path, "scan.json.part"))
    return false;
  if (json_dump_file(scan, part, JSON_INDENT(1)) != 0)
    return fail("write", part);
  return move(part, path) && (sync_path(store->path, O_DIRECTORY) || fail("write", store->path));
}

/* Sets whose program was not found are not in it. */
static size_t count_points(const json_t *scan) {
  return json_array_size(json_object_get(scan, "threads")) * json_object_size(json_object_get(scan, "sets"));
}

/* A scan without a run, of a command that was mistyped, is in nobody's way. */
static bool update_scan(struct hd_scale_plan *plan, struct hd_scale_store *store) {
  json_t *before = NULL;
  bool done = (!plan->options->start_over && has_runs(store)) || discard(store);
  if (done)
    hd_scale_programs_find(plan);
  done = done && load_scan(store, &before);
  json_t *asked = done ? hd_scale_definition_make(plan, before) : NULL;
  if (done && !asked) {
    hd_log("out of memory");
    done = false;
  }
  if (done && before && !hd_scale_definition_fits(plan, before, asked)) {
    hd_log("%s holds another scan, see above; name another directory with -o, or discard its runs with --start-over",
           store->path);
    done = false;
  }
  done = done && (json_equal(before, asked) || save_scan(store, asked));
  store->points = count_points(asked);
  json_decref(before);
  json_decref(asked);
  return done;
}

/* ---- what is there ---- */

static bool make_folders(const struct hd_scale_plan *plan, const struct hd_scale_store *store) {
  char path[PATH_MAX];
  if (mkdir(store->running, 0777) != 0 && errno != EEXIST)
    return fail("make the directory", store->running);
  for (uint32_t i = 0; i < plan->set_count; i++)
    if (*plan->sets[i].name && join(path, store->path, plan->sets[i].name) && mkdir(path, 0777) != 0 && errno != EEXIST)
      return fail("make the directory", path);
  return true;
}

/* The set's other profiles have to be of the same program as its first. True: this is it, and the set's. */
static bool take_first(struct hd_scale_plan *plan, const struct hd_scale_step *step, struct hd_model *model) {
  struct hd_scale_set *set = &plan->sets[step->set];
  if (set->first)
    return false;
  set->first = model;
  set->first_threads = step->threads;
  return true;
}

/* A profile that cannot be read is made again. */
static void look_for(struct hd_scale_plan *plan, const struct hd_scale_store *store, struct hd_scale_step *step) {
  char path[PATH_MAX];
  char error[PATH_MAX + 256];
  struct hd_model *model = NULL;
  hd_scale_store_path(plan, store, step, ".heddle", path);
  if (access(path, F_OK) != 0)
    return;
  if (!hd_profile_open(path, &model, error, sizeof error)) {
    hd_log("%s; this run is repeated", error);
    return;
  }
  step->done = true;
  step->seconds = hd_model_seconds(model, model->elapsed_ticks);
  if (!take_first(plan, step, model))
    hd_model_free(model);
}

/* Runs that are not kept make nothing ready that is not needed. */
static void mark_done(struct hd_scale_plan *plan, const struct hd_scale_store *store) {
  for (size_t i = 0; i < plan->step_count; i++)
    if (plan->steps[i].repeat)
      look_for(plan, store, &plan->steps[i]);
  for (size_t i = 0; i < plan->step_count; i++) {
    struct hd_scale_step *step = &plan->steps[i];
    if (step->repeat)
      continue;
    step->done = true;
    for (size_t j = 0; j < plan->step_count && step->done; j++)
      step->done = plan->steps[j].set != step->set || !plan->steps[j].repeat || plan->steps[j].done;
  }
}

bool hd_scale_store_open(struct hd_scale_plan *plan, struct hd_scale_store *store) {
  memset(store, 0, sizeof *store);
  store->lock = -1;
  if (!make_directory(plan->options, store))
    return false;
  store->lock = hd_scale_lock(store->path);
  if (store->lock < 0 || !update_scan(plan, store) || !make_folders(plan, store) || !hd_scale_store_clear(store))
    return false;
  mark_done(plan, store);
  return true;
}

void hd_scale_store_close(struct hd_scale_store *store) {
  if (store->lock < 0)
    return;
  remove_files(store->running, is_any_file);
  rmdir(store->running);
  close(store->lock);
  store->lock = -1;
}

bool hd_scale_store_has_room(const struct hd_scale_store *store) {
  struct statvfs status;
  if (statvfs(store->path, &status) != 0)
    return fail("use", store->path);
  if ((uint64_t)status.f_bavail * (uint64_t)status.f_frsize >= (uint64_t)LEAST_FREE_BYTES)
    return true;
  hd_log("%s: less than %d MiB left on this disk; make room, then repeat the command to resume", store->path,
         LEAST_FREE_BYTES >> 20);
  return false;
}

bool hd_scale_store_clear(const struct hd_scale_store *store) {
  remove_files(store->running, is_any_file);
  return access(store->running, W_OK) == 0 || fail("write", store->running);
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

static void tell_of_others(struct hd_scale_store *store, const struct hd_scale_profiles *profiles, const char *path) {
  if (!store->told_others && profiles->paths.count > 1)
    hd_log("a run has %zu processes with profiles; %s, which ran longest, is compared; the others: %s.1, ...",
           profiles->paths.count, profiles->first->header.program, strrchr(path, '/') + 1);
  store->told_others = store->told_others || profiles->paths.count > 1;
  if (!store->told_command && profiles->other_command)
    hd_log("%s: the process that is compared has other arguments than that of the run before it",
           strrchr(path, '/') + 1);
  store->told_command = store->told_command || profiles->other_command;
}

bool hd_scale_store_keep(struct hd_scale_plan *plan, struct hd_scale_store *store, struct hd_scale_step *step,
                         struct hd_scale_profiles *profiles) {
  char path[PATH_MAX];
  char output[PATH_MAX];
  char from[PATH_MAX];
  step->seconds = profiles->seconds;
  if (!step->repeat) {
    step->done = true;
    return true;
  }
  hd_scale_store_path(plan, store, step, ".failed.out", output);
  unlink(output);
  hd_scale_store_path(plan, store, step, ".out", output);
  hd_scale_store_path(plan, store, step, ".heddle", path);
  hd_scale_store_running(plan, store, step, ".out", from);
  if (!keep_others(&profiles->paths, path) || !move(from, output) || !move(profiles->paths.items[0], path))
    return false;
  if (!sync_path(store->path, O_DIRECTORY))
    return fail("write", store->path);
  step->done = true;
  if (!plan->options->quiet)
    tell_of_others(store, profiles, path);
  if (take_first(plan, step, profiles->first))
    profiles->first = NULL;
  return true;
}
