/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file report.c
 * The table of regions, the report around it and the summary after a run.
 */
#include "output/report.h"

#include <math.h>
#include <stdlib.h>

#include "output/kinds.h"
#include "output/report_parts.h"

enum { SUMMARY_REGIONS = 8, COLUMNS_MAX = 32 };

/* What all cells of one table share. */
struct table {
  const struct hd_view *view;
  const struct hd_model *model;
  struct hd_unit unit;
  enum hd_state causes[HD_STATE_COUNT]; /* the waiting states that have a column */
  int cause_count;
  bool wait, runtime, idle; /* columns that only some profiles need */
  bool brief;
  struct libscols_table *table;
};

static bool has_team(const struct hd_line *line) {
  return line->team.instances > 0 && line->team.elapsed_ticks > 0;
}

static double team_seconds(const struct table *table, const struct hd_line *line, double ticks) {
  return has_team(line) ? ticks * table->model->seconds_per_tick : NAN;
}

static double share_of_run(const struct table *table, const struct hd_line *line, double ticks) {
  const double whole = (double)table->model->elapsed_ticks;
  return has_team(line) && whole > 0 ? 100 * ticks / whole : NAN;
}

static void cell_team(char cell[HD_CELL_BYTES], const struct hd_team_totals *team) {
  if (team->team_max == 0)
    snprintf(cell, HD_CELL_BYTES, "-");
  else if (team->team_min == team->team_max)
    snprintf(cell, HD_CELL_BYTES, "%u", team->team_max);
  else
    snprintf(cell, HD_CELL_BYTES, "%u-%u", team->team_min, team->team_max);
}

static double ratio(uint64_t part, uint64_t whole) {
  return whole > 0 ? (double)part / (double)whole : NAN;
}

/* The largest time of the table fixes the unit; a cause whose time never shows gets no column. */
static void survey(struct table *table) {
  uint64_t most[HD_STATE_COUNT] = {0};
  uint64_t idle = 0;
  double largest = 0;
  for (uint32_t i = 1; i < table->view->count; i++) {
    const struct hd_line *line = &table->view->lines[i];
    if (!line->shown)
      continue;
    for (int state = 0; state < HD_STATE_COUNT; state++)
      most[state] = line->ticks[state] > most[state] ? line->ticks[state] : most[state];
    idle = line->team.idle_ticks > idle ? line->team.idle_ticks : idle;
    largest = fmax(largest, (double)line->team.elapsed_ticks);
    largest = fmax(largest, (double)line->ticks[HD_BUSY]);
    largest = fmax(largest, (double)hd_ticks_waiting(line->ticks));
  }
  table->unit = hd_unit_for(largest * table->model->seconds_per_tick);
  table->cause_count = hd_report_causes(most, table->model, &table->unit, table->causes);
  table->runtime = hd_unit_shows(&table->unit, hd_model_seconds(table->model, most[HD_RUNTIME]));
  table->idle = hd_unit_shows(&table->unit, hd_model_seconds(table->model, idle));
  table->wait = table->cause_count != 1;
}

static bool add_columns(struct table *table) {
  static const char *const fixed[] = {"Gain", "Gain%", "Elapsed", "Run%", "Calls", "Team", "Conc", "Imbal"};
  bool done = true;
  for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
    done &= hd_table_column(table->table, fixed[i], SCOLS_FL_RIGHT);
  if (!table->brief) {
    done &= hd_table_column(table->table, "Busy", SCOLS_FL_RIGHT);
    if (table->wait)
      done &= hd_table_column(table->table, "Wait", SCOLS_FL_RIGHT);
    for (int i = 0; i < table->cause_count; i++)
      done &= hd_table_column(table->table, hd_state_words(table->causes[i]), SCOLS_FL_RIGHT);
    if (table->runtime)
      done &= hd_table_column(table->table, "Runtime", SCOLS_FL_RIGHT);
    if (table->idle)
      done &= hd_table_column(table->table, "Idle", SCOLS_FL_RIGHT);
  }
  return done && hd_table_column(table->table, "Region", (table->brief ? 0 : SCOLS_FL_TREE) | SCOLS_FL_TRUNC);
}

/* A cell of the line under way. */
struct cells {
  struct libscols_line *line;
  size_t next;
  bool done;
};

static void put(struct cells *cells, const char *text) {
  cells->done &= scols_line_set_data(cells->line, cells->next++, text) == 0;
}

static void put_time(struct cells *cells, const struct table *table, double seconds) {
  char cell[HD_CELL_BYTES];
  hd_cell_time(cell, &table->unit, seconds);
  put(cells, cell);
}

static void put_number(struct cells *cells, double number, int decimals) {
  char cell[HD_CELL_BYTES];
  hd_cell_number(cell, number, decimals);
  put(cells, cell);
}

