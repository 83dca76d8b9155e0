/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings as text, in lines of at most 100 characters. */
#include <stdlib.h>
#include <string.h>

#include "output/analysis/findings/findings.h"
#include "output/model/duration.h"
#include "output/model/format_names.h"
#include "output/model/node_text.h"
#include "output/views/explain/explain.h"
#include "output/views/explain/finding.h"
#include "output/views/render/table.h"
#include "support/command/memory.h"

enum { LINE_WIDTH = 100, INDENT = 4 };

static double percent(const struct hd_model *model, double ticks) {
  return model->elapsed_ticks > 0 ? 100 * ticks / (double)model->elapsed_ticks : 0;
}

char *hd_finding_headline(const struct hd_model *model, const struct hd_finding *finding) {
  char place[HD_PLACE_BYTES];
  hd_node_text(place, model, finding->place, NULL);
  return hd_print("%s (%.0f %%) to gain: %s, %s", hd_duration(finding->gain_ticks * model->seconds_per_tick).text,
                  percent(model, finding->gain_ticks), hd_cause_words(finding->cause), place);
}

void hd_finding_put_reasons(const struct hd_document *document, const struct hd_finding *finding) {
  for (int i = 0; i < HD_EVIDENCE_MOST && finding->evidence[i][0]; i++)
    hd_document_fact(document, "", "%s", finding->evidence[i]);
  for (int i = 0; i < HD_EVIDENCE_MOST && finding->attempt[i][0]; i++)
    hd_document_fact(document, "", "try %s", finding->attempt[i]);
}

/* How many bytes of a text, cut between words if it can be, take at most `width` characters. */
static size_t line_of(const char *text, size_t width) {
  size_t cut = 0, bytes = 0;
  for (size_t characters = 0; text[bytes] && characters <= width; bytes++) {
    if (text[bytes] == ' ')
      cut = bytes;
    characters += ((unsigned char)text[bytes + 1] & 0xC0) != 0x80;
  }
  if (!text[bytes] && hd_text_width(text) <= width)
    return bytes;
  return cut > 0 ? cut : bytes;
}

/* Writes a text in lines of LINE_WIDTH or of the terminal; those after the first are indented by so much more. */
static void print_painted(enum hd_paint paint, const char *text, size_t indent, size_t more, FILE *out) {
  const size_t terminal = hd_terminal_width(out), width = terminal < LINE_WIDTH ? terminal : LINE_WIDTH;
  while (*text) {
    const size_t bytes = line_of(text, width > indent ? width - indent : 1);
    fprintf(out, "%*s%s%.*s%s\n", (int)indent, "", hd_paint_begin(paint, out), (int)bytes, text,
            hd_paint_end(paint, out));
    text += bytes;
    text += strspn(text, " ");
    indent += more;
    more = 0;
  }
}

static void print_lines(const char *text, size_t indent, size_t more, FILE *out) {
  print_painted(HD_PAINT_NONE, text, indent, more, out);
}

static void print_finding(const struct hd_model *model, const struct hd_finding *finding, size_t number, FILE *out) {
  char *line = hd_finding_headline(model, finding);
  char *head = hd_print("%zu. %s", number, line);
  fputc('\n', out);
  print_painted(HD_PAINT_HEADING, head, 0, INDENT, out);
  for (int i = 0; i < HD_EVIDENCE_MOST; i++)
    print_lines(finding->evidence[i], INDENT, INDENT, out);
  for (int i = 0; i < HD_EVIDENCE_MOST; i++) {
    char *attempt = hd_print("%s%s", i == 0 ? "Try: " : "     ", finding->attempt[i]);
    print_lines(finding->attempt[i][0] ? attempt : "", INDENT, 5, out);
    free(attempt);
  }
  free(head);
  free(line);
}

/* A cause with several places may cost more than what comes first. */
static void print_totals(const struct hd_model *model, const struct hd_findings *findings, FILE *out) {
  for (int cause = 0; cause < HD_CAUSE_COUNT; cause++) {
    double gain_ticks = 0;
    size_t places = 0;
    for (size_t i = 0; i < findings->count; i++)
      if ((int)findings->items[i].cause == cause) {
        gain_ticks += findings->items[i].gain_ticks;
        places++;
      }
    if (places > 1 && gain_ticks > findings->items[0].gain_ticks)
      hd_print_sentences(out, "\n%s (%.0f %%) to gain in all: %s, in %zu places",
                         hd_duration(gain_ticks * model->seconds_per_tick).text, percent(model, gain_ticks),
                         hd_cause_words((enum hd_cause)cause), places);
  }
}

/* What may be hidden: events that were not observed. */
static void print_reservations(const struct hd_model *model, FILE *out) {
  if (model->refused & HD_REFUSED_SINKS)
    hd_print_sentences(out, "\nWhat may be hidden: " HD_SINKS_WORDS ". They count as busy.");
  if (model->off_classes == 0)
    return;
  hd_print_sentences(out, "\nTo cost little, Heddle %s:",
                     model->estimated ? "observed these events in short windows only, and estimates the rest"
                                      : "did not observe all of these events");
  for (int class = 0; class < HD_CLASS_COUNT; class ++)
    if (model->off_classes >> class & 1)
      fprintf(out, "    %s\n", hd_event_class_words((enum hd_event_class) class));
  hd_print_sentences(out, "%s'heddle run --overhead off' observes everything.",
                     model->estimated ? "" : "What is lost there may be missing above. ");
}

