/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/options.h"
#include "cli/series/series.h"
#include "support/command/memory.h"

enum { LINES_MOST = 15, BYTES_MOST = 4096, COLUMNS_MOST = 500 };

/* ---- the command, so that it can be given to a shell ---- */

static bool is_plain(const char *text) {
  if (!*text)
    return false;
  for (; *text; text++)
    if (!isalnum((unsigned char)*text) && !strchr("_-+=./:,@%", *text))
      return false;
  return true;
}

static void print_quoted(const char *text) {
  if (is_plain(text)) {
    fputs(text, stderr);
    return;
  }
  putc('\'', stderr);
  for (; *text; text++)
    if (*text == '\'')
      fputs("'\\''", stderr);
    else
      putc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, stderr);
  putc('\'', stderr);
}

static void print_variable(const char *variable) {
  const size_t name = strcspn(variable, "=") + 1;
  fprintf(stderr, "%.*s", (int)name, variable);
  print_quoted(variable + name);
}

static void print_words(const struct hd_texts *words) {
  for (size_t i = 0; i < words->count; i++) {
    putc(' ', stderr);
    print_quoted(words->items[i]);
  }
}

static void print_command(const struct hd_series_job *job) {
  fputs("heddle:  ", stderr);
  for (size_t i = 0; i < job->variables.count; i++) {
    putc(' ', stderr);
    print_variable(job->variables.items[i]);
  }
  print_words(&job->launcher);
  print_words(&job->command);
  putc('\n', stderr);
}

/* ---- the end of its output ---- */

static char *read_end(const char *path) {
  struct stat status;
  char *text = calloc(1, BYTES_MOST + 1);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (text && fd >= 0 && fstat(fd, &status) == 0) {
    const off_t from = status.st_size > BYTES_MOST ? status.st_size - BYTES_MOST : 0;
    const ssize_t bytes = pread(fd, text, BYTES_MOST, from);
    text[bytes > 0 ? bytes : 0] = '\0';
    for (ssize_t i = 0; i < bytes; i++) /* what a terminal obeys */
      if (((unsigned char)text[i] < ' ' && text[i] != '\n' && text[i] != '\t') || text[i] == 0x7f)
        text[i] = '?';
  }
  if (fd >= 0)
    close(fd);
  return text;
}

static void print_end(const char *path) {
  char *text = read_end(path);
  if (!text || !*text) {
    fputs("heddle:   it printed nothing\n", stderr);
    free(text);
    return;
  }
  fprintf(stderr, "heddle:   the end of its output, which is in %s:\n", path);
  char *line = text + strlen(text);
  while (line > text && line[-1] == '\n')
    *--line = '\0';
  for (int lines = 0; line > text; line--)
    if (line[-1] == '\n' && ++lines == LINES_MOST)
      break;
  while (*line) {
    const size_t length = strcspn(line, "\n");
    fprintf(stderr, "  | %.*s\n", (int)(length < COLUMNS_MOST ? length : COLUMNS_MOST), line);
    line += length + (line[length] == '\n');
  }
  free(text);
}

/* ---- all of it ---- */

/* One that the program may have meant: below those that a shell, and `heddle run` itself, end with. */
static bool may_be_habit(const struct hd_series_outcome *outcome) {
  return !outcome->signal && outcome->status > 0 && outcome->status < HD_RUN_FAILED;
}

static void write_reason(const struct hd_series_options *options, const struct hd_series_job *job,
                         const struct hd_series_outcome *outcome, const char *why, char *text, size_t bytes) {
  const int status = outcome->status;
  if (outcome->signal)
    snprintf(text, bytes, "%s was killed by signal %d (%s)",
             job->run_options && !job->launcher.count ? "heddle run" : "it", outcome->signal,
             strsignal(outcome->signal));
  else if (options->expected_status[status & 0xff])
    snprintf(text, bytes, "%s", why ? why : "it left no profile");
  else if (status > HD_RUN_SIGNAL && status < HD_RUN_SIGNAL + 65)
    snprintf(text, bytes, "exit status %d (signal %d, %s)", status, status - HD_RUN_SIGNAL,
             strsignal(status - HD_RUN_SIGNAL));
  else
    snprintf(text, bytes, "exit status %d%s", status,
             status == HD_RUN_FAILED           ? " (heddle run itself failed)"
             : status == HD_RUN_CANNOT_EXECUTE ? " (it cannot be executed)"
             : status == HD_RUN_NOT_FOUND      ? " (it was not found)"
                                               : "");
}

bool hd_series_is_expected(const struct hd_series *series, const struct hd_series_outcome *outcome) {
  return !outcome->signal && series->options->expected_status[outcome->status & 0xff];
}

void hd_series_failure_show(const struct hd_series *series, const struct hd_series_job *job,
                            const struct hd_series_outcome *outcome, const char *why, const char *kept) {
  char reason[PATH_MAX + 512];
  char from[PATH_MAX];
  write_reason(series->options, job, outcome, why, reason, sizeof reason);
  fprintf(stderr, "heddle: run %s failed: %s\n", job->name, reason);
  print_command(job);
  hd_series_running(series, job->index, ".out", from);
  print_end(rename(from, kept) == 0 ? kept : from);
  if (may_be_habit(outcome) && !series->options->expected_status[outcome->status])
    fprintf(stderr, "heddle:   if the program always ends with status %d: --expect-status %d accepts it\n",
            outcome->status, outcome->status);
}
