/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file regions_csv.c
 * The report's numbers for other programs: one header line, fields quoted as in RFC 4180, lines that end as any other
 * (RFC 4180's carriage returns trip up awk and cut), seconds in full precision. An empty field was not measured.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/causes.h"
#include "output/model/format_names.h"
#include "output/views/render/count_columns.h"
#include "output/views/report/report_internal.h"
#include "support/command/sanitize.h"

static void put_states(const struct hd_model *model, const uint64_t ticks[HD_STATE_COUNT], FILE *out) {
  hd_csv_number(hd_model_seconds(model, ticks[HD_BUSY]), out);
  hd_csv_number(hd_model_seconds(model, hd_ticks_waiting(ticks)), out);
  for (int state = HD_WAIT_FIRST; state <= HD_WAIT_LAST; state++)
    hd_csv_number(hd_model_seconds(model, ticks[state]), out);
  hd_csv_number(hd_model_seconds(model, ticks[HD_RUNTIME]), out);
  hd_csv_number(hd_model_seconds(model, ticks[HD_IDLE]), out);
}

static void put_state_names(FILE *out) {
  fputs(",busy_s,wait_s", out);
  for (int state = HD_WAIT_FIRST; state <= HD_WAIT_LAST; state++)
    fprintf(out, ",wait_%s_s", hd_state_id((enum hd_state)state));
  fputs(",runtime_s,idle_s", out);
}

static void put_team(const struct hd_view *view, const struct hd_line *line, FILE *out) {
  const struct hd_team_totals *team = &line->team;
  const double second = view->model->seconds_per_tick;
  const double whole = (double)view->model->elapsed_ticks;
  const double elapsed = hd_team_elapsed(team);
  if (team->team_max == 0) {
    fputs(",,,,,,,,", out);
    return;
  }
  fprintf(out, ",%u,%u", team->team_min, team->team_max);
  hd_csv_number(elapsed * second, out);
  hd_csv_number(whole > 0 ? elapsed / whole : NAN, out);
  hd_csv_number(team->gain_ticks * second, out);
  hd_csv_number(whole > 0 ? team->gain_ticks / whole : NAN, out);
  hd_csv_number(hd_team_concurrency(team), out);
  hd_csv_number(hd_team_imbalance(team), out);
}

bool hd_report_regions_csv(struct hd_view *view, const struct hd_report_options *options, FILE *out) {
  hd_view_choose(view, options->sort, options->limit, false);
  hd_csv_place_names(out);
  fputs(",calls,team_min,team_max,elapsed_s,elapsed_share,gain_s,gain_share,mean_concurrency,imbalance", out);
  fputs(",wall_share_s,wall_share", out);
  put_state_names(out);
  hd_csv_count_names(view->model, " inclusive", true, out);
  fputc('\n', out);
  struct hd_count_sums *sums = hd_view_count_lines(view, true);
  for (uint32_t i = 1; i < view->count; i++) {
    const struct hd_line *line = &view->lines[i];
    if (!line->shown)
      continue;
    hd_csv_place(view, i, out);
    fprintf(out, ",%llu", (unsigned long long)line->visits);
    put_team(view, line, out);
    hd_csv_number(line->wall_share_ticks * view->model->seconds_per_tick, out);
    hd_csv_number(line->wall_share_ticks / (double)view->model->elapsed_ticks, out);
    put_states(view->model, line->ticks, out);
    hd_csv_counts(view->model, sums ? &sums->sums[i] : NULL, true, hd_count_elapsed(&line->team), out);
    fputs("\n", out);
  }
  hd_count_sums_free(sums);
  return true;
}

/* Rows of one line and thread, with the lines below; the program's are each thread's whole life. */
static bool put_threads(struct hd_view *view, uint32_t line, bool whole, FILE *out) {
  const struct hd_model *model = view->model;
  uint64_t(*sums)[HD_STATE_COUNT] = calloc((size_t)model->thread_count + 1, sizeof *sums);
  if (!sums || !hd_view_sum_threads(view, line, sums)) {
    free(sums);
    return false;
  }
  struct hd_count_sums *counts = hd_view_count_threads(view, line);
  for (uint32_t thread = 0; thread < model->thread_count; thread++) {
    if (line > 0 && hd_ticks_all(sums[thread]) == 0)
      continue;
    hd_csv_place(view, line, out);
    fprintf(out, ",%u,%s", thread, hd_thread_kind_id(model->threads[thread].kind));
    put_states(model, sums[thread], out);
    hd_csv_number(whole ? hd_account_share(&model->threads[thread].account) : NAN, out);
    hd_csv_counts(model, counts ? &counts->sums[thread] : NULL, true, whole ? hd_count_lifetime(model, thread) : NAN,
                  out);
    fputs("\n", out);
  }
  hd_count_sums_free(counts);
  free(sums);
  return true;
}

bool hd_report_threads_csv(struct hd_view *view, const struct hd_report_options *options, FILE *out) {
  hd_view_choose(view, options->sort, options->limit, false);
  hd_csv_place_names(out);
  fputs(",thread,thread_kind", out);
  put_state_names(out);
  fputs(",processor_share", out);
  hd_csv_count_names(view->model, " inclusive", true, out);
  fputc('\n', out);
  for (uint32_t i = 0; i < view->count; i++)
    if ((i == 0 || view->lines[i].shown) && !put_threads(view, i, i == 0 && !options->focus, out))
      return false;
  return true;
}
