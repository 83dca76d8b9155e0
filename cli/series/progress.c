/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/series/series.h"
#include "support/log.h"

enum { BAR_CELLS = 20, LINE_BYTES = 512, COLUMNS_DEFAULT = 80 };

double hd_series_now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- how long it will take ---- */

/* Negative: not known. */
static double time_left(const struct hd_series_progress *progress, bool runs) {
  const struct hd_series_state *state = &progress->state;
  const double gone = runs ? hd_series_now_s() - progress->begin_s : 0;
  if (state->expected_s < 0 || state->left_s < 0)
    return -1;
  return state->left_s + (state->expected_s > gone ? state->expected_s - gone : 0);
}

/* ", 1:02:03 left" */
static void write_left(double left, char *text, size_t bytes) {
  const unsigned long seconds = left < 0 ? 0 : (unsigned long)(left + 0.999);
  if (left < 0)
    text[0] = '\0';
  else if (seconds >= 3600)
    snprintf(text, bytes, ", %lu:%02lu:%02lu left", seconds / 3600, seconds / 60 % 60, seconds % 60);
  else
    snprintf(text, bytes, ", %lu:%02lu left", seconds / 60, seconds % 60);
}

/* "3 of 9", or "3" where nobody knows how many there will be. */
static void write_count(const struct hd_series_state *state, char *text, size_t bytes) {
  if (state->total)
    snprintf(text, bytes, "%zu of %zu", state->ended, state->total);
  else
    snprintf(text, bytes, "%zu", state->ended);
}

/* ---- the bar ---- */

static size_t columns(void) {
  struct winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return COLUMNS_DEFAULT;
}

void hd_series_progress_clear(struct hd_series *series) {
  if (series->progress.shown)
    fprintf(stderr, "\r%*s\r", series->progress.shown, "");
  series->progress.shown = 0;
}

void hd_series_progress_tick(struct hd_series *series) {
  char line[LINE_BYTES];
  char left[64], count[64];
  char bar[BAR_CELLS + 1];
  struct hd_series_progress *progress = &series->progress;
  const struct hd_series_state *state = &progress->state;
  if (!progress->bar)
    return;
  memset(bar, '.', BAR_CELLS);
  memset(bar, '#', state->total ? BAR_CELLS * state->ended / state->total : 0);
  bar[BAR_CELLS] = '\0';
  write_left(time_left(progress, true), left, sizeof left);
  write_count(state, count, sizeof count);
  snprintf(line, sizeof line, "[%s] %s runs%s; now %s", bar, count, left, state->name);
  const size_t room = columns() - 1;
  if (strlen(line) > room)
    line[room] = '\0';
  const int before = progress->shown;
  progress->shown = (int)strlen(line);
  fprintf(stderr, "\r%s%*s", line, before > progress->shown ? before - progress->shown : 0, "");
}

/* ---- events ---- */

void hd_series_progress_begin(struct hd_series *series, const struct hd_series_state *state) {
  const char *terminal = getenv("TERM");
  series->progress.state = *state;
  series->progress.bar =
      !series->options->quiet && isatty(STDERR_FILENO) && !(terminal && strcmp(terminal, "dumb") == 0);
  series->progress.begin_s = hd_series_now_s();
  hd_series_progress_tick(series);
}

void hd_series_progress_end(struct hd_series *series, const struct hd_series_state *state, double seconds) {
  char left[64], count[64];
  series->progress.state = *state;
  hd_series_progress_tick(series);
  if (series->options->quiet || series->progress.bar)
    return;
  write_left(time_left(&series->progress, false), left, sizeof left);
  write_count(state, count, sizeof count);
  hd_log("run %s: %s: %.3f s%s", count, state->name, seconds, left);
}
