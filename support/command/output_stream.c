/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/command/output_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/command/pager.h"

/* Read-only where the program writes: writing fails as it would on a closed descriptor. */
void hd_stream_guard(void) {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
    if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF)
      (void)!open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static int open_result(const char *path, bool replace) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (replace ? O_TRUNC : O_EXCL), 0666);
  struct stat status;
  if (fd >= 0 || errno != EEXIST)
    return fd;
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
    return open(path, O_WRONLY | O_CLOEXEC); /* a device or a pipe: nothing is lost */
  errno = EEXIST;
  return -1;
}

FILE *hd_stream_create(const char *path, bool replace) {
  const int fd = open_result(path, replace);
  FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
  if (!out)
    fprintf(stderr, "heddle: %s: %s\n", path, errno == EEXIST ? HD_STREAM_TAKEN : strerror(errno));
  return out;
}

/* A write that failed earlier left no reason behind: another one tells. */
static int reason_of(FILE *out) {
  clearerr(out);
  errno = 0;
  return fputc('\n', out) == EOF || fflush(out) != 0 ? errno : 0;
}

bool hd_stream_finish(FILE *out, const char *name) {
  errno = 0;
  bool failed = ferror(out) != 0 || fflush(out) != 0;
  int error = errno;
  if (failed && error == 0)
    error = reason_of(out);
  if (out == stdout && !hd_pager_end() && !failed) {
    failed = true;
    error = errno;
  }
  if (out != stdout && fclose(out) != 0 && !failed) {
    failed = true;
    error = errno;
  }
  if (failed && error != EPIPE)
    fprintf(stderr, "heddle: %s: %s\n", name, error != 0 ? strerror(error) : "write error");
  return !failed;
}
