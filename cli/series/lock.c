/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "cli/series/series.h"
#include "support/command/complain.h"

enum { WAITS_MOST = 100 }; /* of 0.1 s */

static int read_owner(int lock) {
  char text[16] = "";
  return pread(lock, text, sizeof text - 1, 0) > 0 ? (int)strtol(text, NULL, 10) : 0;
}

/* The lock is also held by the run of a series that was killed, until it has ended. */
static bool wait_for_run(const struct hd_series *series) {
  const struct timespec pause = {.tv_nsec = 100000000};
  hd_log("%s: a run of the %s that was killed has not ended yet; waiting for it", series->path, series->kind->noun);
  for (int i = 0; i < WAITS_MOST; i++) {
    if (flock(series->lock, LOCK_EX | LOCK_NB) == 0)
      return true;
    nanosleep(&pause, NULL);
  }
  return HD_COMPLAIN("%s: it is still running; end it first", series->path);
}

static bool lock_file(const struct hd_series *series, const char *path) {
  if (flock(series->lock, LOCK_EX | LOCK_NB) == 0)
    return true;
  if (errno != EWOULDBLOCK)
    return hd_complain_of("lock", path);
  const int pid = read_owner(series->lock);
  if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH)
    return wait_for_run(series);
  return HD_COMPLAIN("another heddle %s (process %d) is running in %s", series->kind->command, pid, series->path);
}

bool hd_series_lock(struct hd_series *series) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%.*s/%s", PATH_MAX - 32, series->path, series->kind->lock);
  series->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (series->lock < 0)
    return hd_complain_of("write", path);
  if (lock_file(series, path) &&
      ((ftruncate(series->lock, 0) == 0 && dprintf(series->lock, "%d\n", (int)getpid()) > 0) ||
       hd_complain_of("write", path)))
    return true;
  close(series->lock);
  series->lock = -1; /* what is in the directory is another's */
  return false;
}
