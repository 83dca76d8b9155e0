/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/table.h"
#include "support/command/memory.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Of the place, at least; a very deep tree would fill the screen. */
enum { PLACE_LEAST = 40, TREE_DEPTH_MAX = 64 };

/* ---- text ---- */

size_t hd_text_width(const char *text) {
  size_t width = 0;
  for (; *text; text++)
    width += ((unsigned char)*text & 0xc0) != 0x80;
  return width;
}

static size_t width_in_memory;

void hd_terminal_set_width(size_t width) {
  width_in_memory = width;
}

/* A stream in memory is about to go to stderr. */
size_t hd_terminal_width(FILE *out) {
  enum { LEAST = 20 };
  struct winsize size;
  if (width_in_memory > 0 && fileno(out) < 0)
    return width_in_memory;
  const char *columns = getenv("COLUMNS");
  const long asked = columns ? strtol(columns, NULL, 10) : 0;
  if (asked >= LEAST)
    return asked < HD_UNBOUNDED_WIDTH ? (size_t)asked : HD_UNBOUNDED_WIDTH;
  const int descriptor = fileno(out) >= 0 ? fileno(out) : STDERR_FILENO;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : HD_UNBOUNDED_WIDTH;
}

static size_t word_width(const char *text, size_t bytes) {
  size_t width = 0;
  for (size_t i = 0; i < bytes; i++)
    width += ((unsigned char)text[i] & 0xc0) != 0x80;
  return width;
}

/* Returns how many characters the new line has. */
static size_t break_line(enum hd_paint paint, size_t indent, FILE *out) {
  fprintf(out, "%s\n%*s%s", hd_paint_end(paint, out), (int)indent, "", hd_paint_begin(paint, out));
  return indent;
}

void hd_print_painted(enum hd_paint paint, const char *text, size_t indent, FILE *out) {
  enum { PAGE = 110 };
  const size_t terminal = hd_terminal_width(out), page = terminal < PAGE ? terminal : PAGE;
  size_t used = indent;
  fputs(hd_paint_begin(paint, out), out);
  while (*text) {
    const size_t word = strcspn(text, " \n"), width = word_width(text, word);
    if (used > indent && used + 1 + width > page)
      used = break_line(paint, indent, out);
    if (used > indent)
      used += (size_t)fprintf(out, " ");
    fwrite(text, 1, word, out);
    used += width;
    text += word;
    for (; *text == ' ' || *text == '\n'; text++)
      if (*text == '\n')
        used = break_line(paint, indent, out);
  }
  fputs(hd_paint_end(paint, out), out);
}

void hd_print_wrapped(const char *text, size_t indent, FILE *out) {
  hd_print_painted(HD_PAINT_NONE, text, indent, out);
}

void hd_print_sentences(FILE *out, const char *format, ...) {
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  hd_need(vasprintf(&text, format, arguments) >= 0);
  va_end(arguments);
  hd_print_wrapped(text, 0, out);
  fputc('\n', out);
  free(text);
}

void hd_print_painted_paragraph(enum hd_paint paint, const char *text, size_t indent, FILE *out) {
  if (hd_terminal_width(out) == HD_UNBOUNDED_WIDTH)
    fprintf(out, "%s%s%s", hd_paint_begin(paint, out), text, hd_paint_end(paint, out));
  else
    hd_print_painted(paint, text, indent, out);
  fputc('\n', out);
}

void hd_print_paragraph(const char *text, size_t indent, FILE *out) {
  hd_print_painted_paragraph(HD_PAINT_NONE, text, indent, out);
}

enum hd_paint hd_fact_paint(const char *word) {
  static const char warning[] = "warning";
  return strncmp(word, warning, sizeof warning - 1) == 0 ? HD_PAINT_WARNING : HD_PAINT_NONE;
}

