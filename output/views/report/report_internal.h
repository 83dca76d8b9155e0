/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file report_internal.h
 * Between the files of the report only: the heading, what stands below tables, and one function per view.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_REPORT_REPORT_INTERNAL_H
#define HEDDLE_OUTPUT_VIEWS_REPORT_REPORT_INTERNAL_H

#include "output/analysis/callpaths/call_graph.h"
#include "output/analysis/losses/line_causes.h"
#include "output/analysis/lines/place_text.h"
#include "output/views/render/columns.h"
#include "output/views/render/csv.h"
#include "output/views/report/report.h"

/* ---- above and below the tables ---- */

/** What is said of the run as a whole: after it; above a report, in at most six lines of 80 columns; all of it. */
enum hd_heading { HD_HEADING_OF_RUN, HD_HEADING_SHORT, HD_HEADING_WHOLE };

/** First of all: threads lacked processors, so much below is not the program's own. */
void hd_report_warning(const struct hd_model *model, FILE *out);

/** What ran, for how long, and what could be gained. */
void hd_report_run(const struct hd_model *model, enum hd_heading heading, FILE *out);

/** The same as lines of a word and, from HD_FACT_INDENT on, what is said of it. The caller frees. */
char *hd_report_facts(const struct hd_model *model, enum hd_heading heading);

/** The warning and the run. */
void hd_report_heading(const struct hd_model *model, enum hd_heading heading, FILE *out);

static inline enum hd_heading hd_heading_of(const struct hd_report_options *options) {
  return options->verbose ? HD_HEADING_WHOLE : HD_HEADING_SHORT;
}

/** What Heddle itself cost: part of the whole heading. */
void hd_report_own_cost(const struct hd_model *model, FILE *out);

/** What could not be measured, at most `limit` notes. */
void hd_report_notes(const struct hd_model *model, size_t limit, FILE *out);

/** Whether any parallel region was entered, in focus or not. */
bool hd_report_has_regions(const struct hd_model *model);

/** What was asked for besides the question, above every report: callpaths in focus, the depth they are cut to. */
void hd_report_scope(const struct hd_model *model, const struct hd_report_options *options, FILE *out);

/** What the marks in cells of entries, and in places of callpaths that are not whole, mean, if there are any. */
void hd_report_visits_mark(const struct hd_model *model, FILE *out);
void hd_report_disturbed_mark(const struct hd_model *model, FILE *out);
void hd_report_shortened_mark(const struct hd_model *model, FILE *out);

/** The run, its findings, the table of regions and the notes for issues and pull requests. */
void hd_report_markdown(struct hd_lines *view, const struct hd_report_options *asked, FILE *out);

/** That so many lines or regions are not shown. */
void hd_report_left(uint32_t left, const char *what, FILE *out);

/** That there are no routines, or none with calls and times of their own, and how to get them. */
void hd_report_routine_hint(bool any, bool measured, const struct hd_model *model, FILE *out);

/** What was counted in the whole run, while busy and while waiting; `brief`: one line. Nothing without counters. */
void hd_report_counted(const struct hd_model *model, FILE *out);
void hd_report_counted_brief(const struct hd_model *model, FILE *out);

/** The program's levels and the strip; nothing when they are not known. */
void hd_report_concurrency(const struct hd_model *model, FILE *out);

/** The run in time, as wide as the terminal: a character's height is the mean concurrency of its stretch of the run.
 *  Nothing when that is not known. */
void hd_report_run_in_time(const struct hd_model *model, FILE *out);

/** Next to each other, how long each number of threads was busy in the foremost of the regions that are shown. */
void hd_report_foremost(const struct hd_lines *view, enum hd_sort sort, FILE *out);

/** Whether Heddle is a large part of any of the lines that are shown, and matters to the run (hd_overhead_matters). */
bool hd_report_overhead_matters(const struct hd_lines *view);

/** At most `limit` of them; 0: all. */
static inline uint32_t hd_at_most(uint32_t count, uint32_t limit) {
  return limit > 0 && limit < count ? limit : count;
}

/** Lines of a view without --sort COLUMN: that leaves to the listing which are shown. */
static inline uint32_t hd_limit_of(const struct hd_report_options *options) {
  return options->sort_column ? 0 : options->limit;
}

/* ---- columns ---- */

