/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/program/child.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void be_child(hd_child_task *task, void *context, int to) {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null >= 0) {
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
  }
  task(context, to);
  _exit(0);
}

static size_t read_all(int from, char *answer, size_t bytes) {
  size_t got = 0;
  while (got < bytes) {
    const ssize_t more = read(from, answer + got, bytes - got);
    if (more < 0 && errno == EINTR)
      continue;
    if (more <= 0)
      break;
    got += (size_t)more;
  }
  return got;
}

ssize_t hd_child_ask(hd_child_task *task, void *context, void *answer, size_t bytes, int *status) {
  int ends[2];
  *status = 0;
  if (pipe2(ends, O_CLOEXEC) != 0)
    return -1;
  const pid_t child = fork();
  if (child == 0)
    be_child(task, context, ends[1]);
  close(ends[1]);
  const size_t got = child > 0 ? read_all(ends[0], answer, bytes) : 0;
  close(ends[0]);
  while (child > 0 && waitpid(child, status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 ? (ssize_t)got : -1;
}