void hd_print_facts(const char *lines, FILE *out) {
  char *copy = strdup(lines), *rest = copy;
  hd_need(copy);
  for (char *line; (line = strsep(&rest, "\n")) && *line;) {
    const size_t word = strnlen(line, HD_FACT_INDENT);
    const enum hd_paint paint = hd_fact_paint(line);
    fprintf(out, "%s%.*s%s", hd_paint_begin(paint, out), (int)word, line, hd_paint_end(paint, out));
    hd_print_paragraph(line + word, HD_FACT_INDENT, out);
  }
  free(copy);
}

struct libscols_table *hd_table_new(FILE *out) {
  scols_init_debug(0);
  struct libscols_table *table = scols_new_table();
  if (!table)
    return NULL;
  scols_table_set_stream(table, out);
  scols_table_set_termwidth(table, hd_terminal_width(out));
  scols_table_set_termforce(table, SCOLS_TERMFORCE_ALWAYS);
  return table;
}

bool hd_scols_column(struct libscols_table *table, const char *title, int flags) {
  return scols_table_new_column(table, title, 0, flags) != NULL;
}

/* ---- columns and rows ---- */

static void add_column(struct hd_table *grid, const char *title, int flags) {
  if (!grid->table)
    grid->table = hd_table_new(stdout);
  hd_need(grid->table && hd_scols_column(grid->table, title, flags));
}

void hd_table_column(struct hd_table *grid, const char *title, int rank) {
  add_column(grid, title, SCOLS_FL_RIGHT);
  grid->ranks[grid->column_count++] = rank;
}

void hd_table_left(struct hd_table *grid, size_t column) {
  scols_column_set_flags(scols_table_get_column(grid->table, column), 0);
}

void hd_table_place(struct hd_table *grid, const char *title, bool tree) {
  add_column(grid, title, SCOLS_FL_TRUNC | (tree ? SCOLS_FL_TREE : 0));
}

static size_t depth_of(const struct libscols_line *row) {
  size_t depth = 0;
  while ((row = scols_line_get_parent(row)))
    depth++;
  return depth;
}

/* What is very deep stands beside its parent. */
struct libscols_line *hd_table_row(struct hd_table *grid, struct libscols_line *parent) {
  if (parent && depth_of(parent) == TREE_DEPTH_MAX)
    parent = scols_line_get_parent(parent);
  grid->row = scols_table_new_line(grid->table, parent);
  hd_need(grid->row);
  grid->row_count++;
  grid->cell = 0;
  return grid->row;
}

