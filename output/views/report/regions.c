/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file regions.c
 * The table of regions: its columns are a table of their own, and those that say nothing or do not fit are left out.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/causes.h"
#include "output/model/format_names.h"
#include "output/views/render/count_columns.h"
#include "output/views/render/level_bars.h"
#include "output/views/report/report_internal.h"

/* With less room for the place in the source, or than the longest place takes, other columns give way. */
enum { PLACE_LEAST = 40, COLUMNS_MAX = HD_STATE_COUNT + 16 + HD_COUNT_COLUMNS, TREE_DEPTH_MAX = 64 };

struct table;

struct column {
  const char *title;
  int rank; /* what is left out first when the terminal is narrow: the highest; 0: never */
  void (*fill)(char cell[HD_CELL_BYTES], const struct table *table, const struct hd_line *line, int which);
  int which; /* a state, or the number of a counters' column */
};

struct table {
  const struct hd_view *view;
  const struct hd_model *model;
  struct hd_unit unit;
  bool brief;
  struct hd_level_groups groups; /* of the whole program, so that the lines can be compared */
  char groups_title[HD_CELL_BYTES];
  struct column columns[COLUMNS_MAX];
  size_t column_count;
  struct hd_count_columns *counts;
  struct hd_count_sums *sums; /* by line of the view, inclusive; NULL: there are no counters */
  uint32_t *shown;            /* lines of the view */
  uint32_t shown_count;
  char (*cells)[HD_CELL_BYTES]; /* by shown line, then column */
};

static bool has_team(const struct hd_line *line) {
  return line->team.instances > 0 && hd_team_elapsed(&line->team) > 0;
}

/* ---- the columns' cells ---- */

static void fill_team_time(char cell[HD_CELL_BYTES], const struct table *table, const struct hd_line *line,
                           double ticks) {
  hd_cell_time(cell, &table->unit, has_team(line) ? ticks * table->model->seconds_per_tick : NAN);
}

static void fill_share(char cell[HD_CELL_BYTES], const struct table *table, const struct hd_line *line, double ticks) {
  const double whole = (double)table->model->elapsed_ticks;
  hd_cell_number(cell, has_team(line) && whole > 0 ? 100 * ticks / whole : NAN, 1);
}

static void fill_gain(char cell[HD_CELL_BYTES], const struct table *table, const struct hd_line *line, int which) {
  (void)which;
  fill_team_time(cell, table, line, line->team.gain_ticks);
}

static void fill_gain_share(char cell[HD_CELL_BYTES], const struct table *table, const struct hd_line *line,
                            int which) {
  (void)which;
  fill_share(cell, table, line, line->team.gain_ticks);
}

static void fill_elapsed(char cell[HD_CELL_BYTES], const struct table *table, const struct hd_line *line, int which) {
  (void)which;
  fill_team_time(cell, table, line, hd_team_elapsed(&line->team));
}

static void fill_elapsed_share(char cell[HD_CELL_BYTES], const struct table *table, const struct hd_line *line,
                               int which) {
  (void)which;
  fill_share(cell, table, line, hd_team_elapsed(&line->team));
}

static void fill_wall_share(char cell[HD_CELL_BYTES], const struct table *table, const struct hd_line *line,
                            int which) {
  (void)which;
  const double whole = (double)table->model->elapsed_ticks;
  hd_cell_number(cell, whole > 0 ? 100 * line->wall_share_ticks / whole : NAN, 1);
}

static void fill_levels(char cell[HD_CELL_BYTES], const struct table *table, const struct hd_line *line, int which) {
  (void)which;
  hd_levels_sparkline(cell, &line->elapsed_at, &table->groups);
}

static void fill_id(char cell[HD_CELL_BYTES], const struct table *table, const struct hd_line *line, int which) {
  (void)table;
  (void)which;
  snprintf(cell, HD_CELL_BYTES, "%u", line->node->id);
}

static void fill_calls(char cell[HD_CELL_BYTES], const struct table *table, const struct hd_line *line, int which) {
  (void)which;
  hd_cell_visits(cell, table->model, line->node->kind, line->visits, true);
}

static void fill_team(char cell[HD_CELL_BYTES], const struct table *table, const struct hd_line *line, int which) {
  (void)table;
  (void)which;
  const struct hd_team_totals *team = &line->team;
  if (team->team_max == 0)
    snprintf(cell, HD_CELL_BYTES, "-");
  else if (team->team_min == team->team_max)
    snprintf(cell, HD_CELL_BYTES, "%u", team->team_max);
  else
    snprintf(cell, HD_CELL_BYTES, "%u-%u", team->team_min, team->team_max);
}

static void fill_concurrency(char cell[HD_CELL_BYTES], const struct table *table, const struct hd_line *line,
                             int which) {
  (void)table;
  (void)which;
  hd_cell_number(cell, hd_team_concurrency(&line->team), 2);
}

