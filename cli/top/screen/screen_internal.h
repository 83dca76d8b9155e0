/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file screen_internal.h
 * Between the files of the screen only.
 */
#ifndef HEDDLE_CLI_TOP_SCREEN_SCREEN_INTERNAL_H
#define HEDDLE_CLI_TOP_SCREEN_SCREEN_INTERNAL_H

#include "cli/top/screen/screen.h"

enum hd_view { HD_VIEW_PROGRAMS, HD_VIEW_PROGRAM, HD_VIEW_THREADS, HD_VIEW_CALLPATH, HD_VIEW_CLASSES, HD_VIEW_HELP };

struct hd_screen {
  double interval_seconds;
  enum hd_top_sort sort;
  enum hd_view view, under_help; /* what help covers */
  bool paused, ends;
  bool watching; /* `watch` is open */
  struct hd_top_watch watch;
  char path[PATH_MAX];             /* its file */
  struct hd_top_programs programs; /* of HD_VIEW_PROGRAMS */
  size_t program;                  /* the one that is selected */
  uint32_t *nodes;                 /* of the callpaths in the table, in its order; NULL: to be made */
  uint32_t node_count;
  uint32_t node;   /* that is selected; 0: the foremost, whichever it is */
  size_t event_class;      /* that is selected */
  uint64_t asked;          /* hd_top_watch_ask()'s word; 0: nothing was asked for */
  char request[64];        /* that */
  size_t scrolled; /* lines of threads, or of a callpath, that are above the screen */
  size_t page;     /* lines that a page has */
  char error[PATH_MAX + 256];
};

/** The selected callpath's row; 0 also when it is there no more. */
uint32_t hd_screen_row(const struct hd_screen *screen);

/** A program, or another one, is watched from now on. False: screen->error. */
bool hd_screen_open(struct hd_screen *screen, const char *path);

/** Reads anew what is shown. */
void hd_screen_refresh(struct hd_screen *screen);

/** ask.c: switches the selected class off, or on again. */
void hd_screen_switch(struct hd_screen *screen);

/** Whether the program has not yet done what it was asked for. */
bool hd_screen_is_waiting(const struct hd_screen *screen);

/** keys.c: what a key of ncurses does. */
void hd_screen_key(struct hd_screen *screen, int key);

/** terminal.c: whether the cursor can be moved: not so on a "dumb" terminal. */
bool hd_screen_can_draw(void);

/** draw.c: begins, draws, and ends. */
bool hd_screen_begin(void);
void hd_screen_draw(struct hd_screen *screen);
void hd_screen_end(void);

#endif