void hd_table_cell(struct hd_table *grid, const char *format, ...) {
  char cell[HD_CELL_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(cell, sizeof cell, format, arguments);
  va_end(arguments);
  hd_need(scols_line_set_data(grid->row, grid->cell++, cell) == 0);
}

void hd_table_time(struct hd_table *grid, const struct hd_unit *unit, double seconds) {
  char cell[HD_CELL_BYTES];
  hd_cell_time(cell, unit, seconds);
  hd_table_cell(grid, "%s", cell);
}

void hd_table_number(struct hd_table *grid, double number, int decimals) {
  char cell[HD_CELL_BYTES];
  hd_cell_number(cell, number, decimals);
  hd_table_cell(grid, "%s", cell);
}

void hd_table_paint(struct hd_table *grid, struct libscols_line *row, size_t column, enum hd_paint paint, FILE *out) {
  const char *sequence = hd_paint_begin(paint, out);
  if (!*sequence)
    return;
  scols_table_enable_colors(grid->table, 1);
  hd_need(scols_cell_set_color(scols_line_get_cell(row, column), sequence) == 0);
}

void hd_table_at(struct hd_table *grid, const char *place) {
  hd_need(scols_line_set_data(grid->row, grid->column_count, place) == 0);
}

const char *hd_table_text(struct libscols_line *row, size_t column) {
  const char *text = scols_cell_get_data(scols_line_get_cell(row, column));
  return text ? text : "";
}

const char *hd_table_title(const struct hd_table *grid, size_t column) {
  return scols_cell_get_data(scols_column_get_header(scols_table_get_column(grid->table, column)));
}

/* ---- what fits ---- */

bool hd_table_is_hidden(const struct hd_table *grid, size_t column) {
  return scols_column_is_hidden(scols_table_get_column(grid->table, column));
}

size_t hd_table_width(const struct hd_table *grid, size_t column) {
  size_t width = hd_text_width(hd_table_title(grid, column));
  struct libscols_iter *lines = scols_new_iter(SCOLS_ITER_FORWARD);
  struct libscols_line *row;
  while (lines && scols_table_next_line(grid->table, lines, &row) == 0) {
    const size_t length = hd_text_width(hd_table_text(row, column));
    width = length > width ? length : width;
  }
  scols_free_iter(lines);
  return width;
}

static size_t place_width(const struct hd_table *grid) {
  const bool placed = scols_table_get_column(grid->table, grid->column_count);
  size_t width = placed ? hd_text_width(hd_table_title(grid, grid->column_count)) : 0;
  struct libscols_iter *lines = scols_new_iter(SCOLS_ITER_FORWARD);
  struct libscols_line *row;
  while (lines && width < PLACE_LEAST && scols_table_next_line(grid->table, lines, &row) == 0) {
    const size_t length = hd_text_width(hd_table_text(row, grid->column_count)) + 2 * depth_of(row);
    width = length > width ? length : width;
  }
  scols_free_iter(lines);
  return width < PLACE_LEAST ? width : PLACE_LEAST;
}

/* The column of the highest rank, the rightmost of several; the count when none may go. */
static size_t least_needed(const struct hd_table *grid) {
  size_t found = grid->column_count;
  for (size_t i = 0; i < grid->column_count; i++)
    if (grid->ranks[i] > 0 && !hd_table_is_hidden(grid, i) &&
        (found == grid->column_count || grid->ranks[i] >= grid->ranks[found]))
      found = i;
  return found;
}

void hd_table_fit(struct hd_table *grid, size_t room, size_t place) {
  size_t used = place;
  for (size_t i = 0; i < grid->column_count; i++)
    used += hd_table_width(grid, i) + 1;
  while (used > room) {
    const size_t column = least_needed(grid);
    if (column == grid->column_count)
      break;
    used -= hd_table_width(grid, column) + 1;
    struct libscols_column *gone = scols_table_get_column(grid->table, column);
    scols_column_set_flags(gone, scols_column_get_flags(gone) | SCOLS_FL_HIDDEN);
  }
}

size_t hd_table_room(const struct hd_table *grid, FILE *out) {
  enum { PAGE = 120 };
  const size_t width = hd_terminal_width(out);
  return width == HD_UNBOUNDED_WIDTH && grid->counted ? PAGE : width;
}

void hd_table_said_narrow(const struct hd_table *grid, FILE *out) {
  char *names = NULL;
  for (size_t i = 0; i < grid->column_count && !grid->quiet; i++)
    if (hd_table_is_hidden(grid, i)) {
      char *longer = hd_print("%s%s%s", names ? names : "", names ? ", " : "", hd_table_title(grid, i));
      free(names);
      names = longer;
    }
  if (names)
    hd_print_sentences(out, "Left out, because a line has %zu characters: %s.", hd_table_room(grid, out), names);
  free(names);
}

void hd_table_print(struct hd_table *grid, FILE *out) {
  hd_table_fit(grid, hd_table_room(grid, out), place_width(grid));
  scols_table_set_stream(grid->table, out);
  scols_table_set_termwidth(grid->table, hd_terminal_width(out));
  hd_need(scols_print_table(grid->table) == 0);
  hd_table_said_narrow(grid, out);
}

void hd_table_free(struct hd_table *grid) {
  scols_unref_table(grid->table);
  *grid = (struct hd_table){0};
}
