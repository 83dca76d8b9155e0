/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void hd_log(const char *format, ...) {
  int saved = errno;
  char line[1000];
  const int prefix = snprintf(line, sizeof line, "heddle: ");
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line + prefix, sizeof line - (size_t)prefix - 1, format, arguments);
  va_end(arguments);
  if (length >= 0) {
    size_t total = (size_t)prefix + (size_t)length;
    if (total > sizeof line - 2)
      total = sizeof line - 2;
    for (size_t i = (size_t)prefix; i < total; i++) /* names may hold what a terminal obeys */
      if (((unsigned char)line[i] < ' ' && line[i] != '\n') || line[i] == 0x7f)
        line[i] = '?';
    line[total++] = '\n';
    if (write(STDERR_FILENO, line, total) < 0) {
      /* Nobody is listening; there is nowhere else to say so. */
    }
  }
  errno = saved;
}
