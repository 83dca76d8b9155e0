/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/lasting.h"

#define PREFIX "heddle: "

/* Descriptor 2 as it was when this library, or the command, was loaded, or at hd_log_take_stderr. */
static struct {
  bool known;
  dev_t device;
  ino_t inode;
} stderr_file HD_LASTING = {0};

__attribute__((constructor)) void hd_log_take_stderr(void) {
  struct stat status;
  int saved = errno;
  stderr_file.known = fstat(STDERR_FILENO, &status) == 0;
  if (stderr_file.known) {
    stderr_file.device = status.st_dev;
    stderr_file.inode = status.st_ino;
  }
  errno = saved;
}

/* A program that has closed descriptor 2 gets the number for the next file that it opens: our lines are not for that.
 */
static bool is_known_stderr(void) {
  struct stat status;
  return stderr_file.known && fstat(STDERR_FILENO, &status) == 0 && status.st_dev == stderr_file.device &&
         status.st_ino == stderr_file.inode;
}

/* Names may hold what a terminal obeys, or lines of their own. */
static void make_printable(char *line, size_t from, size_t to) {
  for (size_t i = from; i < to; i++) {
    const bool is_ours = line[i] == '\n' && strncmp(line + i + 1, PREFIX, strlen(PREFIX)) == 0;
    if (((unsigned char)line[i] < ' ' && !is_ours) || line[i] == 0x7f)
      line[i] = '?';
  }
}

void hd_log(const char *format, ...) {
  int saved = errno;
  char line[1000];
  const int prefix = snprintf(line, sizeof line, PREFIX);
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line + prefix, sizeof line - (size_t)prefix - 1, format, arguments);
  va_end(arguments);
  if (length >= 0) {
    size_t total = (size_t)prefix + (size_t)length;
    if (total > sizeof line - 2)
      total = sizeof line - 2;
    make_printable(line, (size_t)prefix, total);
    line[total++] = '\n';
    if (is_known_stderr() && write(STDERR_FILENO, line, total) < 0) {
      /* Nobody is listening; there is nowhere else to say so. */
    }
  }
  errno = saved;
}
