/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/html/source_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/command/memory.h"

bool hd_source_is_named(const char *path) {
  static const char *const ends[] = {"c",   "cc",  "cpp", "cxx", "c++", "h",   "hh",  "hpp", "hxx",
                                     "inc", "inl", "ipp", "tcc", "f",   "for", "ftn", "f77", "f90",
                                     "f95", "f03", "f08", "f18", "fpp", "cu",  "cuh", "cl",  "hip"};
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  for (size_t i = 0; dot && dot > name && i < sizeof ends / sizeof *ends; i++)
    if (strcasecmp(dot + 1, ends[i]) == 0)
      return true;
  return false;
}

/* All of a regular file; NULL: it is none, or too large. A pipe must not make the command wait. */
static char *read_text(const char *path, size_t *bytes, uint64_t *modified_ns) {
  struct stat status;
  char *text = NULL;
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return NULL;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= HD_SOURCE_BYTES_MOST) {
    const size_t size = (size_t)status.st_size;
    ssize_t got = 1;
    text = hd_new(size + 1, 1);
    for (*bytes = 0; *bytes < size && got > 0; *bytes += got > 0 ? (size_t)got : 0)
      got = read(fd, text + *bytes, size - *bytes);
    *modified_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
  }
  close(fd);
  return text;
}

static void split(struct hd_source_file *file) {
  uint32_t room = 0;
  for (char *at = file->text; *at;) {
    if (file->count == room)
      file->lines = hd_grow(file->lines, room = room > 0 ? 2 * room : 256, sizeof *file->lines);
    file->lines[file->count++] = at;
    at += strcspn(at, "\n");
    if (*at)
      *at++ = '\0';
  }
  for (uint32_t i = 0; i < file->count; i++) {
    char *end = strchr(file->lines[i], '\0');
    if (end > file->lines[i] && end[-1] == '\r')
      end[-1] = '\0';
  }
}

bool hd_source_read(const char *path, struct hd_source_file *file) {
  size_t bytes = 0;
  *file = (struct hd_source_file){0};
  file->text = path[0] == '/' && hd_source_is_named(path) ? read_text(path, &bytes, &file->modified_ns) : NULL;
  if (!file->text || strlen(file->text) != bytes) {
    hd_source_free(file);
    return false;
  }
  split(file);
  return true;
}

void hd_source_free(struct hd_source_file *file) {
  free(file->text);
  free(file->lines);
  *file = (struct hd_source_file){0};
}
