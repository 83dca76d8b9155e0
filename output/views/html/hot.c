/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What threads execute, by function and state, from samples. */
#include <math.h>

#include "output/analysis/losses/causes.h"
#include "output/analysis/lines/hot_places.h"
#include "output/model/node_text.h"
#include "output/views/html/sections.h"
#include "output/views/html/table.h"

enum { FUNCTIONS_MOST = 200 };
enum { SHARE, TIME, INTERVAL, SAMPLES, STATE, COLUMNS };

static const struct hd_column items[COLUMNS] = {
    [SHARE] = {NULL, "%", HD_SHARE, 0, 0, "of the processor time of all samples"},
    [TIME] = {NULL, "Time", HD_SECONDS, 0, 0, "processor time in user space, an estimate from samples"},
    [INTERVAL] = {NULL, "95%", HD_TEXT, 0, 1, "in which the share lies with a probability of 95 %"},
    [SAMPLES] = {NULL, "Samples", HD_COUNT, 0, 1, "how often it was found"},
    [STATE] = {NULL, "State", HD_WORD, 0, 1, "of the thread"},
};

static struct hd_sample_sum whole_of(const struct hd_hot_places *places) {
  struct hd_sample_sum whole = {0};
  for (uint32_t i = 0; i < places->count; i++) {
    whole.count += (double)places->items[i].count;
    whole.taken += (double)places->items[i].taken;
  }
  return whole;
}

/* "kernel heat.c in libheat.so"; where no function is known, the library. */
static void put_place(const struct hd_model *model, const struct hd_model_sample *place, FILE *out) {
  char function[HD_FUNCTION_BYTES] = "";
  if (place->name.function)
    hd_function_text(function, place->name.function);
  fputs("<span class=\"place\">", out);
  hd_html_text(*function ? function : "unknown function", out);
  if (place->inlined_into) {
    hd_function_text(function, place->inlined_into);
    fputs(" (inlined into ", out);
    hd_html_text(function, out);
    fputs(")", out);
  }
  fputs("</span> <small>", out);
  if (place->module != HD_NONE)
    hd_html_text(hd_base_name(model->modules[place->module].path), out);
  fputs("</small>", out);
}

static void put_row(const struct hd_html_table *table, const struct hd_model *model,
                    const struct hd_model_sample *place, struct hd_sample_sum whole) {
  const struct hd_sample_sum part = {(double)place->count, (double)place->taken};
  const struct hd_sample_share share = hd_sample_share_of(part, whole);
  struct hd_value values[COLUMNS] = {
      [SHARE] = hd_share(part.count, whole.count, true),
      [TIME] = hd_number(1e-9 * part.count * (double)model->header.sample_period_ns),
      [INTERVAL] = {.known = isfinite(share.low)},
      [SAMPLES] = hd_count(place->count, true),
      [STATE] = hd_word(hd_state_words((enum hd_state)place->state), true),
  };
  snprintf(values[INTERVAL].text, HD_CELL_BYTES, "%.1f-%.1f", 100 * share.low, 100 * share.high);
  hd_html_row_begin(table, "");
  put_place(model, place, table->out);
  hd_html_row_values(table, values);
}

void hd_html_hot(const struct hd_model *model, FILE *out) {
  if (model->sample_count == 0)
    return;
  struct hd_hot_places places = hd_hot_places_new(model->samples, model->sample_count, HD_HOT_STATES);
  const struct hd_sample_sum whole = whole_of(&places);
  const double largest = places.count > 0 ? (double)places.items[0].count : 0;
  const struct hd_html_table table = {
      "hot-table",
      "Function",
      {items, COLUMNS, 0, hd_unit_for(1e-9 * largest * (double)model->header.sample_period_ns)},
      out};
  hd_html_section("hot", "Hot functions", out);
  fprintf(out, "<p class=\"hint\">What threads executed: %.0f samples in all. Times in %s.</p>\n", whole.count,
          table.columns.unit.name);
  hd_html_table_begin(&table);
  for (uint32_t i = 0; i < places.count && i < FUNCTIONS_MOST; i++)
    put_row(&table, model, &places.items[i], whole);
  hd_html_table_end(&table);
  if (places.count > FUNCTIONS_MOST)
    fprintf(out, "<p class=\"note\">%u more functions have fewer samples: heddle report --hot --limit 0</p>\n",
            places.count - FUNCTIONS_MOST);
  hd_html_legend(&table, "");
  fputs("</section>\n", out);
  hd_hot_places_free(&places);
}
