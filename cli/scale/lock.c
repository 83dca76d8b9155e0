/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/scale/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "support/log.h"

enum { WAITS_MOST = 100 }; /* of 0.1 s */

static bool fail(const char *what, const char *directory) {
  hd_log("cannot %s %s/" HD_SCALE_LOCK_NAME ": %s", what, directory, strerror(errno));
  return false;
}

static int read_owner(int lock) {
  char text[16] = "";
  return pread(lock, text, sizeof text - 1, 0) > 0 ? (int)strtol(text, NULL, 10) : 0;
}

/* The lock is also held by the run of a scan that was killed, until it has ended. */
static bool wait_for_run(int lock, const char *path) {
  const struct timespec pause = {.tv_nsec = 100000000};
  hd_log("%s: a run of the scan that was killed has not ended yet; waiting for it", path);
  for (int i = 0; i < WAITS_MOST; i++) {
    if (flock(lock, LOCK_EX | LOCK_NB) == 0)
      return true;
    nanosleep(&pause, NULL);
  }
  hd_log("%s: it is still running; end it first", path);
  return false;
}

static bool lock_file(int lock, const char *directory) {
  if (flock(lock, LOCK_EX | LOCK_NB) == 0)
    return true;
  if (errno != EWOULDBLOCK)
    return fail("lock", directory);
  const int pid = read_owner(lock);
  if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH)
    return wait_for_run(lock, directory);
  hd_log("another heddle scale (process %d) is running in %s", pid, directory);
  return false;
}

static bool note_owner(int lock, const char *directory) {
  char owner[16];
  const int length = snprintf(owner, sizeof owner, "%d\n", (int)getpid());
  return (ftruncate(lock, 0) == 0 && pwrite(lock, owner, (size_t)length, 0) == length) || fail("write", directory);
}

int hd_scale_lock(const char *directory) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%.*s/" HD_SCALE_LOCK_NAME, PATH_MAX - 32, directory);
  const int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0) {
    fail("write", directory);
    return -1;
  }
  if (lock_file(lock, directory) && note_owner(lock, directory))
    return lock;
  close(lock);
  return -1;
}
