/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file report.h
 * A profile as text for people.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_REPORT_REPORT_H
#define HEDDLE_OUTPUT_VIEWS_REPORT_REPORT_H

#include <stdio.h>

#include "output/analysis/callpaths/sort.h"
#include "output/model/model.h"

/** What is asked of the profile. */
enum hd_question {
  HD_ASK_REGIONS,    /* where do the regions lose time? */
  HD_ASK_THREADS,    /* what did each thread do? */
  HD_ASK_HISTOGRAM,  /* how long was each number of threads busy, in each region? */
  HD_ASK_AT_LEVEL,   /* what runs while at most N threads are busy? */
  HD_ASK_WITH,       /* with whom is this callpath busy? */
  HD_ASK_TIMELINE,   /* when did regions run, and how many threads were busy then? */
  HD_ASK_LOOPS,      /* what were loops handed out in? */
  HD_ASK_TASKS,      /* what were tasks, and where did they run? */
  HD_ASK_PATH,       /* what had to run one after the other? */
  HD_ASK_LOCKS,      /* who held what others waited for? */
  HD_ASK_EFFICIENCY, /* how well are threads used, and why not better? */
  HD_ASK_HOT,        /* what do threads execute? */
  HD_ASK_SOURCE,     /* which lines of the source take the time? */
  HD_ASK_OVERHEAD,   /* what did Heddle itself cost, and what would have been measured without? */
  HD_ASK_FLAT,       /* where does each routine and construct spend its time? */
  HD_ASK_CALLGRAPH,  /* who calls whom, and what came of it? */
  HD_ASK_TREE,       /* the callpaths */
  HD_ASK_CALLERS     /* who calls these, all the way up? */
};

struct hd_report_options {
  enum hd_sort sort;
  const char *sort_column; /* title or name of a column to sort by instead; NULL: none */
  uint32_t limit;          /* lines of the table; 0: all */
  enum hd_question question;
  uint32_t level;      /* HD_ASK_AT_LEVEL: N */
  const char *with;    /* HD_ASK_WITH: a profile's id, FILE:LINE or function */
  const char *callers; /* HD_ASK_CALLERS: a valid regular expression (site_regex.h) */
  const char *focus;   /* only callpaths through what this matches; likewise; NULL: all */
  uint32_t depth;      /* fold callpaths to so many sites; 0: no */
  bool lines;          /* HD_ASK_HOT: each line of the source by itself */
  const char *columns; /* text: those to show (hd_columns_choose); NULL: those that say something */
  bool csv;
  bool markdown; /* HD_ASK_REGIONS */
  bool verbose;  /* the whole heading */
};

enum hd_report_end {
  HD_REPORT_MADE,
  HD_REPORT_REFUSED /* the question cannot be answered; `errors` says why */
};

/** Focuses and folds the model as the options say, once and before hd_report_print(). Refused: nothing matches. */
enum hd_report_end hd_report_narrow(struct hd_model *model, const struct hd_report_options *options, FILE *errors);

/** The report. Names should have been resolved (resolve_names.h). Nothing
 * is written to `out` when it is refused. Write errors are left to `out`. */
enum hd_report_end hd_report_print(const struct hd_model *model, const struct hd_report_options *options, FILE *out,
                                   FILE *errors);

/** At most 20 lines for the end of `heddle run`: findings, what ran, and the regions that lose most; without regions,
 * the routines with most time of their own. */
void hd_report_summary(const struct hd_model *model, FILE *out);

#endif
