/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/html/frame.h"

#include <stdlib.h>

#include "output/views/html/assets.h"
#include "output/views/render/html_escape.h"

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

void hd_html_head(const char *program, FILE *out) {
  fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", out);
  put_policy(out);
  fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<link rel=\"icon\" href=\"data:,\">\n<title>",
        out);
  hd_html_text(program, out);
  fputs(" - Heddle</title>\n", out);
  put_asset(&hd_asset_style, "style", out);
  put_asset(&hd_asset_head, "script", out);
  fputs("</head>\n<body>\n", out);
}

/* ---- data and scripts ---- */

void hd_html_data(const char *id, const char *json, size_t bytes, FILE *out) {
  fprintf(out, "<script type=\"application/json\" id=\"%s\">", id);
  hd_html_json(json, bytes, out);
  fputs("</script>\n", out);
}

bool hd_html_data_of(const char *id, bool (*write)(const void *of, FILE *out), const void *of, FILE *out) {
  char *json = NULL;
  size_t bytes = 0;
  FILE *into = open_memstream(&json, &bytes);
  bool made = into && write(of, into);
  if (into && fclose(into) != 0)
    made = false;
  if (made)
    hd_html_data(id, json, bytes, out);
  free(json);
  return made;
}

void hd_html_footer(FILE *out) {
  fputs("<footer><p>Made by heddle " HEDDLE_VERSION ".", out);
  if (hd_asset_d3.bytes == 0) {
    fputs(" This build of Heddle lacks D3: the timeline, the flame view, the charts along iterations and those of "
          "speedups are left out.</p>\n",
          out);
  } else {
    fprintf(out, " Charts: D3 %s, BSD-3-Clause.</p>\n<details><summary>D3's licence</summary><pre>", hd_d3_version);
    fwrite(hd_asset_d3_licence.text, 1, hd_asset_d3_licence.bytes, out);
    fputs("</pre></details>\n", out);
  }
  fputs("</footer>\n", out);
}

const char *hd_html_charts(void) {
  static char name[32];
  snprintf(name, sizeof name, "D3 %s", hd_d3_version);
  return hd_asset_d3.bytes > 0 ? name : NULL;
}

void hd_html_end(FILE *out) {
  if (hd_asset_d3.bytes > 0)
    put_asset(&hd_asset_d3, "script", out);
  put_asset(&hd_asset_script, "script", out);
  fputs("</body>\n</html>\n", out);
}
