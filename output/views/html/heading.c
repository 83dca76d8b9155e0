/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The run in a few facts, and what is wrong with it. */
#include <math.h>

#include "output/analysis/findings/findings.h"
#include "output/analysis/losses/losses.h"
#include "output/model/account.h"
#include "output/model/duration.h"
#include "output/model/format_names.h"
#include "output/model/levels.h"
#include "output/model/node_text.h"
#include "output/views/html/sections.h"
#include "output/views/html/table.h"

static double percent(const struct hd_model *model, double ticks) {
  return model->elapsed_ticks > 0 ? 100 * ticks / (double)model->elapsed_ticks : 0;
}

static uint32_t program_marks(const struct hd_model *model) {
  return model->nodes[0].marks[HD_MARKS_OF_CALLPATHS];
}

static const char *mark_of(struct hd_bounds bounds) {
  const char *mark = hd_bounds_text(bounds);
  return mark ? mark : "";
}

void hd_html_place(const struct hd_model *model, const struct hd_node *node, FILE *out) {
  char place[HD_PLACE_BYTES];
  hd_node_text(place, model, node, NULL);
  fprintf(out, "<a class=\"place\" href=\"#c%u\">", node->id);
  hd_html_text(place, out);
  fputs("</a>", out);
}

/* ---- facts ---- */

static void put_command(const struct hd_model *model, FILE *out) {
  fputs("<div><dt>command</dt><dd><code>", out);
  for (size_t i = 0; i < model->arguments.count; i++) {
    fputs(i > 0 ? " " : "", out);
    hd_html_text(model->arguments.items[i], out);
  }
  if (model->arguments.count == 0)
    hd_html_text(model->header.program, out);
  fputs("</code></dd></div>\n<div><dt>host</dt><dd>", out);
  hd_html_text(model->header.host, out);
  fputs("</dd></div>\n", out);
}

static void put_elapsed(const struct hd_model *model, FILE *out) {
  fprintf(out, "<div><dt>elapsed</dt><dd>%s, %.1f&nbsp;%% of it in regions</dd></div>\n",
          hd_duration_of(model, model->elapsed_ticks).text, percent(model, (double)model->inside_ticks));
}

static void put_levels(const struct hd_model *model, FILE *out) {
  if (!model->levels_known)
    return;
  const uint64_t serial = hd_levels_up_to(&model->time_at, 1);
  const struct hd_bounds busy = hd_bounds_of_busy_threads(program_marks(model));
  fprintf(out, "<div><dt>serial</dt><dd>%s%s (%.1f&nbsp;%%) with at most one thread busy</dd></div>\n",
          mark_of((struct hd_bounds){busy.at_most, busy.at_least}), hd_duration_of(model, serial).text,
          percent(model, (double)serial));
}

static void put_threads(const struct hd_model *model, FILE *out) {
  const uint64_t threads = hd_model_threads_ever(model);
  fprintf(out, "<div><dt>threads</dt><dd>%llu", (unsigned long long)threads);
  if (model->header.max_threads > 0)
    fprintf(out, " on %u processor%s", model->header.max_threads, hd_plural(model->header.max_threads));
  if (model->elapsed_ticks > 0)
    fprintf(out, "; %s%.2f busy on average", mark_of(hd_bounds_of_busy_threads(program_marks(model))),
            (double)model->ticks[HD_BUSY] / (double)model->elapsed_ticks);
  fputs("</dd></div>\n", out);
}

static void put_gain(const struct hd_model *model, FILE *out) {
  const uint32_t marks = program_marks(model);
  const char *mark = hd_gain_text(marks);
  fprintf(out, "<div><dt>gain</dt><dd>%s%s (%.1f&nbsp;%%), if every team were fully busy%s</dd></div>\n",
          mark                             ? mark
          : hd_account_is_disturbed(model) ? "~"
                                           : "",
          hd_duration(model->gain_ticks * model->seconds_per_tick).text, percent(model, model->gain_ticks),
          marks & HD_MARK_GAIN_UNKNOWN ? "; unknown, because waits were not observed" : "");
}

