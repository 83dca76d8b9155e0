/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/recover/salvage.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "store/seal.h"
#include "support/command/directory.h"

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

/* ---- who writes to it ---- */

/* The library keeps no descriptor, but a mapping counts for the kernel as the open file it was made from. So it grants
 * a read lease only when nobody, in whatever container, has the file in memory to write to it. */
enum lease { LEASE_FREE, LEASE_TAKEN, LEASE_NONE_HERE };

static enum lease try_lease(int fd) {
  struct statfs system;
  if (fstatfs(fd, &system) == 0 && system.f_type == NFS_SUPER_MAGIC)
    return LEASE_NONE_HERE; /* it refuses them for reasons of its own */
  signal(SIGIO, SIG_IGN);   /* whoever opens the file within this moment has us told so by a deadly signal */
  if (fcntl(fd, F_SETLEASE, F_RDLCK) == 0) {
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return LEASE_FREE;
  }
  return errno == EAGAIN ? LEASE_TAKEN : LEASE_NONE_HERE;
}

/* The line ends behind the name, in which the kernel writes an end of line as \012. */
static bool ends_with_name(const char *line, const char *name) {
  static const char end[] = "\\012";
  for (; *name; name++) {
    const bool is_end = *name == '\n';
    if (is_end ? strncmp(line, end, sizeof end - 1) != 0 : *line != *name)
      return false;
    line += is_end ? sizeof end - 1 : 1;
  }
  return *line == '\n';
}

/* "ADDRESS PERMISSIONS OFFSET DEVICE INODE PATH". Some file systems give another device here than fstat does. */
static bool line_shows(const char *line, uint64_t inode, const char *name) {
  const char *field = line;
  for (int i = 0; field && i < 4; i++)
    field = strchr(field + (i > 0), ' ');
  const char *path = field ? strchr(field, '/') : NULL;
  return path && strtoull(field, NULL, 10) == inode && ends_with_name(strrchr(path, '/') + 1, name);
}

static FILE *open_of_process(long pid, const char *file) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/%s", pid, file);
  return fopen(path, "re");
}

static bool has_mapped(long pid, uint64_t inode, const char *name) {
  char *line = NULL;
  size_t bytes = 0;
  bool found = false;
  FILE *maps = open_of_process(pid, "maps");
  while (maps && !found && getline(&line, &bytes, maps) > 0)
    found = line_shows(line, inode, name);
  free(line);
  if (maps)
    fclose(maps);
  return found;
}

/* The number by which a process knows itself: the innermost of its containers'. */
static long own_number(long pid) {
  char *line = NULL;
  size_t bytes = 0;
  long number = pid;
  FILE *status = open_of_process(pid, "status");
  while (status && getline(&line, &bytes, status) > 0)
    if (!strncmp(line, "NSpid:", 6))
      number = strtol(strrchr(line, '\t'), NULL, 10);
  free(line);
  if (status)
    fclose(status);
  return number;
}

/* A forked child has its parent's mappings, but does not write. */
static enum hd_salvage_writer find_in_processes(uint64_t inode, const char *name, long pid) {
  enum hd_salvage_writer writer = HD_SALVAGE_UNKNOWN;
  if (has_mapped(pid, inode, name) && own_number(pid) == pid)
    return HD_SALVAGE_ALIVE;
  struct hd_directory processes = hd_directory_open("/proc");
  while (hd_directory_next(&processes)) {
    const long other = writer == HD_SALVAGE_ALIVE ? 0 : strtol(processes.name, NULL, 10);
    if (other > 0 && has_mapped(other, inode, name))
      writer = own_number(other) == pid ? HD_SALVAGE_ALIVE : HD_SALVAGE_GONE;
  }
  return writer;
}

enum hd_salvage_writer hd_salvage_find_writer(int fd, const char *name) {
  const pid_t pid = hd_salvage_pid(name);
  struct stat status;
  const enum lease lease = try_lease(fd);
  if (lease == LEASE_FREE)
    return HD_SALVAGE_GONE;
  if (fstat(fd, &status) != 0)
    return HD_SALVAGE_UNKNOWN;
  const enum hd_salvage_writer writer = find_in_processes(status.st_ino, name, pid);
  const bool nobody = lease == LEASE_NONE_HERE && kill(pid, 0) != 0 && errno == ESRCH;
  return writer == HD_SALVAGE_UNKNOWN && nobody ? HD_SALVAGE_UNSEEN : writer;
}
