/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/series/series.h"
#include "support/command/complain.h"

static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

static bool is_ignored(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN;
}

/* One that the series was started to ignore (nohup) does not end it. */
bool hd_series_signals_take(struct hd_series_signals *signals) {
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
  hd_series_signals_restore(signals);
  return HD_COMPLAIN("cannot wait for signals: %s", strerror(errno));
}

void hd_series_signals_restore(const struct hd_series_signals *signals) {
  if (signals->queue >= 0)
    close(signals->queue);
  sigaction(SIGPIPE, &signals->pipe_action, NULL);
  sigaction(SIGCHLD, &signals->child_action, NULL);
  sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

/* The kernel's (Ctrl-C, a hang-up) go to the whole foreground job and so have reached the program. */
bool hd_series_signals_look(struct hd_series_signals *signals, pid_t child) {
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
