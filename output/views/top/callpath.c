/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One region or construct. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/lines/line_histories.h"
#include "output/analysis/lines/place_text.h"
#include "output/analysis/losses/causes.h"
#include "output/model/format_names.h"
#include "output/model/levels.h"
#include "output/views/render/history_strip.h"
#include "output/views/render/level_bars.h"
#include "output/views/render/table.h"
#include "output/views/top/top_internal.h"
#include "support/command/memory.h"

static bool is_below(const struct hd_model *model, uint32_t node, uint32_t above) {
  while (node > above)
    node = model->nodes[node].parent;
  return node == above;
}

static void put_text(struct hd_table *grid, const char *what, const char *now, const char *run) {
  hd_table_row(grid, NULL);
  hd_table_cell(grid, "%s", now);
  hd_table_cell(grid, "%s", run);
  hd_table_at(grid, what);
}

static struct hd_cell time_of(const struct hd_model *model, double ticks) {
  struct hd_cell cell = {"-"};
  if (model && ticks == 0)
    strcpy(cell.text, "0");
  else if (model && isfinite(ticks))
    hd_cell_duration(cell.text, ticks * model->seconds_per_tick);
  return cell;
}

static struct hd_cell number_of(double number) {
  struct hd_cell cell = {""};
  hd_cell_number(cell.text, number, 2);
  return cell;
}

static struct hd_cell count_of(const struct hd_line *line) {
  struct hd_cell cell = {"-"};
  if (line)
    hd_cell_grouped(cell.text, line->visits);
  return cell;
}

struct pair {
  const struct hd_top *top;
  const struct hd_line *now, *run; /* `now` may be NULL */
};

static double elapsed_of(const struct hd_line *line) {
  return line && line->team.team_max > 0 ? hd_team_elapsed(&line->team) : NAN;
}

static double gain_of(const struct hd_line *line) {
  return line && line->team.team_max > 0 ? line->team.gain_ticks : NAN;
}

static double concurrency_of(const struct hd_line *line) {
  return line && line->team.team_max > 0 ? hd_team_concurrency(&line->team) : NAN;
}

static double imbalance_of(const struct hd_line *line) {
  return line && line->team.team_max > 0 ? hd_team_imbalance(&line->team) : NAN;
}

static void put_team(struct hd_table *grid, const struct pair *pair) {
  const struct hd_model *now = pair->top->interval, *run = pair->top->run;
  put_text(grid, "calls", count_of(pair->now).text, count_of(pair->run).text);
  put_text(grid, "elapsed", time_of(now, elapsed_of(pair->now)).text, time_of(run, elapsed_of(pair->run)).text);
  put_text(grid, "gain", time_of(now, gain_of(pair->now)).text, time_of(run, gain_of(pair->run)).text);
  put_text(grid, "busy threads", number_of(concurrency_of(pair->now)).text, number_of(concurrency_of(pair->run)).text);
  put_text(grid, "imbalance", number_of(imbalance_of(pair->now)).text, number_of(imbalance_of(pair->run)).text);
}

static void put_states(struct hd_table *grid, const struct pair *pair) {
  for (int state = 0; state < HD_STATE_COUNT; state++) {
    char what[HD_CELL_BYTES * 2];
    if (pair->run->ticks[state] == 0)
      continue;
    snprintf(what, sizeof what, "%s, thread time", hd_state_words((enum hd_state)state));
    put_text(grid, what, time_of(pair->top->interval, pair->now ? (double)pair->now->ticks[state] : NAN).text,
             time_of(pair->top->run, (double)pair->run->ticks[state]).text);
  }
}

static void print_threads(const struct hd_top *top, uint32_t node, FILE *out) {
  const struct hd_model *run = top->run;
  uint32_t count = 0;
  for (uint32_t i = 0; i < run->thread_count; i++) {
    const struct hd_stay *stay = &run->threads[i].stay;
    char state[HD_CELL_BYTES], place[HD_PLACE_BYTES];
    if (!stay->known || !is_below(run, stay->node, node))
      continue;
    hd_top_state_text(state, stay);
    hd_node_text(place, run, &run->nodes[stay->node], NULL);
    fprintf(out, "%s%6u  %s for %s%s%s\n", count++ == 0 ? "Threads in it\n" : "", i, state,
            hd_duration(hd_top_stay_seconds(run, &run->threads[i])).text, stay->node != node ? " in " : "",
            stay->node != node ? place : "");
  }
  if (count == 0)
    fputs("No thread is in it.\n", out);
}

/* Since the program's start. */
static void print_history(const struct hd_top *top, const struct hd_lines *view, uint32_t line, FILE *out) {
  enum { INDENT = 9, COLUMNS_MOST = 100 };
  const struct hd_model *run = top->run;
  const uint32_t highest = hd_levels_highest(&run->time_at);
  const unsigned width = hd_draw_width(out, COLUMNS_MOST, 80);
  struct hd_history *history = hd_line_history(view, line);
  if (history && highest > 0 && width > 2 * INDENT &&
      !hd_levels_mislead(run, view->lines[line].ticks, view->lines[line].unresolved.ticks)) {
    fprintf(out, "%-*s", INDENT, "in time");
    hd_history_strip(run, history, width - INDENT, highest, out);
    fprintf(out, "\n%-*sthe run so far; threads busy while it ran, full: %u\n\n", INDENT, "", highest);
  }
  free(history);
}

void hd_top_print_callpath(const struct hd_top *top, uint32_t node, FILE *out) {
  struct hd_top_rows rows = hd_top_rows_of(top);
  const uint32_t line = rows.run->line_of_node[node];
  const struct pair pair = {top, rows.interval ? &rows.interval->lines[rows.interval->line_of_node[node]] : NULL,
                            &rows.run->lines[line]};
  struct hd_table grid = {.quiet = true};
  char *text = hd_new(1, HD_CALLPATH_BYTES);
  hd_callpath_text(text, rows.run, line);
  hd_print_wrapped(text, 0, out);
  fputs("\n\n", out);
  hd_table_column(&grid, "Interval", 0);
  hd_table_column(&grid, "Run", 0);
  hd_table_place(&grid, "", false);
  put_team(&grid, &pair);
  put_states(&grid, &pair);
  hd_table_print(&grid, out);
  if (top->run->estimated)
    fputs("Where events were switched off these are estimates, from windows in which they were on.\n", out);
  fputc('\n', out);
  print_history(top, rows.run, line, out);
  print_threads(top, node, out);
  hd_table_free(&grid);
  free(text);
  hd_top_rows_free(&rows);
}
