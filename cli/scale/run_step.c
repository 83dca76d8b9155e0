/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/run/options.h"
#include "cli/scale/scale_internal.h"
#include "support/command/complain.h"
#include "support/command/memory.h"

enum { TICK_MS = 500 };

static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/* ---- signals ---- */

static bool is_ignored(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN;
}

/* One that the scan was started to ignore (nohup) does not end it. */
bool hd_scale_signals_take(struct hd_scale_signals *signals) {
  sigset_t taken;
  memset(signals, 0, sizeof *signals);
  sigemptyset(&taken);
  sigaddset(&taken, SIGCHLD);
  sigaddset(&taken, SIGCONT);
  for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
    if (!is_ignored(ending[i]))
      sigaddset(&taken, ending[i]);
  sigprocmask(SIG_BLOCK, &taken, &signals->mask);
  sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &signals->child_action);
  sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, &signals->pipe_action);
  signals->queue = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals->queue >= 0)
    return true;
  hd_scale_signals_restore(signals);
  return HD_COMPLAIN("cannot wait for signals: %s", strerror(errno));
}

void hd_scale_signals_restore(const struct hd_scale_signals *signals) {
  if (signals->queue >= 0)
    close(signals->queue);
  sigaction(SIGPIPE, &signals->pipe_action, NULL);
  sigaction(SIGCHLD, &signals->child_action, NULL);
  sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

/* The kernel's (Ctrl-C, a hang-up) go to the whole foreground job and so have reached the program. */
bool hd_scale_signals_look(struct hd_scale_signals *signals, pid_t child) {
  struct signalfd_siginfo signal;
  while (read(signals->queue, &signal, sizeof signal) == sizeof signal) {
    if (signal.ssi_signo == SIGCHLD)
      continue;
    if (signal.ssi_signo == SIGCONT) {
      signals->continued = true;
      continue;
    }
    signals->stop = signals->stop ? signals->stop : (int)signal.ssi_signo;
    if (child > 0 && signal.ssi_code != SI_KERNEL)
      kill(child, (int)signal.ssi_signo);
  }
  return signals->stop != 0;
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

static bool set_environment(const struct hd_scale_plan *plan, const struct hd_scale_step *step) {
  struct hd_texts variables = {0};
  bool set = true;
  hd_scale_step_environment(plan, step, &variables);
  for (size_t i = 0; set && i < variables.count; i++)
    set = putenv(variables.items[i]) == 0; /* they stay */
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

static void make_arguments(const struct hd_scale_plan *plan, const struct hd_scale_step *step, const char *profile,
                           struct hd_texts *arguments) {
  const struct hd_texts *options = &plan->options->run_options;
  hd_texts_add(arguments, hd_print("run"));
  hd_texts_add(arguments, hd_print("--quiet"));
  hd_texts_add(arguments, output_option(profile));
  for (size_t i = 0; i < options->count; i++)
    hd_texts_add(arguments, options->items[i]);
  hd_texts_add(arguments, hd_print("--"));
  hd_scale_step_command(plan, step, arguments);
}

/*
 * The child is `heddle run` without another exec: so it keeps the scan's lock, which the program does not, and a scan
 * that goes on after it was killed waits for the program that is still running. That one is asked to end.
 */
static _Noreturn void become_run(const struct hd_scale *scale, const struct hd_scale_step *step, pid_t parent) {
  char profile[PATH_MAX];
  char output[PATH_MAX];
  struct hd_texts arguments = {0};
  hd_scale_store_running(scale, step, "", profile);
  hd_scale_store_running(scale, step, ".out", output);
  hd_scale_signals_restore(&scale->signals);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent || !use_descriptors(output) || !set_environment(&scale->plan, step))
    _exit(HD_RUN_FAILED);
  make_arguments(&scale->plan, step, profile, &arguments);
  const int status = hd_cmd_run((int)arguments.count, arguments.items);
  fflush(NULL);
  _exit(status);
}

/* ---- the parent ---- */

static void wait_for_end(struct hd_scale *scale, pid_t child, int *status) {
  struct pollfd source = {.fd = scale->signals.queue, .events = POLLIN};
  for (;;) {
    hd_scale_signals_look(&scale->signals, child);
    const pid_t ended = waitpid(child, status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR))
      return;
    if (poll(&source, 1, scale->progress.bar ? TICK_MS : -1) == 0)
      hd_scale_progress_tick(scale);
  }
}

bool hd_scale_run(struct hd_scale *scale, const struct hd_scale_step *step, struct hd_scale_outcome *outcome) {
  int status = 0;
  const pid_t parent = getpid();
  scale->signals.continued = false;
  const pid_t child = fork();
  if (child == 0)
    become_run(scale, step, parent);
  if (child < 0)
    return HD_COMPLAIN("cannot start a process: %s", strerror(errno));
  wait_for_end(scale, child, &status);
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  *outcome = (struct hd_scale_outcome){.status = WIFEXITED(status) ? WEXITSTATUS(status) : HD_RUN_SIGNAL + signal,
                                       .signal = signal,
                                       .interrupted = scale->signals.stop || scale->signals.continued,
                                       .seconds = hd_scale_now_s() - scale->progress.begin_s};
  return true;
}