void hd_html_heading(const struct hd_model *model, FILE *out) {
  fputs("<header>\n<h1>Heddle: ", out);
  hd_html_text(model->header.program, out);
  fputs("</h1>\n", out);
  if (hd_account_is_disturbed(model))
    fprintf(out, "<p class=\"warning\">Threads had a processor %.0f&nbsp;%% of the time: %s.</p>\n",
            100 * hd_account_share_of_program(model),
            hd_losses_have_too_many_threads(model) ? "more threads than processors" : "measure on a quiet machine");
  fputs("<dl class=\"facts\">\n", out);
  put_command(model, out);
  put_elapsed(model, out);
  put_levels(model, out);
  put_threads(model, out);
  put_gain(model, out);
  fputs("</dl>\n</header>\n", out);
}

/* ---- findings ---- */

static void put_sentences(const char *class, const char (*lines)[HD_FINDING_BYTES], FILE *out) {
  for (int i = 0; i < HD_EVIDENCE_MOST; i++) {
    if (!lines[i][0])
      continue;
    fprintf(out, "<p class=\"%s\">", class);
    hd_html_text(lines[i], out);
    fputs("</p>\n", out);
  }
}

static void put_finding(const struct hd_model *model, const struct hd_finding *finding, FILE *out) {
  const double share = percent(model, finding->gain_ticks);
  fprintf(out, "<li style=\"--v:%.1f\"><h3>%s (%.0f&nbsp;%%) to gain: %s, ", fmin(share, 100),
          hd_duration(finding->gain_ticks * model->seconds_per_tick).text, share, hd_cause_words(finding->cause));
  hd_html_place(model, finding->place, out);
  fputs("</h3>\n", out);
  put_sentences("evidence", finding->evidence, out);
  put_sentences("try", finding->attempt, out);
  fputs("</li>\n", out);
}

/* What may be hidden: events that were not observed. */
static void put_reservations(const struct hd_model *model, FILE *out) {
  if (model->refused & HD_REFUSED_SINKS)
    fputs("<p class=\"note\">What may be hidden: " HD_SINKS_WORDS ". They count as busy.</p>\n", out);
  if (model->off_classes == 0)
    return;
  fputs("<p class=\"note\">To stay within its budget, Heddle did not observe all events of ", out);
  const char *before = "";
  for (int class = 0; class < HD_CLASS_COUNT; class ++)
    if (model->off_classes >> class & 1) {
      fprintf(out, "%s%s", before, hd_event_class_words((enum hd_event_class) class));
      before = "; ";
    }
  fputs(model->estimated ? " but in short windows, from which it estimates the rest: numbers marked ~. "
                         : ". What is lost there may be missing here. ",
        out);
  fputs("<code>heddle run --overhead off</code> observes everything.</p>\n", out);
}

void hd_html_findings(const struct hd_model *model, FILE *out) {
  struct hd_findings *findings = hd_findings_new(model, HD_FINDING_LEAST);
  hd_html_section("findings", "Findings", out);
  if (hd_model_never_woke(model))
    fputs("<p>Nothing was measured: Heddle was dormant; <code>heddle ctl PID on</code> begins the measurement.</p>\n",
          out);
  else if (findings->count == 0)
    fputs("<p>Nothing worth mentioning was found: no cause of lost time is 2&nbsp;% or more of the run.</p>\n", out);
  fputs(findings->count > 0 ? "<ol>\n" : "", out);
  for (size_t i = 0; i < findings->count; i++)
    put_finding(model, &findings->items[i], out);
  fputs(findings->count > 0 ? "</ol>\n" : "", out);
  if (percent(model, findings->unexplained_ticks) >= 100 * HD_FINDING_LEAST)
    fprintf(
        out,
        "<p class=\"note\">%s more could be gained if all threads were always busy; Heddle does not know how.</p>\n",
        hd_duration(findings->unexplained_ticks * model->seconds_per_tick).text);
  put_reservations(model, out);
  fputs("</section>\n", out);
  hd_findings_free(findings);
}
