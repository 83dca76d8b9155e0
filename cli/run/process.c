/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/run/run_internal.h"
#include "support/command/complain.h"

/* A program's last processes often end a moment after the one that was waited for (pipelines, launchers). */
enum { SETTLE_MS = 500 };

static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

/* Blocks what is handled by reading; SIGCHLD must not be ignored, or the exit status would be lost. */
static void take_signals(struct hd_run_signals *signals, sigset_t *taken) {
  sigemptyset(taken);
  sigaddset(taken, SIGCHLD);
  for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
    sigaddset(taken, forwarded[i]);
  sigprocmask(SIG_BLOCK, taken, &signals->mask);
  struct sigaction standard = {.sa_handler = SIG_DFL};
  sigaction(SIGCHLD, &standard, &signals->child_action);
}

void hd_run_signals_restore(const struct hd_run_signals *signals) {
  sigaction(SIGCHLD, &signals->child_action, NULL);
  sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

/* Tells the library when this process's program began: the tool itself is loaded only later. */
static bool set_start(void) {
  char text[64];
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  snprintf(text, sizeof text, "%d:%lld%09ld", (int)getpid(), (long long)now.tv_sec, now.tv_nsec);
  return setenv("HEDDLE_START", text, 1) == 0;
}

/* In the child. What goes wrong is told through the pipe, which a successful exec closes. */
static _Noreturn void become_program(const struct hd_run *run, int report) {
  int error = ENOMEM;
  hd_run_signals_restore(&run->signals);
  if (hd_run_environment_apply(run) && set_start()) {
    execvp(run->options->command[0], run->options->command);
    error = errno;
  }
  if (write(report, &error, sizeof error) < 0)
    _exit(HD_RUN_FAILED);
  _exit(HD_RUN_FAILED);
}

static int status_of_exec_error(int error) {
  if (error == ENOMEM)
    return HD_RUN_FAILED;
  return error == ENOENT ? HD_RUN_NOT_FOUND : HD_RUN_CANNOT_EXECUTE;
}

/* Returns 0 when the program runs, else why it does not. -1: no child at all. */
static int start(struct hd_run *run) {
  int ends[2];
  int error = 0;
  if (pipe2(ends, O_CLOEXEC) != 0)
    return -1;
  const pid_t pid = run->outcome.pid = fork();
  if (pid == 0)
    become_program(run, ends[1]);
  close(ends[1]);
  if (pid < 0)
    error = -1;
  else if (read(ends[0], &error, sizeof error) != sizeof error)
    error = 0;
  close(ends[0]);
  return error;
}

/* A signal of the kernel's (Ctrl-C, a hang-up) goes to the whole foreground job and so has reached the program. */
static void forward(pid_t pid, const struct signalfd_siginfo *signal) {
  if (signal->ssi_signo != SIGCHLD && signal->ssi_code != SI_KERNEL)
    kill(pid, (int)signal->ssi_signo);
}

/* True when the program has ended. */
static bool handle_signals(int signals, pid_t pid, int *status) {
  struct signalfd_siginfo signal;
  while (read(signals, &signal, sizeof signal) == sizeof signal)
    forward(pid, &signal);
  return waitpid(pid, status, WNOHANG) == pid;
}

static void wait_for_end(int signals, struct hd_run_watch *watch, pid_t pid, int *status) {
  struct pollfd sources[2] = {{.fd = signals, .events = POLLIN},
                              {.fd = hd_run_watch_descriptor(watch), .events = POLLIN}};
  while (!handle_signals(signals, pid, status)) {
    if (poll(sources, 2, -1) < 0 && errno != EINTR && errno != EAGAIN) {
      waitpid(pid, status, 0);
      return;
    }
    hd_run_watch_handle(watch);
  }
}

static void note_end(struct hd_run *run, int status) {
  struct hd_run_outcome *outcome = &run->outcome;
  hd_run_stamp_process(run->directory, outcome->pid);
  outcome->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  outcome->exit_status = outcome->signal ? HD_RUN_SIGNAL + outcome->signal : WEXITSTATUS(status);
}

bool hd_run_process(struct hd_run *run) {
  struct hd_run_outcome *outcome = &run->outcome;
  sigset_t taken;
  int status = 0;
  take_signals(&run->signals, &taken);
  const int queue = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
  const int error = queue < 0 ? -1 : start(run);
  if (error < 0) {
    hd_log("cannot start a process: %s", strerror(errno));
  } else if (error > 0) {
    hd_run_explain_start(run->options->command[0], error);
    outcome->exit_status = status_of_exec_error(error);
    waitpid(outcome->pid, NULL, 0);
  } else {
    outcome->started = true;
    /* From here on heddle only saves and reports, and a full disk or a closed stderr must not change its status. */
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    struct hd_run_progress *progress = hd_run_progress_start(run);
    struct hd_run_companion *companion = hd_run_companion_start(run);
    wait_for_end(queue, run->watch, outcome->pid, &status);
    hd_run_progress_stop(progress);
    note_end(run, status);
    hd_run_companion_finish(companion);
    hd_run_watch_settle(run->watch, SETTLE_MS);
  }
  if (queue >= 0)
    close(queue);
  return error >= 0;
}
