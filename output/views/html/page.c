/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The page from top to bottom. */
#include <stdlib.h>

#include "output/analysis/resolve/resolve.h"
#include "output/views/explain/explain.h"
#include "output/views/export/export.h"
#include "output/views/html/frame.h"
#include "output/views/html/html.h"
#include "output/views/html/sections.h"
#include "output/views/html/table.h"
#include "output/views/html/trace.h"

/* ---- data and scripts ---- */

static bool write_explain(const struct hd_model *model, FILE *out) {
  return hd_explain_json(model, true, out);
}

static bool write_profile(const struct hd_model *model, FILE *out) {
  return hd_exporter_find("json")->write(model, HD_WEIGHT_WALL, out);
}

struct data {
  char *json; /* NULL: no memory */
  size_t bytes;
};

static struct data make_data(bool (*write)(const struct hd_model *model, FILE *out), const struct hd_model *model) {
  struct data data = {0};
  FILE *into = open_memstream(&data.json, &data.bytes);
  bool made = into && write(model, into);
  if (into && fclose(into) != 0)
    made = false;
  if (!made) {
    free(data.json);
    data.json = NULL;
  }
  return data;
}

static bool put_data(const char *id, const struct data *data, FILE *out) {
  if (!data->json)
    return false;
  hd_html_data(id, data->json, data->bytes, out);
  free(data->json);
  return true;
}

/* ---- all of it ---- */

static void put_links(const struct hd_model *model, const struct hd_html_options *options, bool has_trace, FILE *out) {
  fputs("<nav aria-label=\"Parts of the page\"><a href=\"#findings\">Findings</a> <a "
        "href=\"#concurrency\">Concurrency</a> ",
        out);
  fputs(has_trace ? "<a href=\"#trace-section\">Trace</a> " : "", out);
  fputs("<a href=\"#callpaths\">Callpaths</a> <a href=\"#threads\">Threads</a> ", out);
  fputs(model->sample_count > 0 ? "<a href=\"#hot\">Hot functions</a> " : "", out);
  fputs(model->header.event_count > 0 ? "<a href=\"#counters\">Counters</a> " : "", out);
  fputs("<a href=\"#overhead\">Overhead</a>", out);
  fputs(options->no_source ? "</nav>\n" : " <a href=\"#source\">Source</a></nav>\n", out);
}

static void put_body(const struct hd_model *model, const struct hd_html_options *options,
                     const struct hd_embedded_trace *trace, FILE *out) {
  hd_html_heading(model, out);
  put_links(model, options, trace, out);
  fputs(model->estimated ? "<main data-estimated>\n" : "<main>\n", out);
  hd_html_findings(model, out);
  hd_html_levels(model, out);
  hd_html_trace(options->trace_of ? options->trace_of : model, trace, out);
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

/* The profile's data are what was observed, with estimates beside it. */
bool hd_html_write(struct hd_model *model, const struct hd_html_options *options, FILE *out) {
  const struct data profile = make_data(write_profile, model);
  const struct hd_model *of = options->trace_of ? options->trace_of : model;
  struct hd_embedded_trace *trace = options->trace_changes > 0 ? hd_trace_embed(of, options->trace_changes) : NULL;
  if (!options->no_estimates)
    hd_resolve(model);
  const struct data explain = make_data(write_explain, model);
  hd_html_head(model->header.program, out);
  put_body(model, options, trace, out);
  const bool has_profile = put_data("profile", &profile, out), has_explain = put_data("explain", &explain, out);
  hd_html_trace_data(trace, out);
  hd_embedded_trace_free(trace);
  hd_html_end(out);
  return has_profile && has_explain;
}
