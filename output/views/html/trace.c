/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/html/trace.h"

#include <inttypes.h>

#include "output/model/duration.h"
#include "output/model/format_names.h"
#include "output/trace/limits.h"
#include "output/views/html/table.h"
#include "output/views/render/html_escape.h"

static void put_limit(void *context, const char *text) {
  FILE *out = context;
  fputs("<p class=\"warning\">The trace ", out);
  hd_html_text(text, out);
  fputs(".</p>\n", out);
}

static void put_damage(const struct hd_embedded_facts *facts, FILE *out) {
  if (facts->damaged)
    fprintf(out, "<p class=\"warning\">The trace is damaged: what came after %s could not be read.</p>\n",
            hd_duration(facts->end_seconds).text);
}

/* It is 1, 2 or 5 of something. */
static struct hd_cell round_duration(double seconds) {
  const double factor = seconds < 0.9e-3 ? 1e6 : seconds < 0.9 ? 1e3 : 1;
  struct hd_cell cell;
  snprintf(cell.text, sizeof cell.text, "%.3g %s", factor * seconds, factor > 1e3 ? "us" : factor > 1 ? "ms" : "s");
  return cell;
}

static void put_resolution(const struct hd_embedded_facts *facts, FILE *out) {
  if (facts->resolution_seconds > 0)
    fprintf(out,
            "<p class=\"warning\">The trace has more details than this page: it embeds at most %" PRIu64
            " changes, so neighbouring stretches of a thread that are shorter than %s are drawn as one, with the part "
            "of each state. <code>heddle html --trace-changes N</code> embeds more, <code>heddle trace --print</code> "
            "shows everything.</p>\n",
            facts->limit, round_duration(facts->resolution_seconds).text);
}

void hd_html_trace(const struct hd_model *model, const struct hd_embedded_trace *trace, FILE *out) {
  if (!trace)
    return;
  const struct hd_embedded_facts facts = hd_embedded_trace_facts(trace);
  hd_html_section("trace-section", "Trace", out);
  fprintf(out,
          "<p class=\"hint\">What each thread did when: %" PRIu64 " stretches of %" PRIu32
          " thread%s, from %s to %s.</p>\n",
          facts.changes, facts.thread_count, hd_plural(facts.thread_count), hd_duration(facts.begin_seconds).text,
          hd_duration(facts.end_seconds).text);
  hd_trace_limits(model, put_limit, out);
  put_damage(&facts, out);
  put_resolution(&facts, out);
  fputs("<div id=\"trace-view\"></div>\n</section>\n", out);
}

void hd_html_trace_data(const struct hd_embedded_trace *trace, FILE *out) {
  if (!trace)
    return;
  fputs("<script type=\"application/json\" id=\"trace\">", out);
  hd_embedded_trace_write(trace, out);
  fputs("</script>\n", out);
}
