/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The callpath tree: a row for each, those with the larger part of the run first. */
#include <math.h>
#include <stdlib.h>

#include "output/model/format_names.h"
#include "output/model/node_text.h"
#include "output/views/html/sections.h"
#include "output/views/html/table.h"
#include "output/views/render/column_names.h"
#include "support/command/memory.h"

enum { WALL_SHARE, GAIN, ELAPSED, BUSY, WAIT, SELF, CALLS, TEAM, CONCURRENCY, IMBALANCE, ID, COLUMNS };

static const struct hd_column items[COLUMNS] = {
    [WALL_SHARE] = HD_COLUMN(WALL_SHARE, 0, 0, HD_MEANS_WALL),
    [GAIN] = HD_COLUMN(GAIN, 0, 0, "wall time saved if the team were always busy, as far as there are processors"),
    [ELAPSED] = HD_COLUMN(ELAPSED, 0, 1, HD_MEANS_ELAPSED),
    [BUSY] = HD_COLUMN(BUSY, 0, 0, HD_MEANS_SUM),
    [WAIT] = HD_COLUMN(WAIT, 0, 0, HD_MEANS_SUM),
    [SELF] = HD_COLUMN(SELF, 0, 1, "busy time without the lines below"),
    [CALLS] = HD_COLUMN(CALLS, 0, 1, HD_MEANS_CALLS),
    [TEAM] = {NULL, "Team", HD_TEXT, 0, 1, "threads of the team, from the smallest to the largest"},
    [CONCURRENCY] = HD_COLUMN(CONCURRENCY, 0, 1, "busy threads on average"),
    [IMBALANCE] = HD_COLUMN(IMBALANCE, 0, 1, "longest busy time of a thread over the mean; 1 is perfect balance"),
    [ID] = {NULL, "Id", HD_COUNT, 0, 1, "the callpath's number, as in heddle report and the JSON"},
};

/* ---- order ---- */

static double weight(const struct hd_node *node) {
  return isfinite(node->wall_share_inclusive_ticks) && node->wall_share_inclusive_ticks > 0
             ? node->wall_share_inclusive_ticks
             : (double)node->inclusive_ticks[HD_BUSY] * 1e-9;
}

/* By parent; of one parent the largest comes last, so that a stack gives it first. */
static int compare(const void *a, const void *b) {
  const struct hd_node *left = *(const struct hd_node *const *)a, *right = *(const struct hd_node *const *)b;
  const double of_left = weight(left), of_right = weight(right);
  if (left->parent != right->parent)
    return left->parent < right->parent ? -1 : 1;
  if (of_left != of_right)
    return of_left < of_right ? -1 : 1;
  return left->id > right->id ? -1 : 1;
}

/* All nodes depth first; free with free(). */
static const struct hd_node **in_order(const struct hd_model *model) {
  const uint32_t count = model->node_count;
  const struct hd_node **sorted = hd_new(count, sizeof *sorted), **stack = hd_new(count, sizeof *stack);
  const struct hd_node **order = hd_new(count, sizeof *order);
  uint32_t *first = hd_new((size_t)count + 1, sizeof *first), *children = hd_new(count, sizeof *children);
  uint32_t depth = 0, done = 0;
  for (uint32_t i = 1; i < count; i++) {
    sorted[i - 1] = &model->nodes[i];
    children[model->nodes[i].parent]++;
  }
  qsort(sorted, count - 1, sizeof *sorted, compare);
  for (uint32_t i = 0; i < count; i++)
    first[i + 1] = first[i] + children[i];
  stack[depth++] = &model->nodes[0];
  while (depth > 0) {
    const struct hd_node *node = stack[--depth];
    order[done++] = node;
    for (uint32_t i = first[node->id]; i < first[node->id + 1]; i++)
      stack[depth++] = sorted[i];
  }
  free(sorted);
  free(stack);
  free(first);
  free(children);
  return order;
}

/* ---- values ---- */