/** The columns of a view, for lists of all of them (column_list.h). */
struct hd_report_columns {
  const char *option; /* the view's; "": the table of regions */
  const struct hd_column *items;
  size_t count;
  int states; /* the index of the first of HD_STATE_COLUMNS, which are empty there; -1: it has none */
};

/** The views in the order of the lists: hd_report_NAME_columns is what the view's file defines. */
#define HD_REPORT_VIEWS(VIEW)                                                                                          \
  VIEW(regions)                                                                                                        \
  VIEW(threads)                                                                                                        \
  VIEW(loops)                                                                                                          \
  VIEW(tasks)                                                                                                          \
  VIEW(critical_path)                                                                                                  \
  VIEW(locks)                                                                                                          \
  VIEW(efficiency)                                                                                                     \
  VIEW(hot)                                                                                                            \
  VIEW(histogram) VIEW(timeline) VIEW(at_level) VIEW(overlap) VIEW(overhead) VIEW(flat) VIEW(tree) VIEW(callers) VIEW(callgraph)
#define HD_REPORT_VIEW(name) extern const struct hd_report_columns hd_report_##name##_columns;
HD_REPORT_VIEWS(HD_REPORT_VIEW)
#undef HD_REPORT_VIEW

/* ---- lines ---- */

/** The lines of `view` that are shown; `options` NULL: a flat list by gain with few columns, for the end of a run.
 * Returns bits of the columns that it does not show, for the legend. */
uint64_t hd_report_regions(const struct hd_lines *view, const struct hd_report_options *options, FILE *out);
void hd_report_regions_legend(const struct hd_lines *view, uint64_t hidden, FILE *out);

void hd_report_regions_csv(struct hd_lines *view, const struct hd_report_options *options, FILE *out);
void hd_report_threads(struct hd_lines *view, const struct hd_report_options *options, FILE *out);
void hd_report_histogram(struct hd_lines *view, const struct hd_report_options *options, FILE *out);
void hd_report_histogram_csv(struct hd_lines *view, const struct hd_report_options *options, FILE *out);
/** When regions ran, and how many threads were busy then. */
void hd_report_timeline(struct hd_lines *view, const struct hd_report_options *options, FILE *out);
void hd_report_timeline_csv(struct hd_lines *view, const struct hd_report_options *options, FILE *out);
/** Loops by the chunks that they were handed out in; task constructs by where their tasks ran. */
void hd_report_loops(struct hd_lines *view, const struct hd_report_options *options, FILE *out);
void hd_report_tasks(struct hd_lines *view, const struct hd_report_options *options, FILE *out);
void hd_report_critical_path(struct hd_lines *view, const struct hd_report_options *options, FILE *out);
void hd_report_locks(struct hd_lines *view, const struct hd_report_options *options, FILE *out);
void hd_report_efficiency(struct hd_lines *view, const struct hd_report_options *options, FILE *out);
void hd_report_overhead(struct hd_lines *view, const struct hd_report_options *options, FILE *out);
void hd_report_source(struct hd_lines *view, const struct hd_report_options *options, FILE *out);
void hd_report_hot(struct hd_lines *view, const struct hd_report_options *options, FILE *out);
void hd_report_at_level(struct hd_lines *view, const struct hd_report_options *options, FILE *out);

/** HD_REPORT_REFUSED: `options->with` names no callpath, or several. */
enum hd_report_end hd_report_overlap(const struct hd_lines *view, const struct hd_report_options *options, FILE *out,
                                     FILE *errors);

/* ---- routines are lines, too ---- */

void hd_report_flat(const struct hd_graph *graph, const struct hd_report_options *options, FILE *out);

/** After a run: at most `limit` of what has most time of its own, in few columns. */
void hd_report_flat_brief(const struct hd_graph *graph, uint32_t limit, FILE *out);

void hd_report_callgraph(const struct hd_graph *graph, const struct hd_report_options *options, FILE *out);
void hd_report_tree(const struct hd_model *model, const struct hd_report_options *options, FILE *out);

/** HD_REPORT_REFUSED: nothing matches `options->callers`, which `errors` says. */
enum hd_report_end hd_report_callers(const struct hd_graph *graph, const struct hd_report_options *options, FILE *out,
                                     FILE *errors);

#endif
