/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file overhead.c
 * What Heddle itself cost: per event, and in each region beside what was measured there.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/model/format_names.h"
#include "output/views/render/column_names.h"
#include "output/views/report/listing.h"
#include "output/views/report/report_internal.h"
#include "support/command/memory.h"

bool hd_report_overhead_matters(const struct hd_lines *view) {
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
  COLUMNS_OF_LINE,
  EVENTS = COLUMNS_OF_LINE, /* the rest: of an event, not of a line */
  EVENT_NS,
  EVENT_TIME,
  EVENT_SHARE,
  COLUMNS
};

static const struct hd_column table[COLUMNS] = {
    [ELAPSED] = HD_COLUMN(ELAPSED, 0, 0, "\n" HD_MEANS_ELAPSED),
    [ELAPSED_CORRECTED] = {"corrected_elapsed_s", "Elapsed*", HD_SECONDS, 0, 0, "regions and the program"},
    [BUSY] = HD_COLUMN(BUSY, 0, 4, "\n" HD_MEANS_SUM),
    [BUSY_CORRECTED] = {"corrected_busy_s", "Busy*", HD_SECONDS, 0, 4, "\nBusy without Heddle, an estimate"},
    [WAIT] = HD_COLUMN(WAIT, 0, 3, "\n" HD_MEANS_SUM),
    [WAIT_CORRECTED] = {"corrected_wait_s", "Wait*", HD_SECONDS, 0, 3, "\nWait without Heddle, an estimate"},
    [RUNTIME] = {"runtime_s", NULL, HD_SECONDS, 0, 0, "\nthe runtime's own work"},
    [RUNTIME_CORRECTED] = {"corrected_runtime_s", NULL, HD_SECONDS, 0, 0, "\nlikewise"},
    [SHARE] = {"overhead_share", "Heddle%", HD_SHARE, 0, 0,
               "of the busy or, if more, of the elapsed time; the program's is that of the heading"},
    [EVENTS] = HD_COLUMN(EVENTS, 0, 0, "\nrows of kind event: how many of Heddle's events there were"),
    [EVENT_NS] = HD_COLUMN(EVENT_NS, 0, 0, "\nnanoseconds for each of them"),
    [EVENT_TIME] = HD_COLUMN(EVENT_TIME, 0, 0, "\nfor all of them, as thread time"),
    [EVENT_SHARE] = {NULL, "%", HD_SHARE, 0, 1, "\nof the time for all of Heddle's events"},
};

const struct hd_report_columns hd_report_overhead_columns = {"overhead", table, COLUMNS, -1};

static uint64_t bits(int first, int end) {
  return (UINT64_C(1) << end) - (UINT64_C(1) << first);
}

static void fill(struct hd_value values[COLUMNS], const struct hd_lines *view, uint32_t index) {
  const struct hd_model *model = view->model;
  const struct hd_line *line = &view->lines[index];
  const struct hd_team_totals *team = &line->team;
  const int64_t *intrusion = line->intrusion.ticks;
  const uint64_t runtime = hd_ticks_runtime(line->ticks);
  const bool known = team->instances > 0, region = known && hd_kind_is_region(line->node->kind);
  values[ELAPSED] = hd_ticks(model, hd_team_elapsed(team), known);
  values[ELAPSED_CORRECTED] = hd_ticks(model, hd_team_corrected_elapsed(team), region);
  values[BUSY] = hd_ticks(model, (double)line->ticks[HD_BUSY], true);
  values[BUSY_CORRECTED] = hd_ticks(model, hd_corrected(line->ticks[HD_BUSY], intrusion[HD_INTRUSION_BUSY]), true);
  values[WAIT] = hd_ticks(model, (double)hd_ticks_waiting(line->ticks), true);
  values[WAIT_CORRECTED] = hd_ticks(model, hd_corrected_waiting(line->ticks, &line->intrusion), true);
  values[RUNTIME] = hd_ticks(model, (double)runtime, true);
  values[RUNTIME_CORRECTED] = hd_ticks(model, hd_corrected(runtime, intrusion[HD_INTRUSION_RUNTIME]), true);
  values[SHARE] = hd_share(hd_overhead_of(line->ticks, &line->intrusion, team), 1, true);
  if (index > 0)
    return;
  values[ELAPSED] = hd_ticks(model, (double)model->elapsed_ticks, true);
  values[ELAPSED_CORRECTED] = hd_ticks(model, hd_model_corrected_elapsed(model), true);
  values[SHARE] = hd_share(hd_model_overhead(model), 1, true);
}

