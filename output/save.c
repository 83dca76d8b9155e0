/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_SUFFIXES = 10000 };

static bool append(char *path, size_t path_bytes, size_t *used, const char *text) {
  size_t length = strlen(text);
  if (*used + length + 1 > path_bytes)
    return false;
  memcpy(path + *used, text, length + 1);
  *used += length;
  return true;
}

/* What `letter` stands for, in `buffer` if it has to be made; NULL: nothing. */
static const char *expansion(char letter, const struct hd_file_header *header, char *buffer, size_t bytes) {
  switch (letter) {
  case 'p':
    snprintf(buffer, bytes, "%u", header->pid);
    return buffer;
  case 'r':
    snprintf(buffer, bytes, "%d", header->rank);
    return header->rank < 0 ? "none" : buffer;
  case 'h':
    return header->host;
  case 'n':
    return header->program;
  case '%':
    return "%";
  default:
    return NULL;
  }
}

bool hd_save_expand_name(const char *pattern, const struct hd_file_header *header, char *path, size_t path_bytes) {
  size_t used = 0;
  if (*pattern != '/') {
    if (!getcwd(path, path_bytes))
      return false;
    used = strlen(path);
    if (!append(path, path_bytes, &used, "/"))
      return false;
  }
  for (; *pattern; pattern++) {
    char single[2] = {*pattern, 0};
    char number[16];
    const char *text = *pattern == '%' ? expansion(pattern[1], header, number, sizeof number) : NULL;
    if (text)
      pattern++;
    if (!append(path, path_bytes, &used, text ? text : single))
      return false;
  }
  return true;
}

static int create_free(const char *path, char *final_path, size_t final_bytes) {
  for (int i = 0; i < MOST_SUFFIXES; i++) {
    int length =
        i ? snprintf(final_path, final_bytes, "%s.%d", path, i) : snprintf(final_path, final_bytes, "%s", path);
    if (length < 0 || (size_t)length >= final_bytes) {
      errno = ENAMETOOLONG;
      return -1;
    }
    int fd = open(final_path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0 || errno != EEXIST)
      return fd;
  }
  return -1;
}

static bool write_all(int to, const char *bytes, size_t count) {
  while (count) {
    ssize_t written = write(to, bytes, count);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes += written;
    count -= (size_t)written;
  }
  return true;
}

static bool copy(int from, int to) {
  char buffer[8192];
  off_t position = 0;
  for (;;) {
    ssize_t count = pread(from, buffer, sizeof buffer, position);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return count == 0;
    if (!write_all(to, buffer, (size_t)count))
      return false;
    position += count;
  }
}

bool hd_save_to_free_name(int from, const char *path, char *final_path, size_t final_bytes) {
  int to = create_free(path, final_path, final_bytes);
  if (to < 0)
    return false;
  bool copied = copy(from, to);
  int error = errno;
  copied = !close(to) && copied; /* NFS tells of a full disk here */
  if (!copied) {
    unlink(final_path);
    errno = error;
  }
  return copied;
}
