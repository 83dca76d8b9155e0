/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* --search: a process of its own searches in the first process of the run that writes a profile, until that has ended,
 * and prints what it found. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/ctl/search.h"
#include "cli/run/run_internal.h"

enum { LOOK_EVERY_MS = 20, PRINT_MOST_MS = 5000 };

struct hd_run_search {
  pid_t process;
};

static void sleep_ms(long ms) {
  nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* ---- in the process of its own ---- */

static _Noreturn void search(const struct hd_run *run, pid_t parent) {
  static struct hd_run_follower follower;
  static char error[PATH_MAX + 256];
  const struct hd_search_options options = {
      .interval_seconds = HD_SEARCH_SECONDS,
      .threshold = HD_SEARCH_THRESHOLD,
      .wait_seconds = 1e9,
      .goes_on = true,
  };
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (getppid() == parent && kill(run->outcome.pid, 0) == 0 && !hd_run_follow(&follower, run->directory))
    sleep_ms(LOOK_EVERY_MS);
  if (!follower.follows)
    fputs("heddle: nothing was searched: the program ended before\n", stderr);
  else if (!hd_search(follower.path, &options, stderr, error, sizeof error))
    fprintf(stderr, "heddle: nothing was searched: %s\n", error);
  fflush(stderr);
  _exit(0);
}

/* ---- in heddle ---- */

struct hd_run_search *hd_run_search_start(const struct hd_run *run) {
  const pid_t parent = getpid();
  if (!run->options->search)
    return NULL;
  struct hd_run_search *started = calloc(1, sizeof *started);
  if (!started)
    return NULL;
  started->process = fork();
  if (started->process == 0)
    search(run, parent);
  if (started->process < 0)
    fprintf(stderr, "heddle: nothing is searched: %s\n", strerror(errno));
  return started;
}

/* The search ends with the program. */
void hd_run_search_finish(struct hd_run_search *search) {
  if (!search)
    return;
  pid_t ended = search->process > 0 ? 0 : -1;
  for (int ms = 0; ended == 0 && ms < PRINT_MOST_MS; ms += LOOK_EVERY_MS) {
    ended = waitpid(search->process, NULL, WNOHANG);
    if (ended == 0)
      sleep_ms(LOOK_EVERY_MS);
  }
  if (ended == 0 && kill(search->process, SIGKILL) == 0)
    waitpid(search->process, NULL, 0);
  free(search);
}
