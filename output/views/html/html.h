/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file html.h
 * A profile as one page of HTML that needs no other file and no network.
 *
 * Everything is in tables, so that the page can be read without scripts; with them, tables sort and filter, and charts
 * are drawn from the profile's JSON, which is in the page. Nothing from a profile becomes markup or a script: texts and
 * JSON are escaped (html_escape.h), and the page's policy allows scripts with the hashes of Heddle's own only.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_HTML_HTML_H
#define HEDDLE_OUTPUT_VIEWS_HTML_HTML_H

#include <stdbool.h>
#include <stdio.h>

#include "output/model/model.h"

struct hd_html_options {
  bool no_source; /* leave out the lines of source files */
};

/** Names, also those of samples, should have been resolved. False: no memory. Write errors are left to `out`. */
bool hd_html_write(const struct hd_model *model, const struct hd_html_options *options, FILE *out);

#endif
