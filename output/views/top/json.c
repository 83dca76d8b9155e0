/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/json.h"

#include <math.h>

#include "output/analysis/findings/findings.h"
#include "output/model/format_names.h"
#include "output/views/explain/finding.h"
#include "output/views/render/column_names.h"
#include "output/views/top/top_internal.h"

enum { TOP_JSON_VERSION = 1 };

static const char *life_id(enum hd_top_life life) {
  return life == HD_TOP_RUNS ? "running" : life == HD_TOP_ENDED ? "ended" : "gone";
}

/* ---- threads ---- */

static json_t *state_seconds(const struct hd_model *model, const struct hd_model_thread *thread) {
  return HD_JSON({HD_KEY(BUSY), hd_json_seconds(model, thread->ticks[HD_BUSY])},
                 {HD_KEY(WAIT), hd_json_seconds(model, hd_ticks_waiting(thread->ticks))},
                 {HD_KEY(RUNTIME), hd_json_seconds(model, hd_ticks_runtime(thread->ticks))},
                 {HD_KEY(IDLE), hd_json_seconds(model, thread->ticks[HD_IDLE])});
}

static json_t *thread(const void *of, size_t index) {
  const struct hd_top *top = of;
  const struct hd_model_thread *from = &top->run->threads[index];
  const struct hd_stay *stay = &from->stay;
  return HD_JSON(
      {HD_KEY(THREAD), hd_json_count(index)}, {HD_KEY(THREAD_KIND), json_string(hd_thread_kind_id(from->kind))},
      {"state", json_string(stay->known ? hd_state_id(stay->state) : "ended")},
      {"since_s", hd_json_number(hd_top_stay_seconds(top->run, from))},
      {"unresolved", json_boolean(stay->known && stay->unresolved)},
      {"place", stay->known ? hd_explain_place(&top->run->nodes[stay->node]) : json_null()},
      {"interval", top->interval ? state_seconds(top->interval, &top->interval->threads[index]) : json_null()},
      {"run", state_seconds(top->run, from)});
}

/* ---- callpaths ---- */

static json_t *numbers(const struct hd_model *model, const struct hd_line *line) {
  const bool team = line->team.team_max > 0;
  return HD_JSON({HD_KEY(CALLS), hd_json_count(line->visits)},
                 {HD_KEY(ELAPSED), hd_json_ticks(model, team ? hd_team_elapsed(&line->team) : NAN)},
                 {HD_KEY(GAIN), hd_json_ticks(model, team ? line->team.gain_ticks : NAN)},
                 {HD_KEY(CONCURRENCY), hd_json_number(team ? hd_team_concurrency(&line->team) : NAN)},
                 {HD_KEY(INCLUSIVE), hd_json_seconds(model, line->ticks[HD_BUSY])},
                 {"wait_inclusive_s", hd_json_seconds(model, hd_ticks_waiting(line->ticks))});
}

struct listed {
  const struct hd_top *top;
  struct hd_top_rows rows;
};

static json_t *callpath(const void *of, size_t index) {
  const struct listed *listed = of;
  const struct hd_top *top = listed->top;
  const struct hd_top_row *row = &listed->rows.items[index];
  return HD_JSON({"place", hd_explain_place(row->run->node)}, {"marks", hd_json_marks(row->run->marks)},
                 {"interval", row->interval ? numbers(top->interval, row->interval) : json_null()},
                 {"run", numbers(top->run, row->run)});
}

static json_t *callpaths(const struct hd_top *top) {
  struct listed listed = {top, hd_top_rows_of(top)};
  json_t *array = hd_json_array(&listed, hd_top_shown(top, listed.rows.count), callpath);
  hd_top_rows_free(&listed.rows);
  return array;
}

/* ---- findings ---- */

static json_t *finding(const void *of, size_t index) {
  const struct hd_findings *findings = of;
  return hd_finding_json(findings->model, &findings->items[index]);
}

static json_t *findings_of(const struct hd_model *model) {
  if (!model)
    return json_null();
  struct hd_findings *findings = hd_findings_new(model, HD_FINDING_LEAST);
  json_t *array = hd_json_array(findings, findings->count, finding);
  hd_findings_free(findings);
  return array;
}

/* ---- all ---- */

static json_t *minute(const struct hd_model *model) {
  double busy[HD_TOP_MINUTE];
  const uint32_t count = hd_top_minute(model, busy);
  json_t *array = json_array();
  for (uint32_t i = 0; array && i < count; i++)
    json_array_append_new(array, hd_json_number(busy[i]));
  return array;
}

bool hd_top_json(const struct hd_top *top, FILE *out) {
  const struct hd_model *run = top->run;
  json_t *value = HD_JSON(
      {"heddle_top", hd_json_count(TOP_JSON_VERSION)}, {"file", hd_json_text(run->path)},
      {"program", hd_json_text(run->header.program)}, {"pid", hd_json_count(run->header.pid)},
      {"state", json_string(life_id(top->life))}, {"paused", json_boolean(run->header.paused_at_ticks != 0)},
      {HD_KEY(ELAPSED), hd_json_seconds(run, run->elapsed_ticks)},
      {"interval_s", top->interval ? hd_json_seconds(top->interval, top->interval->elapsed_ticks) : json_null()},
      {"error_s", hd_json_number(top->error_seconds)},
      {"processors", run->header.max_threads ? hd_json_count(run->header.max_threads) : json_null()},
      {"busy_threads",
       HD_JSON({"interval", hd_json_number(hd_top_busy(top->interval))}, {"run", hd_json_number(hd_top_busy(run))},
               {"last_minute", minute(run)},
               {"last_minute_step_s", run->timeline ? hd_json_seconds(run, run->timeline->width_ticks) : json_null()})},
      {"threads", hd_json_array(top, hd_top_shown(top, run->thread_count), thread)}, {"callpaths", callpaths(top)},
      {"findings", HD_JSON({"interval", findings_of(top->interval)}, {"run", findings_of(run)})});
  const bool made = hd_json_write(value, out);
  fputc('\n', out);
  return made;
}
