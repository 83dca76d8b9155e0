/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file markdown.h
 * GitHub's Markdown.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_RENDER_MARKDOWN_H
#define HEDDLE_OUTPUT_VIEWS_RENDER_MARKDOWN_H

#include "output/views/render/table.h"

/** What marks text up, in a table or outside, is written as itself. */
void hd_markdown_text(const char *text, char *clean, size_t bytes);
bool hd_markdown_table(const struct hd_grid *grid, FILE *out);

#endif
