/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file overhead.c
 * What Heddle itself cost: per event, and in each region beside what was measured there.
 */
#include <math.h>
#include <stdlib.h>

#include "output/model/format_names.h"
#include "output/views/render/columns.h"
#include "output/views/report/report_internal.h"

bool hd_report_overhead_matters(const struct hd_view *view) {
  for (uint32_t i = 1; i < view->count; i++) {
    const struct hd_line *line = &view->lines[i];
    if (line->shown && hd_overhead_matters(view->model, line->ticks, &line->intrusion, &line->team))
      return true;
  }
  return false;
}

/* ---- per region ---- */

enum {
  ELAPSED,
  ELAPSED_CORRECTED,
  BUSY,
  BUSY_CORRECTED,
  WAIT,
  WAIT_CORRECTED,
  RUNTIME,
  RUNTIME_CORRECTED,
  SHARE,
  EVENTS, /* the last three: of an event, not of a region */
  EVENT_NS,
  EVENT_TIME,
  COLUMNS
};

static const struct hd_column table[COLUMNS] = {
    [ELAPSED] = {"elapsed_s", "Elapsed", HD_SECONDS, 0, 0, NULL},
    [ELAPSED_CORRECTED] = {"corrected_elapsed_s", "Elapsed*", HD_SECONDS, 0, 0, "regions and the program"},
    [BUSY] = {"busy_s", "Busy", HD_SECONDS, 0, 4, NULL},
    [BUSY_CORRECTED] = {"corrected_busy_s", "Busy*", HD_SECONDS, 0, 4, NULL},
    [WAIT] = {"wait_s", "Wait", HD_SECONDS, 0, 3, NULL},
    [WAIT_CORRECTED] = {"corrected_wait_s", "Wait*", HD_SECONDS, 0, 3, NULL},
    [RUNTIME] = {"runtime_s", NULL, HD_SECONDS, 0, 0, NULL},
    [RUNTIME_CORRECTED] = {"corrected_runtime_s", NULL, HD_SECONDS, 0, 0, NULL},
    [SHARE] = {"overhead_share", "Heddle%", HD_SHARE, 0, 0, "of the busy or, if more, of the elapsed time"},
    [EVENTS] = {"events", NULL, HD_COUNT, 0, 0, NULL},
    [EVENT_NS] = {"event_ns", NULL, HD_NUMBER, 0, 0, NULL},
    [EVENT_TIME] = {"event_s", NULL, HD_SECONDS, 0, 0, NULL},
};

static void fill(struct hd_value values[COLUMNS], const struct hd_view *view, uint32_t index) {
  const struct hd_model *model = view->model;
  const struct hd_line *line = &view->lines[index];
  const struct hd_team_totals *team = &line->team;
  const int64_t *intrusion = line->intrusion.ticks;
  const uint64_t waiting = hd_ticks_waiting(line->ticks);
  const bool known = team->instances > 0, region = known && hd_kind_is_region(line->node->kind);
  values[ELAPSED] = hd_ticks(model, hd_team_elapsed(team), known);
  values[ELAPSED_CORRECTED] = hd_ticks(model, hd_team_corrected_elapsed(team), region);
  values[BUSY] = hd_ticks(model, (double)line->ticks[HD_BUSY], true);
  values[BUSY_CORRECTED] = hd_ticks(model, hd_corrected(line->ticks[HD_BUSY], intrusion[HD_INTRUSION_BUSY]), true);
  values[WAIT] = hd_ticks(model, (double)waiting, true);
  values[WAIT_CORRECTED] = hd_ticks(model, hd_corrected(waiting, hd_intrusion_waiting(&line->intrusion)), true);
  values[RUNTIME] = hd_ticks(model, (double)line->ticks[HD_RUNTIME], true);
  values[RUNTIME_CORRECTED] =
      hd_ticks(model, hd_corrected(line->ticks[HD_RUNTIME], intrusion[HD_INTRUSION_RUNTIME]), true);
  values[SHARE] = hd_share(hd_overhead_of(line->ticks, &line->intrusion, team), 1, true);
  if (index > 0)
    return;
  values[ELAPSED] = hd_ticks(model, (double)model->elapsed_ticks, true);
  values[ELAPSED_CORRECTED] = hd_ticks(model, hd_model_corrected_elapsed(model), true);
  values[SHARE] = hd_share(hd_model_overhead(model), 1, true);
}