static void fill_imbalance(char cell[HD_CELL_BYTES], const struct table *table, const struct hd_line *line, int which) {
  (void)table;
  (void)which;
  hd_cell_number(cell, hd_team_imbalance(&line->team), 2);
}

static void fill_state(char cell[HD_CELL_BYTES], const struct table *table, const struct hd_line *line, int which) {
  hd_cell_time(cell, &table->unit, hd_model_seconds(table->model, line->ticks[which]));
}

static void fill_wait(char cell[HD_CELL_BYTES], const struct table *table, const struct hd_line *line, int which) {
  (void)which;
  hd_cell_time(cell, &table->unit, hd_model_seconds(table->model, hd_ticks_waiting(line->ticks)));
}

static void fill_overhead(char cell[HD_CELL_BYTES], const struct table *table, const struct hd_line *line, int which) {
  (void)table;
  (void)which;
  hd_cell_number(cell, 100 * hd_overhead_of(line->ticks, &line->intrusion, &line->team), 1);
}

static void fill_runtime(char cell[HD_CELL_BYTES], const struct table *table, const struct hd_line *line, int which) {
  const bool known = hd_kind_is_region(line->node->kind) || line->ticks[which] > 0;
  hd_cell_time(cell, &table->unit, known ? hd_model_seconds(table->model, line->ticks[which]) : NAN);
}

static void fill_idle(char cell[HD_CELL_BYTES], const struct table *table, const struct hd_line *line, int which) {
  (void)which;
  const bool known = hd_kind_is_region(line->node->kind);
  if (known)
    fill_team_time(cell, table, line, (double)line->team.idle_ticks);
  else
    hd_cell_time(cell, &table->unit, NAN);
}

static void fill_count(char cell[HD_CELL_BYTES], const struct table *table, const struct hd_line *line, int which) {
  const struct hd_count_sum *sum = &table->sums->sums[line - table->view->lines];
  hd_count_cell(cell, table->counts, (size_t)which, sum, hd_count_elapsed(&line->team));
}

/* ---- which columns there are ---- */

static const struct column brief_columns[] = {
    {"Gain", 0, fill_gain, HD_BUSY},        {"Gain%", 3, fill_gain_share, HD_BUSY},
    {"Elapsed", 0, fill_elapsed, HD_BUSY},  {"Run%", 5, fill_elapsed_share, HD_BUSY},
    {"Wall%", 4, fill_wall_share, HD_BUSY}, {"Calls", 0, fill_calls, HD_BUSY},
    {"Team", 4, fill_team, HD_BUSY},        {"Conc", 0, fill_concurrency, HD_BUSY},
    {"Imbal", 2, fill_imbalance, HD_BUSY},
};

static void add_column(struct table *table, const char *title, int rank,
                       void (*fill)(char cell[HD_CELL_BYTES], const struct table *, const struct hd_line *, int),
                       int which) {
  table->columns[table->column_count++] = (struct column){title, rank, fill, which};
}

struct survey {
  uint64_t most[HD_STATE_COUNT];
  uint64_t idle_ticks;
  double largest_ticks;
};

static struct survey survey_lines(const struct table *table) {
  struct survey survey = {0};
  for (uint32_t i = 0; i < table->shown_count; i++) {
    const struct hd_line *line = &table->view->lines[table->shown[i]];
    for (int state = 0; state < HD_STATE_COUNT; state++)
      if (survey.most[state] < line->ticks[state])
        survey.most[state] = line->ticks[state];
    if (survey.idle_ticks < line->team.idle_ticks)
      survey.idle_ticks = line->team.idle_ticks;
    survey.largest_ticks = fmax(survey.largest_ticks, hd_team_elapsed(&line->team));
    if (table->brief)
      continue;
    survey.largest_ticks = fmax(survey.largest_ticks, (double)line->ticks[HD_BUSY]);
    survey.largest_ticks = fmax(survey.largest_ticks, (double)hd_ticks_waiting(line->ticks));
  }
  return survey;
}

