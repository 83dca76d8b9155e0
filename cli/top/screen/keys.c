/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <curses.h>
#include <stdlib.h>

#include "cli/top/screen/screen_internal.h"

enum { ESCAPE = 27 };

/* By so many rows, as far as there are any. */
static size_t moved(size_t at, long by, size_t count) {
  if (by < 0)
    return at > (size_t)-by ? at - (size_t)-by : 0;
  return count == 0 ? 0 : at + (size_t)by < count ? at + (size_t)by : count - 1;
}

static void move_by(struct hd_screen *screen, long by) {
  if (screen->view == HD_VIEW_PROGRAMS)
    screen->program = moved(screen->program, by, screen->programs.count);
  else if (screen->view == HD_VIEW_CLASSES)
    screen->event_class = moved(screen->event_class, by, HD_CLASS_COUNT);
  else if (screen->view == HD_VIEW_PROGRAM && screen->node_count > 0)
    screen->node = screen->nodes[moved(hd_screen_row(screen), by, screen->node_count)];
  else
    screen->scrolled = moved(screen->scrolled, by, SIZE_MAX);
}

static void go_to(struct hd_screen *screen, enum hd_view view) {
  screen->view = view;
  screen->scrolled = 0;
}

static void go_in(struct hd_screen *screen) {
  if (screen->view == HD_VIEW_PROGRAMS && screen->program < screen->programs.count)
    hd_screen_open(screen, screen->programs.items[screen->program].path);
  else if (screen->view == HD_VIEW_CLASSES)
    hd_screen_switch(screen);
  else if (screen->view == HD_VIEW_PROGRAM && screen->node_count > 0) {
    screen->node = screen->nodes[hd_screen_row(screen)];
    go_to(screen, HD_VIEW_CALLPATH);
  }
}

static void go_back(struct hd_screen *screen) {
  if (screen->view == HD_VIEW_HELP)
    go_to(screen, screen->under_help);
  else if (screen->view != HD_VIEW_PROGRAMS)
    go_to(screen, HD_VIEW_PROGRAM);
}

static void show_help(struct hd_screen *screen) {
  if (screen->view == HD_VIEW_HELP) {
    go_back(screen);
    return;
  }
  screen->under_help = screen->view;
  go_to(screen, HD_VIEW_HELP);
}

static void show_programs(struct hd_screen *screen) {
  go_to(screen, HD_VIEW_PROGRAMS);
  screen->paused = false;
  hd_screen_refresh(screen);
}

static void sort_by_next(struct hd_screen *screen) {
  screen->node = 0;
  screen->sort = (enum hd_top_sort)((screen->sort + 1) % HD_TOP_SORT_COUNT);
  free(screen->nodes);
  screen->nodes = NULL;
}

static void toggle(struct hd_screen *screen, enum hd_view view) {
  if (screen->watching)
    go_to(screen, screen->view == view ? HD_VIEW_PROGRAM : view);
}

/* Keys that do the same wherever they are pressed. */
static bool do_common(struct hd_screen *screen, int key) {
  switch (key) {
  case 'q':
    screen->ends = true;
    return true;
  case 'h':
  case '?':
    show_help(screen);
    return true;
  case 'l':
    show_programs(screen);
    return true;
  case 'p':
  case ' ':
    screen->paused = screen->view != HD_VIEW_PROGRAMS && !screen->paused;
    return true;
  case 's':
    sort_by_next(screen);
    return true;
  case 't':
    toggle(screen, HD_VIEW_THREADS);
    return true;
  case 'c':
    toggle(screen, HD_VIEW_CLASSES);
    return true;
  default:
    return false;
  }
}

static void do_move(struct hd_screen *screen, int key) {
  const long page = screen->page > 1 ? (long)screen->page - 1 : 1;
  switch (key) {
  case KEY_UP:
  case 'k':
    move_by(screen, -1);
    break;
  case KEY_DOWN:
  case 'j':
    move_by(screen, 1);
    break;
  case KEY_PPAGE:
    move_by(screen, -page);
    break;
  case KEY_NPAGE:
    move_by(screen, page);
    break;
  case KEY_HOME:
    move_by(screen, -INT_MAX);
    break;
  case KEY_END:
    move_by(screen, INT_MAX);
    break;
  case '\r':
  case '\n':
  case KEY_ENTER:
  case KEY_RIGHT:
    go_in(screen);
    break;
  case ESCAPE:
  case KEY_BACKSPACE:
  case KEY_LEFT:
    go_back(screen);
    break;
  default:
    break;
  }
}

void hd_screen_key(struct hd_screen *screen, int key) {
  if (!do_common(screen, key))
    do_move(screen, key);
}
