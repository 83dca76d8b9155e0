/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* --search, --measure: a process of its own steers the first process of the run that writes a profile, until that has
 * ended, and then prints what it found. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/ctl/rules.h"
#include "cli/ctl/search.h"
#include "cli/run/run_internal.h"

enum { LOOK_EVERY_MS = 20, PRINT_MOST_MS = 5000 };

struct hd_run_companion {
  pid_t process;
};

static void sleep_ms(long ms) {
  nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* ---- in the process of its own ---- */

static bool search(const char *live, char *error, size_t error_bytes) {
  const struct hd_search_options options = {
      .interval_seconds = HD_SEARCH_SECONDS,
      .threshold = HD_SEARCH_THRESHOLD,
      .wait_seconds = 1e9,
      .goes_on = true,
  };
  return hd_search(live, &options, stderr, error, error_bytes);
}

static bool steer(const struct hd_run_options *options, const char *live, char *error, size_t error_bytes) {
  return options->search ? search(live, error, error_bytes)
                         : hd_rules_apply(options->rules, live, stderr, error, error_bytes);
}

static _Noreturn void accompany(const struct hd_run *run, pid_t parent) {
  static struct hd_run_follower follower;
  static char error[PATH_MAX + 256] = "the program ended before";
  const char *what = run->options->search ? "searched" : "switched by the rules";
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (getppid() == parent && kill(run->outcome.pid, 0) == 0 && !hd_run_follow(&follower, run->directory))
    sleep_ms(LOOK_EVERY_MS);
  if (!follower.follows || !steer(run->options, follower.path, error, sizeof error))
    fprintf(stderr, "heddle: nothing was %s: %s\n", what, error);
  fflush(stderr);
  _exit(0);
}

/* ---- in heddle ---- */

struct hd_run_companion *hd_run_companion_start(const struct hd_run *run) {
  const pid_t parent = getpid();
  if (!run->options->search && !run->options->rules)
    return NULL;
  struct hd_run_companion *started = calloc(1, sizeof *started);
  if (!started)
    return NULL;
  started->process = fork();
  if (started->process == 0)
    accompany(run, parent);
  if (started->process < 0)
    fprintf(stderr, "heddle: cannot start the process that steers the program: %s\n", strerror(errno));
  return started;
}

/* It ends with the program. */
void hd_run_companion_finish(struct hd_run_companion *companion) {
  if (!companion)
    return;
  pid_t ended = companion->process > 0 ? 0 : -1;
  for (int ms = 0; ended == 0 && ms < PRINT_MOST_MS; ms += LOOK_EVERY_MS) {
    ended = waitpid(companion->process, NULL, WNOHANG);
    if (ended == 0)
      sleep_ms(LOOK_EVERY_MS);
  }
  if (ended == 0 && kill(companion->process, SIGKILL) == 0)
    waitpid(companion->process, NULL, 0);
  free(companion);
}
