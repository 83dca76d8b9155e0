/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/html/comparisons.h"

#include <stdlib.h>

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

bool hd_html_write_comparisons(const struct hd_compare_series *series, size_t count, FILE *out) {
  const struct hd_compare_view_options page = {.format = HD_COMPARE_HTML, .limit = REGIONS_MOST};
  const struct hd_compare_view_options data = {.format = HD_COMPARE_JSON};
  const char *program = series[0].comparison->runs[0].model->header.program;
  char *json = NULL;
  size_t bytes = 0;
  hd_html_head(program, out);
  fputs("<header><h1>Heddle: ", out);
  hd_html_text(program, out);
  fputs(", runs compared</h1></header>\n<main>\n", out);
  put_traces(series, count, out);
  hd_compare_print(series, count, &page, out);
  fputs("</main>\n", out);
  hd_html_footer(out);
  FILE *into = open_memstream(&json, &bytes);
  if (into)
    hd_compare_print(series, count, &data, into);
  const bool made = into && fclose(into) == 0;
  if (made) {
    hd_html_data("compare", json, bytes, out);
    hd_html_data("causes", titles, sizeof titles - 1, out);
  }
  free(json);
  hd_html_end(out);
  return made;
}