/* The largest time fixes the unit; a state whose time is written as zero on every line gets no column. */
static void choose_columns(struct table *table) {
  const struct survey survey = survey_lines(table);
  enum hd_state causes[HD_STATE_COUNT];
  table->unit = hd_unit_for(survey.largest_ticks * table->model->seconds_per_tick);
  for (size_t i = 0; i < sizeof brief_columns / sizeof brief_columns[0]; i++)
    table->columns[table->column_count++] = brief_columns[i];
  if (hd_report_overhead_matters(table->view))
    add_column(table, "Heddle%", 3, fill_overhead, HD_BUSY);
  if (table->brief)
    return;
  if (table->model->levels_known)
    add_column(table, table->groups_title, 6, fill_levels, HD_BUSY);
  const int count = hd_unit_shown_causes(&table->unit, survey.most, table->model, causes);
  add_column(table, "Busy", 4, fill_state, HD_BUSY);
  if (count != 1)
    add_column(table, "Wait", 2, fill_wait, HD_BUSY);
  for (int i = 0; i < count; i++)
    add_column(table, hd_state_words(causes[i]), count == 1 ? 2 : 6, fill_state, (int)causes[i]);
  if (hd_unit_shows(&table->unit, hd_model_seconds(table->model, survey.most[HD_RUNTIME])))
    add_column(table, "Runtime", 7, fill_runtime, HD_RUNTIME);
  if (hd_unit_shows(&table->unit, hd_model_seconds(table->model, survey.idle_ticks)))
    add_column(table, "Idle", 8, fill_idle, HD_IDLE);
  for (size_t i = 0; table->sums && i < table->counts->count; i++)
    add_column(table, table->counts->items[i].title, table->counts->items[i].rank, fill_count, (int)i);
  add_column(table, "Id", 1, fill_id, HD_BUSY);
}

/* ---- cells and widths ---- */

static char *cell_at(const struct table *table, uint32_t row, size_t column) {
  return table->cells[row * (size_t)COLUMNS_MAX + column];
}

static size_t column_width(const struct table *table, size_t column) {
  size_t width = strlen(table->columns[column].title);
  for (uint32_t row = 0; row < table->shown_count; row++) {
    const size_t length = hd_text_width(cell_at(table, row, column));
    width = length > width ? length : width;
  }
  return width;
}

/* The column of the highest rank, the rightmost of several; the count when none may go. */
static size_t least_needed(const struct table *table) {
  size_t found = table->column_count;
  for (size_t i = 0; i < table->column_count; i++)
    if (table->columns[i].rank > 0 &&
        (found == table->column_count || table->columns[i].rank >= table->columns[found].rank))
      found = i;
  return found;
}

static void remove_column(struct table *table, size_t column) {
  const size_t behind = table->column_count - column - 1;
  memmove(&table->columns[column], &table->columns[column + 1], behind * sizeof table->columns[0]);
  for (uint32_t row = 0; row < table->shown_count; row++)
    memmove(cell_at(table, row, column), cell_at(table, row, column + 1), behind * HD_CELL_BYTES);
  table->column_count--;
}

static const struct hd_line *place_of(const struct table *table, uint32_t row, char place[HD_PLACE_BYTES]) {
  const struct hd_line *line = &table->view->lines[table->shown[row]];
  const struct hd_line *outer = line->parent != 0 && !table->brief ? &table->view->lines[line->parent] : NULL;
  hd_place_text(place, table->model, line, outer);
  return line;
}

/* Of the longest place, with its branch of the tree. */
static size_t place_width(const struct table *table) {
  char place[HD_PLACE_BYTES];
  size_t width = 0;
  for (uint32_t row = 0; row < table->shown_count && width < PLACE_LEAST; row++) {
    const struct hd_line *line = place_of(table, row, place);
    const size_t length = hd_text_width(place) + (table->brief ? 0 : 2 * (size_t)(line->depth - 1));
    width = length > width ? length : width;
  }
  return width < PLACE_LEAST ? width : PLACE_LEAST;
}

/* Returns how many columns had to go. */
static unsigned fit(struct table *table, size_t room) {
  unsigned removed = 0;
  size_t used = place_width(table);
  for (size_t i = 0; i < table->column_count; i++)
    used += column_width(table, i) + 1;
  while (used > room) {
    const size_t column = least_needed(table);
    if (column == table->column_count)
      break;
    used -= column_width(table, column) + 1;
    remove_column(table, column);
    removed++;
  }
  return removed;
}

static bool fill_cells(struct table *table) {
  table->cells = calloc((size_t)table->shown_count + 1, COLUMNS_MAX * sizeof *table->cells);
  if (!table->cells)
    return false;
  for (uint32_t row = 0; row < table->shown_count; row++)
    for (size_t i = 0; i < table->column_count; i++)
      table->columns[i].fill(cell_at(table, row, i), table, &table->view->lines[table->shown[row]],
                             table->columns[i].which);
  return true;
}

/* ---- marks ---- */

enum bound { BOUND_NONE, BOUND_SUM, BOUND_BUSY, BOUND_WAIT };

/* Entries are marked where they are written. */
static enum bound bound_of(const struct column *column) {
  if (column->fill == fill_state)
    return column->which == HD_BUSY ? BOUND_BUSY : BOUND_WAIT;
  if (column->fill == fill_wait || column->fill == fill_gain || column->fill == fill_gain_share)
    return BOUND_WAIT;
  if (column->fill == fill_elapsed || column->fill == fill_elapsed_share)
    return BOUND_SUM;
  return BOUND_NONE;
}

