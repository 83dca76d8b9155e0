/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file html.h
 * A profile as one page of HTML that needs no other file and no network.
 *
 * Everything is in tables, so that the page can be read without scripts; with them, tables sort and filter, and charts
 * are drawn from the profile's JSON, which is in the page, and from its trace (trace.h). Nothing from a profile becomes
 * markup or a script: texts and JSON are escaped (html_escape.h), and the page's policy allows scripts with the hashes
 * of Heddle's own only.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_HTML_HTML_H
#define HEDDLE_OUTPUT_VIEWS_HTML_HTML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "output/model/model.h"

struct hd_html_options {
  bool no_source;         /* leave out the lines of source files */
  bool no_estimates;      /* leave unresolved time unresolved */
  uint32_t trace_changes; /* of a trace that many at most; 0: none of it */
  const struct hd_model *trace_of; /* a part of a run: the whole, of whose trace that part is shown (hd_part_show). NULL:
                                      the profile's own trace */
};

enum { HD_HTML_TRACE_CHANGES = 8000000 };

/** Names, also those of samples, should have been resolved; unresolved time not: it is here (resolve.h), once what was
 *  observed is in the page's data. False: no memory. Write errors are left to `out`. */
bool hd_html_write(struct hd_model *model, const struct hd_html_options *options, FILE *out);

#endif
