/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/recover/salvage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "store/seal.h"

static const char *last_live(const char *name) {
  const char *last = NULL;
  for (const char *at = name; (at = strstr(at, ".live")); at++)
    last = at;
  return last;
}

/* "PROGRAM.PID.live", and something behind it when another process had that name. */
pid_t hd_salvage_pid(const char *name) {
  const char *digits = last_live(name);
  while (digits && digits > name && digits[-1] >= '0' && digits[-1] <= '9')
    digits--;
  return digits && digits > name && digits[-1] == '.' ? (pid_t)strtol(digits, NULL, 10) : 0;
}

int hd_salvage_open(int directory, const char *name) {
  return openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); /* a pipe has no end to wait for */
}

bool hd_salvage_read_header(int fd, struct hd_file_header *header) {
  if (pread(fd, header, sizeof *header, 0) != sizeof *header)
    return false;
  header->host[sizeof header->host - 1] = '\0';
  header->program[sizeof header->program - 1] = '\0';
  return memcmp(header->magic, HD_MAGIC, sizeof header->magic) == 0 && header->version == HD_FORMAT_VERSION &&
         header->byte_order == HD_BYTE_ORDER;
}

bool hd_salvage_write_field(int fd, const void *value, size_t bytes, size_t offset) {
  return pwrite(fd, value, bytes, (off_t)offset) == (ssize_t)bytes;
}

bool hd_salvage_replace_header(int fd, const struct hd_file_header *header) {
  char page[HD_HEADER_BYTES] __attribute__((aligned(__alignof__(struct hd_file_header))));
  if (pread(fd, page, sizeof page, 0) != (ssize_t)sizeof page)
    return false;
  memcpy(page, header, sizeof *header);
  if (header->seal)
    hd_seal_header(page);
  return hd_salvage_write_field(fd, page, sizeof page, 0);
}

bool hd_salvage_lock(int fd) {
  return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}
