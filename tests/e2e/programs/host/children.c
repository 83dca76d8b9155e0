/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Three forked children: child i runs i + 1 regions of two threads, and the second forks a child of its own that
 * runs 7. First the parent runs 2 regions ("region"), only asks for the number of threads ("touch"), or does nothing.
 * With
 * "_exit" children leave without closing anything. With "limit" the first may not write a whole page; with "idle" none
 * uses OpenMP.
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "life.h"

static const char *how;

static int is(const char *word) {
  return strstr(how, word) != NULL;
}

static void leave(int status) {
  if (is("_exit"))
    _exit(status);
  exit(status);
}

static void run_regions(int count) {
  for (int i = 0; i < count && !is("idle"); i++)
    region("child");
}

static void run_child(int number) {
  const struct rlimit little = {2048, 2048};
  if (is("limit") && number == 0)
    setrlimit(RLIMIT_FSIZE, &little);
  run_regions(number + 1);
  if (number == 1 && fork() == 0) {
    run_regions(7);
    leave(0);
  }
  while (wait(NULL) > 0) {
  }
  leave(0);
}

int main(int argc, char **argv) {
  how = argc > 1 ? argv[1] : "";
  if (is("touch"))
    printf("%d threads\n", omp_get_max_threads() > 0);
  for (int i = 0; i < 2 && is("region"); i++)
    region("parent");
  fflush(stdout);
  for (int i = 0; i < 3; i++) {
    if (fork() == 0)
      run_child(i);
    wait(NULL);
  }
  puts("parent"); /* after its children */
  return 3;
}
