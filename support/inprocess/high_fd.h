/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file high_fd.h
 * Descriptors that this library keeps are out of the program's way.
 */
#ifndef HEDDLE_SUPPORT_INPROCESS_HIGH_FD_H
#define HEDDLE_SUPPORT_INPROCESS_HIGH_FD_H

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/**
 * Moves `fd` up: from half way up to the limit on, so that the program's descriptors get the numbers that they get
 * without Heddle, and not so high that the kernel's table of them grows large. At most a quarter of all are taken: the
 * program shall have room. Returns the new one, closed on exec; -EMFILE, and `fd` is closed, when there is no room.
 */
static inline int hd_descriptor_move_high(int fd) {
  enum { HIGHEST = 4096 };
  struct rlimit limit;
  if (fd < 0 || getrlimit(RLIMIT_NOFILE, &limit))
    return fd;
  const int first = limit.rlim_cur / 2 < HIGHEST ? (int)(limit.rlim_cur / 2) : HIGHEST;
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, first);
  close(fd);
  if (high < 0 || (rlim_t)high < (rlim_t)first + limit.rlim_cur / 4)
    return high < 0 ? -EMFILE : high;
  close(high);
  return -EMFILE;
}

#endif
