/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/count_columns.h"
#include "support/command/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* With more columns, or none that is asked for first, the other columns of a table would have to go. */
enum { FIRST_COLUMNS = 3, RANK_FOREMOST = 1, RANK_FIRST = 3, RANK_REST = 9, RANK_WAITING = 10, TITLE_MOST = 18 };

/* ---- names ---- */

const char *hd_count_short_name(const struct hd_model *model, uint32_t event) {
  const char *name = model->events[event].name;
  const char *found = NULL;
  for (const char *at = name; (at = strstr(at, "::")); at += 2)
    found = at + 2;
  if (!found || !*found)
    return name;
  for (uint32_t i = 0; i < model->header.event_count; i++) {
    const char *other = model->events[i].name;
    const size_t length = strlen(other), tail = strlen(found);
    if (i != event && length >= tail && strcmp(other + length - tail, found) == 0)
      return name;
  }
  return found;
}

/* Its end tells more than its middle: "RETIRED_..:ANY:u". */
static void cut(char title[HD_COUNT_TITLE_BYTES], const char *name) {
  const size_t length = strlen(name);
  const size_t tail = 6;
  if (length <= TITLE_MOST)
    strcpy(title, name);
  else
    snprintf(title, HD_COUNT_TITLE_BYTES, "%.*s..%s", (int)(TITLE_MOST - tail - 2), name, name + length - tail);
}

static void metric_title(char title[HD_COUNT_TITLE_BYTES], const struct hd_metric *metric) {
  const bool unit = metric->unit && metric->unit[0];
  cut(title, metric->name);
  const size_t used = strlen(title);
  if (unit)
    snprintf(title + used, HD_COUNT_TITLE_BYTES - used, " [%.12s]", metric->unit);
}

/* ---- which columns ---- */

/* Those that are not shown come last. */
static void add_column(struct hd_count_columns *columns, struct hd_count_column column, bool shown) {
  if (columns->all == HD_COUNT_COLUMNS) {
    columns->left++;
    return;
  }
  column.rank = column.class == HD_COUNT_WAITING ? RANK_WAITING
                : columns->count == 0            ? RANK_FOREMOST
                : columns->count < FIRST_COLUMNS ? RANK_FIRST
                                                 : RANK_REST;
  columns->items[columns->all++] = column;
  if (shown)
    columns->count = columns->all;
}

static bool waits(const struct hd_model *model, uint32_t event) {
  const struct hd_count count =
      hd_count_sum_of(model, &model->counts_total[model->thread_count], event, HD_COUNT_WAITING);
  return count.known && count.value > 0;
}

static bool is_in_a_group(const struct hd_model *model, uint32_t event) {
  for (uint32_t i = 0; i < model->group_count; i++)
    for (uint32_t j = 0; j < model->groups[i]->event_count; j++)
      if (strcasecmp(model->groups[i]->events[j].event, model->events[event].name) == 0)
        return true;
  return false;
}

static void add_metrics(struct hd_count_columns *columns, const struct hd_group *group) {
  for (uint32_t i = 0; i < group->metric_count; i++) {
    struct hd_count_column column = {.group = group, .metric = &group->metrics[i], .class = HD_COUNT_BUSY};
    metric_title(column.title, column.metric);
    add_column(columns, column, true);
  }
}

/* A group's metrics stand for its events. */
static void add_busy(struct hd_count_columns *columns, bool shown) {
  const struct hd_model *model = columns->model;
  for (uint32_t i = 0; i < model->header.event_count; i++) {
    struct hd_count_column column = {.event = i, .class = HD_COUNT_BUSY};
    cut(column.title, hd_count_short_name(model, i));
    if (is_in_a_group(model, i) != shown)
      add_column(columns, column, shown);
  }
}

static void add_waiting(struct hd_count_columns *columns, bool shown) {
  const struct hd_model *model = columns->model;
  for (uint32_t i = 0; i < model->header.event_count; i++) {
    struct hd_count_column column = {.event = i, .class = HD_COUNT_WAITING};
    cut(column.title, hd_count_short_name(model, i));
    strcat(column.title, " waiting");
    if (waits(model, i))
      add_column(columns, column, shown);
  }
}

void hd_count_columns_choose(struct hd_count_columns *columns, const struct hd_model *model, bool waiting) {
  *columns = (struct hd_count_columns){.model = model, .least_fraction = 1};
  if (model->header.event_count == 0)
    return;
  for (uint32_t i = 0; i < model->group_count; i++)
    add_metrics(columns, model->groups[i]);
  add_busy(columns, true);
  if (waiting)
    add_waiting(columns, true);
  add_busy(columns, false);
  if (!waiting)
    add_waiting(columns, false);
}

void hd_count_columns_add(struct hd_count_columns *columns, struct hd_table *grid) {
  grid->counted = columns->count > 0;
  columns->first = grid->column_count;
  for (size_t i = 0; i < columns->count; i++)
    hd_table_column(grid, columns->items[i].title, columns->items[i].rank);
}

