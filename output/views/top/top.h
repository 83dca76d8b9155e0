/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file top.h
 * A running program now: as text in parts, for a screen and for a file alike, and as JSON. Write errors are left to
 * `out`.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_TOP_TOP_H
#define HEDDLE_OUTPUT_VIEWS_TOP_TOP_H

#include <stdio.h>

#include "output/live/rates.h"
#include "output/model/model.h"

/** Its name, and that of the option's argument. RUN_GAIN: over the run; all others over the interval. */
#define HD_TOP_SORTS(SORT)                                                                                             \
  SORT(GAIN, "gain") SORT(RUN_GAIN, "run-gain") SORT(ELAPSED, "elapsed") SORT(CALLS, "calls") SORT(NAME, "name")

#define HD_TOP_SORT_NUMBER(name, words) HD_TOP_##name,
enum hd_top_sort { HD_TOP_SORTS(HD_TOP_SORT_NUMBER) HD_TOP_SORT_COUNT };
#undef HD_TOP_SORT_NUMBER

enum hd_top_life {
  HD_TOP_RUNS,
  HD_TOP_ENDED, /* the profile was closed */
  HD_TOP_GONE   /* nobody writes to it any more, and it was not closed: killed, or another program's turn */
};

struct hd_top {
  const struct hd_model *run;
  const struct hd_model *interval; /* since the reading before; NULL: there is none */
  enum hd_top_life life;
  const struct hd_live_rates *rates; /* of its events */
  double error_seconds;              /* hd_live */
  enum hd_top_sort sort;
  uint32_t limit; /* of threads, and of callpaths; 0: all */
};

/** "heat (pid 1234): running for 12.35 s, ..." and what else is of the whole program: busy threads, findings. */
void hd_top_print_heading(const struct hd_top *top, FILE *out);

/** Busy threads over the last minute, a character a second. Nothing when that is not known. */
void hd_top_print_minute(const struct hd_top *top, FILE *out);

/** What each thread is doing; the regions and constructs, foremost first. */
void hd_top_print_threads(const struct hd_top *top, FILE *out);
void hd_top_print_callpaths(const struct hd_top *top, FILE *out);

/** One of them, by its node: where it is called, its numbers, and who is in it. */
void hd_top_print_callpath(const struct hd_top *top, uint32_t node, FILE *out);

/** Which classes of events are on, and what they cost: a line for each, in their order. */
void hd_top_print_classes(const struct hd_top *top, FILE *out);

/** Elapsed time, busy threads, the region in which most of the interval passed: "12 s, 3.2 of 4 threads busy, 87 % in
 *  parallel heat.c:42 in step". */
void hd_top_print_line(const struct hd_top *top, FILE *out);

/** All but the last two. */
void hd_top_print(const struct hd_top *top, FILE *out);

/** False: no memory. */
bool hd_top_json(const struct hd_top *top, FILE *out);

/** The callpaths of the table, in its order: their nodes, as many as are returned. To be freed. */
uint32_t hd_top_list_callpaths(const struct hd_top *top, uint32_t **nodes);

#endif
