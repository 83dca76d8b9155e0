/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mpi/part.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

uint64_t hd_part_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void hd_part_nap(void) {
  nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* ---- files ---- */

/* Not in the place of a standard stream that the program has closed. */
static int make_file(void) {
  const int fd = memfd_create("heddle-part", MFD_CLOEXEC);
  if (fd < 0 || fd > STDERR_FILENO)
    return fd;
  const int other = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(fd);
  return other;
}

/* A file that grows beyond it would bring the program a signal. */
static bool may_have(uint64_t bytes) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && (limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur);
}

/* Its memory is taken at once: there is a status if there is not enough, and no signal later. */
int hd_part_new(uint64_t bytes) {
  const int fd = bytes <= INT64_MAX && may_have(bytes) ? make_file() : -1;
  if (fd < 0 || posix_fallocate(fd, 0, (off_t)bytes) == 0)
    return fd;
  close(fd);
  return -1;
}

uint64_t hd_part_bytes(int part) {
  struct stat status;
  return part >= 0 && fstat(part, &status) == 0 ? (uint64_t)status.st_size : 0;
}

void *hd_part_map(int part) {
  const uint64_t bytes = hd_part_bytes(part);
  void *map = bytes ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, part, 0) : MAP_FAILED;
  return map == MAP_FAILED ? NULL : map;
}

void hd_part_unmap(int part, void *map) {
  munmap(map, hd_part_bytes(part));
}

void hd_part_free(int part) {
  if (part >= 0)
    close(part);
}

/* ---- the process ---- */

/* Its command line: "heddle job --json --all-ranks PROFILE /proc/self/fd/3 ..." */
struct command_line {
  char *arguments[HD_TREE_CHILDREN + 8];
  char files[HD_TREE_CHILDREN + 1][sizeof "/proc/self/fd/" + 10];
};

static void write_command_line(struct command_line *line, const struct hd_part_sources *sources) {
  int count = 0;
  line->arguments[count++] = (char *)"heddle";
  line->arguments[count++] = (char *)"job";
  line->arguments[count++] = (char *)"--json";
  if (sources->all_ranks)
    line->arguments[count++] = (char *)"--all-ranks";
  if (sources->profile)
    line->arguments[count++] = (char *)sources->profile;
  for (int i = 0; i < sources->part_count; i++) {
    snprintf(line->files[i], sizeof line->files[i], "/proc/self/fd/%d", sources->parts[i]);
    line->arguments[count++] = line->files[i];
  }
  line->arguments[count] = NULL;
}

static bool is_for_the_program(const char *variable) {
  return strncmp(variable, "LD_PRELOAD=", 11) == 0 || strncmp(variable, "OMP_TOOL_LIBRARIES=", 19) == 0;
}

/* Without what makes a program one that is measured. NULL: no memory. */
static char **make_environment(size_t *bytes) {
  size_t count = 0, kept = 0;
  while (environ && environ[count])
    count++;
  *bytes = (count + 1) * sizeof *environ;
  char **copy = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED)
    return NULL;
  for (size_t i = 0; i < count && environ[i]; i++)
    if (!is_for_the_program(environ[i]))
      copy[kept++] = environ[i];
  return copy;
}

/* Descriptors that are duplicated to themselves stay open in the new process. */
static bool choose_files(posix_spawn_file_actions_t *actions, const struct hd_part_sources *sources, int out) {
  bool done = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
              posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO) == 0;
  for (int i = 0; done && i < sources->part_count; i++)
    done = posix_spawn_file_actions_adddup2(actions, sources->parts[i], sources->parts[i]) == 0;
  return done;
}

/* As a shell would start it, whatever the program does with signals. */
static bool choose_signals(posix_spawnattr_t *attributes) {
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  return posix_spawnattr_setsigdefault(attributes, &all) == 0 && posix_spawnattr_setsigmask(attributes, &none) == 0 &&
         posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) == 0;
}

static pid_t start_in(char **environment, const struct hd_part_sources *sources, int out) {
  struct command_line line;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  pid_t pid = -1;
  write_command_line(&line, sources);
  if (posix_spawn_file_actions_init(&actions) != 0)
    return -1;
  if (posix_spawnattr_init(&attributes) == 0) {
    if (!choose_files(&actions, sources, out) || !choose_signals(&attributes) ||
        posix_spawn(&pid, sources->command, &actions, &attributes, line.arguments, environment) != 0)
      pid = -1;
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

static pid_t start(const struct hd_part_sources *sources, int out) {
  size_t bytes;
  char **environment = make_environment(&bytes);
  if (!environment)
    return -1;
  const pid_t pid = start_in(environment, sources, out);
  munmap(environment, bytes);
  return pid;
}

/* A program that takes all of its children's statuses also takes this one's: then nobody knows how it ended. */
static bool succeeds(pid_t pid, uint64_t deadline) {
  int status = -1;
  pid_t ended = 0;
  while (pid > 0 && (ended = waitpid(pid, &status, WNOHANG)) == 0 && hd_part_clock() < deadline)
    hd_part_nap();
  return ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int hd_part_join(const struct hd_part_sources *sources, uint64_t deadline) {
  const int out = sources->command ? make_file() : -1;
  if (out < 0 || (succeeds(start(sources, out), deadline) && hd_part_bytes(out) > 0))
    return out;
  close(out);
  return -1;
}
