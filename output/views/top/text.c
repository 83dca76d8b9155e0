/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A running program as text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/findings/findings.h"
#include "output/analysis/lines/place_text.h"
#include "output/analysis/losses/line_causes.h"
#include "output/model/format_names.h"
#include "output/model/levels.h"
#include "output/views/explain/finding.h"
#include "output/views/render/column_names.h"
#include "output/views/render/level_bars.h"
#include "output/views/top/top_internal.h"
#include "support/command/memory.h"
#include "support/command/sanitize.h"

enum { INDENT = 10 };
static const double error_noticed = 0.01; /* of the interval */

/* ---- heading ---- */

static uint32_t count_living(const struct hd_model *model) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < model->thread_count; i++)
    count += model->threads[i].stay.known;
  return count;
}

static void print_life(const struct hd_top *top, FILE *out) {
  const struct hd_model *run = top->run;
  const char *elapsed = hd_duration_of(run, run->elapsed_ticks).text;
  if (top->life == HD_TOP_RUNS && hd_model_never_woke(run))
    fputs("dormant: nothing is measured until 'heddle ctl PID on'", out);
  else if (top->life == HD_TOP_RUNS && run->header.paused_at_ticks)
    fprintf(out, "paused its measurement after %s", elapsed);
  else if (top->life == HD_TOP_RUNS)
    fprintf(out, "running for %s", elapsed);
  else if (top->life == HD_TOP_ENDED)
    fprintf(out, "ended after %s", elapsed);
  else
    fprintf(out, "gone without closing its profile; last event at %s", elapsed);
}

static struct hd_cell interval_text(const struct hd_top *top) {
  const struct hd_model *model = top->interval ? top->interval : top->run;
  return hd_duration_brief(hd_model_seconds(model, model->elapsed_ticks));
}

static const char *busy_mark(const struct hd_model *model) {
  const char *mark = hd_bounds_text(hd_bounds_of_busy_threads(model->nodes[0].marks[HD_MARKS_OF_CALLPATHS]));
  return model->estimated ? "~" : mark ? mark : "";
}

static void print_busy(const struct hd_top *top, FILE *out) {
  fprintf(out, "%-*s", INDENT, "busy");
  if (top->interval)
    fprintf(out, "%s%.2f threads over the last %s, ", busy_mark(top->interval), hd_top_busy(top->interval),
            interval_text(top).text);
  fprintf(out, "%s%.2f over the run\n", busy_mark(top->run), hd_top_busy(top->run));
}

/* "2 busy, 1 barrier": in the order in which states are listed. */
static void print_states(const struct hd_top *top, FILE *out) {
  uint32_t counts[HD_STATE_COUNT] = {0};
  const char *separator = "";
  if (count_living(top->run) == 0)
    return;
  for (uint32_t i = 0; i < top->run->thread_count; i++)
    if (top->run->threads[i].stay.known)
      counts[top->run->threads[i].stay.state]++;
  fprintf(out, "%-*s", INDENT, "threads");
  for (int state = 0; state < HD_STATE_COUNT; state++)
    if (counts[state] > 0) {
      fprintf(out, "%s%u %s", separator, counts[state], hd_state_words((enum hd_state)state));
      separator = ", ";
    }
  fputc('\n', out);
}

static void print_finding(const struct hd_model *model, const char *of, FILE *out) {
  struct hd_findings *findings = hd_findings_brief(model, HD_FINDING_LEAST);
  char *text = findings->count > 0 ? hd_finding_headline(model, &findings->items[0])
                                   : hd_print("nothing of %.0f %% or more to gain", 100 * HD_FINDING_LEAST);
  fprintf(out, "%-*s", INDENT, of);
  hd_print_paragraph(text, INDENT, out);
  free(text);
  hd_findings_free(findings);
}

static void print_error(const struct hd_top *top, FILE *out) {
  const struct hd_model *model = top->interval ? top->interval : top->run;
  if (top->error_seconds > error_noticed * hd_model_seconds(model, model->elapsed_ticks))
    fprintf(out, "%-*sthe profile changed while it was read: numbers may be wrong by %s\n", INDENT, "note",
            hd_duration_brief(top->error_seconds).text);
}

void hd_top_print_heading(const struct hd_top *top, FILE *out) {
  const struct hd_model *run = top->run;
  const uint32_t threads = top->life == HD_TOP_RUNS ? count_living(run) : run->thread_count;
  hd_sanitize_write(run->header.program, out);
  fprintf(out, " (pid %u): ", run->header.pid);
  print_life(top, out);
  fprintf(out, ", %u thread%s", threads, hd_plural(threads));
  if (run->header.max_threads > 0)
    fprintf(out, " on %u processor%s", run->header.max_threads, hd_plural(run->header.max_threads));
  fputc('\n', out);
  print_busy(top, out);
  print_states(top, out);
  if (top->interval)
    print_finding(top->interval, "now", out);
  print_finding(run, "run", out);
  print_error(top, out);
}