static bool is_shown(const struct hd_view *view, uint32_t index) {
  return index == 0 || view->lines[index].shown;
}

static struct hd_unit unit_for(const struct hd_view *view) {
  struct hd_value values[COLUMNS] = {0};
  double most = 0;
  for (uint32_t i = 0; i < view->count; i++) {
    fill(values, view, i);
    if (is_shown(view, i))
      most = fmax(most, fmax(values[BUSY].number, fmax(values[WAIT].number, values[ELAPSED].number)));
  }
  return hd_unit_for(most);
}

static bool print_lines(const struct hd_view *view, FILE *out) {
  const struct hd_columns columns = {table, COLUMNS, 0, unit_for(view)};
  struct libscols_line **rows = calloc(view->count, sizeof *rows);
  struct hd_value values[COLUMNS] = {0};
  char place[HD_PLACE_BYTES];
  struct hd_grid grid = {0};
  hd_columns_add(&columns, &grid);
  hd_grid_place(&grid, "Region", true);
  for (uint32_t i = 0; rows && i < view->count; i++) {
    const struct hd_line *line = &view->lines[i];
    if (!is_shown(view, i))
      continue;
    rows[i] = hd_grid_row(&grid, i > 0 ? rows[line->parent] : NULL);
    fill(values, view, i);
    hd_columns_cells(&columns, values, &grid);
    hd_place_text(place, view->model, line, i > 0 && line->parent != 0 ? &view->lines[line->parent] : NULL);
    hd_grid_at(&grid, i > 0 ? place : "program");
  }
  fprintf(out, "\nTimes in %s.\n", columns.unit.name);
  const bool done = rows && hd_grid_print(&grid, out);
  hd_grid_free(&grid);
  free(rows);
  return done;
}

static void print_legend(FILE *out) {
  fputs("*: an estimate of the time without Heddle: measured time minus its events and the waits they caused (the\n"
        "virtual clock). An estimate may be slightly below 0.\n",
        out);
  hd_columns_legend(&(struct hd_columns){.items = table, .count = COLUMNS},
                    "Busy and Wait are summed over threads, with the lines below. All other numbers, here and in other "
                    "views, are as measured.",
                    out);
}

/* ---- per event ---- */

static void put_event(struct hd_grid *grid, const struct hd_model *model, enum hd_event_kind kind,
                      const struct hd_unit *unit) {
  const struct hd_cost *cost = &model->cost_of[kind];
  const double seconds = hd_model_seconds(model, cost->ticks);
  char cell[HD_CELL_BYTES], name[HD_PLACE_BYTES];
  hd_grid_row(grid, NULL);
  hd_cell_grouped(cell, cost->count);
  hd_grid_cell(grid, "%s", cell);
  hd_grid_number(grid, 1e9 * seconds / (double)cost->count, 0);
  hd_grid_time(grid, unit, seconds);
  hd_grid_number(grid, 100 * (double)cost->ticks / (double)model->cost_ticks, 1);
  snprintf(name, sizeof name, "%s", hd_event_id(kind));
  for (char *at = name; *at; at++)
    if (*at == '_')
      *at = ' ';
  hd_grid_at(grid, name);
}