static void mark(struct hd_value values[COLUMNS], uint32_t marks) {
  values[ELAPSED].mark = values[ELAPSED_CORRECTED].mark = hd_bounds_text(hd_bounds_of_elapsed(marks));
  values[BUSY].mark = values[BUSY_CORRECTED].mark = hd_bounds_text(hd_bounds_of_busy(marks));
  values[WAIT].mark = values[WAIT_CORRECTED].mark = hd_bounds_text(hd_bounds_of_waits(marks));
}

static struct hd_unit unit_for(const struct hd_lines *view) {
  struct hd_value values[COLUMNS] = {0};
  double most = 0;
  for (uint32_t i = 0; i < view->count; i++) {
    fill(values, view, i);
    if (view->lines[i].shown)
      most = fmax(most, fmax(values[BUSY].number, fmax(values[WAIT].number, values[ELAPSED].number)));
  }
  return hd_unit_for(most);
}

static void put_lines(const struct hd_lines *view, struct hd_listing *listing, uint32_t left) {
  void **rows = hd_new(view->count, sizeof *rows);
  hd_listing_begin(listing, HD_LINE_FIRST, "Region", true);
  for (uint32_t i = 0; i < view->count; i++) {
    const struct hd_line *line = &view->lines[i];
    struct hd_value values[COLUMNS] = {0};
    if (!line->shown)
      continue;
    struct hd_listed row = hd_listed_line(view, i);
    row.parent = i > 0 ? rows[line->parent] : NULL;
    if (i > 0)
      hd_place_text(row.place, view->model, line, line->parent != 0 ? &view->lines[line->parent] : NULL);
    else
      strcpy(row.place, "program");
    fill(values, view, i);
    mark(values, line->marks);
    rows[i] = hd_listing_put(listing, &row, values);
  }
  free(rows);
  if (!listing->csv)
    hd_listing_end(listing, left);
}

static void print_legend(const struct hd_columns *columns, FILE *out) {
  hd_print_sentences(out,
                     "*: an estimate of the time without Heddle: measured time minus its events and the waits they "
                     "caused (the virtual clock). - also where the estimate cannot be true: below 0, or Busy above "
                     "what was measured.");
  hd_columns_legend(columns,
                    "Busy and Wait are summed over threads, with the lines below. All other numbers, here and in other "
                    "views, are as measured.",
                    out);
}

/* ---- per event ---- */

static void fill_event(struct hd_value values[COLUMNS], const struct hd_model *model, enum hd_event_kind kind) {
  const struct hd_cost *cost = &model->cost_of[kind];
  const double each = 1e9 * hd_model_seconds(model, cost->ticks) / (double)cost->count;
  values[EVENTS] = hd_count(cost->count, true);
  hd_cell_grouped(values[EVENTS].text, cost->count);
  values[EVENT_NS] = hd_number(each);
  hd_cell_number(values[EVENT_NS].text, each, 0);
  values[EVENT_TIME] = hd_ticks(model, (double)cost->ticks, true);
  values[EVENT_SHARE] = hd_share((double)cost->ticks, (double)model->cost_ticks, true);
}

