/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A line while the program runs, by a process of its own. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/run/run_internal.h"
#include "support/command/sanitize.h"

enum { FIRST_S = 2, EVERY_S = 1, COLUMNS_DEFAULT = 80, LINE_BYTES = 4096 };

struct hd_run_progress {
  pid_t process;
  volatile bool *shown; /* shared with it */
};

/* ---- in the process of its own ---- */

static size_t columns(void) {
  struct winsize size;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : COLUMNS_DEFAULT;
}

/* As much of a text as so many columns show. */
static size_t bytes_for(const char *text, size_t room) {
  size_t bytes = 0;
  for (size_t used = 0; text[bytes]; bytes++) {
    used += ((unsigned char)text[bytes] & 0xc0) != 0x80;
    if (used > room)
      return bytes;
  }
  return bytes;
}

/* In one write, so that it does not mix with what the program writes. */
static void show(const struct hd_top_watch *watch, volatile bool *shown) {
  const struct hd_top top = hd_top_of(watch, HD_TOP_ELAPSED, 0);
  char line[LINE_BYTES] = "";
  FILE *memory = fmemopen(line, sizeof line - 1, "w");
  if (!memory)
    return;
  fprintf(memory, "%s: ", top.run->header.program);
  hd_top_print_line(&top, memory);
  fclose(memory);
  hd_sanitize(line);
  *shown = true;
  dprintf(STDERR_FILENO, "\r%.*s\033[K", (int)bytes_for(line, columns() - 1), line);
}

static _Noreturn void keep_showing(const struct hd_run *run, pid_t parent, volatile bool *shown) {
  static struct hd_run_follower follower;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (sleep(FIRST_S); getppid() == parent; sleep(EVERY_S))
    if (hd_run_follow(&follower, run->directory))
      show(&follower.watch, shown);
  _exit(0);
}

/* ---- in heddle ---- */

static bool is_wanted(const struct hd_run_options *options) {
  const char *terminal = getenv("TERM");
  return options->progress && isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
}

struct hd_run_progress *hd_run_progress_start(const struct hd_run *run) {
  if (!is_wanted(run->options))
    return NULL;
  struct hd_run_progress *progress = calloc(1, sizeof *progress);
  void *page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const pid_t parent = getpid();
  if (!progress || page == MAP_FAILED) {
    free(progress);
    return NULL;
  }
  progress->shown = page;
  progress->process = fork();
  if (progress->process == 0)
    keep_showing(run, parent, progress->shown);
  return progress;
}

void hd_run_progress_stop(struct hd_run_progress *progress) {
  if (!progress)
    return;
  if (progress->process > 0 && kill(progress->process, SIGKILL) == 0)
    waitpid(progress->process, NULL, 0);
  if (*progress->shown)
    fputs("\r\033[K", stderr);
  munmap((void *)(uintptr_t)progress->shown, 1);
  free(progress);
}
