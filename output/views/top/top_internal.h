/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file top_internal.h
 * Between the files of this folder only.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_TOP_TOP_INTERNAL_H
#define HEDDLE_OUTPUT_VIEWS_TOP_TOP_INTERNAL_H

#include "output/analysis/lines/lines.h"
#include "output/model/duration.h"
#include "output/views/top/top.h"

/** A region or construct: its lines in the run and in the interval. */
struct hd_top_row {
  const struct hd_line *run;
  const struct hd_line *interval; /* NULL: there is no interval */
};

struct hd_top_rows {
  struct hd_lines *run, *interval;
  struct hd_top_row *items; /* sorted */
  uint32_t count;
};

/** Those that have been entered. */
struct hd_top_rows hd_top_rows_of(const struct hd_top *top);
void hd_top_rows_free(struct hd_top_rows *rows);

/** Of so many threads or callpaths, how many are shown. */
static inline uint32_t hd_top_shown(const struct hd_top *top, uint32_t count) {
  return top->limit > 0 && top->limit < count ? top->limit : count;
}

/** What it is doing, and for how long: "barrier", "busy?". */
void hd_top_state_text(char text[HD_CELL_BYTES], const struct hd_stay *stay);

/** Busy threads on average. NaN: not known. */
double hd_top_busy(const struct hd_model *model);

/** Since when a thread has been where it is. NaN: not known. */
double hd_top_stay_seconds(const struct hd_model *model, const struct hd_model_thread *thread);

/** Seconds of the last minute from 0, and the mean of busy threads in second i, the newest last. NaN: not known. */
enum { HD_TOP_MINUTE = 60 };
uint32_t hd_top_minute(const struct hd_model *model, double busy[HD_TOP_MINUTE]);

#endif