static void put_events(struct hd_listing *listing) {
  for (int kind = 0; kind < HD_EVENT_KINDS; kind++) {
    struct hd_listed row = {.first = ",,,", .kind = "event", .name = hd_event_id((enum hd_event_kind)kind)};
    struct hd_value values[COLUMNS] = {0};
    snprintf(row.place, sizeof row.place, "%s", row.name);
    for (char *at = row.place; (at = strchr(at, '_'));)
      *at = ' ';
    fill_event(values, listing->model, (enum hd_event_kind)kind);
    if (values[EVENTS].count > 0)
      hd_listing_put(listing, &row, values);
  }
}

static void print_events(const struct hd_model *model, FILE *out) {
  const struct hd_unit unit = hd_unit_for(hd_model_seconds(model, model->cost_ticks));
  struct hd_listing listing = {
      .model = model, .columns = {table, COLUMNS, bits(0, COLUMNS_OF_LINE), unit}, .out = out, .titled = true};
  hd_listing_begin(&listing, NULL, "Event", false);
  put_events(&listing);
  fprintf(out, "\nWhat Heddle's events cost (total in %s of thread time)\n", unit.name);
  hd_listing_end(&listing, 0);
}

/* ---- what was switched off ---- */

static void print_switch(const struct hd_lines *view, const struct hd_switch *from, FILE *out) {
  char place[HD_PLACE_BYTES];
  const uint32_t line = view->line_of_node[from->node];
  hd_place_text(place, view->model, &view->lines[line], NULL);
  const double cost_percent = (double)from->cost_ppm / 1e4;
  const char *asked_where = from->in_part ? "in some regions" : "everywhere";
  char *why = !from->asked       ? hd_print("in %s, where they had cost %.1f %% of thread %u's last half second",
                                      line > 0 ? place : "no region", cost_percent, from->thread)
              : cost_percent > 0 ? hd_print("%s, as was asked for; they had cost %.1f %% of a thread's time",
                                            asked_where, cost_percent)
                                 : hd_print("%s, as was asked for; what they cost is not known", asked_where);
  char *text = hd_print("%s: %s, %llu time%s, %s", hd_event_class_words((enum hd_event_class)from->event_class),
                        hd_duration_of(view->model, from->ticks).text, (unsigned long long)from->times,
                        hd_plural(from->times), why);
  free(why);
  fputs("  ", out);
  hd_print_paragraph(text, 2, out);
  free(text);
}

static void print_switches(const struct hd_lines *view, const struct hd_report_options *options, FILE *out) {
  const struct hd_model *model = view->model;
  if (model->switch_count == 0)
    return;
  fputs("\nSwitched off, because the cost exceeded the budget, or as was asked for\n", out);
  for (uint32_t i = 0; i < model->switch_count; i++) {
    if (options->limit > 0 && i == options->limit) {
      fprintf(out, "%u more lines not shown; --limit 0 shows all.\n", model->switch_count - i);
      return;
    }
    print_switch(view, &model->switches[i], out);
  }
}

/* ---- all of it ---- */

void hd_report_overhead(struct hd_lines *view, const struct hd_report_options *options, FILE *out) {
  const struct hd_model *model = view->model;
  const uint32_t left = hd_lines_select(view, options->sort, hd_limit_of(options), false);
  view->lines[0].shown = true;
  struct hd_listing listing = {.model = model,
                               .columns = {table, COLUMNS, bits(EVENTS, COLUMNS), unit_for(view)},
                               .csv = options->csv,
                               .asked = options,
                               .out = out};
  if (options->csv) {
    put_lines(view, &listing, left);
    put_events(&listing);
    hd_listing_end(&listing, 0);
    return;
  }
  hd_report_heading(model, hd_heading_of(options), out);
  if (!options->verbose)
    hd_report_own_cost(model, out);
  hd_report_scope(model, options, out);
  if (model->cost_count == 0) {
    fputs("\nThis profile has no record of Heddle's own cost.\n", out);
    return;
  }
  put_lines(view, &listing, left);
  print_legend(&listing.columns, out);
  hd_report_visits_mark(model, out);
  hd_report_shortened_mark(model, out);
  print_events(model, out);
  print_switches(view, options, out);
}
