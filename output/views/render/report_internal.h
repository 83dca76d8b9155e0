/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file report_internal.h
 * Between the files of the report only: numbers as text, the heading, and one function per table.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_RENDER_REPORT_INTERNAL_H
#define HEDDLE_OUTPUT_VIEWS_RENDER_REPORT_INTERNAL_H

#include <libsmartcols/libsmartcols.h>

#include "output/analysis/place_text.h"
#include "output/views/report/report.h"

enum { HD_CELL_BYTES = 32 };

/** How the times of one table are written: one unit for all, so that columns can be compared at a glance. */
struct hd_unit {
  const char *name; /* "seconds" */
  double per_second;
  int decimals;
};

/** The unit in which `seconds`, the largest time of a table, has at most about five digits. */
struct hd_unit hd_unit_for(double seconds);

/** A time; "-" for NaN. */
void hd_cell_time(char cell[HD_CELL_BYTES], const struct hd_unit *unit, double seconds);

/** Whether a time is not written as zero. */
bool hd_unit_shows(const struct hd_unit *unit, double seconds);

/** A number with some decimals; "-" for NaN. */
void hd_cell_number(char cell[HD_CELL_BYTES], double number, int decimals);

/** How often something of a kind was entered; "-" when that is not known, ">=17" when some entries were not observed.
 */
void hd_cell_visits(char cell[HD_CELL_BYTES], const struct hd_model *model, enum hd_kind kind, uint64_t visits,
                    bool known);

/** Below tables with such cells, and with places of callpaths that are not whole: what the marks mean, if there are
 *  any. */
void hd_report_visits_mark(const struct hd_model *model, FILE *out);
void hd_report_shortened_mark(const struct hd_model *model, FILE *out);

/** A time alone, in the unit that suits it: "1.234 s", "56.7 ms". */
void hd_cell_duration(char cell[HD_CELL_BYTES], double seconds);

/** Characters of a text in UTF-8. */
size_t hd_text_width(const char *text);

/** Columns of the terminal; what is not a terminal takes lines of any length, so that nothing is cut off in a file. */
enum { HD_UNBOUNDED_WIDTH = 4096 };
size_t hd_report_width(FILE *out);

/** The width that a table with columns of counters may have: they are many, and the names at the end of the lines shall
 *  stay in sight. The terminal's, or that of $COLUMNS, or 120. */
size_t hd_report_page(FILE *out);

/** A table as wide as the terminal. NULL: no memory. */
struct libscols_table *hd_table_new(FILE *out);
bool hd_table_column(struct libscols_table *table, const char *title, int flags);

/** Comma-separated values: the names of the first columns of every table, their values for a line, and a number with
 *  the comma before it, empty for NaN. */
void hd_csv_place_names(FILE *out);
void hd_csv_place(const struct hd_view *view, uint32_t line, FILE *out);
void hd_csv_number(double number, FILE *out);

/** What a line's numbers rest on, "true" or "false" with the comma before it: `incomplete`, entries and times are at
 * least those shown, `busy_at_most`, busy times may hold waits. `flags`: of all its nodes. */
void hd_csv_mark_names(FILE *out);
void hd_csv_marks(const struct hd_model *model, const struct hd_node *node, uint32_t flags, FILE *out);

/** A text, quoted if it must be; NULL: empty. */
void hd_csv_text(const char *text, FILE *out);

/** What could not be measured, at most `limit` notes. */
void hd_report_notes(const struct hd_model *model, size_t limit, FILE *out);

/** Whether any parallel region was entered, in focus or not. */
bool hd_report_has_regions(const struct hd_model *model);

/** What ran, for how long, and what could be gained. `brief`: only what the end of a run needs. */
void hd_report_heading(const struct hd_model *model, bool brief, FILE *out);

/** The waiting states that occur in the shown lines, as wide as `unit` shows them. Returns how many. */
int hd_report_causes(const uint64_t most[HD_STATE_COUNT], const struct hd_model *model, const struct hd_unit *unit,
                     enum hd_state causes[HD_STATE_COUNT]);

/** The lines of `view` that are shown; `brief`: a flat list with few columns. */
bool hd_report_table(const struct hd_view *view, bool brief, FILE *out);

bool hd_report_regions(struct hd_view *view, const struct hd_report_options *options, FILE *out);
bool hd_report_threads(struct hd_view *view, const struct hd_report_options *options, FILE *out);
bool hd_report_regions_csv(struct hd_view *view, const struct hd_report_options *options, FILE *out);
bool hd_report_threads_csv(struct hd_view *view, const struct hd_report_options *options, FILE *out);

#endif
