/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file document.h
 * What is said to people, as text for a terminal, as Markdown or as HTML alike.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_RENDER_DOCUMENT_H
#define HEDDLE_OUTPUT_VIEWS_RENDER_DOCUMENT_H

#include "output/views/render/table.h"

enum { HD_SENTENCE_BYTES = 2048 };

struct hd_document {
  FILE *out;
  bool markdown;
  bool html;            /* parts of a page's body */
  unsigned table_count; /* so far */
  size_t part;          /* which of several comparisons is written: for the page's charts */
};

/** A heading; `level` 1 to 3. */
void hd_document_title(const struct hd_document *document, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** A line "word      text". "": it belongs to the line before it. */
void hd_document_fact(const struct hd_document *document, const char *word, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Likewise, and it stands out. */
void hd_document_headline(const struct hd_document *document, const char *word, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Lines of facts, as for hd_print_facts(), in text or HTML. */
void hd_document_facts(const struct hd_document *document, const char *lines);

/** A paragraph; may have lines of its own. */
void hd_document_say(const struct hd_document *document, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Prints and frees a table. */
void hd_document_table(struct hd_document *document, struct hd_table *grid);

/** What columns mean: a paragraph; in a page it is folded. */
void hd_document_legend(const struct hd_document *document, const char *text);

/** Where a page's scripts draw a chart: its name, and the point that it is about. Nothing in text. */
void hd_document_figure(const struct hd_document *document, const char *name, size_t point);

/** Text with nothing in it that would steer a terminal or, in Markdown, mark it up. Not for HTML. */
void hd_document_clean(const struct hd_document *document, const char *text, char *clean, size_t bytes);

#endif
