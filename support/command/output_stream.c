/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/command/output_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Read-only where the program writes: writing fails as it would on a closed descriptor. */
void hd_stream_guard(void) {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
    if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF)
      (void)!open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
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
  if (out != stdout && fclose(out) != 0 && !failed) {
    failed = true;
    error = errno;
  }
  if (failed && error != EPIPE)
    fprintf(stderr, "heddle: %s: %s\n", name, error != 0 ? strerror(error) : "write error");
  return !failed;
}
