/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/recover/private_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/recover/salvage.h"
#include "support/command/directory.h"

const char *const hd_private_probe_names[HD_PRIVATE_PROBE_COUNT] = {"a-runtime-looked-for-tools",
                                                                    "libheddle-was-not-taken"};

/* A profile takes a few hundred KiB; a directory with less room than this would fail sooner than the next one. */
enum { LEAST_FREE_BYTES = 16 << 20 };

/* The name goes into OMP_TOOL_LIBRARIES, so it must not contain a separator. */
static bool make_directory_in(const char *parent, char *directory) {
  char absolute[PATH_MAX];
  if (!parent || !*parent || !realpath(parent, absolute) || strchr(absolute, ':'))
    return false;
  if (snprintf(directory, PATH_MAX, "%s/heddle.XXXXXX", absolute) >= PATH_MAX - 64 ||
      hd_directory_room(absolute) < LEAST_FREE_BYTES)
    return false;
  return mkdtemp(directory) != NULL; /* 0700 */
}

/* The lock tells `heddle recover` that this run goes on. */
int hd_private_directory_make(const char *parent, char *path) {
  if (!make_directory_in(parent, path))
    return -1;
  const int lock = hd_private_directory_lock(path);
  if (lock < 0)
    rmdir(path);
  return lock;
}

/* Made by mkdtemp("heddle.XXXXXX") for this user alone, and with a probe in it: nobody else's, and not just being made.
 */
bool hd_private_directory_is(const char *path) {
  const char *name = basename(path);
  char probe[PATH_MAX];
  struct stat status;
  if (strncmp(name, "heddle.", 7) != 0 || strlen(name) != 13 || lstat(path, &status) != 0 || !S_ISDIR(status.st_mode) ||
      status.st_uid != geteuid() || (status.st_mode & 077))
    return false;
  const int length = snprintf(probe, sizeof probe, "%s/%s", path, hd_private_probe_names[HD_PRIVATE_PROBE_STARTED]);
  return length > 0 && (size_t)length < sizeof probe && access(probe, F_OK) == 0;
}

int hd_private_directory_lock(const char *path) {
  const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || hd_salvage_lock(fd))
    return fd;
  close(fd);
  errno = EWOULDBLOCK;
  return -1;
}

bool hd_private_directory_may_be_used(const char *directory) {
  const int lock = hd_private_directory_lock(directory);
  if (lock < 0)
    return errno != ENOENT;
  close(lock);
  return false;
}

static bool has_live_files(DIR *directory) {
  const struct dirent *entry;
  while ((entry = readdir(directory)))
    if (hd_salvage_pid(entry->d_name) > 0)
      return true;
  return false;
}

void hd_private_directory_remove(const char *path, int lock) {
  DIR *directory = fdopendir(lock);
  const bool remove = directory && !has_live_files(directory);
  const struct dirent *entry;
  if (remove)
    rewinddir(directory);
  while (remove && (entry = readdir(directory)))
    unlinkat(lock, entry->d_name, 0);
  if (remove)
    rmdir(path);
  if (directory)
    closedir(directory);
  else
    close(lock);
}
