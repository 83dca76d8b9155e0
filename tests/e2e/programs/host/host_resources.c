/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program that, after its first region of 2 threads, takes something away from itself: what argv[1] says, with
 * argv[2]; before that region, when argv[3] is "first". Then come regions of 2, 4 and 8 threads from 3 routines each,
 * 10 times: 90 regions, whose threads add up to 10 * 3 * (2 + 4 + 8) = 420. Heddle's file has to grow for the new
 * threads and callpaths.
 * Prints "threads 420" and "errno kept"; ends with status 3; "next descriptor": with the number of the next file
 * opened.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int threads, changes;

static __attribute__((noinline)) void region(int team) {
  errno = 77;
#pragma omp parallel num_threads(team) // mark: region
  {
#pragma omp atomic
    threads++;
#pragma omp barrier
  }
  changes += errno != 77;
}

#define ROUTINE(name)                                                                                                  \
  static __attribute__((noinline)) void name(int team) {                                                               \
    region(team);                                                                                                      \
    __asm__ volatile("");                                                                                              \
  }
ROUTINE(first)
ROUTINE(second)
ROUTINE(third)

static void limit(int resource, rlim_t to) {
  const struct rlimit lower = {to, to};
  if (setrlimit(resource, &lower))
    exit(90);
}

static rlim_t address_space(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%lu", &pages) != 1)
    exit(91);
  fclose(file);
  return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void open_all(void) {
  while (open("/dev/null", O_RDONLY) >= 0)
    continue;
}

static void new_stderr(const char *path) {
  close(STDERR_FILENO);
  if (open(path, O_RDWR | O_CREAT, 0600) != STDERR_FILENO || write(STDERR_FILENO, "data\n", 5) != 5)
    exit(92);
}

static void fill_disk(const char *path) {
  static const char bytes[1 << 16];
  const int file = open(path, O_WRONLY | O_CREAT, 0600);
  for (size_t step = sizeof bytes; step; step /= 2)
    while (write(file, bytes, step) > 0)
      continue;
  close(file);
}

static int become_nobody(void) {
  return setgroups(0, NULL) || setgid(65534) || setuid(65534);
}

/* Who imports prctl or syscall may install a seccomp filter (support/inprocess/seccomp.h), and is treated accordingly.
 */
static int give_up_privileges(void) {
  int (*const control)(int, ...) = (int (*)(int, ...))dlsym(RTLD_DEFAULT, "prctl");
  return !control || control(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L);
}

static void take_away(const char *what, const char *with) {
  int failed = 0;
  if (!strcmp(what, "descriptors"))
    closefrom(3);
  else if (!strcmp(what, "free descriptors"))
    open_all();
  else if (!strcmp(what, "user"))
    failed = become_nobody();
  else if (!strcmp(what, "root"))
    failed = chroot(with) || chdir("/");
  else if (!strcmp(what, "privileges"))
    failed = give_up_privileges();
  else if (!strcmp(what, "directory"))
    failed = chdir("/") || rmdir(with);
  else if (!strcmp(what, "disk"))
    fill_disk(with);
  else if (!strcmp(what, "stderr"))
    new_stderr(with);
  else if (!strcmp(what, "file size"))
    limit(RLIMIT_FSIZE, (rlim_t)atol(with));
  else if (!strcmp(what, "address space"))
    limit(RLIMIT_AS, address_space() + (rlim_t)atol(with));
  else if (!strcmp(what, "data"))
    limit(RLIMIT_DATA, (rlim_t)atol(with));
  else if (!strcmp(what, "stack"))
    limit(RLIMIT_STACK, (rlim_t)atol(with));
  else if (!strcmp(what, "open files"))
    limit(RLIMIT_NOFILE, (rlim_t)atol(with));
  else if (!strcmp(what, "locked memory")) {
    limit(RLIMIT_MEMLOCK, (rlim_t)atol(with));
    mlockall(MCL_CURRENT | MCL_FUTURE); // may fail
  }
  if (failed)
    exit(93);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "permissions"))
    umask(0777);
  const int at_once = argc > 3 && !strcmp(argv[3], "first");
  if (at_once)
    take_away(what, argv[2]);
  omp_set_dynamic(0);
  if (!strcmp(what, "address space") || !strcmp(what, "data")) // the runtime's own needs
    region(8);
  region(2);
  threads = 0;
  if (!at_once)
    take_away(what, argc > 2 ? argv[2] : "");
  for (int i = 0; i < 10; i++)
    for (int team = 2; team <= 8; team *= 2) {
      first(team);
      second(team);
      third(team);
    }
  printf("threads %d\n%s\n", threads, changes ? "errno changed" : "errno kept");
  return strcmp(what, "next descriptor") ? 3 : open("/dev/null", O_RDONLY);
}
