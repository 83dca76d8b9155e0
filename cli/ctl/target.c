/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/ctl/ctl_internal.h"
#include "output/model/memory.h"
#include "support/command/options.h"

int hd_ctl_fail(const struct hd_ctl *ctl) {
  fprintf(stderr, "heddle: %s\n", ctl->error);
  return HD_EXIT_FAILED;
}

static bool fail(struct hd_ctl *ctl, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct hd_ctl *ctl, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(ctl->error, sizeof ctl->error, format, values);
  va_end(values);
  return false;
}

/* ---- the program ---- */

static bool fail_to_find(struct hd_ctl *ctl, unsigned long pid) {
  char path[64];
  struct stat process;
  snprintf(path, sizeof path, "/proc/%lu", pid);
  if (stat(path, &process) != 0)
    return fail(ctl, "there is no process with the number %lu", pid);
  if (process.st_uid != geteuid())
    return fail(ctl, "process %lu is another user's: only its own user may steer it", pid);
  return fail(ctl, "process %lu does not run under Heddle; 'heddle top --list' lists those that do", pid);
}

static bool find(struct hd_ctl *ctl, unsigned long pid) {
  struct hd_top_programs programs = hd_top_programs_find(NULL);
  bool found = false;
  for (size_t i = 0; i < programs.count && !found; i++) {
    found = (unsigned long)programs.items[i].pid == pid;
    if (found)
      snprintf(ctl->path, sizeof ctl->path, "%s", programs.items[i].path);
  }
  hd_top_programs_free(&programs);
  return found || fail_to_find(ctl, pid);
}

bool hd_ctl_open(struct hd_ctl *ctl, unsigned long pid) {
  if (!find(ctl, pid) || !hd_top_watch_open(&ctl->watch, ctl->path, ctl->error, sizeof ctl->error))
    return false;
  if (hd_top_watch_is_own(&ctl->watch))
    return true;
  hd_ctl_close(ctl);
  return fail(ctl, "process %lu is another user's: only its own user may steer it", pid);
}

void hd_ctl_close(struct hd_ctl *ctl) {
  hd_top_watch_close(&ctl->watch);
}

struct hd_model *hd_ctl_read(struct hd_ctl *ctl) {
  double seconds;
  if (!hd_top_watch_runs(&ctl->watch)) {
    fail(ctl, "the program has ended");
    return NULL;
  }
  return hd_live_copy(&ctl->watch.live, true, &seconds, ctl->error, sizeof ctl->error);
}

/* ---- what events cost ---- */

bool hd_ctl_rates_now(struct hd_ctl *ctl, struct hd_live_rates *rates, struct hd_model **after) {
  struct hd_model *before = hd_ctl_read(ctl);
  if (!before)
    return false;
  hd_top_watch_wait(&ctl->watch, ctl->interval_seconds);
  *after = hd_ctl_read(ctl);
  if (*after)
    *rates = hd_live_rates_between(before, *after);
  hd_model_free(before);
  return *after != NULL;
}

/* ---- asking ---- */

double hd_ctl_seconds_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool read_control(const struct hd_ctl *ctl, struct hd_control *control) {
  return pread(ctl->watch.live.file, control, sizeof *control, offsetof(struct hd_file_header, control)) ==
         (ssize_t)sizeof *control;
}

static bool take_answer(struct hd_ctl *ctl, const struct hd_control *control) {
  if (control->refused && hd_control_command(control->done) == HD_CONTROL_SAMPLES)
    return fail(ctl, "the kernel lets the program take no samples: a note in its profile says why");
  return !control->refused || fail(ctl, "the program's Heddle is of another version: it does not know this command");
}

/* A program that sends no events does not look. */
static bool wait_for(struct hd_ctl *ctl, uint64_t word, struct hd_ctl_answer *answer) {
  const double begin = hd_ctl_seconds_now();
  for (;;) {
    struct hd_control control;
    if (!read_control(ctl, &control))
      return fail(ctl, "%s: cannot be read", ctl->path);
    answer->seconds = hd_ctl_seconds_now() - begin;
    if (control.done == word)
      return take_answer(ctl, &control);
    if (control.asked != word)
      return fail(ctl, "another 'heddle ctl' asked for something else before the program had acted on this");
    if (!hd_top_watch_runs(&ctl->watch))
      return fail(ctl, "the program ended, or executed another one, before it had acted");
    if (answer->seconds > ctl->wait_seconds)
      return fail(ctl,
                  "the program's threads have sent no event for %.3g s (--wait): it will act when they do; 'heddle ctl "
                  "PID status' shows whether it has",
                  ctl->wait_seconds);
    hd_top_watch_wait(&ctl->watch, 0.002);
  }
}

bool hd_ctl_ask(struct hd_ctl *ctl, const struct hd_top_request *what, struct hd_ctl_answer *answer) {
  uint64_t word = 0;
  return hd_top_watch_ask(&ctl->watch, what, &word, &answer->replaced, ctl->error, sizeof ctl->error) &&
         wait_for(ctl, word, answer);
}
