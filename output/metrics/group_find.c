/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/metrics/group.h"
#include "support/command/edit_distance.h"
#include "support/command/memory.h"
#include "support/own_file.h"

enum { FILE_BYTES_MOST = 1 << 20, GROUPS_MOST = 1000 };
static const char suffix[] = ".txt";

/* A group that can be asked for by name. */
struct entry {
  char *path;
  char *name;
};

struct folders {
  struct entry *entries; /* sorted by name; of several of one name the first folder's */
  size_t count;
};

/* ---- reading a file ---- */

/* What is wrong with a file; NULL: nothing, and `text` holds it. */
static const char *read_text(const char *path, char text[FILE_BYTES_MOST + 2]) {
  FILE *file = fopen(path, "re");
  if (!file)
    return strerror(errno);
  const size_t length = fread(text, 1, FILE_BYTES_MOST + 1, file);
  const char *failure = ferror(file) ? strerror(errno) : NULL;
  fclose(file);
  text[length] = '\0';
  if (failure)
    return failure;
  if (length > FILE_BYTES_MOST)
    return "larger than 1 MiB: this is no group of events";
  return memchr(text, '\0', length) ? "has a zero byte: this is no text file" : NULL;
}

static struct hd_group *read_file(const char *path, char *error, size_t error_bytes) {
  struct hd_group *group = NULL;
  char *text = hd_new(FILE_BYTES_MOST + 2, 1);
  const char *wrong = read_text(path, text);
  if (wrong)
    snprintf(error, error_bytes, "%s: %s", path, wrong);
  else
    group = hd_group_parse(path, text, error, error_bytes);
  free(text);
  return group;
}

/* ---- folders ---- */

static bool is_directory(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Those that came with this program: next to it where it was installed, or the source's where it was built. */
static bool own_folder(char *path, size_t path_bytes) {
  char self[PATH_MAX];
  if (hd_own_file(self)) {
    *strrchr(self, '/') = '\0';
    const int needed = snprintf(path, path_bytes, "%s/" HEDDLE_INSTALLED_GROUPS, self);
    char *clean = needed > 0 && (size_t)needed < path_bytes ? realpath(path, NULL) : NULL;
    if (clean && strlen(clean) < path_bytes && is_directory(clean)) {
      strcpy(path, clean);
      free(clean);
      return true;
    }
    free(clean);
  }
  snprintf(path, path_bytes, "%s", HEDDLE_SOURCE_GROUPS);
  return is_directory(path);
}

static bool has_name(const struct folders *folders, const char *name, size_t length) {
  for (size_t i = 0; i < folders->count; i++)
    if (strlen(folders->entries[i].name) == length && strncasecmp(folders->entries[i].name, name, length) == 0)
      return true;
  return false;
}

static void add_entry(struct folders *folders, const char *folder, const char *file) {
  const size_t bytes = strlen(file);
  const size_t length = bytes - (sizeof suffix - 1);
  if (bytes < sizeof suffix || strcmp(file + length, suffix) != 0 || file[0] == '.' ||
      has_name(folders, file, length) || folders->count == GROUPS_MOST)
    return;
  folders->entries = hd_grow_by_one(folders->entries, folders->count, sizeof *folders->entries);
  folders->entries[folders->count++] =
      (struct entry){.path = hd_print("%s/%s", folder, file), .name = hd_print("%.*s", (int)length, file)};
}

static void add_folder(struct folders *folders, const char *path) {
  DIR *directory = opendir(path);
  const struct dirent *file;
  while (directory && (file = readdir(directory)))
    add_entry(folders, path, file->d_name);
  if (directory)
    closedir(directory);
}

static int compare_entries(const void *a, const void *b) {
  return strcasecmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static struct folders list_folders(void) {
  struct folders folders = {0};
  char own[PATH_MAX + 64];
  const char *users = getenv("HEDDLE_GROUPS");
  if (users && *users)
    add_folder(&folders, users);
  if (own_folder(own, sizeof own))
    add_folder(&folders, own);
  if (folders.count > 1)
    qsort(folders.entries, folders.count, sizeof *folders.entries, compare_entries);
  return folders;
}

static void free_folders(struct folders *folders) {
  for (size_t i = 0; i < folders->count; i++) {
    free(folders->entries[i].name);
    free(folders->entries[i].path);
  }
  free(folders->entries);
}

/* ---- names ---- */

static const struct entry *find(const struct folders *folders, const char *name) {
  for (size_t i = 0; i < folders->count; i++)
    if (strcasecmp(folders->entries[i].name, name) == 0)
      return &folders->entries[i];
  return NULL;
}

static const char *nearest(const struct folders *folders, const char *name) {
  const char *found = NULL;
  for (size_t i = 0; i < folders->count; i++) {
    const char *candidate = folders->entries[i].name;
    if (hd_edit_is_near(name, candidate) &&
        (!found || hd_edit_distance(name, candidate) < hd_edit_distance(name, found)))
      found = candidate;
  }
  return found;
}

/* Names the nearest, or all that there are. */
static void complain_of_name(const struct folders *folders, const char *name, char *error, size_t error_bytes) {
  const char *users = getenv("HEDDLE_GROUPS");
  const char *near = nearest(folders, name);
  size_t used = (size_t)snprintf(error, error_bytes, "no group of events '%s'", name);
  if (users && *users && !is_directory(users) && used < error_bytes)
    used += (size_t)snprintf(error + used, error_bytes - used, " (and HEDDLE_GROUPS=%s is no folder)", users);
  if (near && used < error_bytes)
    used += (size_t)snprintf(error + used, error_bytes - used, "; nearest: %s", near);
  for (size_t i = 0; !near && i < folders->count && used < error_bytes; i++)
    used += (size_t)snprintf(error + used, error_bytes - used, "%s%s", i == 0 ? "; there are: " : ", ",
                             folders->entries[i].name);
}

static bool is_file(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

/* A word is a name before it is a file: what lies about in the current directory does not matter then. */
struct hd_group *hd_group_read(const char *name_or_path, char *error, size_t error_bytes) {
  if (strchr(name_or_path, '/'))
    return read_file(name_or_path, error, error_bytes);
  struct folders folders = list_folders();
  struct hd_group *group = NULL;
  const struct entry *entry = find(&folders, name_or_path);
  if (entry)
    group = read_file(entry->path, error, error_bytes);
  else if (is_file(name_or_path))
    group = read_file(name_or_path, error, error_bytes);
  else
    complain_of_name(&folders, name_or_path, error, error_bytes);
  free_folders(&folders);
  return group;
}

void hd_group_each(void (*visit)(void *context, const struct hd_group *group, const char *error), void *context) {
  struct folders folders = list_folders();
  for (size_t i = 0; i < folders.count; i++) {
    char error[PATH_MAX + 512];
    struct hd_group *group = read_file(folders.entries[i].path, error, sizeof error);
    visit(context, group, group ? NULL : error);
    hd_group_free(group);
  }
  free_folders(&folders);
}