static bool print_events(const struct hd_model *model, FILE *out) {
  const struct hd_unit unit = hd_unit_for(hd_model_seconds(model, model->cost_ticks));
  struct hd_grid grid = {0};
  hd_grid_column(&grid, "Events", 0);
  hd_grid_column(&grid, "ns each", 0);
  hd_grid_column(&grid, "Total", 0);
  hd_grid_column(&grid, "%", 1);
  hd_grid_place(&grid, "Event", false);
  for (int kind = 0; kind < HD_EVENT_KINDS; kind++)
    if (model->cost_of[kind].count > 0)
      put_event(&grid, model, (enum hd_event_kind)kind, &unit);
  fprintf(out, "\nWhat Heddle's events cost (total in %s of thread time)\n", unit.name);
  const bool done = hd_grid_print(&grid, out);
  hd_grid_free(&grid);
  return done;
}

/* ---- what was switched off ---- */

static void print_switch(const struct hd_view *view, const struct hd_switch *from, FILE *out) {
  char time[HD_CELL_BYTES], place[HD_PLACE_BYTES];
  const uint32_t line = view->line_of_node[from->node];
  hd_cell_duration(time, hd_model_seconds(view->model, from->ticks));
  hd_place_text(place, view->model, &view->lines[line], NULL);
  fprintf(out, "  %s: %s, %llu time%s, in %s, where they cost %.1f %% of thread %u's time\n",
          hd_event_class_words((enum hd_event_class)from->event_class), time, (unsigned long long)from->times,
          from->times == 1 ? "" : "s", line > 0 ? place : "no region", (double)from->cost_ppm / 1e4, from->thread);
}

static void print_switches(const struct hd_view *view, const struct hd_report_options *options, FILE *out) {
  const struct hd_model *model = view->model;
  if (model->switch_count == 0)
    return;
  fputs("\nSwitched off, because the cost exceeded the budget\n", out);
  for (uint32_t i = 0; i < model->switch_count; i++) {
    if (options->limit > 0 && i == options->limit) {
      fprintf(out, "%u more lines not shown; --limit 0 shows all.\n", model->switch_count - i);
      return;
    }
    print_switch(view, &model->switches[i], out);
  }
}

/* ---- all of it ---- */

bool hd_report_overhead(struct hd_view *view, const struct hd_report_options *options, FILE *out) {
  const uint32_t left = hd_view_choose(view, options->sort, options->limit, false);
  hd_report_heading(view->model, false, out);
  hd_report_scope(view->model, options, out);
  if (view->model->cost_count == 0) {
    fputs("\nThis profile has no record of Heddle's own cost.\n", out);
    return true;
  }
  if (!print_lines(view, out))
    return false;
  hd_report_left(left, "line", out);
  print_legend(out);
  hd_report_shortened_mark(view->model, out);
  if (!print_events(view->model, out))
    return false;
  print_switches(view, options, out);
  return true;
}

bool hd_report_overhead_csv(struct hd_view *view, const struct hd_report_options *options, FILE *out) {
  const struct hd_columns columns = {.items = table, .count = COLUMNS};
  hd_view_choose(view, options->sort, options->limit, false);
  hd_csv_place_names(out);
  hd_columns_csv_names(&columns, out);
  fputc('\n', out);
  for (uint32_t i = 0; i < view->count; i++) {
    struct hd_value values[COLUMNS] = {0};
    if (!is_shown(view, i))
      continue;
    fill(values, view, i);
    hd_csv_place(view, i, out);
    hd_columns_csv(&columns, values, out);
    fputc('\n', out);
  }
  for (int kind = 0; kind < HD_EVENT_KINDS; kind++) {
    const struct hd_cost *cost = &view->model->cost_of[kind];
    const double seconds = hd_model_seconds(view->model, cost->ticks);
    const struct hd_value values[COLUMNS] = {[EVENTS] = hd_count(cost->count, true),
                                             [EVENT_NS] = hd_number(1e9 * seconds / (double)cost->count),
                                             [EVENT_TIME] = hd_number(seconds)};
    if (cost->count == 0)
      continue;
    fprintf(out, ",,,event,%s,,,,,,", hd_event_id((enum hd_event_kind)kind));
    hd_columns_csv(&columns, values, out);
    fputc('\n', out);
  }
  return true;
}
