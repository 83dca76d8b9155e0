/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file overhead.c
 * What Heddle itself cost: per event, and in each region beside what was measured there.
 */
#include <math.h>

#include "output/model/format_names.h"
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

/* Ticks, measured and corrected; NaN: not known. */
struct times {
  double elapsed, corrected_elapsed;
  double busy, corrected_busy;
  double wait, corrected_wait;
  double runtime, corrected_runtime;
  double overhead; /* part of the time: hd_overhead_of() */
};

static struct times times_of(const struct hd_view *view, uint32_t index) {
  const struct hd_line *line = &view->lines[index];
  const struct hd_intrusion *intrusion = &line->intrusion;
  const bool region = hd_kind_is_region(line->node->kind) && line->team.instances > 0;
  struct times times = {
      .elapsed = line->team.instances > 0 ? hd_team_elapsed(&line->team) : NAN,
      .corrected_elapsed = region ? hd_team_corrected_elapsed(&line->team) : NAN,
      .busy = (double)line->ticks[HD_BUSY],
      .corrected_busy = hd_corrected(line->ticks[HD_BUSY], intrusion->ticks[HD_INTRUSION_BUSY]),
      .wait = (double)hd_ticks_waiting(line->ticks),
      .corrected_wait = hd_corrected(hd_ticks_waiting(line->ticks), hd_intrusion_waiting(intrusion)),
      .runtime = (double)line->ticks[HD_RUNTIME],
      .corrected_runtime = hd_corrected(line->ticks[HD_RUNTIME], intrusion->ticks[HD_INTRUSION_RUNTIME]),
      .overhead = hd_overhead_of(line->ticks, &line->intrusion, &line->team),
  };
  if (index > 0)
    return times;
  times.elapsed = (double)view->model->elapsed_ticks;
  times.corrected_elapsed = hd_model_corrected_elapsed(view->model);
  times.overhead = hd_model_overhead(view->model);
  return times;
}

static bool put_line(struct hd_grid *grid, const struct hd_view *view, uint32_t index, const struct hd_unit *unit,
                     uint32_t parent) {
  const struct times times = times_of(view, index);
  const double second = view->model->seconds_per_tick;
  const struct hd_line *line = &view->lines[index];
  struct hd_grid_row *row = hd_grid_add(grid, parent);
  size_t column = 0;
  if (!row)
    return false;
  hd_cell_time(row->cells[column++], unit, times.elapsed * second);
  hd_cell_time(row->cells[column++], unit, times.corrected_elapsed * second);
  hd_cell_time(row->cells[column++], unit, times.busy * second);
  hd_cell_time(row->cells[column++], unit, times.corrected_busy * second);
  hd_cell_time(row->cells[column++], unit, times.wait * second);
  hd_cell_time(row->cells[column++], unit, times.corrected_wait * second);
  hd_cell_number(row->cells[column++], 100 * times.overhead, 1);
  if (index == 0)
    snprintf(row->place, sizeof row->place, "program");
  else
    hd_place_text(row->place, view->model, line, line->parent != 0 ? &view->lines[line->parent] : NULL);
  return true;
}

static struct hd_unit unit_for(const struct hd_view *view) {
  double most = 0;
  for (uint32_t i = 0; i < view->count; i++) {
    const struct times times = times_of(view, i);
    if (i == 0 || view->lines[i].shown)
      most = fmax(most, fmax(times.busy, fmax(times.wait, isnan(times.elapsed) ? 0 : times.elapsed)));
  }
  return hd_unit_for(most * view->model->seconds_per_tick);
}

static bool print_lines(const struct hd_view *view, FILE *out) {
  static const struct {
    const char *title;
    int rank;
  } columns[] = {{"Elapsed", 0}, {"Elapsed*", 0}, {"Busy", 4}, {"Busy*", 4}, {"Wait", 3}, {"Wait*", 3}, {"Heddle%", 0}};
  const struct hd_unit unit = unit_for(view);
  struct hd_grid grid = {0};
  for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
    hd_grid_column(&grid, columns[i].title, columns[i].rank);
  uint32_t above[HD_PLACE_BYTES] = {0}; /* by depth: the row */
  bool done = true;
  for (uint32_t i = 0; done && i < view->count; i++) {
    const uint32_t depth = view->lines[i].depth < HD_PLACE_BYTES ? view->lines[i].depth : HD_PLACE_BYTES - 1;
    if (i > 0 && !view->lines[i].shown)
      continue;
    above[depth] = grid.row_count;
    done = put_line(&grid, view, i, &unit, depth == 0 ? HD_NONE : above[depth - 1]);
  }
  fprintf(out, "\nTimes in %s.\n", unit.name);
  done = done && hd_grid_print(&grid, "Region", true, out);
  hd_grid_free(&grid);
  return done;
}

