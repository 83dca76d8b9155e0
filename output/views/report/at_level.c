/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file at_level.c
 * What runs while at most N threads are busy? The callpaths' wall shares at levels 1 to N, which add up, together with
 * the time at which nobody was busy, to the time at levels 0 to N.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/model/levels.h"
#include "output/views/render/column_names.h"
#include "output/views/render/level_bars.h"
#include "output/views/report/listing.h"
#include "output/views/report/report_internal.h"
#include "support/command/memory.h"

struct share {
  uint32_t line;
  double wall_ticks;
  uint64_t thread_ticks;
};

struct table {
  const struct hd_lines *view;
  const struct hd_model *model;
  const struct hd_report_options *options;
  uint32_t level;
  double whole_ticks; /* at levels 0 to N */
  double none_ticks;
  struct share *shares; /* the largest first */
  uint32_t count;
  uint32_t shown;
  struct hd_listing listing;
};

static int compare_shares(const void *a, const void *b) {
  const struct share *left = a, *right = b;
  if (left->wall_ticks != right->wall_ticks)
    return left->wall_ticks > right->wall_ticks ? -1 : 1;
  return left->line < right->line ? -1 : 1;
}

static void find_shares(struct table *table) {
  const struct hd_lines *view = table->view;
  table->shares = hd_new(view->count, sizeof *table->shares);
  for (uint32_t i = 0; i < view->count; i++) {
    const struct hd_levels *levels = &view->lines[i].busy_at;
    const struct share share = {i, hd_levels_wall_share(levels, table->level), hd_levels_up_to(levels, table->level)};
    if (share.wall_ticks > 0)
      table->shares[table->count++] = share;
  }
  qsort(table->shares, table->count, sizeof *table->shares, compare_shares);
}

enum { WALL, SHARE, BUSY, ID, COLUMNS };

static const struct hd_column columns[COLUMNS] = {
    [WALL] = {"wall_s", "Wall", HD_SECONDS, 0, 0,
              "part of that time; threads that are busy at the same time share it, so that the column adds up"},
    [SHARE] = {"share", "%", HD_SHARE, 0, 0, "of that time"},
    [BUSY] = HD_COLUMN(BUSY, 0, 0, "time summed over threads"),
    [ID] = {NULL, "Id", HD_COUNT, 0, 0, "\n" HD_MEANS_ID},
};

const struct hd_report_columns hd_report_at_level_columns = {"at-k", columns, COLUMNS, -1};

static void put(struct table *table, double wall_ticks, double thread_ticks, const struct hd_listed *row) {
  const struct hd_model *model = table->model;
  const struct hd_bounds bounds = hd_bounds_of_levels(row->marks);
  const struct hd_value values[COLUMNS] = {
      [WALL] = hd_bounded(hd_ticks(model, wall_ticks, true), bounds),
      [SHARE] = hd_bounded(hd_share(wall_ticks, table->whole_ticks, true), bounds),
      [BUSY] = hd_bounded(hd_ticks(model, thread_ticks, true), bounds),
      [ID] = row->node ? hd_count(row->node->id, true) : (struct hd_value){.blank = true},
  };
  hd_listing_put(&table->listing, row, values);
}

static void put_share(struct table *table, const struct share *share) {
  struct hd_listed row = hd_listed_line(table->view, share->line);
  hd_callpath_text(row.place, table->view, share->line);
  put(table, share->wall_ticks, (double)share->thread_ticks, &row);
}

/* A row without a line; in the comma-separated values only that of the time with no thread busy. */
static void put_words(struct table *table, double wall_ticks, double thread_ticks, const char *format, ...) {
  struct hd_listed row = {
      .first = ",,,", .kind = "nobody", .name = "", .marks = table->model->nodes[0].marks[HD_MARKS_OF_CALLPATHS]};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(row.place, sizeof row.place, format, arguments);
  va_end(arguments);
  put(table, wall_ticks, thread_ticks, &row);
}

