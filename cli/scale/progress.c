/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/scale/scale_internal.h"
#include "support/log.h"

enum { BAR_CELLS = 20, LINE_BYTES = 512, COLUMNS_DEFAULT = 80 };

double hd_scale_now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- how long it will take ---- */

/* Steps like this one that are known; 0: none. */
static double mean_of(const struct hd_scale_plan *plan, const struct hd_scale_step *like, bool any_threads,
                      bool any_set) {
  double sum = 0;
  size_t count = 0;
  for (size_t i = 0; i < plan->step_count; i++) {
    const struct hd_scale_step *step = &plan->steps[i];
    if (step->seconds > 0 && (any_threads || step->threads == like->threads) && (any_set || step->set == like->set)) {
      sum += step->seconds;
      count++;
    }
  }
  return count ? sum / (double)count : 0;
}

/* As the same run took before; else one with as many threads, else one of the same set, else any. 0: not known. */
static double expected(const struct hd_scale_plan *plan, const struct hd_scale_step *step) {
  double seconds = mean_of(plan, step, false, false);
  if (seconds <= 0)
    seconds = mean_of(plan, step, false, true);
  if (seconds <= 0)
    seconds = mean_of(plan, step, true, false);
  return seconds > 0 ? seconds : mean_of(plan, step, true, true);
}

/* Of all that is not done; negative: not known. */
static double time_left(const struct hd_scale *scale, bool runs) {
  double left = 0;
  for (size_t i = 0; i < scale->plan.step_count; i++) {
    const struct hd_scale_step *step = &scale->plan.steps[i];
    if (step->done || step->failed)
      continue;
    double seconds = expected(&scale->plan, step);
    if (seconds <= 0)
      return -1;
    if (runs && i == scale->progress.running) {
      const double gone = hd_scale_now_s() - scale->progress.begin_s;
      seconds = seconds > gone ? seconds - gone : 0;
    }
    left += seconds;
  }
  return left;
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

static size_t count_ended(const struct hd_scale_plan *plan) {
  size_t count = 0;
  for (size_t i = 0; i < plan->step_count; i++)
    count += plan->steps[i].done || plan->steps[i].failed;
  return count;
}

/* ---- the bar ---- */

static size_t columns(void) {
  struct winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return COLUMNS_DEFAULT;
}

void hd_scale_progress_clear(struct hd_scale *scale) {
  if (scale->progress.shown)
    fprintf(stderr, "\r%*s\r", scale->progress.shown, "");
  scale->progress.shown = 0;
}

void hd_scale_progress_tick(struct hd_scale *scale) {
  char line[LINE_BYTES];
  char left[64];
  char name[NAME_MAX + 64];
  char bar[BAR_CELLS + 1];
  const struct hd_scale_plan *plan = &scale->plan;
  const size_t ended = count_ended(plan);
  if (!scale->progress.bar)
    return;
  memset(bar, '.', BAR_CELLS);
  memset(bar, '#', BAR_CELLS * ended / plan->step_count);
  bar[BAR_CELLS] = '\0';
  write_left(time_left(scale, true), left, sizeof left);
  hd_scale_step_name(plan, &plan->steps[scale->progress.running], name, sizeof name);
  snprintf(line, sizeof line, "[%s] %zu of %zu runs%s; now %s", bar, ended, plan->step_count, left, name);
  const size_t room = columns() - 1;
  if (strlen(line) > room)
    line[room] = '\0';
  const int before = scale->progress.shown;
  scale->progress.shown = (int)strlen(line);
  fprintf(stderr, "\r%s%*s", line, before > scale->progress.shown ? before - scale->progress.shown : 0, "");
}

/* ---- events ---- */

void hd_scale_progress_begin(struct hd_scale *scale, size_t step) {
  const char *terminal = getenv("TERM");
  scale->progress.bar =
      !scale->plan.options->quiet && isatty(STDERR_FILENO) && !(terminal && strcmp(terminal, "dumb") == 0);
  scale->progress.running = step;
  scale->progress.begin_s = hd_scale_now_s();
  hd_scale_progress_tick(scale);
}

void hd_scale_progress_end(struct hd_scale *scale) {
  const struct hd_scale_plan *plan = &scale->plan;
  const struct hd_scale_step *step = &plan->steps[scale->progress.running];
  char name[NAME_MAX + 64];
  char left[64];
  hd_scale_progress_tick(scale);
  if (plan->options->quiet || scale->progress.bar || step->failed) /* of that more is said */
    return;
  hd_scale_step_name(plan, step, name, sizeof name);
  write_left(time_left(scale, false), left, sizeof left);
  hd_log("run %zu of %zu: %s: %.3f s%s", count_ended(plan), plan->step_count, name, step->seconds, left);
}