void hd_top_print_minute(const struct hd_top *top, FILE *out) {
  double busy[HD_TOP_MINUTE];
  const uint32_t count = hd_top_minute(top->run, busy);
  const uint32_t highest = hd_levels_highest(&top->run->time_at);
  const double step = count > 0 ? hd_model_seconds(top->run, top->run->timeline->width_ticks) : 0;
  if (count == 0 || highest == 0 || hd_levels_mislead(top->run, top->run->ticks, top->run->unresolved.ticks))
    return;
  fprintf(out, "%-*s", INDENT, "minute");
  for (uint32_t i = 0; i < count; i++)
    fputs(hd_draw_height(busy[i] / highest), out);
  fprintf(out, " full: %u", highest);
  if (step > 1) /* the timeline of a long run is coarse */
    fprintf(out, "; steps of %s", hd_duration_brief(step).text);
  fputc('\n', out);
}

/* ---- threads ---- */

enum { THREAD, KIND, STATE, SINCE, BUSY_SHARE, THREAD_COLUMNS };

static const struct hd_column thread_columns[THREAD_COLUMNS] = {
    [THREAD] = HD_COLUMN(THREAD, 1, 0, NULL),
    [KIND] = HD_COLUMN(THREAD_KIND, 2, 3, NULL),
    [STATE] = {NULL, "State", HD_TEXT, 4, 0, NULL},
    [SINCE] = {NULL, "For", HD_TEXT, 5, 0, NULL},
    [BUSY_SHARE] = {NULL, "Busy%", HD_SHARE, 3, 1, NULL},
};

void hd_top_state_text(char text[HD_CELL_BYTES], const struct hd_stay *stay) {
  snprintf(text, HD_CELL_BYTES, "%s%s", stay->known ? hd_state_words(stay->state) : "ended",
           stay->known && stay->unresolved ? "?" : "");
}

/* Of the interval; a thread that began in it has only its part. */
static struct hd_value busy_share(const struct hd_top *top, uint32_t thread) {
  if (!top->interval)
    return (struct hd_value){0};
  const struct hd_model_thread *at = &top->interval->threads[thread];
  struct hd_value share = hd_share((double)at->ticks[HD_BUSY], (double)at->lifetime_ticks, true);
  share.mark = top->interval->estimated && at->unresolved.ticks > 0 ? "~" : NULL;
  return share;
}

static void fill_thread(struct hd_value values[THREAD_COLUMNS], const struct hd_top *top, uint32_t thread) {
  const struct hd_model_thread *from = &top->run->threads[thread];
  const struct hd_stay *stay = &from->stay;
  values[THREAD] = hd_count(thread, true);
  values[KIND] = hd_word(hd_thread_kind_id(from->kind), true);
  values[STATE].known = true;
  hd_top_state_text(values[STATE].text, stay);
  values[SINCE].known = stay->known;
  hd_cell_duration(values[SINCE].text, hd_top_stay_seconds(top->run, from));
  values[BUSY_SHARE] = busy_share(top, thread);
}

/* The innermost region of a routine or phase is not shown: the place says where, and the callpath is elsewhere. */
static void thread_place(char place[HD_PLACE_BYTES], const struct hd_model *model, const struct hd_stay *stay) {
  *place = '\0';
  if (stay->known && stay->node != 0)
    hd_node_text(place, model, &model->nodes[stay->node], NULL);
  else if (stay->known && stay->state != HD_IDLE)
    strcpy(place, "outside all regions");
}

void hd_top_print_threads(const struct hd_top *top, FILE *out) {
  const struct hd_columns columns = {thread_columns, THREAD_COLUMNS, top->interval ? 0 : UINT64_C(1) << BUSY_SHARE,
                                     hd_unit_for(1)};
  const struct hd_model *run = top->run;
  const uint32_t shown = hd_top_shown(top, run->thread_count);
  struct hd_table grid = {.quiet = true};
  char place[HD_PLACE_BYTES];
  hd_columns_add(&columns, &grid);
  hd_table_left(&grid, 1);
  hd_table_place(&grid, "Where", false);
  for (uint32_t i = 0; i < shown; i++) {
    struct hd_value values[THREAD_COLUMNS] = {0};
    fill_thread(values, top, i);
    thread_place(place, run, &run->threads[i].stay);
    hd_table_row(&grid, NULL);
    hd_columns_cells(&columns, values, &grid);
    hd_table_at(&grid, place);
  }
  hd_table_print(&grid, out);
  hd_table_free(&grid);
  if (shown < run->thread_count)
    fprintf(out, "%u more: --limit 0 shows all\n", run->thread_count - shown);
}

/* ---- callpaths ---- */

enum { CALLS, ELAPSED, GAIN, GAIN_SHARE, CONCURRENCY, RUN_GAIN, RUN_SHARE, CAUSE, CALLPATH_COLUMNS };