static void fill_team(struct hd_value values[COLUMNS], const struct hd_model *model, const struct hd_node *node,
                      uint32_t marks) {
  const struct hd_team_totals *team = &node->team;
  const bool known = team->team_max > 0 && team->instances > 0;
  const struct hd_bounds elapsed = hd_bounds_of_elapsed(marks);
  values[GAIN] = hd_ticks(model, team->gain_ticks, known);
  values[GAIN].mark = hd_gain_text(marks);
  values[ELAPSED] = hd_bounded(hd_ticks(model, hd_team_elapsed(team), known), elapsed);
  values[TEAM] = (struct hd_value){.known = known};
  snprintf(values[TEAM].text, HD_CELL_BYTES, team->team_min == team->team_max ? "%u" : "%u-%u", team->team_min,
           team->team_max);
  values[CONCURRENCY] = hd_bounded(hd_number(known ? hd_team_concurrency(team) : NAN), hd_bounds_of_concurrency(marks));
  values[IMBALANCE] = hd_bounded(hd_number(known ? hd_team_imbalance(team) : NAN), hd_bounds_of_imbalance(marks));
}

static void fill(struct hd_value values[COLUMNS], const struct hd_model *model, const struct hd_node *node) {
  const uint32_t marks = node->marks[HD_MARKS_OF_CALLPATHS];
  const bool measured = hd_node_is_measured(node);
  fill_team(values, model, node, marks);
  if (node->id == 0) {
    values[GAIN] = hd_ticks(model, model->gain_ticks, true);
    values[GAIN].mark = hd_gain_text(marks);
    values[ELAPSED] = hd_ticks(model, (double)model->elapsed_ticks, true);
  }
  values[WALL_SHARE] =
      hd_bounded(hd_share(node->wall_share_inclusive_ticks, (double)model->elapsed_ticks, model->levels_known),
                 hd_bounds_of_levels(marks));
  values[BUSY] = hd_bounded(hd_ticks(model, (double)node->inclusive_ticks[HD_BUSY], true), hd_bounds_of_busy(marks));
  values[WAIT] =
      hd_bounded(hd_ticks(model, (double)hd_ticks_waiting(node->inclusive_ticks), true), hd_bounds_of_waits(marks));
  values[SELF] = hd_bounded(hd_ticks(model, (double)node->ticks[HD_BUSY], measured), hd_bounds_of_own(marks));
  values[CALLS] = hd_bounded(hd_count(node->visits, measured && !hd_node_stands_in(node)), hd_bounds_of_visits(marks));
  values[ID] = hd_count(node->id, true);
}

static void put_row(const struct hd_html_table *table, const struct hd_model *model, const struct hd_node *node) {
  char attributes[64], place[HD_PLACE_BYTES];
  struct hd_value values[COLUMNS] = {0};
  snprintf(attributes, sizeof attributes, " id=\"c%u\" style=\"--d:%u\"", node->id, node->depth);
  fill(values, model, node);
  hd_node_text(place, model, node, node->id > 0 ? &model->nodes[node->parent] : NULL);
  hd_html_row_begin(table, attributes);
  fputs("<span class=\"place\">", table->out);
  hd_html_text(place, table->out);
  fputs(node->flags & HD_PROFILE_BACK ? "</span> (recursive call)" : "</span>", table->out);
  hd_html_row_values(table, values);
}

void hd_html_callpaths(const struct hd_model *model, FILE *out) {
  const struct hd_node **order = in_order(model);
  const double busy = hd_model_seconds(model, model->nodes[0].inclusive_ticks[HD_BUSY]);
  const double wait = hd_model_seconds(model, hd_ticks_waiting(model->nodes[0].inclusive_ticks));
  const struct hd_html_table table = {
      "callpath-table",
      "Callpath",
      {items, COLUMNS, 0, hd_unit_for(fmax(fmax(busy, wait), hd_model_seconds(model, model->elapsed_ticks)))},
      out};
  hd_html_section("callpaths", "Callpaths", out);
  fprintf(out, "<p class=\"hint\">Times in %s. Busy and waiting times are summed over threads.</p>\n",
          table.columns.unit.name);
  hd_html_table_begin(&table);
  for (uint32_t i = 0; i < model->node_count; i++)
    put_row(&table, model, order[i]);
  hd_html_table_end(&table);
  hd_html_legend(&table, "-: not measured. &gt;=, &lt;=, ~: at least, at most, about, because events were switched off "
                         "for a time or waits are not reported. ?: unknown, probably more.");
  fputs("</section>\n", out);
  free(order);
}
