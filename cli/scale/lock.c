/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "cli/scale/scale_internal.h"
#include "support/command/complain.h"

enum { WAITS_MOST = 100 }; /* of 0.1 s */

static int read_owner(int lock) {
  char text[16] = "";
  return pread(lock, text, sizeof text - 1, 0) > 0 ? (int)strtol(text, NULL, 10) : 0;
}

/* The lock is also held by the run of a scan that was killed, until it has ended. */
static bool wait_for_run(const struct hd_scale *scale) {
  const struct timespec pause = {.tv_nsec = 100000000};
  hd_log("%s: a run of the scan that was killed has not ended yet; waiting for it", scale->path);
  for (int i = 0; i < WAITS_MOST; i++) {
    if (flock(scale->lock, LOCK_EX | LOCK_NB) == 0)
      return true;
    nanosleep(&pause, NULL);
  }
  return HD_COMPLAIN("%s: it is still running; end it first", scale->path);
}

static bool lock_file(const struct hd_scale *scale, const char *path) {
  if (flock(scale->lock, LOCK_EX | LOCK_NB) == 0)
    return true;
  if (errno != EWOULDBLOCK)
    return hd_complain_of("lock", path);
  const int pid = read_owner(scale->lock);
  if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH)
    return wait_for_run(scale);
  return HD_COMPLAIN("another heddle scale (process %d) is running in %s", pid, scale->path);
}

bool hd_scale_lock(struct hd_scale *scale) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%.*s/" HD_SCALE_LOCK_NAME, PATH_MAX - 32, scale->path);
  scale->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (scale->lock < 0)
    return hd_complain_of("write", path);
  if (lock_file(scale, path) && ((ftruncate(scale->lock, 0) == 0 && dprintf(scale->lock, "%d\n", (int)getpid()) > 0) ||
                                 hd_complain_of("write", path)))
    return true;
  close(scale->lock);
  scale->lock = -1; /* what is in the directory is another's */
  return false;
}
