/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/command/pager.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_FOUND = 127, CANNOT_EXECUTE = 126 };

static bool unwanted;
static int terminal = -1; /* standard output, while what is written there is kept; -1: it is not */
static struct winsize size;

bool hd_take_no_pager(const struct hd_option_use *use) {
  (void)use;
  unwanted = true;
  return true;
}

/* NULL: there is to be none. */
static const char *command(void) {
  const char *own = getenv("HEDDLE_PAGER"), *usual = getenv("PAGER");
  const char *pager = own ? own : usual ? usual : "less";
  return *pager && strcmp(pager, "cat") != 0 ? pager : NULL;
}

static bool may_page(void) {
  const char *kind = getenv("TERM");
  return !unwanted && command() && kind && strcmp(kind, "dumb") != 0 && isatty(STDOUT_FILENO) &&
         ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0;
}

void hd_pager_begin(void) {
  char width[16];
  if (!may_page())
    return;
  const int kept = memfd_create("heddle", MFD_CLOEXEC);
  const int old = dup(STDOUT_FILENO);
  const bool colour = hd_paint_shows(stdout);
  snprintf(width, sizeof width, "%d", size.ws_col);
  if (kept >= 0 && old >= 0 && fflush(stdout) == 0 && dup2(kept, STDOUT_FILENO) >= 0) {
    terminal = old;
    setenv("COLUMNS", width, 0);
    if (colour)
      hd_paint_choose(HD_COLOR_ALWAYS);
  } else if (old >= 0) {
    close(old);
  }
  if (kept >= 0)
    close(kept);
}

/* ---- how long it is ---- */

static size_t skip_colour(const char *at, size_t left) {
  size_t bytes = 2;
  if (left < 2 || at[0] != '\033' || at[1] != '[')
    return 0;
  while (bytes < left && at[bytes] != 'm')
    bytes++;
  return bytes + 1;
}

/* Lines of the terminal. */
static size_t count_lines(const char *text, size_t bytes) {
  size_t lines = 0, used = 0;
  for (size_t i = 0; i < bytes; i++) {
    const size_t colour = skip_colour(text + i, bytes - i);
    if (colour > 0) {
      i += colour - 1;
    } else if (text[i] == '\n') {
      lines += 1 + (used > 0 ? (used - 1) / size.ws_col : 0);
      used = 0;
    } else {
      used += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
  }
  return lines;
}

/* Below it stands the shell's next prompt. */
static bool fits(int kept, size_t bytes) {
  char *text = bytes > 0 ? mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, kept, 0) : MAP_FAILED;
  if (text == MAP_FAILED)
    return true;
  const size_t lines = count_lines(text, bytes);
  munmap(text, bytes);
  return lines < size.ws_row;
}

/* ---- the pager ---- */

/* False: there is no such command. less does what git's does: it ends at once if all fits, shows colours, and leaves
 * the text on the screen. The user's Ctrl-C is for the pager. */
static bool page(int kept) {
  int status = 0;
  struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
  sigaction(SIGINT, &ignore, &before);
  const pid_t pid = fork();
  if (pid == 0) {
    sigaction(SIGINT, &before, NULL);
    setenv("LESS", "FRX", 0);
    setenv("LV", "-c", 0);
    if (dup2(kept, STDIN_FILENO) >= 0)
      execl("/bin/sh", "sh", "-c", command(), (char *)NULL);
    _exit(NOT_FOUND);
  }
  const bool ran = pid > 0 && waitpid(pid, &status, 0) == pid;
  sigaction(SIGINT, &before, NULL);
  return ran && !(WIFEXITED(status) && (WEXITSTATUS(status) == NOT_FOUND || WEXITSTATUS(status) == CANNOT_EXECUTE));
}

static bool copy(int kept, size_t bytes) {
  char buffer[1 << 14];
  off_t at = 0;
  while ((size_t)at < bytes) {
    const ssize_t got = pread(kept, buffer, sizeof buffer, at);
    if (got <= 0 || write(STDOUT_FILENO, buffer, (size_t)got) != got)
      return false;
    at += got;
  }
  return true;
}

bool hd_pager_end(void) {
  if (terminal < 0)
    return true;
  const bool written = fflush(stdout) == 0;
  const int kept = dup(STDOUT_FILENO);
  const off_t bytes = kept >= 0 ? lseek(kept, 0, SEEK_CUR) : -1;
  const bool back = dup2(terminal, STDOUT_FILENO) >= 0;
  close(terminal);
  terminal = -1;
  if (bytes < 0 || !back) {
    if (kept >= 0)
      close(kept);
    return false;
  }
  lseek(kept, 0, SEEK_SET);
  const bool shown = (!fits(kept, (size_t)bytes) && page(kept)) || copy(kept, (size_t)bytes);
  close(kept);
  return written && shown;
}
