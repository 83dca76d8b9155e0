/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts of the views on a terminal: as many lines and columns as there are. */
#define _XOPEN_SOURCE_EXTENDED 1 /* wide characters */
#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "cli/top/screen/screen_internal.h"
#include "output/model/format_names.h"
#include "output/views/render/table.h"
#include "support/command/memory.h"

enum { PLAIN, GREEN, YELLOW, COLOURS };

static const char help[] = "up, down, page up, page down    select a region or construct; move the text\n"
                           "home, end\n"
                           "enter, right                    open it: its numbers, and the threads in it\n"
                           "escape, left                    back\n"
                           "s                               sort by gain, run-gain, elapsed, calls, name\n"
                           "t                               all threads\n"
                           "c                               classes of events, what they cost; enter: off, on\n"
                           "l                               the programs that run under Heddle\n"
                           "p, space                        pause the display; again: go on\n"
                           "h, ?                            this help\n"
                           "q                               quit\n"
                           "\n"
                           "Numbers are of the last interval, but for 'Run gain' and 'Run%'. 'now' and\n"
                           "'run' name what could be gained most in the interval and in the run so far.\n"
                           "For: how long ago a thread's last event was, its state since then.";

#define SORT(name, words) words,
static const char *const sort_names[HD_TOP_SORT_COUNT] = {HD_TOP_SORTS(SORT)};

bool hd_screen_begin(void) {
  if (!hd_screen_can_draw() || !newterm(NULL, stdout, stdin))
    return false;
  atexit(hd_screen_end);
  cbreak();
  noecho();
  nonl();
  curs_set(0);
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  set_escdelay(25);
  const char *without = getenv("NO_COLOR");
  if ((without && *without) || !has_colors() || start_color() == ERR || use_default_colors() == ERR)
    return true;
  init_pair(GREEN, COLOR_GREEN, -1);
  init_pair(YELLOW, COLOR_YELLOW, -1);
  return true;
}

void hd_screen_end(void) {
  if (!isendwin())
    endwin();
}

/* ---- lines ---- */

/* Cut at the right edge. */
static void put_line(int y, const char *text, attr_t attributes) {
  wchar_t wide[512];
  size_t length = mbstowcs(wide, text, sizeof wide / sizeof *wide);
  int column = 0;
  if (y >= LINES || length == (size_t)-1)
    return;
  length = length < sizeof wide / sizeof *wide ? length : sizeof wide / sizeof *wide;
  size_t shown = 0;
  for (; shown < length; shown++) {
    if (!iswprint((wint_t)wide[shown]))
      wide[shown] = L'?';
    column += wcwidth(wide[shown]);
    if (column > COLS)
      break;
  }
  attr_set(attributes & ~(attr_t)A_COLOR, (short)PAIR_NUMBER(attributes), NULL);
  mvaddnwstr(y, 0, wide, (int)shown);
  attr_set(A_NORMAL, 0, NULL);
}

/* A text that a view writes, as lines. */
struct text {
  char *bytes;
  char **lines;
  size_t count;
};

static void split(struct text *text) {
  for (char *at = text->bytes, *end; *at; at = end) {
    end = at + strcspn(at, "\n");
    end += *end ? (*end = '\0', 1) : 0;
    text->lines = hd_grow_by_one(text->lines, text->count, sizeof *text->lines);
    text->lines[text->count++] = at;
  }
}

typedef void printer(const struct hd_top *top, FILE *out);

static struct text text_of(const struct hd_top *top, printer *print, size_t width) {
  struct text text = {0};
  size_t bytes;
  FILE *out = open_memstream(&text.bytes, &bytes);
  hd_need(out != NULL);
  hd_terminal_set_width(width);
  print(top, out);
  hd_written(out);
  split(&text);
  return text;
}

static void free_text(struct text *text) {
  free(text->lines);
  free(text->bytes);
}

/* Lines from `first` on, into rows from `y` to before `end`. Returns the row behind them. */
static int put_lines(const struct text *text, size_t first, int y, int end) {
  for (size_t i = first; i < text->count && y < end; i++)
    put_line(y++, text->lines[i], A_NORMAL);
  return y;
}

