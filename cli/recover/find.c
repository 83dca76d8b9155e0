/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/recover/find.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/recover/private_directory.h"
#include "cli/recover/salvage.h"
#include "support/command/directory.h"

static void take(const struct hd_recover_visitor *visitor, int directory, const char *path, const char *name,
                 bool in_private) {
  char whole[PATH_MAX];
  const int length = snprintf(whole, sizeof whole, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", name);
  const struct hd_recover_file file = {.directory = directory, .path = whole, .name = name, .in_private = in_private};
  if (length > 0 && (size_t)length < sizeof whole)
    visitor->take_file(visitor->context, &file);
}

/* Returns how many files were seen, and taken unless `visitor` is NULL. */
static size_t take_files(const char *path, const struct hd_recover_visitor *visitor, bool in_private) {
  struct hd_directory directory = hd_directory_open(path);
  size_t count = 0;
  while (hd_directory_next(&directory)) {
    if (hd_salvage_pid(directory.name) == 0)
      continue;
    count++;
    if (visitor)
      take(visitor, dirfd(directory.stream), path, directory.name, in_private);
  }
  return count;
}

static void visit_private(const char *path, const struct hd_recover_visitor *visitor) {
  if (visitor->only_looks) {
    take_files(path, visitor, true);
    return;
  }
  const int lock = hd_private_directory_lock(path);
  if (lock < 0) {
    if (errno == EWOULDBLOCK && take_files(path, NULL, true) > 0)
      visitor->skip_directory(visitor->context, path);
    return;
  }
  take_files(path, visitor, true);
  if (visitor->clear_directories)
    hd_private_directory_remove(path, lock);
  else
    close(lock);
}

bool hd_recover_visit_directory(const char *path, const struct hd_recover_visitor *visitor) {
  char absolute[PATH_MAX];
  char inner[PATH_MAX];
  struct hd_directory directory = {0};
  if (realpath(path, absolute))
    directory = hd_directory_open(absolute);
  if (!directory.stream)
    return false;
  const bool is_private = hd_private_directory_is(absolute);
  if (is_private)
    visit_private(absolute, visitor);
  else
    take_files(absolute, visitor, false);
  while (hd_directory_next(&directory)) {
    const int length = snprintf(inner, sizeof inner, "%s/%s", absolute, directory.name);
    if (!is_private && length > 0 && (size_t)length < sizeof inner && hd_private_directory_is(inner))
      visit_private(inner, visitor);
  }
  return true;
}

bool hd_recover_visit_file(const char *path, const struct hd_recover_visitor *visitor) {
  char parent[PATH_MAX];
  struct hd_recover_file file = {.path = path, .name = basename(path), .named = true};
  const int length = snprintf(parent, sizeof parent, "%.*s", (int)(file.name - path), path);
  if (length < 0 || (size_t)length >= sizeof parent || hd_salvage_pid(file.name) == 0)
    return (errno = EINVAL, false);
  file.directory = open(length > 0 ? parent : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file.directory < 0)
    return false;
  visitor->take_file(visitor->context, &file);
  close(file.directory);
  return true;
}

static bool is_new(char *const *known, size_t count, const char *place) {
  for (size_t i = 0; i < count; i++)
    if (known[i] && !strcmp(known[i], place))
      return false;
  return true;
}

void hd_recover_visit_all(const struct hd_recover_visitor *visitor) {
  const char *places[] = {getenv("HEDDLE_STORE_DIR"), "/dev/shm", getenv("TMPDIR"), "/tmp", "."};
  enum { COUNT = sizeof places / sizeof *places };
  char *known[COUNT] = {NULL};
  for (size_t i = 0; i < COUNT; i++) {
    known[i] = places[i] && *places[i] ? realpath(places[i], NULL) : NULL;
    if (known[i] && is_new(known, i, known[i]))
      hd_recover_visit_directory(known[i], visitor);
  }
  for (size_t i = 0; i < COUNT; i++)
    free(known[i]);
}
