/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/run/options.h"
#include "cli/series/series.h"
#include "support/command/complain.h"
#include "support/command/memory.h"
#include "support/own_file.h"

enum { TICK_MS = 500 };

void hd_series_job_free(struct hd_series_job *job) {
  hd_texts_free(&job->variables);
  hd_texts_free(&job->launcher);
  hd_texts_free(&job->command);
}

/* ---- the child ---- */

static bool use_descriptors(const char *output) {
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (in < 0 || out < 0)
    return hd_complain_of("write", in < 0 ? "/dev/null" : output);
  const bool ready = dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 && dup2(out, STDERR_FILENO) >= 0;
  hd_log_take_stderr();
  return ready;
}

static bool set_environment(const struct hd_series_job *job) {
  bool set = true;
  for (size_t i = 0; set && i < job->variables.count; i++)
    set = putenv(job->variables.items[i]) == 0; /* they stay */
  return set;
}

/* heddle run's -o is a pattern. */
static char *output_option(const char *path) {
  char *option = hd_new(2 * strlen(path) + sizeof "--output=", 1);
  char *end = stpcpy(option, "--output=");
  for (; *path; path++) {
    *end++ = *path;
    if (*path == '%')
      *end++ = '%';
  }
  return option;
}

static void add_all(struct hd_texts *to, const struct hd_texts *from) {
  for (size_t i = 0; i < from->count; i++)
    hd_texts_add(to, from->items[i]);
}

static void add_run(const struct hd_series_job *job, const char *profile, struct hd_texts *arguments) {
  hd_texts_add(arguments, hd_print("run"));
  hd_texts_add(arguments, hd_print("--quiet"));
  hd_texts_add(arguments, output_option(profile));
  add_all(arguments, job->run_options);
  hd_texts_add(arguments, hd_print("--"));
  add_all(arguments, &job->command);
}

/* As a shell ends for want of a program. */
static int execute(char **command) {
  execvp(command[0], command);
  const int error = errno;
  hd_log("%s: %s", command[0], strerror(error));
  return error == ENOENT ? HD_RUN_NOT_FOUND : HD_RUN_CANNOT_EXECUTE;
}

/* The launcher starts `heddle run` for each rank, on whichever machine that is. */
static int launch(const struct hd_series_job *job, const char *profile) {
  char own[PATH_MAX];
  struct hd_texts arguments = {0};
  if (!hd_own_file(own)) {
    hd_log("cannot find the file of this command: is /proc mounted?");
    return HD_RUN_FAILED;
  }
  add_all(&arguments, &job->launcher);
  hd_texts_add(&arguments, hd_print("%s", own));
  add_run(job, profile, &arguments);
  return execute(arguments.items);
}

static int run_here(const struct hd_series_job *job, const char *profile) {
  struct hd_texts arguments = {0};
  add_run(job, profile, &arguments);
  return hd_cmd_run((int)arguments.count, arguments.items);
}

/*
 * The child is `heddle run` without another exec: so it keeps the series' lock, which the program does not, and a
 * series that is resumed after it was killed waits for the program that is still running. That one is asked to end. A
 * program that runs alone, or a launcher, is, too, but nobody waits for it.
 */
static _Noreturn void become_run(const struct hd_series *series, const struct hd_series_job *job, pid_t parent) {
  char profile[PATH_MAX];
  char output[PATH_MAX];
  hd_series_running(series, job->index, "", profile);
  hd_series_running(series, job->index, ".out", output);
  hd_series_signals_restore(&series->signals);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent || !use_descriptors(output) || !set_environment(job))
    _exit(HD_RUN_FAILED);
  const int status = job->launcher.count ? launch(job, profile)
                     : job->run_options  ? run_here(job, profile)
                                         : execute(job->command.items);
  fflush(NULL);
  _exit(status);
}

/* ---- the parent ---- */

static void wait_for_end(struct hd_series *series, pid_t child, int *status) {
  struct pollfd source = {.fd = series->signals.queue, .events = POLLIN};
  for (;;) {
    hd_series_signals_look(&series->signals, child);
    const pid_t ended = waitpid(child, status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR))
      return;
    if (poll(&source, 1, series->progress.bar ? TICK_MS : -1) == 0)
      hd_series_progress_tick(series);
  }
}

bool hd_series_run(struct hd_series *series, const struct hd_series_job *job, struct hd_series_outcome *outcome) {
  int status = 0;
  const pid_t parent = getpid();
  series->signals.continued = false;
  const double begin_s = hd_series_now_s();
  const pid_t child = fork();
  if (child == 0)
    become_run(series, job, parent);
  if (child < 0)
    return HD_COMPLAIN("cannot start a process: %s", strerror(errno));
  wait_for_end(series, child, &status);
  const double end_s = hd_series_now_s();
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  *outcome = (struct hd_series_outcome){.status = WIFEXITED(status) ? WEXITSTATUS(status) : HD_RUN_SIGNAL + signal,
                                        .signal = signal,
                                        .interrupted = series->signals.stop || series->signals.continued,
                                        .seconds = end_s - begin_s};
  return true;
}
