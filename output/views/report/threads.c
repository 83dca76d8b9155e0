/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file threads.c
 * What each thread did: over the whole run, then in each of the foremost regions.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "output/analysis/causes.h"
#include "output/model/format_names.h"
#include "output/views/render/count_columns.h"
#include "output/views/report/report_internal.h"

typedef uint64_t state_ticks[HD_STATE_COUNT];

/* One table: the threads' times in one line of the report and those below it. */
struct table {
  const struct hd_view *view;
  uint32_t line;
  bool whole; /* the threads' whole lives */
  const state_ticks *sums;
  struct hd_unit unit;
  enum hd_state causes[HD_STATE_COUNT];
  int cause_count;
  bool runtime, idle;
  bool share; /* the kernel's account, of some threads' whole lives */
  struct libscols_table *table;
};

static bool takes_part(const struct table *table, uint32_t thread) {
  return table->whole || hd_ticks_all(table->sums[thread]) > 0;
}

static void survey(struct table *table) {
  const struct hd_model *model = table->view->model;
  state_ticks most = {0};
  uint64_t largest = 0;
  for (uint32_t i = 0; i < model->thread_count; i++) {
    const uint64_t all = hd_ticks_all(table->sums[i]);
    largest = all > largest ? all : largest;
    for (int state = 0; state < HD_STATE_COUNT; state++)
      most[state] = table->sums[i][state] > most[state] ? table->sums[i][state] : most[state];
  }
  table->unit = hd_unit_for(hd_model_seconds(model, largest));
  table->cause_count = hd_unit_shown_causes(&table->unit, most, model, table->causes);
  table->runtime = hd_unit_shows(&table->unit, hd_model_seconds(model, most[HD_RUNTIME]));
  table->idle = hd_unit_shows(&table->unit, hd_model_seconds(model, most[HD_IDLE]));
  for (uint32_t i = 0; i < model->thread_count; i++)
    table->share |= table->whole && model->threads[i].account.known;
}

static bool add_columns(struct table *table) {
  bool done = hd_table_column(table->table, "Thread", SCOLS_FL_RIGHT) && hd_table_column(table->table, "Kind", 0) &&
              hd_table_column(table->table, table->whole ? "Lifetime" : "Time", SCOLS_FL_RIGHT) &&
              hd_table_column(table->table, "Busy", SCOLS_FL_RIGHT) &&
              hd_table_column(table->table, table->whole ? "Busy%" : "/mean", SCOLS_FL_RIGHT);
  if (table->cause_count != 1)
    done = done && hd_table_column(table->table, "Wait", SCOLS_FL_RIGHT);
  for (int i = 0; i < table->cause_count; i++)
    done = done && hd_table_column(table->table, hd_state_words(table->causes[i]), SCOLS_FL_RIGHT);
  if (table->runtime)
    done = done && hd_table_column(table->table, "Runtime", SCOLS_FL_RIGHT);
  if (table->idle)
    done = done && hd_table_column(table->table, "Idle", SCOLS_FL_RIGHT);
  return done && (!table->share || hd_table_column(table->table, "Proc%", SCOLS_FL_RIGHT));
}

static bool put_time(const struct table *table, struct libscols_line *line, size_t *column, uint64_t ticks) {
  char cell[HD_CELL_BYTES];
  hd_cell_time(cell, &table->unit, hd_model_seconds(table->view->model, ticks));
  return scols_line_set_data(line, (*column)++, cell) == 0;
}

static double mean_busy(const struct table *table) {
  double sum = 0;
  uint32_t count = 0;
  for (uint32_t i = 0; i < table->view->model->thread_count; i++) {
    sum += (double)table->sums[i][HD_BUSY];
    count += takes_part(table, i);
  }
  return count > 0 ? sum / count : 0;
}

/* And how many threads the row stands for. */
static void kind_cell(char cell[HD_CELL_BYTES], const struct hd_thread *thread) {
  const char *kind = hd_thread_kind_id(thread->kind);
  if (thread->threads > 1)
    snprintf(cell, HD_CELL_BYTES, "%s x %" PRIu64, kind, thread->threads);
  else
    snprintf(cell, HD_CELL_BYTES, "%s", kind);
}

