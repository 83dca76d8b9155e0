/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/series/series.h"
#include "support/command/complain.h"
#include "support/command/directory.h"

static const char running_name[] = ".running";

enum { LEAST_FREE_BYTES = 8 << 20 }; /* a profile takes a few hundred KiB */

/* ---- files ---- */

bool hd_series_join(char path[PATH_MAX], const char *directory, const char *name) {
  return snprintf(path, PATH_MAX, "%s/%s", directory, name) < PATH_MAX;
}

bool hd_series_make(const char *path) {
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

bool hd_series_move(const char *from, const char *to) {
  return sync_path(from, 0) && (rename(from, to) == 0 || hd_complain_of("write", to));
}

bool hd_series_sync(const struct hd_series *series) {
  return sync_path(series->path, O_DIRECTORY);
}

void hd_series_running(const struct hd_series *series, size_t index, const char *ending, char path[PATH_MAX]) {
  snprintf(path, PATH_MAX, "%.*s/run%zu%s", PATH_MAX - 64, series->running, index, ending);
}

void hd_series_remove(const char *path, bool chosen(const char *name)) {
  struct hd_directory directory = hd_directory_open(path);
  while (hd_directory_next(&directory))
    if (!chosen || chosen(directory.name))
      /* NOLINTNEXTLINE(clang-analyzer-unix.StdCLibraryFunctions): an open directory has a descriptor */
      unlinkat(dirfd(directory.stream), directory.name, 0);
}

/* ---- the directory ---- */

/* The name of the series' file while it is written. */
static bool part_name(const struct hd_series *series, char path[PATH_MAX]) {
  return snprintf(path, PATH_MAX, "%s/%s.part", series->path, series->kind->file) < PATH_MAX;
}

static bool is_ours(const struct hd_series *series, const char *name) {
  const size_t length = strlen(series->kind->file);
  const bool part = strncmp(name, series->kind->file, length) == 0 && strcmp(name + length, ".part") == 0;
  return part || strcmp(name, series->kind->lock) == 0 || strcmp(name, running_name) == 0;
}

/* Does it hold something, but no such series? */
static bool is_foreign(const struct hd_series *series) {
  struct hd_directory directory = hd_directory_open(series->path);
  bool foreign = false, has_file = false;
  while (hd_directory_next(&directory)) {
    has_file = has_file || strcmp(directory.name, series->kind->file) == 0;
    foreign = foreign || !is_ours(series, directory.name);
  }
  return foreign && !has_file;
}

static bool make_directory(struct hd_series *series) {
  const char *name = series->options->directory;
  if (!hd_series_make(name))
    return false;
  if (!realpath(name, series->path))
    return hd_complain_of("use", name);
  if (!hd_is_directory(series->path))
    return HD_COMPLAIN("%s exists and is not a directory; name another with -o", name);
  if (strlen(series->path) > HD_SERIES_PATH_MOST - NAME_MAX ||
      !hd_series_join(series->running, series->path, running_name))
    return HD_COMPLAIN("%s: the path of this directory is too long", series->path);
  return !is_foreign(series) ||
         HD_COMPLAIN("%s exists and is not empty, but holds no %s; name another directory with -o", name,
                     series->kind->noun);
}

bool hd_series_open(struct hd_series *series) {
  return make_directory(series) && hd_series_lock(series);
}

void hd_series_close(struct hd_series *series) {
  if (series->lock < 0)
    return;
  hd_series_remove(series->running, NULL);
  rmdir(series->running);
  close(series->lock);
  series->lock = -1;
}

bool hd_series_clear(const struct hd_series *series) {
  if (!hd_series_make(series->running))
    return false;
  hd_series_remove(series->running, NULL);
  return access(series->running, W_OK) == 0 || hd_complain_of("write", series->running);
}

bool hd_series_has_room(const struct hd_series *series) {
  errno = 0;
  if (hd_directory_room(series->path) >= LEAST_FREE_BYTES)
    return true;
  if (errno)
    return hd_complain_of("use", series->path);
  return HD_COMPLAIN("%s: less than %d MiB left on this disk; make room, then repeat the command to resume",
                     series->path, LEAST_FREE_BYTES >> 20);
}

/* ---- its file ---- */

bool hd_series_load(const struct hd_series *series, json_t **file) {
  char path[PATH_MAX];
  json_error_t error;
  *file = NULL;
  if (!hd_series_join(path, series->path, series->kind->file) || access(path, F_OK) != 0)
    return true;
  *file = json_load_file(path, 0, &error);
  return json_is_object(*file) || HD_COMPLAIN("cannot read %s: %s; --start-over discards all runs in this directory",
                                              path, *file ? "not a JSON object" : error.text);
}

bool hd_series_save(const struct hd_series *series, const json_t *file) {
  char path[PATH_MAX];
  char part[PATH_MAX];
  if (!hd_series_join(path, series->path, series->kind->file) || !part_name(series, part))
    return false;
  if (json_dump_file(file, part, JSON_INDENT(1)) != 0)
    return hd_complain_of("write", part);
  return hd_series_move(part, path) && hd_series_sync(series);
}

bool hd_series_forget(const struct hd_series *series) {
  char path[PATH_MAX];
  return !hd_series_join(path, series->path, series->kind->file) || unlink(path) == 0 || errno == ENOENT ||
         hd_complain_of("remove", path);
}

bool hd_series_is_another(const struct hd_series *series) {
  return HD_COMPLAIN("%s holds another %s, see above; name another directory with -o, or discard its runs with "
                     "--start-over",
                     series->path, series->kind->noun);
}
