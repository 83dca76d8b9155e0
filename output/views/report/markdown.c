/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file markdown.c
 * `heddle report --markdown`: what a run lost and where, for issues and pull requests.
 */
#include <stdlib.h>
#include <string.h>

#include "output/analysis/findings/findings.h"
#include "output/model/account.h"
#include "output/model/node_text.h"
#include "output/views/explain/finding.h"
#include "output/views/render/document.h"
#include "output/views/report/report_internal.h"

static void put_facts(const struct hd_document *document, const struct hd_model *model) {
  char *text = hd_report_facts(model, HD_HEADING_SHORT), *rest = text;
  for (char *line; (line = strsep(&rest, "\n")) && *line;) {
    const char *words = line + strnlen(line, HD_FACT_INDENT);
    line[strcspn(line, " ")] = '\0';
    hd_document_fact(document, line, "%s", words);
  }
  free(text);
}

static void put_findings(const struct hd_document *document, const struct hd_model *model) {
  struct hd_findings *findings = hd_findings_new(model, HD_FINDING_LEAST);
  for (size_t i = 0; i < findings->count && i < HD_FINDINGS_BRIEF; i++) {
    const struct hd_finding *finding = &findings->items[i];
    char *headline = hd_finding_headline(model, finding);
    hd_document_fact(document, "finding", "%s", headline);
    hd_finding_put_reasons(document, finding);
    free(headline);
  }
  hd_findings_free(findings);
}

/* A page has room for few columns. */
static struct hd_report_options narrow(const struct hd_report_options *asked) {
  struct hd_report_options options = *asked;
  if (!options.columns)
    options.columns = "Gain,Gain%,Elapsed,Calls,Team,Conc,Imbal,Busy,Wait,Main cause";
  return options;
}

void hd_report_markdown(struct hd_lines *view, const struct hd_report_options *asked, FILE *out) {
  const struct hd_report_options options = narrow(asked);
  const struct hd_document document = {.out = out, .markdown = true};
  const struct hd_model *model = view->model;
  hd_document_title(&document, 1, "%s", hd_base_name(model->header.program));
  if (hd_account_is_disturbed(model))
    hd_document_fact(&document, "warning", "threads had a processor %.0f %% of the time: measure on a quiet machine",
                     100 * hd_account_share_of_program(model));
  put_findings(&document, model);
  put_facts(&document, model);
  const uint32_t left = hd_lines_select(view, options.sort, hd_limit_of(&options), false);
  if (view->count > 1)
    hd_report_regions(view, &options, out);
  else
    hd_document_say(&document, "No parallel region was entered.");
  if (left > 0)
    hd_document_say(&document, "%u more line%s not shown.", left, left == 1 ? " is" : "s are");
  fputc('\n', out);
  hd_report_visits_mark(model, out);
  if (model->notes.count > 0)
    fputc('\n', out);
  for (size_t i = 0; i < model->notes.count; i++)
    hd_document_fact(&document, "note", "%s", model->notes.items[i]);
}