void hd_explain_print(const struct hd_model *model, bool all, FILE *out) {
  struct hd_findings *findings = hd_findings_new(model, all ? 0 : HD_FINDING_LEAST);
  char processors[64] = "";
  if (model->header.max_threads > 0)
    snprintf(processors, sizeof processors, " on %u processor%s", model->header.max_threads,
             hd_plural(model->header.max_threads));
  char since[64] = "";
  if (model->since_ticks > 0)
    snprintf(since, sizeof since, " since %s after its start", hd_duration(hd_model_from_seconds(model)).text);
  hd_print_sentences(out, "%s: %s elapsed%s, %u thread%s%s", hd_base_name(model->path),
                     hd_duration_of(model, model->elapsed_ticks).text, since, findings->threads,
                     hd_plural(findings->threads), processors);
  if (hd_model_never_woke(model))
    hd_print_sentences(out, "\nNothing was measured: Heddle was dormant; 'heddle ctl PID on' begins the measurement.");
  else if (findings->count == 0)
    hd_print_sentences(out, "\nNothing worth mentioning was found: no cause of lost time is %s of the run.",
                       all ? "any part" : "2 % or more");
  print_totals(model, findings, out);
  for (size_t i = 0; i < findings->count; i++)
    print_finding(model, &findings->items[i], i + 1, out);
  if (percent(model, findings->unexplained_ticks) >= 100 * HD_FINDING_LEAST)
    hd_print_sentences(out, "\n%s more could be gained if all threads were always busy; Heddle does not know how.",
                       hd_duration(findings->unexplained_ticks * model->seconds_per_tick).text);
  print_reservations(model, out);
  hd_findings_free(findings);
}

/* "uneven work were gone from loop app.c:12". */
static char *question_words(const struct hd_model *model, const struct hd_what_if *question) {
  char place[HD_PLACE_BYTES] = "";
  if (question->change == HD_CHANGE_THREADS)
    return hd_print("it had %u thread%s", question->threads, hd_plural(question->threads));
  hd_node_text(place, model, &model->nodes[question->node], NULL);
  if (question->change == HD_CHANGE_WORK)
    return hd_print("the work of %s took %g of its time", place, question->factor);
  return hd_print("nothing were lost to '%s' in %s", hd_cause_words(question->cause), place);
}

void hd_explain_what_if(const struct hd_model *model, const struct hd_what_if *question, FILE *out) {
  const struct hd_prediction prediction = hd_what_if_predict(model, question);
  const double elapsed = (double)model->elapsed_ticks, saved = elapsed - prediction.elapsed_ticks;
  char *if_words = question_words(model, question);
  char *text = hd_print("If %s, the run would take %s instead of %s (%.0f %% %s).", if_words,
                        hd_duration(prediction.elapsed_ticks * model->seconds_per_tick).text,
                        hd_duration_of(model, model->elapsed_ticks).text, percent(model, saved < 0 ? -saved : saved),
                        saved < 0 ? "more" : "less");
  print_lines(text, 0, 0, out);
  fprintf(out, "Between %s and %s; %s.\n", hd_duration(prediction.low_ticks * model->seconds_per_tick).text,
          hd_duration(prediction.high_ticks * model->seconds_per_tick).text,
          prediction.basis == HD_BASIS_MEASURED    ? "by times that were measured"
          : prediction.basis == HD_BASIS_ESTIMATED ? "events were switched off for a time, so it is an estimate"
                                                   : "by a model");
  free(text);
  free(if_words);
}

static void print_brief(const struct hd_model *model, const struct hd_finding *finding, bool first, bool attempts,
                        FILE *out) {
  char *text = hd_finding_headline(model, finding);
  fprintf(out, "%-*s", HD_FACT_INDENT, first ? "findings" : "");
  hd_print_painted_paragraph(HD_PAINT_HEADING, text, HD_FACT_INDENT, out);
  free(text);
  if (!attempts || !finding->attempt[0][0])
    return;
  fprintf(out, "%-*stry ", HD_FACT_INDENT, "");
  hd_print_paragraph(finding->attempt[0], HD_FACT_INDENT + 4, out);
}

size_t hd_explain_brief(const struct hd_model *model, bool attempts, FILE *out) {
  struct hd_findings *findings = hd_findings_new(model, HD_FINDING_LEAST);
  const size_t count = findings->count < HD_FINDINGS_BRIEF ? findings->count : HD_FINDINGS_BRIEF;
  for (size_t i = 0; i < count; i++)
    print_brief(model, &findings->items[i], i == 0, attempts, out);
  hd_findings_free(findings);
  return count;
}
