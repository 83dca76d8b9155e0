/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The whole run: for how long how many threads were busy, and what each thread did. */
#include <inttypes.h>
#include <string.h>

#include "output/model/format_names.h"
#include "output/model/levels.h"
#include "output/views/html/sections.h"
#include "output/views/html/table.h"
#include "output/views/render/column_names.h"
#include "output/views/render/state_columns.h"

/* ---- levels ---- */

enum { LEVEL_TIME, LEVEL_SHARE, LEVEL_COLUMNS };

static const struct hd_column level_items[LEVEL_COLUMNS] = {
    [LEVEL_TIME] = {NULL, "Time", HD_SECONDS, 0, 0, NULL},
    [LEVEL_SHARE] = {NULL, "Run%", HD_SHARE, 0, 0, "part of the elapsed time"},
};

void hd_html_levels(const struct hd_model *model, FILE *out) {
  const struct hd_html_table table = {
      "level-table",
      "Threads busy",
      {level_items, LEVEL_COLUMNS, 0, hd_unit_for(hd_model_seconds(model, model->elapsed_ticks))},
      out};
  hd_html_section("concurrency", "Concurrency", out);
  fputs("<div id=\"timeline\"></div>\n", out);
  if (model->levels_known) {
    fprintf(out, "<p class=\"hint\">For how long so many threads were busy at the same time, in %s.</p>\n",
            table.columns.unit.name);
    hd_html_table_begin(&table);
    for (uint32_t k = 0; k < model->time_at.count; k++) {
      const double ticks = (double)hd_levels_at(&model->time_at, k);
      if (ticks == 0 && k > 1)
        continue;
      hd_html_row_begin(&table, "");
      fprintf(out, "%u", k);
      hd_html_row_values(&table, (struct hd_value[]){hd_ticks(model, ticks, true),
                                                     hd_share(ticks, (double)model->elapsed_ticks, true)});
    }
    hd_html_table_end(&table);
  }
  const struct hd_bounds bounds = hd_bounds_of_busy_threads(model->nodes[0].marks[HD_MARKS_OF_CALLPATHS]);
  if (bounds.at_most && model->levels_known)
    fputs("<p class=\"note\">At times fewer threads were busy: events were switched off or waits are not reported, and "
          "unobserved waits count as busy.</p>\n",
          out);
  fputs("</section>\n", out);
}

/* ---- threads ---- */

enum { KIND, LIFETIME, STATES, PROCESSOR = STATES + HD_STATE_COLUMNS, COLUMNS };

static const struct hd_column thread_items[COLUMNS] = {
    [KIND] = HD_COLUMN(THREAD_KIND, 0, 1, "initial, worker, other; of several threads in one row: how many"),
    [LIFETIME] = {NULL, "Lifetime", HD_SECONDS, 0, 1, NULL},
    [PROCESSOR] = HD_COLUMN(PROCESSOR, 9, 1, "of the time in which the thread wanted a processor, how much it had one"),
};

static uint64_t hidden_columns(const struct hd_model *model, const struct hd_unit *unit) {
  uint64_t most[HD_STATE_COUNT] = {0};
  bool accounted = false;
  for (uint32_t i = 0; i < model->thread_count; i++) {
    accounted |= model->threads[i].account.known;
    for (int state = 0; state < HD_STATE_COUNT; state++)
      if (model->threads[i].ticks[state] > most[state])
        most[state] = model->threads[i].ticks[state];
  }
  return hd_state_columns_hidden(model, most, unit) << STATES | (uint64_t)!accounted << PROCESSOR;
}

static void put_thread(const struct hd_html_table *table, const struct hd_model *model, uint32_t index) {
  const struct hd_model_thread *thread = &model->threads[index];
  struct hd_value values[COLUMNS] = {0};
  values[KIND] = hd_word(hd_thread_kind_id(thread->kind), true);
  if (thread->threads > 1)
    snprintf(values[KIND].text, HD_CELL_BYTES, "%s x %" PRIu64, values[KIND].word, thread->threads);
  values[LIFETIME] = hd_ticks(model, (double)thread->lifetime_ticks, true);
  hd_state_values(values + STATES, model, thread->ticks);
  hd_state_marks(values + STATES, hd_model_thread_marks(model, index));
  values[PROCESSOR] = hd_share(hd_account_share(&thread->account), 1, true);
  hd_html_row_begin(table, "");
  fprintf(table->out, "%u", thread->id);
  hd_html_states(model, thread->ticks, table->out);
  hd_html_row_values(table, values);
}

void hd_html_threads(const struct hd_model *model, FILE *out) {
  struct hd_column columns[COLUMNS];
  const struct hd_unit unit = hd_unit_for(hd_model_seconds(model, model->elapsed_ticks));
  memcpy(columns, thread_items, sizeof columns);
  hd_state_columns(columns + STATES, 6);
  for (int i = 0; i < HD_STATE_COLUMNS; i++)
    columns[STATES + i].rank = 0;
  const struct hd_html_table table = {
      "thread-table", "Thread", {columns, COLUMNS, hidden_columns(model, &unit), unit}, out};
  hd_html_section("threads", "Threads", out);
  fprintf(out, "<p class=\"hint\">What each thread did in the whole run, in %s.</p>\n", unit.name);
  hd_html_table_begin(&table);
  for (uint32_t i = 0; i < model->thread_count; i++)
    put_thread(&table, model, i);
  hd_html_table_end(&table);
  hd_html_legend(&table, "");
  fputs("</section>\n", out);
}
