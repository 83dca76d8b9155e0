/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "counters/perf_permission.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SETTING "/proc/sys/kernel/perf_event_paranoid"

int hd_permission_paranoid(void) {
  char text[32] = "";
  const int fd = open(SETTING, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return INT_MIN;
  const ssize_t length = read(fd, text, sizeof text - 1);
  close(fd);
  return length > 0 ? (int)strtol(text, NULL, 10) : INT_MIN;
}

void hd_permission_explain(int most, char *why, size_t why_bytes) {
  const int paranoid = hd_permission_paranoid();
  if (paranoid > most)
    snprintf(why, why_bytes,
             "no permission: " SETTING " is %d and must be %d or less (or the program needs CAP_PERFMON)", paranoid,
             most);
  else if (paranoid == INT_MIN)
    snprintf(why, why_bytes, "no permission for the system call perf_event_open");
  else
    snprintf(why, why_bytes,
             "no permission, although " SETTING
             " is %d: the system call perf_event_open is forbidden here, perhaps by a "
             "container's seccomp filter",
             paranoid);
}
