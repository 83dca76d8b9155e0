/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/recover/salvage_writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "cli/recover/salvage.h"

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

/* "ADDRESS PERMISSIONS OFFSET DEVICE INODE PATH". Some file systems give another device here than fstat does. */
static bool line_shows(const char *line, uint64_t inode, const char *name) {
  const char *field = line;
  for (int i = 0; field && i < 4; i++)
    field = strchr(field + (i > 0), ' ');
  const char *path = field ? strchr(field, '/') : NULL;
  return path && strtoull(field, NULL, 10) == inode && !strncmp(strrchr(path, '/') + 1, name, strlen(name)) &&
         strrchr(path, '/')[1 + strlen(name)] == '\n';
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
  DIR *processes = opendir("/proc");
  const struct dirent *entry;
  while (processes && writer != HD_SALVAGE_ALIVE && (entry = readdir(processes))) {
    const long other = strtol(entry->d_name, NULL, 10);
    if (other > 0 && has_mapped(other, inode, name))
      writer = own_number(other) == pid ? HD_SALVAGE_ALIVE : HD_SALVAGE_GONE;
  }
  if (processes)
    closedir(processes);
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