static const struct hd_column callpath_columns[CALLPATH_COLUMNS] = {
    [GAIN] = HD_COLUMN(GAIN, 1, 0, NULL),
    [GAIN_SHARE] = {NULL, "Gain%", HD_SHARE, 2, 3, NULL},
    [ELAPSED] = HD_COLUMN(ELAPSED, 3, 0, NULL),
    [CALLS] = HD_COLUMN(CALLS, 4, 4, NULL),
    [CONCURRENCY] = HD_COLUMN(CONCURRENCY, 5, 2, NULL),
    [RUN_GAIN] = {NULL, "Run gain", HD_SECONDS, 6, 5, NULL},
    [RUN_SHARE] = {NULL, "Run%", HD_SHARE, 7, 1, NULL},
    [CAUSE] = {NULL, "Main cause", HD_TEXT, 8, 6, NULL},
};

struct causes {
  struct hd_line_causes all;
  const struct hd_lines *view;
};

static struct hd_value team_value(const struct hd_line *line, struct hd_value value) {
  value.known = value.known && line->team.team_max > 0;
  value.mark = hd_gain_text(line->marks);
  return value;
}

static void fill_cause(struct hd_value *value, const struct causes *causes, const struct hd_line *line) {
  const struct hd_main_cause most = hd_main_cause_of(&causes->all.lines[line - causes->view->lines]);
  value->blank = line->team.team_max == 0 || most.cause == HD_LOSS_NONE ||
                 (hd_gain_text(line->marks) && !(line->marks & HD_MARK_ESTIMATED));
  value->known = !value->blank;
  if (value->known)
    snprintf(value->text, sizeof value->text, "%s %.0f%%", hd_loss_words(most.cause), 100 * most.share);
}

static void fill_callpath(struct hd_value values[CALLPATH_COLUMNS], const struct hd_top *top,
                          const struct hd_top_row *row, const struct causes *causes) {
  const struct hd_model *model = top->interval ? top->interval : top->run;
  const struct hd_line *line = row->interval ? row->interval : row->run;
  values[CALLS] = hd_count(line->visits, true);
  values[CALLS].mark = hd_bounds_text(hd_bounds_of_visits(line->marks));
  values[ELAPSED] = team_value(line, hd_ticks(model, hd_team_elapsed(&line->team), true));
  values[ELAPSED].mark = hd_bounds_text(hd_bounds_of_elapsed(line->marks));
  values[GAIN] = team_value(line, hd_ticks(model, line->team.gain_ticks, true));
  values[GAIN_SHARE] = team_value(line, hd_share(line->team.gain_ticks, (double)model->elapsed_ticks, true));
  values[CONCURRENCY] = team_value(line, hd_number(hd_team_concurrency(&line->team)));
  values[CONCURRENCY].mark = hd_bounds_text(hd_bounds_of_concurrency(line->marks));
  values[RUN_GAIN] = team_value(row->run, hd_ticks(top->run, row->run->team.gain_ticks, true));
  values[RUN_SHARE] = team_value(row->run, hd_share(row->run->team.gain_ticks, (double)top->run->elapsed_ticks, true));
  fill_cause(&values[CAUSE], causes, line);
}

void hd_top_print_callpaths(const struct hd_top *top, FILE *out) {
  struct hd_top_rows rows = hd_top_rows_of(top);
  const struct hd_lines *view = rows.interval ? rows.interval : rows.run;
  struct causes causes = {hd_line_causes_of(view), view};
  const struct hd_columns columns = {callpath_columns, CALLPATH_COLUMNS, 0,
                                     hd_unit_for(hd_model_seconds(top->run, top->run->elapsed_ticks))};
  const uint32_t shown = hd_top_shown(top, rows.count);
  struct hd_table grid = {.quiet = true};
  char place[HD_PLACE_BYTES];
  hd_columns_add(&columns, &grid);
  hd_table_place(&grid, "Region or construct", false);
  for (uint32_t i = 0; i < shown; i++) {
    struct hd_value values[CALLPATH_COLUMNS] = {0};
    fill_callpath(values, top, &rows.items[i], &causes);
    hd_place_text(place, top->run, rows.items[i].run, NULL);
    hd_table_row(&grid, NULL);
    hd_columns_cells(&columns, values, &grid);
    hd_table_at(&grid, place);
  }
  if (rows.count > 0)
    hd_table_print(&grid, out);
  else
    fputs("no parallel region yet\n", out);
  hd_table_free(&grid);
  if (shown < rows.count)
    fprintf(out, "%u more: --limit 0 shows all\n", rows.count - shown);
  hd_line_causes_free(&causes.all);
  hd_top_rows_free(&rows);
}

void hd_top_print(const struct hd_top *top, FILE *out) {
  hd_top_print_heading(top, out);
  hd_top_print_minute(top, out);
  fputs("\nThreads: what each has been doing since its last event\n", out);
  hd_top_print_threads(top, out);
  fprintf(out, "\nRegions and constructs over %s%s; times in %s\n", top->interval ? "the last " : "the run's ",
          interval_text(top).text, hd_unit_for(hd_model_seconds(top->run, top->run->elapsed_ticks)).name);
  hd_top_print_callpaths(top, out);
}
