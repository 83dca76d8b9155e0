/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/top/screen/screen.h"

#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/top/screen/screen_internal.h"

/* ---- what is watched ---- */

bool hd_screen_open(struct hd_screen *screen, const char *path) {
  struct hd_top_watch watch;
  snprintf(screen->path, sizeof screen->path, "%s", path);
  if (!hd_top_watch_open(&watch, screen->path, screen->error, sizeof screen->error))
    return false;
  if (!hd_top_watch_read(&watch, screen->error, sizeof screen->error)) {
    hd_top_watch_close(&watch);
    return false;
  }
  if (screen->watching)
    hd_top_watch_close(&screen->watch);
  screen->watch = watch;
  screen->watching = true;
  screen->view = HD_VIEW_PROGRAM;
  screen->node = 0;
  *screen->error = '\0';
  return true;
}

/* A process may execute another program, which then has a profile of its own. */
static void follow(struct hd_screen *screen) {
  if (screen->watch.pid <= 0 || (kill(screen->watch.pid, 0) != 0 && errno == ESRCH))
    return;
  struct hd_top_programs programs = hd_top_programs_find(screen->path);
  for (size_t i = 0; i < programs.count; i++)
    if (programs.items[i].pid == screen->watch.pid && strcmp(programs.items[i].path, screen->path) != 0 &&
        hd_screen_open(screen, programs.items[i].path))
      break;
  hd_top_programs_free(&programs);
}

void hd_screen_refresh(struct hd_screen *screen) {
  if (screen->view == HD_VIEW_PROGRAMS) {
    hd_top_programs_free(&screen->programs);
    screen->programs = hd_top_programs_find(screen->watching ? screen->path : NULL);
  } else if (screen->watching && screen->watch.life != HD_TOP_RUNS) {
    follow(screen);
  } else if (screen->watching && hd_top_watch_read(&screen->watch, screen->error, sizeof screen->error)) {
    *screen->error = '\0';
  }
  free(screen->nodes);
  screen->nodes = NULL;
}

uint32_t hd_screen_row(const struct hd_screen *screen) {
  for (uint32_t i = 0; i < screen->node_count; i++)
    if (screen->nodes[i] == screen->node)
      return i;
  return 0;
}

/* ---- time ---- */

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Until a key comes, or then, or the program's end. False: it is the latter. */
static bool wait_until(const struct hd_screen *screen, double then) {
  const bool runs = screen->watching && screen->watch.life == HD_TOP_RUNS && !screen->paused;
  struct pollfd events[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                            {.fd = runs ? screen->watch.process : -1, .events = POLLIN}};
  const double left = then - now();
  const int ready = poll(events, 2, screen->paused ? -1 : left > 0 ? (int)(left * 1000) + 1 : 0);
  return ready <= 0 || !events[1].revents;
}

/* The terminal is gone. */
static bool is_closed(void) {
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  return poll(&input, 1, 0) == 1 && (input.revents & (POLLHUP | POLLERR | POLLNVAL));
}

/* Looking for programs takes longer than reading one's profile. */
static double pause_of(const struct hd_screen *screen) {
  const bool looks = screen->view == HD_VIEW_PROGRAMS || screen->watch.life != HD_TOP_RUNS;
  return looks && screen->interval_seconds < 1 ? 1 : screen->interval_seconds;
}

static void run(struct hd_screen *screen) {
  double due = now() + pause_of(screen);
  while (!screen->ends) {
    hd_screen_draw(screen);
    if (!wait_until(screen, due)) {
      hd_top_watch_forget_process(&screen->watch);
      due = now();
    }
    for (int key = getch(); key != ERR && !screen->ends; key = getch())
      hd_screen_key(screen, key);
    screen->ends = screen->ends || is_closed();
    if (screen->paused || now() < due)
      continue;
    hd_screen_refresh(screen);
    due = now() + pause_of(screen);
  }
}

static void free_all(struct hd_screen *screen) {
  hd_top_programs_free(&screen->programs);
  if (screen->watching)
    hd_top_watch_close(&screen->watch);
  free(screen->nodes);
}

const bool hd_top_has_screen = true;

bool hd_top_screen(const struct hd_top_screen_options *options, char *error, size_t error_bytes) {
  struct hd_screen screen = {.interval_seconds = options->interval_seconds, .sort = options->sort};
  if (options->path && !hd_screen_open(&screen, options->path)) {
    snprintf(error, error_bytes, "%s", screen.error);
    return false;
  }
  if (!hd_screen_begin()) {
    const char *terminal = getenv("TERM");
    snprintf(error, error_bytes, "no screen on the terminal '%s'; 'heddle top --once' shows the same",
             terminal ? terminal : "");
    free_all(&screen);
    return false;
  }
  hd_screen_refresh(&screen);
  run(&screen);
  hd_screen_end();
  free_all(&screen);
  return true;
}
