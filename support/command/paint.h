/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file paint.h
 * Colour on terminals: what to look at first. It never changes a text's width, and no text needs it to be understood.
 */
#ifndef HEDDLE_SUPPORT_COMMAND_PAINT_H
#define HEDDLE_SUPPORT_COMMAND_PAINT_H

#include <stdbool.h>
#include <stdio.h>

enum hd_paint { HD_PAINT_NONE, HD_PAINT_HEADING, HD_PAINT_GAIN, HD_PAINT_WARNING };

/** When there is colour. Auto: on terminals, but not if $NO_COLOR is set or $TERM is "dumb". */
enum hd_color { HD_COLOR_AUTO, HD_COLOR_ALWAYS, HD_COLOR_NEVER, HD_COLORS };
extern const char *const hd_color_names[HD_COLORS];

/** From now on; auto at first. */
void hd_paint_choose(enum hd_color when);

/** What is written to memory from now on goes to this stream. Until then there is no colour in it. */
void hd_paint_memory_as(FILE *stream);

bool hd_paint_shows(FILE *out);

/** What begins and ends a coloured text; "" where there is no colour. A line's end must not lie between them: pagers
 *  forget the colour there. */
const char *hd_paint_begin(enum hd_paint paint, FILE *out);
const char *hd_paint_end(enum hd_paint paint, FILE *out);

#endif
