/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Of the place, at least; a very deep tree would fill the screen. */
enum { PLACE_LEAST = 40, TREE_DEPTH_MAX = 64 };

size_t hd_text_width(const char *text) {
  size_t width = 0;
  for (; *text; text++)
    width += ((unsigned char)*text & 0xc0) != 0x80;
  return width;
}

/* A stream in memory is about to go to stderr. */
size_t hd_report_width(FILE *out) {
  struct winsize size;
  const int descriptor = fileno(out) >= 0 ? fileno(out) : STDERR_FILENO;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : HD_UNBOUNDED_WIDTH;
}

size_t hd_report_page(FILE *out) {
  enum { PAGE = 120, PAGE_LEAST = 20 };
  const size_t width = hd_report_width(out);
  const char *columns = getenv("COLUMNS");
  if (width != HD_UNBOUNDED_WIDTH)
    return width;
  const long asked = columns ? strtol(columns, NULL, 10) : 0;
  return asked < PAGE_LEAST ? PAGE : asked > HD_UNBOUNDED_WIDTH ? HD_UNBOUNDED_WIDTH : (size_t)asked;
}

struct libscols_table *hd_table_new(FILE *out) {
  scols_init_debug(0);
  struct libscols_table *table = scols_new_table();
  if (!table)
    return NULL;
  scols_table_set_stream(table, out);
  scols_table_set_termwidth(table, hd_report_width(out));
  scols_table_set_termforce(table, SCOLS_TERMFORCE_ALWAYS);
  return table;
}

bool hd_table_column(struct libscols_table *table, const char *title, int flags) {
  return scols_table_new_column(table, title, 0, flags) != NULL;
}

void hd_grid_column(struct hd_grid *grid, const char *title, int rank) {
  grid->titles[grid->column_count] = title;
  grid->ranks[grid->column_count++] = rank;
}

struct hd_grid_row *hd_grid_add(struct hd_grid *grid, uint32_t parent) {
  if (grid->row_count == grid->limit) {
    const uint32_t limit = grid->limit ? 2 * grid->limit : 64;
    struct hd_grid_row *rows = realloc(grid->rows, limit * sizeof *rows);
    if (!rows)
      return NULL;
    grid->rows = rows;
    grid->limit = limit;
  }
  struct hd_grid_row *row = &grid->rows[grid->row_count++];
  memset(row, 0, sizeof *row);
  row->parent = parent;
  row->depth = parent == HD_NONE ? 0 : grid->rows[parent].depth + 1;
  return row;
}

size_t hd_grid_width(const struct hd_grid *grid, size_t column) {
  size_t width = strlen(grid->titles[column]);
  for (uint32_t i = 0; i < grid->row_count; i++) {
    const size_t length = hd_text_width(grid->rows[i].cells[column]);
    width = length > width ? length : width;
  }
  return width;
}

static void remove_column(struct hd_grid *grid, size_t column) {
  const size_t behind = grid->column_count - column - 1;
  memmove(&grid->titles[column], &grid->titles[column + 1], behind * sizeof grid->titles[0]);
  memmove(&grid->ranks[column], &grid->ranks[column + 1], behind * sizeof grid->ranks[0]);
  for (uint32_t i = 0; i < grid->row_count; i++)
    memmove(grid->rows[i].cells[column], grid->rows[i].cells[column + 1], behind * HD_CELL_BYTES);
  grid->column_count--;
}

/* The column of the highest rank, the rightmost of several; the count when none may go. */
static size_t least_needed(const struct hd_grid *grid) {
  size_t found = grid->column_count;
  for (size_t i = 0; i < grid->column_count; i++)
    if (grid->ranks[i] > 0 && (found == grid->column_count || grid->ranks[i] >= grid->ranks[found]))
      found = i;
  return found;
}

unsigned hd_grid_fit(struct hd_grid *grid, size_t room, size_t place) {
  unsigned removed = 0;
  size_t used = place;
  for (size_t i = 0; i < grid->column_count; i++)
    used += hd_grid_width(grid, i) + 1;
  while (used > room) {
    const size_t column = least_needed(grid);
    if (column == grid->column_count)
      break;
    used -= hd_grid_width(grid, column) + 1;
    remove_column(grid, column);
    removed++;
  }
  return removed;
}

static size_t place_width(const struct hd_grid *grid, bool tree) {
  size_t width = 0;
  for (uint32_t i = 0; i < grid->row_count; i++) {
    const size_t length = hd_text_width(grid->rows[i].place) + (tree ? 2 * (size_t)grid->rows[i].depth : 0);
    width = length > width ? length : width;
  }
  return width < PLACE_LEAST ? width : PLACE_LEAST;
}

/* What is very deep stands beside its parent. */
static struct libscols_line *new_line(struct libscols_table *into, struct libscols_line **made,
                                      const struct hd_grid *grid, uint32_t row, bool tree) {
  const struct hd_grid_row *from = &grid->rows[row];
  struct libscols_line *parent = tree && from->parent != HD_NONE ? made[from->parent] : NULL;
  if (parent && from->depth > TREE_DEPTH_MAX)
    parent = scols_line_get_parent(parent);
  return scols_table_new_line(into, parent);
}

static bool add_lines(const struct hd_grid *grid, struct libscols_table *into, bool tree) {
  struct libscols_line **made = calloc((size_t)grid->row_count + 1, sizeof *made);
  bool done = made != NULL;
  for (uint32_t row = 0; done && row < grid->row_count; row++) {
    made[row] = new_line(into, made, grid, row, tree);
    done = made[row];
    for (size_t i = 0; done && i < grid->column_count; i++)
      done = scols_line_set_data(made[row], i, grid->rows[row].cells[i]) == 0;
    done = done && scols_line_set_data(made[row], grid->column_count, grid->rows[row].place) == 0;
  }
  free(made);
  return done;
}

size_t hd_grid_room(const struct hd_grid *grid, FILE *out) {
  return grid->counted ? hd_report_page(out) : hd_report_width(out);
}

void hd_grid_said_narrow(unsigned removed, FILE *out) {
  if (removed == 0)
    return;
  fprintf(out, "%u column%s left out: ", removed, removed == 1 ? " is" : "s are");
  if (hd_report_width(out) != HD_UNBOUNDED_WIDTH)
    fputs("the terminal is too narrow.\n", out);
  else
    fprintf(out, "a line has %zu characters; the variable COLUMNS says how many.\n", hd_report_page(out));
}

bool hd_grid_print(struct hd_grid *grid, const char *title, bool tree, FILE *out) {
  const unsigned removed = hd_grid_fit(grid, hd_grid_room(grid, out), place_width(grid, tree));
  struct libscols_table *into = hd_table_new(out);
  bool done = into != NULL;
  for (size_t i = 0; done && i < grid->column_count; i++)
    done = hd_table_column(into, grid->titles[i], SCOLS_FL_RIGHT);
  done = done && hd_table_column(into, title, SCOLS_FL_TRUNC | (tree ? SCOLS_FL_TREE : 0)) &&
         add_lines(grid, into, tree) && scols_print_table(into) == 0;
  scols_unref_table(into);
  hd_grid_said_narrow(removed, out);
  return done;
}

void hd_grid_free(struct hd_grid *grid) {
  free(grid->rows);
  *grid = (struct hd_grid){0};
}