static void put_states(struct cells *cells, const struct table *table, const struct hd_line *line) {
  const struct hd_model *model = table->model;
  const bool region = hd_kind_is_region(line->node->kind);
  put_time(cells, table, hd_model_seconds(model, line->ticks[HD_BUSY]));
  if (table->wait)
    put_time(cells, table, hd_model_seconds(model, hd_ticks_waiting(line->ticks)));
  for (int i = 0; i < table->cause_count; i++)
    put_time(cells, table, hd_model_seconds(model, line->ticks[table->causes[i]]));
  if (table->runtime)
    put_time(cells, table,
             region || line->ticks[HD_RUNTIME] > 0 ? hd_model_seconds(model, line->ticks[HD_RUNTIME]) : NAN);
  if (table->idle)
    put_time(cells, table, region ? team_seconds(table, line, (double)line->team.idle_ticks) : NAN);
}

static void put_line(struct cells *cells, const struct table *table, const struct hd_line *line) {
  char cell[HD_CELL_BYTES];
  char place[HD_PLACE_BYTES];
  const struct hd_team_totals *team = &line->team;
  const struct hd_line *outer = line->depth > 1 && !table->brief ? &table->view->lines[line->parent] : NULL;
  put_time(cells, table, team_seconds(table, line, team->gain_ticks));
  put_number(cells, share_of_run(table, line, team->gain_ticks), 1);
  put_time(cells, table, team_seconds(table, line, (double)team->elapsed_ticks));
  put_number(cells, share_of_run(table, line, (double)team->elapsed_ticks), 1);
  snprintf(cell, sizeof cell, "%llu", (unsigned long long)line->visits);
  put(cells, cell);
  cell_team(cell, team);
  put(cells, cell);
  put_number(cells, ratio(team->busy_ticks, team->elapsed_ticks), 2);
  put_number(cells, ratio(team->busy_max_ticks, team->busy_ticks), 2);
  if (!table->brief)
    put_states(cells, table, line);
  hd_place_text(place, table->model, line, outer);
  put(cells, place);
}

/* smartcols wants a line's parent first: lines come depth first, so the open branch is a stack by depth; here the
 * stack is the lines themselves, by index. */
static bool add_lines(struct table *table, struct libscols_line **made) {
  for (uint32_t i = 1; i < table->view->count; i++) {
    const struct hd_line *line = &table->view->lines[i];
    if (!line->shown)
      continue;
    struct libscols_line *parent = table->brief || line->parent == 0 ? NULL : made[line->parent];
    made[i] = scols_table_new_line(table->table, parent);
    if (!made[i])
      return false;
    struct cells cells = {made[i], 0, true};
    put_line(&cells, table, line);
    if (!cells.done)
      return false;
  }
  return true;
}

static bool print_table(const struct hd_view *view, bool brief, FILE *out) {
  struct table table = {.view = view, .model = view->model, .brief = brief};
  struct libscols_line **made = calloc(view->count, sizeof *made);
  bool done = false;
  survey(&table);
  table.table = hd_table_new(out);
  if (made && table.table && add_columns(&table) && add_lines(&table, made)) {
    fprintf(out, "\nTimes in %s.\n", table.unit.name);
    done = scols_print_table(table.table) == 0;
  }
  scols_unref_table(table.table);
  free(made);
  return done;
}

static const char legend[] =
    "Gain: wall time saved if all threads of the team had been busy. Run%: elapsed time as part of the run.\n"
    "Conc: busy threads on average. Imbal: longest busy time of a thread over the mean. Busy and waiting times are\n"
    "summed over threads and include the lines below. '-': not measured.\n";

bool hd_report_regions(struct hd_view *view, const struct hd_report_options *options, FILE *out) {
  const uint32_t left = hd_view_choose(view, options->sort, options->limit, false);
  hd_report_heading(view->model, false, out);
  if (view->count <= 1) {
    fputs("\nNo parallel region was entered.\n", out);
    return true;
  }
  if (!print_table(view, false, out))
    return false;
  if (left > 0)
    fprintf(out, "%u more line%s not shown; --limit 0 shows all.\n", left, left == 1 ? " is" : "s are");
  fprintf(out, "\n%s", legend);
  fputs("Sequential and concurrent time per level of concurrency is not measured by this version.\n", out);
  return true;
}

bool hd_report_print(const struct hd_model *model, const struct hd_report_options *options, FILE *out) {
  struct hd_view *view = hd_view_new(model, options->sort);
  if (!view)
    return false;
  bool done = false;
  if (options->csv)
    done = options->threads ? hd_report_threads_csv(view, options, out) : hd_report_regions_csv(view, options, out);
  else
    done = options->threads ? hd_report_threads(view, options, out) : hd_report_regions(view, options, out);
  hd_view_free(view);
  return done;
}

void hd_report_summary(const struct hd_model *model, FILE *out) {
  struct hd_view *view = hd_view_new(model, HD_SORT_GAIN);
  hd_report_heading(model, true, out);
  if (!view)
    return;
  const uint32_t left = hd_view_choose(view, HD_SORT_GAIN, SUMMARY_REGIONS, true);
  if (view->count > 1 && print_table(view, true, out) && left > 0)
    fprintf(out, "%u more region%s not shown.\n", left, left == 1 ? " is" : "s are");
  hd_view_free(view);
}
