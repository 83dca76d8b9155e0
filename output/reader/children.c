/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/reader/children.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

uint32_t hd_children_named(const struct hd_model *model) {
  const uint32_t children = model->header.children;
  const bool is_sum = model->header.flags & HD_FILE_MERGED;
  return is_sum ? 0 : children < HD_CHILD_PIDS ? children : HD_CHILD_PIDS;
}

/* `number` as a word of its own in a name such as "app.123.heddle". */
static const char *find_number(const char *name, uint32_t number) {
  char word[16];
  const int length = snprintf(word, sizeof word, ".%u", number);
  for (const char *at = strstr(name, word); at; at = strstr(at + 1, word))
    if (at[length] == '.' || !at[length])
      return at;
  return NULL;
}

/* With the parent's number in it there is the child's in its place; without, before the ending (store/profile_file.c).
 */
static bool make_name(const struct hd_model *model, uint32_t pid, char *path, size_t path_bytes) {
  char number[16];
  const char *name = hd_base_name(model->path);
  const char *own = find_number(name, model->header.pid);
  const char *ending = strstr(name, ".heddle");
  const char *cut = own ? own : ending ? ending : name + strlen(name);
  snprintf(number, sizeof number, ".%u", model->header.pid);
  const char *rest = own ? own + strlen(number) : cut;
  return snprintf(path, path_bytes, "%.*s.%u%s", (int)(cut - model->path), model->path, pid, rest) < (int)path_bytes;
}

static bool is_child(const struct hd_file_header *header, const struct hd_model *model, uint32_t pid) {
  const struct hd_file_header *parent = &model->header;
  return memcmp(header->magic, HD_MAGIC, sizeof header->magic) == 0 && header->version == HD_FORMAT_VERSION &&
         header->pid == pid && header->parent_pid == parent->pid && header->begin_epoch_ns >= parent->begin_epoch_ns &&
         strncmp(header->host, parent->host, sizeof header->host) == 0;
}

bool hd_children_find(const struct hd_model *model, uint32_t pid, char *path, size_t path_bytes) {
  struct hd_file_header header;
  if (!make_name(model, pid, path, path_bytes))
    return false;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  const bool found =
      file >= 0 && pread(file, &header, sizeof header, 0) == (ssize_t)sizeof header && is_child(&header, model, pid);
  if (file >= 0)
    close(file);
  return found;
}
