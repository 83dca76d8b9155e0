/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file counts.c
 * What was counted, region by region, at each point. Only of runs that all counted the same events.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/views/compare/compare_internal.h"
#include "support/command/memory.h"

/* ---- tables ---- */

struct counts_table {
  struct hd_compare_table table;
  struct hd_compared_counts counts;
  struct hd_count_columns *columns; /* by run */
  const char *title;
  uint32_t points_shown;
};

/* The column of that title in a run; the number of columns: none. */
static size_t find_column(const struct hd_count_columns *columns, const char *title) {
  size_t i = 0;
  while (i < columns->all && strcmp(columns->items[i].title, title) != 0)
    i++;
  return i;
}

/* The elapsed time that metrics such as bandwidth want: of a region's instances. */
static double elapsed_of(const struct hd_comparison *comparison, uint32_t row, const struct hd_compared *at) {
  const struct hd_run *run = &comparison->runs[at->run];
  if (row == 0)
    return hd_count_elapsed_of_program(run->model);
  return comparison->rows[row].kind == HD_COMPARED_REGION ? (double)at->time_ticks / (double)run->factor : NAN;
}

static struct hd_count count_of(const struct counts_table *table, uint32_t row, uint32_t point,
                                struct hd_value *value) {
  const struct hd_comparison *comparison = table->counts.comparison;
  const struct hd_compared *at = &comparison->rows[row].at[point];
  struct hd_count_sum *sums = hd_compared_count(&table->counts, row, point);
  struct hd_count count = {0};
  *value = (struct hd_value){.known = sums, .text = "-"};
  if (!sums)
    return count;
  const struct hd_count_columns *columns = &table->columns[at->run];
  const size_t index = find_column(columns, table->title);
  if (index < columns->all) {
    const struct hd_count_column *column = &columns->items[index];
    const double elapsed = elapsed_of(comparison, row, at);
    hd_count_cell(value->text, &table->columns[at->run], index, sums, elapsed);
    count = column->group ? hd_count_sum_metric(columns->model, sums, column->group, column->metric, elapsed, NULL)
                          : hd_count_sum_of(columns->model, sums, column->event, column->class);
  }
  free(sums);
  return count;
}

static void fill_counts(void *context, uint32_t row) {
  struct counts_table *table = context;
  struct hd_value values[HD_TABLE_COLUMNS], *value = values;
  struct hd_count base = {0};
  for (uint32_t point = 0; point < table->points_shown; point++) {
    const struct hd_count count = count_of(table, row, point, value++);
    const bool whole = base.known && !base.partial && base.value > 0 && count.known && !count.partial;
    if (point == 0)
      base = count;
    else
      *value++ = hd_decimals(whole ? count.value / base.value : NAN, 3);
  }
  hd_columns_cells(&table->table.columns, values, &table->table.grid);
}

static void add_columns(struct counts_table *table) {
  const struct hd_comparison *comparison = table->counts.comparison;
  for (uint32_t point = 0; point < table->points_shown; point++) {
    const char *label = comparison->points[point].label;
    const bool end = point == 0 || point + 1 == table->points_shown;
    hd_compare_table_own(&table->table, HD_TEXT, end ? 0 : 3, "%.20s", label);
    if (point > 0)
      hd_compare_table_own(&table->table, HD_TEXT, end ? 0 : 4, "%.16s/%.5s", label,
                           comparison->options.mode == HD_COMPARE_SCALING ? comparison->points[0].label : "first");
  }
  hd_compare_table_place(&table->table, "Region", true);
}

static void print_one(struct counts_table *table, struct hd_document *document, unsigned long limit) {
  hd_compare_table_begin(&table->table, table->counts.comparison);
  table->table.grid.counted = true;
  add_columns(table);
  hd_compare_fill(&table->table, 0, limit, fill_counts, table);
  hd_document_title(document, 2, "%s, while busy, with what is in the region", table->title);
  hd_document_table(document, &table->table.grid);
}

static void say_marks(struct hd_document *document, const struct counts_table *table) {
  bool estimated = false, at_least = false, unknown = false;
  for (uint32_t run = 0; run < table->counts.comparison->run_count; run++) {
    estimated |= table->columns[run].estimated;
    at_least |= table->columns[run].at_least;
    unknown |= table->columns[run].unknown;
  }
  hd_document_say(document, "Counts are from the run whose time is shown.%s%s%s",
                  estimated ? " '~': an estimate, because events took turns." : "",
                  at_least ? " '>=': a lower bound, because some of it could not be counted." : "",
                  unknown ? " '-': not known." : "");
}

void hd_compare_counts(struct hd_document *document, const struct hd_comparison *comparison, unsigned long limit) {
  struct counts_table table = {.counts = hd_compared_counts_new(comparison)};
  table.points_shown = comparison->point_count < HD_POINTS_SHOWN / 2 ? comparison->point_count : HD_POINTS_SHOWN / 2;
  if (table.counts.event_count > 0) {
    table.columns = hd_new(comparison->run_count, sizeof *table.columns);
    for (uint32_t run = 0; run < comparison->run_count; run++)
      hd_count_columns_choose(&table.columns[run], comparison->runs[run].model, false);
    for (size_t i = 0; i < table.columns[0].count; i++) {
      table.title = table.columns[0].items[i].title;
      print_one(&table, document, limit);
    }
    say_marks(document, &table);
    free(table.columns);
  }
  hd_compared_counts_free(&table.counts);
}