/* What was not observed of the line is missing in all its sums; what was not observed in it is in its busy time. */
static const char *mark_of(const struct table *table, const struct hd_line *line, const struct column *column) {
  const bool less = line->measured && hd_model_is_incomplete(table->model, line->node->kind);
  const bool waits = line->flags & HD_NODE_BUSY_AT_MOST;
  const enum bound bound = bound_of(column);
  if (bound == BOUND_NONE || (!less && (!waits || bound == BOUND_SUM)))
    return "";
  if (bound == BOUND_BUSY && waits)
    return less ? "~" : "<=";
  return ">=";
}

static void mark_cell(char cell[HD_CELL_BYTES], const char *mark) {
  char plain[HD_CELL_BYTES];
  if (cell[0] == '-' || !mark[0])
    return;
  memcpy(plain, cell, sizeof plain);
  snprintf(cell, HD_CELL_BYTES, "%s%.28s", mark, plain);
}

static void mark_cells(struct table *table) {
  for (uint32_t row = 0; row < table->shown_count; row++)
    for (size_t i = 0; i < table->column_count; i++)
      mark_cell(cell_at(table, row, i), mark_of(table, &table->view->lines[table->shown[row]], &table->columns[i]));
}

/* ---- into smartcols ---- */

static bool add_line(const struct table *table, uint32_t row, struct libscols_line *made) {
  char place[HD_PLACE_BYTES];
  for (size_t i = 0; i < table->column_count; i++)
    if (scols_line_set_data(made, i, cell_at(table, row, i)) != 0)
      return false;
  place_of(table, row, place);
  return scols_line_set_data(made, table->column_count, place) == 0;
}

/* Lines come depth first, so a line's parent has been made before it. What is very deep stands beside its parent: its
 * tree would fill the screen. */
static bool add_lines(const struct table *table, struct libscols_table *into) {
  struct libscols_line **made = calloc(table->view->count, sizeof *made);
  bool done = made != NULL;
  for (uint32_t row = 0; done && row < table->shown_count; row++) {
    const uint32_t index = table->shown[row];
    struct libscols_line *parent = table->brief ? NULL : made[table->view->lines[index].parent];
    if (parent && table->view->lines[index].depth > TREE_DEPTH_MAX)
      parent = scols_line_get_parent(parent);
    made[index] = scols_table_new_line(into, parent);
    done = made[index] && add_line(table, row, made[index]);
  }
  free(made);
  return done;
}

static bool print_cells(const struct table *table, FILE *out) {
  struct libscols_table *into = hd_table_new(out);
  bool done = into != NULL;
  for (size_t i = 0; done && i < table->column_count; i++)
    done = hd_table_column(into, table->columns[i].title, SCOLS_FL_RIGHT);
  done = done && hd_table_column(into, "Region", SCOLS_FL_TRUNC | (table->brief ? 0 : SCOLS_FL_TREE)) &&
         add_lines(table, into);
  if (done) {
    fprintf(out, "\nTimes in %s.\n", table->unit.name);
    done = scols_print_table(into) == 0;
  }
  scols_unref_table(into);
  return done;
}

static void say_counts(const struct table *table, FILE *out) {
  const char *titles[COLUMNS_MAX];
  for (size_t i = 0; i < table->column_count; i++)
    titles[i] = table->columns[i].title;
  hd_count_columns_said_left(table->counts, titles, table->column_count, out);
  hd_count_legend(table->counts, "with the lines below", out);
}

bool hd_report_table(const struct hd_view *view, bool brief, FILE *out) {
  struct hd_count_columns counts;
  struct table table = {.view = view, .model = view->model, .brief = brief, .counts = &counts};
  table.shown = calloc(view->count, sizeof *table.shown);
  if (!table.shown)
    return false;
  for (uint32_t i = 1; i < view->count; i++)
    if (view->lines[i].shown)
      table.shown[table.shown_count++] = i;
  table.groups = hd_level_groups_for(hd_levels_highest(&view->model->time_at));
  hd_levels_sparkline_title(table.groups_title, &table.groups);
  hd_count_columns_choose(&counts, view->model, false);
  if (!brief && counts.count > 0)
    table.sums = hd_view_count_lines(view, true);
  choose_columns(&table);
  bool done = fill_cells(&table) && (brief || counts.count == 0 || table.sums);
  if (done)
    mark_cells(&table);
  if (done && table.shown_count > 0) {
    const unsigned removed = fit(&table, table.sums ? hd_report_page(out) : hd_report_width(out));
    done = print_cells(&table, out);
    if (!brief) {
      hd_grid_said_narrow(removed, out);
      say_counts(&table, out);
    }
  }
  hd_count_sums_free(table.sums);
  free(table.shown);
  free(table.cells);
  return done;
}
