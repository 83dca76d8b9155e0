/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The page from top to bottom. */
#include <stdlib.h>

#include "output/views/explain/explain.h"
#include "output/views/export/export.h"
#include "output/views/html/frame.h"
#include "output/views/html/html.h"
#include "output/views/html/sections.h"
#include "output/views/html/table.h"

/* ---- data and scripts ---- */

static bool write_explain(const struct hd_model *model, FILE *out) {
  return hd_explain_json(model, true, out);
}

static bool write_profile(const struct hd_model *model, FILE *out) {
  return hd_exporter_find("json")->write(model, HD_WEIGHT_WALL, out);
}

static bool put_data(const char *id, bool (*write)(const struct hd_model *model, FILE *out),
                     const struct hd_model *model, FILE *out) {
  char *json = NULL;
  size_t bytes = 0;
  FILE *into = open_memstream(&json, &bytes);
  bool made = into && write(model, into);
  if (into && fclose(into) != 0)
    made = false;
  if (made)
    hd_html_data(id, json, bytes, out);
  free(json);
  return made;
}

/* ---- all of it ---- */

static void put_links(const struct hd_model *model, const struct hd_html_options *options, FILE *out) {
  fputs("<nav aria-label=\"Parts of the page\"><a href=\"#findings\">Findings</a> <a "
        "href=\"#concurrency\">Concurrency</a> "
        "<a href=\"#callpaths\">Callpaths</a> <a href=\"#threads\">Threads</a> ",
        out);
  fputs(model->sample_count > 0 ? "<a href=\"#hot\">Hot functions</a> " : "", out);
  fputs(model->header.event_count > 0 ? "<a href=\"#counters\">Counters</a> " : "", out);
  fputs("<a href=\"#overhead\">Overhead</a>", out);
  fputs(options->no_source ? "</nav>\n" : " <a href=\"#source\">Source</a></nav>\n", out);
}

static void put_body(const struct hd_model *model, const struct hd_html_options *options, FILE *out) {
  hd_html_heading(model, out);
  put_links(model, options, out);
  fputs("<main>\n", out);
  hd_html_findings(model, out);
  hd_html_levels(model, out);
  hd_html_callpaths(model, out);
  fputs("<section id=\"flame\" hidden></section>\n<section id=\"region\" hidden></section>\n", out);
  hd_html_threads(model, out);
  hd_html_loops(model, out);
  hd_html_tasks(model, out);
  hd_html_hot(model, out);
  hd_html_counters(model, out);
  hd_html_overhead(model, out);
  if (!options->no_source)
    hd_html_source(model, out);
  fputs("</main>\n", out);
  hd_html_footer(out);
}

bool hd_html_write(const struct hd_model *model, const struct hd_html_options *options, FILE *out) {
  hd_html_head(model->header.program, out);
  put_body(model, options, out);
  const bool made = put_data("profile", write_profile, model, out) && put_data("explain", write_explain, model, out);
  hd_html_end(out);
  return made;
}