/* Rows that are not shown, and what no row has, are named, so that the column adds up. */
static void put_rest(struct table *table) {
  double rest = 0, thread = 0, missing = table->whole_ticks - table->none_ticks;
  for (uint32_t i = 0; i < table->count; i++) {
    missing -= table->shares[i].wall_ticks;
    rest += i < table->shown ? 0 : table->shares[i].wall_ticks;
    thread += i < table->shown ? 0 : (double)table->shares[i].thread_ticks;
  }
  if (table->shown < table->count)
    put_words(table, rest, thread, "(%u more: --limit 0 shows all)", table->count - table->shown);
  if (table->none_ticks > 0)
    put_words(table, table->none_ticks, NAN, "(nobody busy)");
  if (hd_unit_shows(&table->listing.columns.unit, missing * table->model->seconds_per_tick))
    put_words(table, missing, NAN,
              table->options->focus ? "(callpaths out of focus)" : "(callpaths for which no space was left)");
  put_words(table, table->whole_ticks, NAN, "(sum)");
}

static void put_rows(struct table *table) {
  hd_listing_begin(&table->listing, HD_LINE_FIRST, "Callpath, innermost first", false);
  for (uint32_t i = 0; i < table->shown; i++)
    put_share(table, &table->shares[i]);
  if (table->listing.csv)
    put_words(table, table->none_ticks, NAN, "");
  else
    put_rest(table);
  hd_listing_end(&table->listing, 0);
}

static void print_answer(const struct table *table, FILE *out) {
  const double second = table->model->seconds_per_tick, run = (double)table->model->elapsed_ticks;
  const uint32_t highest = hd_levels_highest(&table->model->time_at);
  char *who = table->level == 0 ? hd_print("No thread was")
                                : hd_print("At most %u thread%s", table->level, table->level == 1 ? " was" : "s were");
  char *none = table->level == 0 ? NULL : hd_print("; none for %s of it", hd_duration(table->none_ticks * second).text);
  hd_print_sentences(out, "%s busy for %s, %.1f %% of the run's %s%s.", who,
                     hd_duration(table->whole_ticks * second).text, run > 0 ? 100 * table->whole_ticks / run : 0,
                     hd_duration(run * second).text, none ? none : "");
  free(who);
  free(none);
  if (table->level >= highest)
    hd_print_sentences(out, "No more than %u were ever busy: this is the whole run.", highest);
}

static void print_text(struct table *table, FILE *out) {
  print_answer(table, out);
  hd_report_notes(table->model, SIZE_MAX, out);
  hd_report_scope(table->model, table->options, out);
  if (table->level == 0) {
    fputs("No code ran then. 'heddle report' shows what the threads waited for.\n", out);
    return;
  }
  if (table->count > 0)
    put_rows(table);
  fputc('\n', out);
  hd_columns_legend(&table->listing.columns, "All for the line itself, without those below it.", out);
  hd_report_visits_mark(table->model, out);
}

void hd_report_at_level(struct hd_lines *view, const struct hd_report_options *options, FILE *out) {
  const struct hd_model *model = view->model;
  const double whole_ticks = (double)hd_levels_up_to(&model->time_at, options->level);
  struct table table = {
      .view = view,
      .options = options,
      .model = model,
      .level = options->level,
      .whole_ticks = whole_ticks,
      .none_ticks = (double)hd_levels_at(&model->time_at, 0),
      .listing = {.model = model,
                  .columns = {columns, COLUMNS, 0, hd_unit_for(whole_ticks * model->seconds_per_tick)},
                  .csv = options->csv,
                  .asked = options,
                  .out = out},
  };
  find_shares(&table);
  table.shown = hd_at_most(table.count, hd_limit_of(options));
  if (options->csv)
    put_rows(&table);
  else
    print_text(&table, out);
  free(table.shares);
}
