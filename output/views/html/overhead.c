/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What Heddle itself cost, and what it has to say of the run. */
#include <math.h>

#include "output/model/duration.h"
#include "output/model/format_names.h"
#include "output/views/html/sections.h"
#include "output/views/html/table.h"
#include "output/views/render/column_names.h"

enum { EVENTS, EVENT_NS, EVENT_TIME, EVENT_SHARE, COLUMNS };

static const struct hd_column items[COLUMNS] = {
    [EVENTS] = HD_COLUMN(EVENTS, 0, 0, NULL),
    [EVENT_NS] = HD_COLUMN(EVENT_NS, 0, 0, "nanoseconds for each of them"),
    [EVENT_TIME] = HD_COLUMN(EVENT_TIME, 0, 0, "for all of them, as thread time"),
    [EVENT_SHARE] = {NULL, "%", HD_SHARE, 0, 0, "of the time for all of Heddle's events"},
};

static void put_event(const struct hd_html_table *table, const struct hd_model *model, enum hd_event_kind kind) {
  const struct hd_cost *cost = &model->cost_of[kind];
  struct hd_value values[COLUMNS] = {
      [EVENTS] = hd_count(cost->count, true),
      [EVENT_NS] = hd_decimals(1e9 * hd_model_seconds(model, cost->ticks) / (double)cost->count, 0),
      [EVENT_TIME] = hd_ticks(model, (double)cost->ticks, true),
      [EVENT_SHARE] = hd_share((double)cost->ticks, (double)model->cost_ticks, true),
  };
  hd_html_row_begin(table, "");
  for (const char *at = hd_event_id(kind); *at; at++)
    fputc(*at == '_' ? ' ' : *at, table->out);
  hd_html_row_values(table, values);
}

static void put_events(const struct hd_model *model, FILE *out) {
  const double share = hd_model_overhead(model), elapsed = hd_model_corrected_elapsed(model);
  const struct hd_html_table table = {
      "event-table", "Event", {items, COLUMNS, 0, hd_unit_for(hd_model_seconds(model, model->cost_ticks))}, out};
  fprintf(out, "<p>Heddle's events took %s of thread time", hd_duration_of(model, model->cost_ticks).text);
  if (!isnan(share))
    fprintf(out, ", %.1f&nbsp;%% of the busy time", 100 * share);
  if (!isnan(elapsed))
    fprintf(out, "; without them the run takes about %s", hd_duration(elapsed * model->seconds_per_tick).text);
  fprintf(out, ".</p>\n<p class=\"hint\">Total in %s.</p>\n", table.columns.unit.name);
  hd_html_table_begin(&table);
  for (int kind = 0; kind < HD_EVENT_KINDS; kind++)
    if (model->cost_of[kind].count > 0)
      put_event(&table, model, (enum hd_event_kind)kind);
  hd_html_table_end(&table);
}

static void put_notes(const struct hd_model *model, FILE *out) {
  if (model->notes.count == 0)
    return;
  fputs("<h3>Notes</h3>\n<ul id=\"notes\">\n", out);
  for (size_t i = 0; i < model->notes.count; i++) {
    fputs("<li>", out);
    hd_html_text(model->notes.items[i], out);
    fputs("</li>\n", out);
  }
  fputs("</ul>\n", out);
}

void hd_html_overhead(const struct hd_model *model, FILE *out) {
  hd_html_section("overhead", "Overhead and notes", out);
  if (model->cost_count > 0)
    put_events(model, out);
  else
    fputs("<p>This profile has no record of Heddle's own cost.</p>\n", out);
  put_notes(model, out);
  fputs("</section>\n", out);
}
