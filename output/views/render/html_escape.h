/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file html_escape.h
 * Texts of a profile in HTML and in scripts: they can contain anything, also what ends an element.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_RENDER_HTML_ESCAPE_H
#define HEDDLE_OUTPUT_VIEWS_RENDER_HTML_ESCAPE_H

#include <stdio.h>

/** As the text of an element or the value of an attribute in double quotes. Control characters and what is no UTF-8
 *  become U+FFFD, as in the JSON, but for tabs. NULL: nothing. */
void hd_html_text(const char *text, FILE *out);

/** JSON for a script element: what HTML or JavaScript could take for something else stands as \uXXXX, which is possible
 *  because it occurs in strings only. White space between values is left out. */
void hd_html_json(const char *json, size_t bytes, FILE *out);

#endif