static const char legend[] =
    "*: without Heddle, an estimate: measured time less what its events took of it, and what teams waited for that\n"
    "(the virtual clock). A little below 0 is what an estimate can be. Elapsed*: regions and the program. Busy and "
    "Wait\n"
    "are summed over threads, with the lines below. Heddle%: of the busy or, if more, of the elapsed time. All other\n"
    "numbers, here and in other views, are as measured.\n";

/* ---- per event ---- */

static bool put_event(struct hd_grid *grid, const struct hd_model *model, enum hd_event_kind kind,
                      const struct hd_unit *unit) {
  const struct hd_cost *cost = &model->cost_of[kind];
  const double seconds = hd_model_seconds(model, cost->ticks);
  struct hd_grid_row *row = hd_grid_add(grid, HD_NONE);
  if (!row)
    return false;
  hd_cell_grouped(row->cells[0], cost->count);
  hd_cell_number(row->cells[1], 1e9 * seconds / (double)cost->count, 0);
  hd_cell_time(row->cells[2], unit, seconds);
  hd_cell_number(row->cells[3], 100 * (double)cost->ticks / (double)model->cost_ticks, 1);
  snprintf(row->place, sizeof row->place, "%s", hd_event_id(kind));
  for (char *at = row->place; *at; at++)
    if (*at == '_')
      *at = ' ';
  return true;
}

static bool print_events(const struct hd_model *model, FILE *out) {
  const struct hd_unit unit = hd_unit_for(hd_model_seconds(model, model->cost_ticks));
  struct hd_grid grid = {0};
  bool done = true;
  hd_grid_column(&grid, "Events", 0);
  hd_grid_column(&grid, "ns each", 0);
  hd_grid_column(&grid, "Total", 0);
  hd_grid_column(&grid, "%", 1);
  for (int kind = 0; done && kind < HD_EVENT_KINDS; kind++)
    if (model->cost_of[kind].count > 0)
      done = put_event(&grid, model, (enum hd_event_kind)kind, &unit);
  fprintf(out, "\nWhat Heddle's events cost (total in %s of thread time)\n", unit.name);
  done = done && hd_grid_print(&grid, "Event", false, out);
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
  fputs("\nNot measured, because it cost more than the budget\n", out);
  for (uint32_t i = 0; i < model->switch_count; i++) {
    if (options->limit > 0 && i == options->limit) {
      fprintf(out, "%u more lines are not shown; --limit 0 shows all.\n", model->switch_count - i);
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
    fputs("\nWhat Heddle itself cost is not in this file.\n", out);
    return true;
  }
  if (!print_lines(view, out))
    return false;
  if (left > 0)
    fprintf(out, "%u more line%s not shown; --limit 0 shows all.\n", left, left == 1 ? " is" : "s are");
  fputs(legend, out);
  hd_report_shortened_mark(view->model, out);
  if (!print_events(view->model, out))
    return false;
  print_switches(view, options, out);
  return true;
}

static void put_csv_line(const struct hd_view *view, uint32_t index, FILE *out) {
  const struct times times = times_of(view, index);
  const double second = view->model->seconds_per_tick;
  hd_csv_place(view, index, out);
  hd_csv_number(times.elapsed * second, out);
  hd_csv_number(times.corrected_elapsed * second, out);
  hd_csv_number(times.busy * second, out);
  hd_csv_number(times.corrected_busy * second, out);
  hd_csv_number(times.wait * second, out);
  hd_csv_number(times.corrected_wait * second, out);
  hd_csv_number(times.runtime * second, out);
  hd_csv_number(times.corrected_runtime * second, out);
  hd_csv_number(times.overhead, out);
  fputs(",,,\n", out);
}

static void put_csv_event(const struct hd_model *model, enum hd_event_kind kind, FILE *out) {
  const struct hd_cost *cost = &model->cost_of[kind];
  const double seconds = hd_model_seconds(model, cost->ticks);
  fprintf(out, ",,,event,%s,,,,,,,,,,,,,,,", hd_event_id(kind));
  fprintf(out, ",%llu", (unsigned long long)cost->count);
  hd_csv_number(1e9 * seconds / (double)cost->count, out);
  hd_csv_number(seconds, out);
  fputc('\n', out);
}

bool hd_report_overhead_csv(struct hd_view *view, const struct hd_report_options *options, FILE *out) {
  hd_view_choose(view, options->sort, options->limit, false);
  hd_csv_place_names(out);
  fputs(",elapsed_s,corrected_elapsed_s,busy_s,corrected_busy_s,wait_s,corrected_wait_s,runtime_s,corrected_runtime_s"
        ",overhead_share,events,event_ns,event_s\n",
        out);
  for (uint32_t i = 0; i < view->count; i++)
    if (i == 0 || view->lines[i].shown)
      put_csv_line(view, i, out);
  for (int kind = 0; kind < HD_EVENT_KINDS; kind++)
    if (view->model->cost_of[kind].count > 0)
      put_csv_event(view->model, (enum hd_event_kind)kind, out);
  return true;
}
