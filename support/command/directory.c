/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/command/directory.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

struct hd_directory hd_directory_open(const char *path) {
  return (struct hd_directory){.stream = opendir(path)};
}

bool hd_directory_next(struct hd_directory *directory) {
  const struct dirent *entry = NULL;
  while (directory->stream && (entry = readdir(directory->stream)))
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
      directory->name = entry->d_name;
      return true;
    }
  if (directory->stream)
    closedir(directory->stream);
  directory->stream = NULL;
  return false;
}

bool hd_is_directory(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

uint64_t hd_directory_room(const char *path) {
  struct statvfs status;
  return statvfs(path, &status) == 0 ? (uint64_t)status.f_bavail * (uint64_t)status.f_frsize : 0;
}
