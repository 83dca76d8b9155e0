/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file counted.c
 * What was counted in the whole run.
 */
#include <math.h>

#include "output/views/render/count_columns.h"
#include "output/views/report/report_internal.h"

static const struct hd_count_sum *whole_run(const struct hd_model *model) {
  return &model->counts_total->sums[model->thread_count];
}

static bool add_event(struct hd_grid *grid, struct hd_count_columns *marks, uint32_t event) {
  const struct hd_model *model = marks->model;
  const struct hd_count_sum *sum = whole_run(model);
  struct hd_grid_row *row = hd_grid_add(grid, HD_NONE);
  if (!row)
    return false;
  for (int class = 0; class < HD_COUNT_CLASSES; class ++) {
    marks->items[0] = (struct hd_count_column){.event = event, .class = (enum hd_count_class) class};
    hd_count_cell(row->cells[class], marks, 0, sum, NAN);
  }
  const struct hd_count waiting = hd_count_sum_of(model, sum, event, HD_COUNT_WAITING);
  const struct hd_count all = hd_count_sum_of(model, sum, event, HD_COUNT_CLASSES);
  const bool known = all.known && !all.partial && all.value > 0;
  hd_cell_percent(row->cells[HD_COUNT_CLASSES], waiting.value, all.value, known);
  snprintf(row->place, sizeof row->place, "%s", model->events[event].name);
  return true;
}

static bool add_metric(struct hd_grid *grid, struct hd_count_columns *marks, const struct hd_group *group,
                       const struct hd_metric *metric) {
  const struct hd_model *model = marks->model;
  struct hd_grid_row *row = hd_grid_add(grid, HD_NONE);
  if (!row)
    return false;
  marks->items[0] = (struct hd_count_column){.group = group, .metric = metric};
  hd_count_cell(row->cells[0], marks, 0, whole_run(model), hd_count_elapsed_of_program(model));
  snprintf(row->place, sizeof row->place, "%.100s: %.200s%s%.50s%s", group->name, metric->name,
           metric->unit && metric->unit[0] ? " [" : "", metric->unit ? metric->unit : "",
           metric->unit && metric->unit[0] ? "]" : "");
  return true;
}

bool hd_report_counted(const struct hd_model *model, FILE *out) {
  struct hd_grid grid = {0};
  struct hd_count_columns marks = {.model = model, .least_fraction = 1};
  bool done = true;
  if (model->header.event_count == 0)
    return true;
  hd_grid_column(&grid, "Busy", 0);
  hd_grid_column(&grid, "Waiting", 0);
  hd_grid_column(&grid, "Runtime", 1);
  hd_grid_column(&grid, "Wait%", 2);
  for (uint32_t i = 0; done && i < model->header.event_count; i++)
    done = add_event(&grid, &marks, i);
  for (uint32_t i = 0; i < model->group_count; i++)
    for (uint32_t j = 0; done && j < model->groups[i]->metric_count; j++)
      done = add_metric(&grid, &marks, model->groups[i], &model->groups[i]->metrics[j]);
  if (done) {
    fputs("\nCounted in the whole run, by what the threads did:\n", out);
    done = hd_grid_print(&grid, "Event or metric", false, out);
    hd_count_marks_legend(&marks, out);
  }
  hd_grid_free(&grid);
  return done;
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
