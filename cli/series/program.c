/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/program/inspect.h"
#include "cli/series/series.h"

/* Tells builds apart; nobody tries to deceive it. */
static uint64_t hash(const unsigned char *bytes, size_t count) {
  uint64_t sum = 0xcbf29ce484222325u ^ count;
  for (; count >= sizeof sum; bytes += sizeof sum, count -= sizeof sum) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 29;
  }
  for (; count; bytes++, count--)
    sum = (sum ^ *bytes) * 0x100000001b3u;
  return sum;
}

/* What cannot be read has the sum 0. */
static uint64_t hash_file(const char *path) {
  struct stat status;
  uint64_t sum = 0;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0) {
    const size_t size = (size_t)status.st_size;
    unsigned char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
      sum = hash(bytes, size);
      munmap(bytes, size);
    }
  }
  if (fd >= 0)
    close(fd);
  return sum;
}

static struct timespec time_of_change(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 ? status.st_ctim : (struct timespec){0};
}

void hd_series_program_find(struct hd_series_program *program, const char *command) {
  if (hd_program_find(command, program->path)) {
    program->changed = time_of_change(program->path);
    program->content = hash_file(program->path);
  } else {
    program->path[0] = '\0';
  }
}

bool hd_series_program_is_same(struct hd_series_program *program) {
  const struct timespec changed = time_of_change(program->path);
  if (!program->path[0] || (changed.tv_sec == program->changed.tv_sec && changed.tv_nsec == program->changed.tv_nsec))
    return true;
  program->changed = changed;
  return hash_file(program->path) == program->content;
}

json_t *hd_series_program_json(const struct hd_series_program *program) {
  return json_pack("{s:o, s:o}", "program", hd_series_text(program->path), "content",
                   json_sprintf("%016llx", (unsigned long long)program->content));
}
