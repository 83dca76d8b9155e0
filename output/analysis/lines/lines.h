/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file lines.h
 * The lines of a report: a model's nodes, joined where a reader of the source sees one place, sorted and chosen.
 *
 * Nodes of the same place (place.h) below the same line of the report become one line, but shortened
 * callpaths are kept apart from whole ones.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_LINES_H
#define HEDDLE_OUTPUT_ANALYSIS_LINES_H

#include "output/analysis/callpaths/sort.h"
#include "output/model/model.h"

struct hd_line {
  const struct hd_node *node; /* the first of its nodes: kind, name and address */
  uint32_t parent;            /* line; line 0 is the program and its own parent */
  uint32_t depth;
  uint32_t subtree; /* lines from this one on that belong to it, itself included */
  uint32_t flags;   /* of all its nodes */
  uint32_t marks;   /* enum hd_mark, likewise */
  bool measured;    /* false: routines known from the stack only, without visits and own time */
  uint64_t visits;
  uint64_t visits_concurrent;
  uint64_t ticks[HD_STATE_COUNT];  /* inclusive: with the lines below */
  struct hd_intrusion intrusion;   /* contained in them; inclusive */
  struct hd_unresolved unresolved; /* likewise */
  struct hd_shares shares;         /* exclusive */
  uint64_t own_busy_ticks;         /* exclusive */
  double own_wall_share_ticks;
  struct hd_team_totals team;
  struct hd_bracket gain_interval; /* with HD_MARK_ESTIMATED, regions: added up */
  struct hd_levels busy_at;        /* thread-time by level, exclusive. Levels belong to the view */
  struct hd_levels elapsed_at;     /* regions and the program: elapsed time by level */
  double wall_share_ticks;         /* inclusive; NaN: not known */
  double loss_ticks; /* gain where measured, else waiting time / team size, as far as the run could gain it:
                        what `gain` sorts by */
  bool shown;        /* chosen by hd_lines_select() */
};

/** What a thread spent in a line, by state; and of that unresolved. */
enum { HD_SUM_UNRESOLVED = HD_STATE_COUNT, HD_THREAD_SUMS };

/** What threads spent in some lines (lines_threads.c). */
struct hd_thread_batch {
  uint32_t lines[64]; /* bits of a mask */
  uint32_t count;
  uint64_t *masks;                  /* by line: bit i: it belongs to lines[i] */
  uint64_t (*sums)[HD_THREAD_SUMS]; /* [index in lines * threads + thread] */
};

struct hd_lines {
  const struct hd_model *model;
  struct hd_line *lines; /* depth first, siblings sorted: lines[0] is the program */
  uint32_t count;
  uint32_t *line_of_node; /* by node id */
  uint64_t *level_ticks;  /* what the lines' levels point into; NULL: the file has none */
  struct hd_thread_batch batch;
};

/** Negative: `a` comes before `b`. Never 0 for two different lines, so that reports are reproducible. */
int hd_line_compare(const struct hd_line *a, const struct hd_line *b, enum hd_sort sort);

/** What gets a line: without routines, what lies below one hangs under the nearest construct, phase or the program
 * above it, and the routine's own time is that line's own. */
enum hd_lines_kind { HD_LINES_CONSTRUCTS, HD_LINES_ROUTINES_TOO };

/** Joins and sorts. The model must outlive the view. */
struct hd_lines *hd_lines_new(const struct hd_model *model, enum hd_sort sort, enum hd_lines_kind lines);
void hd_lines_free(struct hd_lines *view);

/** Marks at most `limit` lines as shown (0: all), the foremost by `sort`, never a line without those above it; the
 *  program's own line is neither shown nor counted. By gain: in turn the one with the most to gain and the one with the
 *  most busy time, since what runs well has nothing to gain. With `regions_only` other constructs stay out.
 *  Returns how many of those that might have been shown are not. */
uint32_t hd_lines_select(struct hd_lines *view, enum hd_sort sort, unsigned long limit, bool regions_only);

/** The ticks that each thread spent in a line and those below it: sums[thread][state]. What is shown must not change
 *  meanwhile: the lines shown after this one are added up with it, and remembered. */
void hd_lines_sum_threads(struct hd_lines *view, uint32_t line, uint64_t (*sums)[HD_THREAD_SUMS]);

#endif
