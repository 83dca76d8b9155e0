/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file at_level.c
 * What runs while at most N threads are busy? The callpaths' wall shares at levels 1 to N, which add up, together with
 * the time at which nobody was busy, to the time at levels 0 to N.
 */
#include <math.h>
#include <stdlib.h>

#include "output/model/levels.h"
#include "output/views/render/columns.h"
#include "output/views/render/level_bars.h"
#include "output/views/report/report_internal.h"

struct share {
  uint32_t line;
  double wall_ticks;
  uint64_t thread_ticks;
};

struct table {
  const struct hd_view *view;
  const struct hd_model *model;
  const struct hd_report_options *options;
  uint32_t level;
  double whole_ticks; /* at levels 0 to N */
  double none_ticks;
  struct hd_columns columns;
  struct share *shares; /* the largest first */
  uint32_t count;
  uint32_t shown;
  struct hd_grid grid;
};

static int compare_shares(const void *a, const void *b) {
  const struct share *left = a, *right = b;
  if (left->wall_ticks != right->wall_ticks)
    return left->wall_ticks > right->wall_ticks ? -1 : 1;
  return left->line < right->line ? -1 : 1;
}

static bool find_shares(struct table *table) {
  const struct hd_view *view = table->view;
  table->shares = calloc(view->count, sizeof *table->shares);
  if (!table->shares)
    return false;
  for (uint32_t i = 0; i < view->count; i++) {
    const struct hd_levels *levels = &view->lines[i].busy_at;
    const struct share share = {i, hd_levels_wall_share(levels, table->level), hd_levels_up_to(levels, table->level)};
    if (share.wall_ticks > 0)
      table->shares[table->count++] = share;
  }
  qsort(table->shares, table->count, sizeof *table->shares, compare_shares);
  return true;
}

enum { WALL, SHARE, BUSY, ID, COLUMNS };

static const struct hd_column columns[COLUMNS] = {
    [WALL] = {"wall_s", "Wall", HD_SECONDS, 0, 0,
              "part of that time; threads that are busy at the same time share it, so that the column adds up"},
    [SHARE] = {"share", "%", HD_SHARE, 0, 0, "of that time"},
    [BUSY] = {"busy_s", "Busy", HD_SECONDS, 0, 0, "time summed over threads"},
    [ID] = {NULL, "Id", HD_TEXT, 0, 0, NULL},
};

static void fill(struct hd_value values[COLUMNS], const struct table *table, double wall_ticks, double thread_ticks) {
  values[WALL] = hd_ticks(table->model, wall_ticks, true);
  values[SHARE] = hd_share(wall_ticks, table->whole_ticks, true);
  values[BUSY] = hd_ticks(table->model, thread_ticks, true);
  values[ID] = (struct hd_value){.known = true};
}

static void put_row(struct table *table, double wall_ticks, double thread_ticks, const char *words) {
  struct hd_value values[COLUMNS] = {0};
  hd_grid_row(&table->grid, NULL);
  fill(values, table, wall_ticks, thread_ticks);
  hd_columns_cells(&table->columns, values, &table->grid);
  hd_grid_at(&table->grid, words);
}

static void put_share(struct table *table, const struct share *share) {
  struct hd_value values[COLUMNS] = {0};
  char place[HD_CALLPATH_BYTES];
  hd_grid_row(&table->grid, NULL);
  fill(values, table, share->wall_ticks, (double)share->thread_ticks);
  snprintf(values[ID].text, HD_CELL_BYTES, "%u", table->view->lines[share->line].node->id);
  hd_columns_cells(&table->columns, values, &table->grid);
  hd_callpath_text(place, table->view, share->line);
  hd_grid_at(&table->grid, place);
}

/* Rows that are not shown, and what no row has, are named, so that the column adds up. */
static void put_rest(struct table *table) {
  char words[64];
  double rest = 0, thread = 0, missing = table->whole_ticks - table->none_ticks;
  for (uint32_t i = 0; i < table->count; i++) {
    missing -= table->shares[i].wall_ticks;
    rest += i < table->shown ? 0 : table->shares[i].wall_ticks;
    thread += i < table->shown ? 0 : (double)table->shares[i].thread_ticks;
  }
  snprintf(words, sizeof words, "(%u more: --limit 0 shows all)", table->count - table->shown);
  if (table->shown < table->count)
    put_row(table, rest, thread, words);
  if (table->none_ticks > 0)
    put_row(table, table->none_ticks, NAN, "(nobody busy)");
  if (hd_unit_shows(&table->columns.unit, missing * table->model->seconds_per_tick))
    put_row(table, missing, NAN,
            table->options->focus ? "(callpaths out of focus)" : "(callpaths for which no space was left)");
  put_row(table, table->whole_ticks, NAN, "(sum)");
}