static bool put_thread(const struct table *table, uint32_t thread, double mean) {
  const struct hd_model *model = table->view->model;
  const uint64_t *ticks = table->sums[thread];
  const double whole = table->whole ? (double)hd_ticks_all(ticks) / 100 : mean;
  char cell[HD_CELL_BYTES];
  size_t column = 0;
  struct libscols_line *line = scols_table_new_line(table->table, NULL);
  if (!line)
    return false;
  snprintf(cell, sizeof cell, "%u", thread);
  bool done = scols_line_set_data(line, column++, cell) == 0;
  kind_cell(cell, &model->threads[thread]);
  done = done && scols_line_set_data(line, column++, cell) == 0;
  done = done && put_time(table, line, &column, hd_ticks_all(ticks)) && put_time(table, line, &column, ticks[HD_BUSY]);
  hd_cell_number(cell, whole > 0 ? (double)ticks[HD_BUSY] / whole : NAN, table->whole ? 1 : 2);
  done = done && scols_line_set_data(line, column++, cell) == 0;
  if (table->cause_count != 1)
    done = done && put_time(table, line, &column, hd_ticks_waiting(ticks));
  for (int i = 0; i < table->cause_count; i++)
    done = done && put_time(table, line, &column, ticks[table->causes[i]]);
  if (table->runtime)
    done = done && put_time(table, line, &column, ticks[HD_RUNTIME]);
  done = done && (!table->idle || put_time(table, line, &column, ticks[HD_IDLE]));
  hd_cell_number(cell, 100 * hd_account_share(&model->threads[thread].account), 1);
  return done && (!table->share || scols_line_set_data(line, column++, cell) == 0);
}

static bool fill(struct table *table) {
  const double mean = mean_busy(table);
  for (uint32_t i = 0; i < table->view->model->thread_count; i++)
    if (takes_part(table, i) && !put_thread(table, i, mean))
      return false;
  return true;
}

/* A table of its own below the times: what each thread counted, while busy and while waiting. */
static bool print_counts(const struct table *table, struct hd_count_columns *columns, FILE *out) {
  const struct hd_model *model = table->view->model;
  struct hd_grid grid = {0};
  struct hd_count_sums *sums = columns->count > 0 ? hd_view_count_threads(table->view, table->line) : NULL;
  bool done = sums;
  if (columns->count == 0)
    return true;
  hd_count_columns_add(columns, &grid);
  for (uint32_t i = 0; done && i < model->thread_count; i++) {
    struct hd_grid_row *row = takes_part(table, i) ? hd_grid_add(&grid, HD_NONE) : NULL;
    done = row || !takes_part(table, i);
    if (!row)
      continue;
    hd_count_cells(row, 0, columns, &sums->sums[i], table->whole ? hd_count_lifetime(model, i) : NAN);
    snprintf(row->place, sizeof row->place, "%u", i);
  }
  done = done && hd_grid_print(&grid, "Thread", false, out);
  if (done)
    hd_count_columns_said_left(columns, grid.titles, grid.column_count, out);
  hd_count_sums_free(sums);
  hd_grid_free(&grid);
  return done;
}

static bool print_line(struct hd_view *view, uint32_t line, bool focused, struct hd_count_columns *columns, FILE *out) {
  char place[HD_PLACE_BYTES];
  state_ticks *sums = calloc((size_t)view->model->thread_count + 1, sizeof *sums);
  if (!sums || !hd_view_sum_threads(view, line, sums)) {
    free(sums);
    return false;
  }
  struct table table = {.view = view, .line = line, .whole = line == 0 && !focused, .sums = (const state_ticks *)sums};
  survey(&table);
  table.table = hd_table_new(out);
  bool done = table.table && add_columns(&table) && fill(&table);
  if (done) {
    hd_place_text(place, view->model, &view->lines[line], NULL);
    fprintf(out, "\n%s (times in %s)\n",
            line > 0  ? place
            : focused ? "All callpaths in focus"
                      : "Whole run",
            table.unit.name);
    done = scols_print_table(table.table) == 0 && print_counts(&table, columns, out);
  }
  scols_unref_table(table.table);
  free(sums);
  return done;
}

bool hd_report_threads(struct hd_view *view, const struct hd_report_options *options, FILE *out) {
  const uint32_t left = hd_view_choose(view, options->sort, options->limit, true);
  struct hd_count_columns columns;
  hd_count_columns_choose(&columns, view->model, true);
  hd_report_heading(view->model, false, out);
  hd_report_scope(view->model, options, out);
  for (uint32_t i = 0; i < view->count; i++)
    if ((i == 0 || view->lines[i].shown) && !print_line(view, i, options->focus, &columns, out))
      return false;
  if (left > 0)
    fprintf(out, "\n%u more region%s not shown; --limit 0 shows all.\n", left, left == 1 ? " is" : "s are");
  fputs("\nA region's times include all that the thread did inside it. /mean: busy time over the threads' mean.\n"
        "Proc%: of the time in which the thread wanted a processor, how much it had one, by the kernel's account.\n",
        out);
  hd_count_legend(&columns, "of what the thread did there", out);
  return true;
}
