/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file frame.h
 * What every page has around its content: policy, styles, scripts, data for them.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_HTML_FRAME_H
#define HEDDLE_OUTPUT_VIEWS_HTML_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** The page's beginning, with that of its body. */
void hd_html_head(const char *program, FILE *out);

/** JSON in an element for scripts, "ID". */
void hd_html_data(const char *id, const char *json, size_t bytes, FILE *out);

/** Likewise what `write` writes of `of`. False: no memory. */
bool hd_html_data_of(const char *id, bool (*write)(const void *of, FILE *out), const void *of, FILE *out);

/** Who made it, and whose licences it has. */
void hd_html_footer(FILE *out);

/** What draws charts: "D3 5.16.0"; NULL: it was not there at build time. */
const char *hd_html_charts(void);

/** The scripts, and the page's end. */
void hd_html_end(FILE *out);

#endif
