/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/html/comparisons.h"

#include "output/analysis/losses/causes.h"
#include "output/trace/size.h"
#include "output/views/html/frame.h"
#include "output/views/render/html_escape.h"

enum { REGIONS_MOST = 500 };

/* What the parts of a bar are called, in the order in which they lie. */
#define TITLE(name, key, heading, ...) ",\"" key "\":\"" heading "\""
static const char titles[] = "{\"busy\":\"busy\"" HD_LOSSES(TITLE) "}";

/* A timeline is of one run. */
static void put_traces(const struct hd_compare_series *series, size_t count, FILE *out) {
  struct hd_trace_size size;
  for (size_t i = 0; i < count; i++)
    for (uint32_t j = 0; j < series[i].comparison->run_count; j++)
      if (hd_trace_size(series[i].comparison->runs[j].model, &size)) {
        fputs(
            "<p class=\"hint\">Traces are not compared: the page of one profile shows its trace, <code>heddle html -o "
            "PAGE FILE</code>.</p>\n",
            out);
        return;
      }
}

struct compared {
  const struct hd_compare_series *series;
  size_t count;
};

static bool write_json(const void *of, FILE *out) {
  const struct compared *compared = of;
  const struct hd_compare_view_options options = {.format = HD_COMPARE_JSON};
  hd_compare_print(compared->series, compared->count, &options, out);
  return true;
}

bool hd_html_write_comparisons(const struct hd_compare_series *series, size_t count, FILE *out) {
  const struct hd_compare_view_options page = {.format = HD_COMPARE_HTML, .limit = REGIONS_MOST};
  const char *program = series[0].comparison->runs[0].model->header.program;
  hd_html_head(program, out);
  fputs("<header><h1>Heddle: ", out);
  hd_html_text(program, out);
  fputs(", runs compared</h1></header>\n<main>\n", out);
  put_traces(series, count, out);
  hd_compare_print(series, count, &page, out);
  fputs("</main>\n", out);
  hd_html_footer(out);
  const bool made = hd_html_data_of("compare", write_json, &(const struct compared){series, count}, out);
  hd_html_data("causes", titles, sizeof titles - 1, out);
  hd_html_end(out);
  return made;
}
