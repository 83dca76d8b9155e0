/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file counted.c
 * What was counted in the whole run.
 */
#include <math.h>

#include "output/views/render/count_columns.h"
#include "output/views/report/report_internal.h"

static const struct hd_count_sum *whole_run(const struct hd_model *model) {
  return &model->counts_total[model->thread_count];
}

static void put_event(struct hd_table *grid, struct hd_count_columns *marks, uint32_t event) {
  const struct hd_model *model = marks->model;
  const struct hd_count_sum *sum = whole_run(model);
  char cell[HD_CELL_BYTES];
  hd_table_row(grid, NULL);
  for (int class = 0; class < HD_COUNT_CLASSES; class ++) {
    marks->items[0] = (struct hd_count_column){.event = event, .class = (enum hd_count_class) class};
    hd_count_cell(cell, marks, 0, sum, NAN);
    hd_table_cell(grid, "%s", cell);
  }
  const struct hd_count waiting = hd_count_sum_of(model, sum, event, HD_COUNT_WAITING);
  const struct hd_count all = hd_count_sum_of(model, sum, event, HD_COUNT_CLASSES);
  const bool known = all.known && !all.partial && all.value > 0;
  hd_table_number(grid, known ? 100 * waiting.value / all.value : NAN, 1);
  hd_table_at(grid, model->events[event].name);
}

static void put_metric(struct hd_table *grid, struct hd_count_columns *marks, const struct hd_group *group,
                       const struct hd_metric *metric) {
  const struct hd_model *model = marks->model;
  const bool unit = metric->unit && metric->unit[0];
  char cell[HD_CELL_BYTES], place[HD_PLACE_BYTES];
  hd_table_row(grid, NULL);
  marks->items[0] = (struct hd_count_column){.group = group, .metric = metric};
  hd_count_cell(cell, marks, 0, whole_run(model), hd_count_elapsed_of_program(model));
  hd_table_cell(grid, "%s", cell);
  snprintf(place, sizeof place, "%.100s: %.200s%s%.50s%s", group->name, metric->name, unit ? " [" : "",
           unit ? metric->unit : "", unit ? "]" : "");
  hd_table_at(grid, place);
}

void hd_report_counted(const struct hd_model *model, FILE *out) {
  struct hd_table grid = {0};
  struct hd_count_columns marks = {.model = model, .least_fraction = 1};
  if (model->header.event_count == 0)
    return;
  hd_table_column(&grid, "Busy", 0);
  hd_table_column(&grid, "Waiting", 0);
  hd_table_column(&grid, "Runtime", 1);
  hd_table_column(&grid, "Wait%", 2);
  hd_table_place(&grid, "Event or metric", false);
  for (uint32_t i = 0; i < model->header.event_count; i++)
    put_event(&grid, &marks, i);
  for (uint32_t i = 0; i < model->group_count; i++)
    for (uint32_t j = 0; j < model->groups[i]->metric_count; j++)
      put_metric(&grid, &marks, model->groups[i], &model->groups[i]->metrics[j]);
  fputs("\nCounts of the whole run, by thread state:\n", out);
  hd_table_print(&grid, out);
  hd_count_marks_legend(&marks, out);
  hd_table_free(&grid);
}

void hd_report_counted_brief(const struct hd_model *model, FILE *out) {
  enum { EVENTS = 3 };
  struct hd_count_columns columns;
  char busy[HD_CELL_BYTES], waiting[HD_CELL_BYTES];
  hd_count_columns_choose(&columns, model, false);
  for (uint32_t i = 0; i < model->header.event_count && i < EVENTS; i++) {
    columns.items[0] = (struct hd_count_column){.event = i, .class = HD_COUNT_BUSY};
    columns.items[1] = (struct hd_count_column){.event = i, .class = HD_COUNT_WAITING};
    hd_count_cell(busy, &columns, 0, whole_run(model), NAN);
    hd_count_cell(waiting, &columns, 1, whole_run(model), NAN);
    fprintf(out, "%s%s %s busy, %s waiting", i == 0 ? "counted   " : "; ", hd_count_short_name(model, i), busy,
            waiting);
  }
  if (model->header.event_count > EVENTS)
    fprintf(out, "; %u more: see 'heddle report'", model->header.event_count - EVENTS);
  fputs(model->header.event_count > 0 ? "\n" : "", out);
}
