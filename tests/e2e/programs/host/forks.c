/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Makes processes in all the ways in which programs do. Runs a region of two threads, does what its argument says, runs
 * a second region and returns 7. Children say so, and return 5 or what they execute returns.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "life.h"

extern char **environ;
static const char *how, *self;
static int lives[2]; /* a pipe that the child's descendants hold open */

static int is(const char *word) {
  return strstr(how, word) != NULL;
}

static void execute_self(void) {
  execl(self, self, "executed", (char *)NULL);
  _exit(1);
}

static void run_child(void) {
  if (is("daemon")) {
    setsid();
    if (fork() != 0)
      _exit(5);
  }
  if (is("openmp"))
    region("child");
  else
    puts("child");
  fflush(stdout);
  if (is("exec"))
    execute_self();
  if (is("_exit"))
    _exit(5);
  if (is("abort"))
    abort();
  if (is("killed"))
    raise(SIGKILL);
  exit(5);
}

static pid_t make_child(void) {
  pid_t child = 0;
  char *arguments[] = {(char *)(uintptr_t)self, "executed", NULL};
  if (is("spawn"))
    return posix_spawn(&child, self, NULL, NULL, arguments, environ) ? -1 : child;
  if (is("vfork")) {
    child = vfork();
    if (child == 0)
      execute_self();
    return child;
  }
  child = fork();
  if (child == 0)
    run_child();
  return child;
}

static void *fork_and_wait(void *unused) {
  int status = 0;
  if (pipe2(lives, O_CLOEXEC) != 0)
    exit(1);
  pid_t child = make_child();
  close(lives[1]);
  while (read(lives[0], &status, 1) > 0) {
  }
  waitpid(child, &status, 0);
  printf("child's status %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  fflush(stdout);
  return unused;
}

static void fork_in_region(int thread) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == thread)
    fork_and_wait(NULL);
}

int main(int argc, char **argv) {
  self = argv[0];
  how = argc > 1 ? argv[1] : "fork";
  region("parent");
  if (is("executed"))
    return 5;
  if (is("worker"))
    fork_in_region(1);
  else if (is("primary"))
    fork_in_region(0);
  else if (is("thread")) {
    pthread_t thread;
    pthread_create(&thread, NULL, fork_and_wait, NULL);
    pthread_join(thread, NULL);
  } else
    fork_and_wait(NULL);
  region("parent");
  return 7;
}
