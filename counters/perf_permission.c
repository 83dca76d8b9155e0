/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "counters/perf_permission.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
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

static bool is_unknown(uint64_t event) {
  struct perf_event_attr attributes = {
      .type = PERF_TYPE_HARDWARE,
      .size = sizeof attributes,
      .config = event,
      .disabled = 1,
      .exclude_kernel = 1,
      .exclude_hv = 1,
  };
  const int fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0)
    return errno == ENOENT;
  close(fd);
  return false;
}

bool hd_permission_lacks_hardware(void) {
  for (uint64_t event = 0; event < PERF_COUNT_HW_MAX; event++)
    if (!is_unknown(event))
      return false;
  return true;
}
