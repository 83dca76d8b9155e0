/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The page from top to bottom. */
#include <stdlib.h>

#include "output/views/explain/explain.h"
#include "output/views/export/export.h"
#include "output/views/html/assets.h"
#include "output/views/html/escape.h"
#include "output/views/html/html.h"
#include "output/views/html/sections.h"
#include "output/views/html/table.h"

/* ---- head ---- */

/* Nothing is fetched, and no script runs but those of Heddle. */
static void put_policy(FILE *out) {
  fprintf(out,
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
          "img-src data:; base-uri 'none'; form-action 'none'; script-src 'sha256-%s' 'sha256-%s'",
          hd_asset_head.sha256, hd_asset_script.sha256);
  if (hd_asset_d3.bytes > 0)
    fprintf(out, " 'sha256-%s'", hd_asset_d3.sha256);
  fputs("\">\n", out);
}

static void put_asset(const struct hd_asset *asset, const char *element, FILE *out) {
  fprintf(out, "<%s>", element);
  fwrite(asset->text, 1, asset->bytes, out);
  fprintf(out, "</%s>\n", element);
}

static void put_head(const struct hd_model *model, FILE *out) {
  fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", out);
  put_policy(out);
  fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<link rel=\"icon\" href=\"data:,\">\n<title>",
        out);
  hd_html_text(model->header.program, out);
  fputs(" - Heddle</title>\n", out);
  put_asset(&hd_asset_style, "style", out);
  put_asset(&hd_asset_head, "script", out);
  fputs("</head>\n", out);
}

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
  if (made) {
    fprintf(out, "<script type=\"application/json\" id=\"%s\">", id);
    hd_html_json(json, bytes, out);
    fputs("</script>\n", out);
  }
  free(json);
  return made;
}

static void put_footer(FILE *out) {
  fputs("<footer><p>Made by heddle " HEDDLE_VERSION ".", out);
  if (hd_asset_d3.bytes > 0)
    fprintf(out, " Charts: D3 %s, BSD-3-Clause.</p>\n<details><summary>D3's licence</summary><pre>", hd_d3_version);
  else
    fputs(" This build of Heddle lacks D3: the timeline, the flame view and the charts along iterations are left "
          "out.</p>\n",
          out);
  if (hd_asset_d3.bytes > 0) {
    fwrite(hd_asset_d3_licence.text, 1, hd_asset_d3_licence.bytes, out);
    fputs("</pre></details>\n", out);
  }
  fputs("</footer>\n", out);
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
  put_footer(out);
}

bool hd_html_write(const struct hd_model *model, const struct hd_html_options *options, FILE *out) {
  put_head(model, out);
  fputs("<body>\n", out);
  put_body(model, options, out);
  const bool made = put_data("profile", write_profile, model, out) && put_data("explain", write_explain, model, out);
  if (hd_asset_d3.bytes > 0)
    put_asset(&hd_asset_d3, "script", out);
  put_asset(&hd_asset_script, "script", out);
  fputs("</body>\n</html>\n", out);
  return made;
}
