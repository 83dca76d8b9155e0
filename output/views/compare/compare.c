/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file compare.c
 * A comparison for people, as text or Markdown: the program, where its time went, its regions, laws, counts; and which
 * writer it goes to.
 */
#include <stdio.h>
#include <string.h>

#include "output/views/compare/compare_internal.h"
#include "support/command/memory.h"

static const char causes_legend[] =
    "Causes: wall time that they cost more than before (negative: less), that is thread time / threads; they add up to "
    "the difference. Main cause: its share of all that went the same way. ";

static const char common_legend[] =
    "Times of loops and other constructs: thread time in them / threads. extra work: threads needed more busy time for "
    "the same work. '-': not measured, or no counterpart.";

static const char repeats_legend[] =
    "Each line shows the run with the median time of that line, so lines need not add up to the program.";

static bool has_repeats(const struct hd_comparison *comparison) {
  return comparison->run_count > comparison->point_count;
}

static void print_regions(struct hd_document *document, const struct hd_comparison *comparison, unsigned long limit) {
  if (comparison->options.mode == HD_COMPARE_SCALING)
    hd_compare_regions(document, comparison, limit);
  else
    for (uint32_t point = 1; point < comparison->point_count; point++)
      hd_compare_difference(document, comparison, point, limit);
}

static void add_help(char *text, size_t bytes, enum hd_compared_column column) {
  const size_t used = strlen(text);
  snprintf(text + used, bytes - used, "%s: %s. ", hd_compared_columns[column].title, hd_compared_columns[column].help);
}

static void print_legend(struct hd_document *document, const struct hd_comparison *comparison) {
  static const enum hd_compared_column scaling[] = {
      HD_COMPARED_SPEEDUP, HD_COMPARED_EFFICIENCY, HD_COMPARED_CONCURRENCY, HD_COMPARED_WORK,
      HD_COMPARED_LOST,    HD_COMPARED_MAIN_CAUSE, HD_COMPARED_KARP_FLATT,  HD_COMPARED_AMDAHL};
  char text[HD_SENTENCE_BYTES] = "";
  if (comparison->options.mode == HD_COMPARE_SCALING) {
    for (size_t i = 0; i < sizeof scaling / sizeof *scaling; i++)
      add_help(text, sizeof text, scaling[i]);
  } else {
    add_help(text, sizeof text, HD_COMPARED_DIFFERENCE);
    strcat(text, causes_legend);
    add_help(text, sizeof text, HD_COMPARED_CONCURRENCY);
  }
  const size_t used = strlen(text);
  snprintf(text + used, sizeof text - used, "%s%s%s", common_legend, has_repeats(comparison) ? " " : "",
           has_repeats(comparison) ? repeats_legend : "");
  hd_document_legend(document, text);
}

static void print_one(const struct hd_compare_series *series, const struct hd_compare_view_options *options,
                      struct hd_document *document) {
  const struct hd_comparison *comparison = series->comparison;
  if (series->title)
    hd_document_title(document, 1, "%s", series->title);
  hd_compare_heading(document, comparison);
  hd_compare_program(document, comparison);
  hd_compare_efficiencies(document, comparison);
  hd_compare_losses(document, comparison);
  print_regions(document, comparison, options->limit);
  hd_compare_unmatched(document, comparison);
  hd_compare_laws(document, comparison, options);
  hd_compare_counts(document, comparison, options->limit);
  hd_compare_notes(document, comparison);
}

/* Below the last of its kind. */
static bool has_legend(const struct hd_compare_series *series, size_t count, size_t index) {
  for (size_t i = index + 1; i < count; i++)
    if (series[i].comparison->options.mode == series[index].comparison->options.mode)
      return false;
  return true;
}

static void print_text(const struct hd_compare_series *series, size_t count,
                       const struct hd_compare_view_options *options, FILE *out) {
  struct hd_document document = {
      .out = out, .markdown = options->format == HD_COMPARE_MARKDOWN, .html = options->format == HD_COMPARE_HTML};
  for (size_t i = 0; i < count; i++) {
    fputs(i > 0 ? "\n" : "", out);
    document.part = i;
    print_one(&series[i], options, &document);
    if (has_legend(series, count, i))
      print_legend(&document, series[i].comparison);
  }
}

void hd_compare_print(const struct hd_compare_series *series, size_t count,
                      const struct hd_compare_view_options *options, FILE *out) {
  if (options->format == HD_COMPARE_CSV)
    hd_compare_csv(series, count, out);
  else if (options->format == HD_COMPARE_JSON)
    hd_compare_json(series, count, options, out);
  else
    print_text(series, count, options, out);
}
