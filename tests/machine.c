/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Each returns why not, NULL if the machine has it. */

static const char *counts(bool kernel_too) {
  struct perf_event_attr attributes = {
      .type = PERF_TYPE_SOFTWARE,
      .size = sizeof attributes,
      .config = PERF_COUNT_SW_TASK_CLOCK,
      .exclude_kernel = !kernel_too,
      .exclude_hv = !kernel_too,
  };
  const int fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0)
    return strerror(errno);
  close(fd);
  return NULL;
}

static const char *user_perf(void) {
  return counts(false);
}

static const char *kernel_perf(void) {
  return counts(true);
}

static const char *user_perf_alone(void) {
  char setting[16] = "";
  const int fd = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    (void)!read(fd, setting, sizeof setting - 1);
    close(fd);
  }
  return strtol(setting, NULL, 10) == 2 ? user_perf() : "/proc/sys/kernel/perf_event_paranoid is not 2";
}

static const char *single_steps(void) {
  const pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0)
      _exit(1);
    raise(SIGSTOP);
    _exit(0);
  }
  int status = 0;
  const bool stopped = child > 0 && waitpid(child, &status, 0) == child && WIFSTOPPED(status);
  const bool stepped = stopped && ptrace(PTRACE_SINGLESTEP, child, 0, 0) == 0 && waitpid(child, &status, 0) == child &&
                       WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
  if (stopped) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  return stepped ? NULL : "ptrace(2) does not step through a child";
}

static const char *membarriers(void) {
  const long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  return commands >= 0 && commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED ? NULL : "no private expedited membarrier(2)";
}

static const char *two_processors(void) {
  cpu_set_t processors;
  return sched_getaffinity(0, sizeof processors, &processors) == 0 && CPU_COUNT(&processors) < 2
             ? "one processor is all this process may run on"
             : NULL;
}

static const struct {
  const char *name;
  const char *(*why_not)(void);
} conditions[HD_CONDITIONS] = {
    [HD_USER_PERF] = {"user-perf", user_perf},
    [HD_KERNEL_PERF] = {"kernel-perf", kernel_perf},
    [HD_USER_PERF_ALONE] = {"user-perf-alone", user_perf_alone},
    [HD_PTRACE] = {"ptrace", single_steps},
    [HD_MEMBARRIER] = {"membarrier", membarriers},
    [HD_TWO_PROCESSORS] = {"two-processors", two_processors},
};

static bool is_known_to_have(const char *name) {
  const char *list = getenv("HEDDLE_MACHINE_HAS");
  const size_t length = strlen(name);
  for (const char *at = list ? list : ""; *at; at += strcspn(at, " "), at += strspn(at, " "))
    if (strcspn(at, " ") == length && !strncmp(at, name, length))
      return true;
  return false;
}

static pid_t test_program;

__attribute__((constructor)) static void remember_process(void) {
  test_program = getpid();
}

void hd_needs(enum hd_condition condition) {
  /* skip() would go on with the next test, in the child. */
  if (getpid() != test_program) {
    fprintf(stderr, "hd_needs(%s) in a child: call it before the fork\n", conditions[condition].name);
    _exit(1);
  }
  const char *why = conditions[condition].why_not();
  if (!why)
    return;
  print_message("machine lacks %s: %s\n", conditions[condition].name, why);
  if (is_known_to_have(conditions[condition].name))
    fail_msg("HEDDLE_MACHINE_HAS says that this machine has it");
  skip();
}