static bool print_shares(struct table *table, FILE *out) {
  table->columns.unit = hd_unit_for(table->whole_ticks * table->model->seconds_per_tick);
  hd_columns_add(&table->columns, &table->grid);
  hd_grid_place(&table->grid, "Callpath, innermost first", false);
  for (uint32_t i = 0; i < table->shown; i++)
    put_share(table, &table->shares[i]);
  put_rest(table);
  fprintf(out, "\nTimes in %s.\n", table->columns.unit.name);
  const bool done = hd_grid_print(&table->grid, out);
  hd_grid_free(&table->grid);
  return done;
}

static void print_answer(const struct table *table, FILE *out) {
  char time[HD_CELL_BYTES], none[HD_CELL_BYTES], whole[HD_CELL_BYTES];
  const double second = table->model->seconds_per_tick;
  const double run = (double)table->model->elapsed_ticks;
  const uint32_t highest = hd_levels_highest(&table->model->time_at);
  hd_cell_duration(time, table->whole_ticks * second);
  hd_cell_duration(none, table->none_ticks * second);
  hd_cell_duration(whole, run * second);
  if (table->level == 0)
    fprintf(out, "No thread was busy for %s", time);
  else
    fprintf(out, "At most %u thread%s busy for %s", table->level, table->level == 1 ? " was" : "s were", time);
  fprintf(out, ", %.1f %% of the run's %s", run > 0 ? 100 * table->whole_ticks / run : 0, whole);
  if (table->level > 0)
    fprintf(out, "; none for %s of it", none);
  fputs(".\n", out);
  if (table->level >= highest)
    fprintf(out, "No more than %u were ever busy: this is the whole run.\n", highest);
}

static bool print_text(struct table *table, FILE *out) {
  print_answer(table, out);
  hd_report_notes(table->model, SIZE_MAX, out);
  hd_report_scope(table->model, table->options, out);
  if (table->level == 0) {
    fputs("No code ran then. 'heddle report' shows what the threads waited for.\n", out);
    return true;
  }
  if (table->count > 0 && !print_shares(table, out))
    return false;
  fputc('\n', out);
  hd_columns_legend(&table->columns, "All for the line itself, without those below it.", out);
  return true;
}

static void print_csv(const struct table *table, FILE *out) {
  struct hd_value values[COLUMNS] = {0};
  hd_csv_place_names(out);
  hd_columns_csv_names(&table->columns, out);
  fputc('\n', out);
  for (uint32_t i = 0; i < table->shown; i++) {
    fill(values, table, table->shares[i].wall_ticks, (double)table->shares[i].thread_ticks);
    hd_csv_place(table->view, table->shares[i].line, out);
    hd_columns_csv(&table->columns, values, out);
    fputc('\n', out);
  }
  fill(values, table, table->none_ticks, NAN);
  fputs(",,,nobody,,,,,,,", out);
  hd_columns_csv(&table->columns, values, out);
  fputc('\n', out);
}

bool hd_report_at_level(struct hd_view *view, const struct hd_report_options *options, FILE *out) {
  const struct hd_model *model = view->model;
  struct table table = {.view = view,
                        .options = options,
                        .model = model,
                        .columns = {.items = columns, .count = COLUMNS},
                        .level = options->level,
                        .whole_ticks = (double)hd_levels_up_to(&model->time_at, options->level),
                        .none_ticks = (double)hd_levels_at(&model->time_at, 0)};
  bool done = find_shares(&table);
  table.shown = options->limit > 0 && options->limit < table.count ? (uint32_t)options->limit : table.count;
  if (done && options->csv)
    print_csv(&table, out);
  else if (done)
    done = print_text(&table, out);
  free(table.shares);
  return done;
}
