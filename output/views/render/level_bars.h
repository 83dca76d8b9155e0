/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file level_bars.h
 * Time by level, that is by the number of busy threads, as text and as bars.
 *
 * Bars and heights are made of block characters where the locale's encoding is UTF-8, of ASCII elsewhere.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_RENDER_LEVEL_BARS_H
#define HEDDLE_OUTPUT_VIEWS_RENDER_LEVEL_BARS_H

#include <stdio.h>

#include "output/views/render/cells.h"

/** Levels that share a line: `first` to `last`. */
struct hd_level_group {
  uint32_t first;
  uint32_t last;
};
enum { HD_LEVEL_GROUPS_MAX = 10, HD_LEVEL_LABEL_BYTES = 24 };

/** Groups for the levels 0 to `highest`, so few that they fit on a screen; 0 and 1 always stand alone. */
struct hd_level_groups {
  struct hd_level_group items[HD_LEVEL_GROUPS_MAX];
  uint32_t count;
  uint32_t highest;
};
struct hd_level_groups hd_level_groups_for(uint32_t highest);

/** "3" or "17-32". */
void hd_level_label(char label[HD_LEVEL_LABEL_BYTES], const struct hd_level_group *group);

/** Ticks at the levels of a group; at all levels. */
uint64_t hd_level_group_ticks(const struct hd_levels *levels, const struct hd_level_group *group);
uint64_t hd_levels_all(const struct hd_levels *levels);

/** The highest level that occurs; 0 when there is none. */
uint32_t hd_levels_highest(const struct hd_levels *levels);

/** Whether block characters can be shown. */
bool hd_draw_has_blocks(void);

/** A character of its own height for a share of 0 to 1: eighths of a block, or digits 1 to 8; "." for nothing. */
const char *hd_draw_height(double share);

/** Below a strip of heights: 0, half and all of its time. */
void hd_draw_axis(double seconds, unsigned columns, FILE *out);

/** A bar of `share` of `width` characters. Returns how many it took. */
unsigned hd_draw_bar(double share, unsigned width, FILE *out);

/** Columns for what is drawn: the terminal's, at most `most`; `otherwise` where `out` is no terminal. */
unsigned hd_draw_width(FILE *out, unsigned most, unsigned otherwise);

/** One small column per group: how much of `levels` lies in it. "-" when there is nothing. */
void hd_levels_sparkline(char cell[HD_CELL_BYTES], const struct hd_levels *levels,
                         const struct hd_level_groups *groups);

/** Its heading: "012", or "01------64" for groups. */
void hd_levels_sparkline_title(char title[HD_CELL_BYTES], const struct hd_level_groups *groups);

/** Which level stands first: none busy; all busy; that of most time. */
enum hd_levels_order { HD_LEVELS_UPWARDS, HD_LEVELS_DOWNWARDS, HD_LEVELS_BY_TIME };

/** A line for each group of levels that occurs: time, percentage, bar. */
void hd_levels_print(const struct hd_levels *levels, const struct hd_model *model, enum hd_levels_order order,
                     FILE *out);

#endif