/* As far as there is something to scroll to. */
static size_t limit_scroll(struct hd_screen *screen, size_t count) {
  const size_t most = count > screen->page ? count - screen->page : 0;
  if (screen->scrolled > most)
    screen->scrolled = most;
  return screen->scrolled;
}

/* ---- parts ---- */

static void print_heading(const struct hd_top *top, FILE *out) {
  hd_top_print_heading(top, out);
  hd_top_print_minute(top, out);
}

/* No more than a third of a small screen. Returns the row behind it. */
static int draw_heading(const struct hd_top *top, int end) {
  enum { LEAST = 2 };
  const int most = end / 3 > LEAST ? end / 3 : LEAST;
  struct text text = text_of(top, print_heading, HD_UNBOUNDED_WIDTH - 1);
  if (text.count > 0)
    put_line(0, text.lines[0], A_BOLD);
  const int y = put_lines(&text, 1, 1, most);
  free_text(&text);
  return y;
}

static attr_t colour_of(const struct hd_stay *stay) {
  if (!stay->known || stay->state == HD_IDLE)
    return A_DIM;
  if (stay->state == HD_BUSY)
    return (attr_t)COLOR_PAIR(GREEN);
  return (attr_t)COLOR_PAIR(YELLOW);
}

/* Only what is to be seen is written. */
static struct hd_top up_to(const struct hd_top *top, size_t rows) {
  struct hd_top part = *top;
  part.limit = rows > 0 && rows < UINT32_MAX ? (uint32_t)rows : 1;
  return part;
}

/* `most` of them, from `first` on. */
static int draw_threads(const struct hd_top *top, size_t first, size_t most, int y, int end) {
  const struct hd_top part = up_to(top, first + most);
  struct text text = text_of(&part, hd_top_print_threads, (size_t)COLS);
  if (text.count > 0 && y < end)
    put_line(y++, text.lines[0], A_BOLD);
  for (size_t i = first; i < part.limit && i + 1 < text.count && i - first < most && y < end; i++)
    put_line(y++, text.lines[i + 1], colour_of(&top->run->threads[i].stay));
  free_text(&text);
  return y;
}

static void draw_callpaths(struct hd_screen *screen, const struct hd_top *top, int y, int end) {
  const size_t rows = y + 1 < end ? (size_t)(end - y - 1) : 0, selected = hd_screen_row(screen);
  const size_t first = selected >= rows && rows > 0 ? selected - rows + 1 : 0;
  const struct hd_top part = up_to(top, first + rows);
  struct text text = text_of(&part, hd_top_print_callpaths, (size_t)COLS);
  screen->page = rows;
  if (text.count > 0 && y < end)
    put_line(y, text.lines[0], A_BOLD);
  for (size_t i = first; i + 1 < text.count && i - first < rows; i++)
    put_line(y + 1 + (int)(i - first), text.lines[i + 1],
             i == selected && screen->node_count > 0 ? A_REVERSE : A_NORMAL);
  free_text(&text);
}

/* ---- views ---- */

/* Threads take at most half of the rows; callpaths the rest. */
static int draw_some_threads(const struct hd_top *top, int y, int end) {
  enum { BESIDE = 4 }; /* two headings, and a line before each */
  const size_t threads = top->run->thread_count;
  const size_t room = end - y > BESIDE + 2 ? (size_t)(end - y - BESIDE) / 2 : 1;
  const size_t shown = threads <= room ? threads : room - 1;
  y = draw_threads(top, 0, shown, y + 1, end);
  if (shown < threads && y < end) {
    char more[64];
    snprintf(more, sizeof more, "%zu more thread%s: t", threads - shown, hd_plural(threads - shown));
    put_line(y++, more, A_NORMAL);
  }
  return y;
}

static void draw_program(struct hd_screen *screen, const struct hd_top *top, int end) {
  if (!screen->nodes)
    screen->node_count = hd_top_list_callpaths(top, &screen->nodes);
  const int y = draw_some_threads(top, draw_heading(top, end), end);
  draw_callpaths(screen, top, y + 1, end);
}

static void draw_all_threads(struct hd_screen *screen, const struct hd_top *top, int end) {
  const int y = draw_heading(top, end) + 1;
  screen->page = y + 1 < end ? (size_t)(end - y - 1) : 1;
  draw_threads(top, limit_scroll(screen, top->run->thread_count), screen->page, y, end);
}