void hd_count_columns_said_left(const struct hd_count_columns *columns, FILE *out) {
  char *text = NULL;
  size_t bytes = 0;
  if (columns->all == columns->count && columns->left == 0)
    return;
  FILE *into = open_memstream(&text, &bytes);
  hd_need(into);
  for (size_t i = columns->count; i < columns->all; i++)
    fprintf(into, "%s%s", i > columns->count ? ", " : "", columns->items[i].title);
  if (columns->left > 0)
    fprintf(into, "%s%zu more columns of counters", columns->all > columns->count ? " and " : "", columns->left);
  fclose(into);
  hd_print_sentences(out, "Not shown: %s; --csv has all.", text);
  free(text);
}

/* ---- cells ---- */

/* At most so many digits as there are, or four and a prefix. */
static void number_text(char text[HD_CELL_BYTES], double value, bool whole) {
  static const char *const prefixes[] = {"k", "M", "G", "T", "P", "E"};
  const double size = fabs(value);
  if (whole ? size < 99999.5 : size < 9999.5) {
    const int decimals = whole || size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 || size == 0 ? 3 : 4;
    if (!whole && size > 0 && size < 0.001)
      snprintf(text, HD_CELL_BYTES, "%.2e", value);
    else
      snprintf(text, HD_CELL_BYTES, "%.*f", decimals, value);
    return;
  }
  size_t prefix = 0;
  double scaled = value / 1000;
  while (fabs(scaled) >= 999.95 && prefix + 1 < sizeof prefixes / sizeof prefixes[0]) {
    scaled /= 1000;
    prefix++;
  }
  const double left = fabs(scaled);
  snprintf(text, HD_CELL_BYTES, "%.*f %s", left >= 100 ? 1 : left >= 10 ? 2 : 3, scaled, prefixes[prefix]);
}

static void value_text(char text[HD_CELL_BYTES], const struct hd_model *model, const struct hd_count_column *column,
                       double value) {
  if (!column->group && value > 0 && strcmp(model->events[column->event].unit, "ns") == 0)
    hd_cell_duration(text, value * 1e-9);
  else
    number_text(text, value, !column->group);
}

/* Notes the mark for the legend. */
static const char *mark_of(struct hd_count_columns *columns, const struct hd_count *count) {
  if (count->fraction < 1) {
    columns->estimated = true;
    columns->least_fraction = fmin(columns->least_fraction, count->fraction);
    columns->most_fraction = fmax(columns->most_fraction, count->fraction);
  }
  columns->at_least |= count->partial;
  return count->partial ? ">=" : "";
}

void hd_count_cell(char cell[HD_CELL_BYTES], struct hd_count_columns *columns, size_t index,
                   const struct hd_count_sum *sum, double elapsed_ticks) {
  const struct hd_model *model = columns->model;
  const struct hd_count_column *column = &columns->items[index];
  char text[HD_CELL_BYTES];
  const struct hd_count count =
      column->group ? hd_count_sum_metric(model, sum, column->group, column->metric, elapsed_ticks, NULL)
                    : hd_count_sum_of(model, sum, column->event, column->class);
  if (!count.known) {
    columns->unknown = true;
    strcpy(cell, "-");
    return;
  }
  value_text(text, model, column, count.value);
  snprintf(cell, HD_CELL_BYTES, "%s%s%.24s", mark_of(columns, &count), count.fraction < 1 ? "~" : "", text);
}

void hd_count_cells(struct hd_table *grid, struct hd_count_columns *columns, const struct hd_count_sum *sum,
                    double elapsed_ticks) {
  char cell[HD_CELL_BYTES];
  for (size_t i = 0; i < columns->count; i++) {
    hd_count_cell(cell, columns, i, sum, elapsed_ticks);
    hd_table_cell(grid, "%s", cell);
  }
}

/* ---- what they mean ---- */

void hd_count_marks_legend(const struct hd_count_columns *columns, FILE *out) {
  if (columns->estimated)
    hd_print_sentences(out, "'~': an estimate: events took turns, each counted for %.0f to %.0f %% of the time.",
                       100 * columns->least_fraction, 100 * columns->most_fraction);
  if (columns->at_least)
    hd_print_sentences(out, "'>=': a lower bound: some of it could not be counted (see the notes).");
  if (columns->unknown)
    hd_print_sentences(out, "'-' in a counter's column: not counted, counted in a line above, or a formula without a "
                            "value (a part is missing, or it divides by zero).");
}

void hd_count_legend(const struct hd_count_columns *columns, const char *scope, FILE *out) {
  static const char *const places[] = {"", "regions and phases", "regions, phases, loops and tasks", "all lines"};
  bool waiting = false;
  if (columns->count == 0)
    return;
  for (size_t i = 0; i < columns->count; i++)
    waiting |= columns->items[i].class == HD_COUNT_WAITING;
  hd_print_sentences(out, "Counters: while busy%s, %s; counted separately for %s.",
                     waiting ? " (\"waiting\": while waiting)" : "", scope, places[columns->model->header.counters_at]);
  hd_count_marks_legend(columns, out);
}