static uint32_t shown_node;

static void print_callpath(const struct hd_top *top, FILE *out) {
  hd_top_print_callpath(top, shown_node, out);
}

static void draw_callpath(struct hd_screen *screen, const struct hd_top *top, int end) {
  shown_node = screen->node;
  struct text text = text_of(top, print_callpath, (size_t)COLS);
  screen->page = (size_t)end;
  put_lines(&text, limit_scroll(screen, text.count), 0, end);
  free_text(&text);
}

static void draw_classes(struct hd_screen *screen, const struct hd_top *top, int end) {
  struct text text = text_of(top, hd_top_print_classes, (size_t)COLS);
  screen->page = HD_CLASS_COUNT;
  if (text.count > 0)
    put_line(0, text.lines[0], A_BOLD);
  for (size_t i = 1; i < text.count && (int)i < end; i++)
    put_line((int)i, text.lines[i], i == screen->event_class + 1 ? A_REVERSE : A_NORMAL);
  free_text(&text);
}

static void draw_programs(struct hd_screen *screen, int end) {
  struct text text = {0};
  size_t bytes;
  FILE *out = open_memstream(&text.bytes, &bytes);
  hd_need(out != NULL);
  hd_terminal_set_width((size_t)COLS);
  hd_top_programs_print(&screen->programs, false, out);
  hd_written(out);
  split(&text);
  screen->page = end > 1 ? (size_t)end - 1 : 1;
  if (screen->program >= screen->programs.count)
    screen->program = screen->programs.count > 0 ? screen->programs.count - 1 : 0;
  const size_t first = screen->program >= screen->page ? screen->program - screen->page + 1 : 0;
  if (text.count > 0)
    put_line(0, text.lines[0], A_BOLD);
  for (size_t i = first; i + 1 < text.count && i - first < screen->page; i++)
    put_line(1 + (int)(i - first), text.lines[i + 1], i == screen->program ? A_REVERSE : A_NORMAL);
  free_text(&text);
}

static void draw_help(int end) {
  struct text text = {.bytes = hd_print("%s", help)};
  split(&text);
  put_lines(&text, 0, 0, end);
  free_text(&text);
}

static void draw_status(const struct hd_screen *screen) {
  char text[PATH_MAX + 256];
  if (*screen->error)
    snprintf(text, sizeof text, "%s", screen->error);
  else if (screen->view == HD_VIEW_PROGRAMS)
    snprintf(text, sizeof text, "q quit  enter open  h help");
  else if (screen->view == HD_VIEW_CLASSES && hd_screen_is_waiting(screen))
    snprintf(text, sizeof text, "%s: the program acts at its next event", screen->request);
  else if (screen->view == HD_VIEW_CLASSES)
    snprintf(text, sizeof text, "%sq quit  enter switch off, on  escape back  p pause  h help",
             screen->paused ? "PAUSED  " : "");
  else if (screen->view == HD_VIEW_PROGRAM)
    snprintf(text, sizeof text, "%sq quit  s sort: %s  enter open  t threads  c classes  p pause  h help",
             screen->paused ? "PAUSED  " : "", sort_names[screen->sort]);
  else
    snprintf(text, sizeof text, "%sq quit  escape back  p pause  h help", screen->paused ? "PAUSED  " : "");
  put_line(LINES - 1, text, screen->paused || *screen->error ? A_REVERSE : A_BOLD);
}

void hd_screen_draw(struct hd_screen *screen) {
  const int end = LINES > 1 ? LINES - 1 : LINES;
  erase();
  if (screen->view == HD_VIEW_HELP)
    draw_help(end);
  else if (screen->view == HD_VIEW_PROGRAMS || !screen->watching)
    draw_programs(screen, end);
  else {
    const struct hd_top top = hd_top_of(&screen->watch, screen->sort, 0);
    if (screen->view == HD_VIEW_PROGRAM)
      draw_program(screen, &top, end);
    else if (screen->view == HD_VIEW_THREADS)
      draw_all_threads(screen, &top, end);
    else if (screen->view == HD_VIEW_CLASSES)
      draw_classes(screen, &top, end);
    else
      draw_callpath(screen, &top, end);
  }
  if (LINES > 1)
    draw_status(screen);
  refresh();
}
