/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file group.h
 * Groups of events with formulas, as text files in the manner of LIKWID's performance groups:
 *
 *     SHORT Instructions per cycle
 *
 *     EVENTSET
 *     INS  PAPI_TOT_INS
 *     CYC  PAPI_TOT_CYC
 *
 *     METRICS
 *     IPC                 INS / CYC
 *     Clock [GHz]         1e-9 * CYC / busy
 *
 *     LONG
 *     What it means, to the end of the file.
 *
 * EVENTSET: a name for formulas, then the event; the event alone if its name is an identifier. METRICS: a name, perhaps
 * with a unit in brackets, then, after two or more blanks or a tab, a formula in muParser's language. Formulas know the
 * group's events and, in seconds, `busy` (thread time), `elapsed` (wall time of a region, loop or the program; of a
 * thread its lifetime) and `time` (the same as `elapsed`). Lines that begin with # are comments.
 *
 * The command's side only; not thread-safe.
 */
#ifndef HEDDLE_OUTPUT_METRICS_GROUP_H
#define HEDDLE_OUTPUT_METRICS_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle-format.h"

struct hd_group_event {
  char *alias; /* its name in formulas */
  char *event;
  uint32_t line;
};

struct hd_metric {
  char *name;
  char *unit; /* empty: just a number */
  char *formula;
  uint32_t line;
  char *problem; /* why the formula can have no value, "path:line: what is wrong"; NULL: it may have one */
  void *parser;  /* the formula's; the group's own; NULL with a problem */
  uint32_t event_count;
  uint32_t events[HD_EVENTS_MOST]; /* indices into the group's events: those that the formula uses */
  bool uses_elapsed;
};

struct hd_group {
  char *path; /* of the file, for messages */
  char *name; /* the file's, without folder and suffix */
  char *short_text;
  char *long_text;
  char *text; /* the whole file */
  struct hd_group_event *events;
  uint32_t event_count;
  struct hd_metric *metrics;
  uint32_t metric_count;
  double values[HD_EVENTS_MOST]; /* the formulas' variables: of the events */
  double busy_s;
  double elapsed_s;
};

/** Parses `text`, formulas included. A formula that is wrong makes a metric with a problem and no values: what is
 * counted does not depend on it. NULL: `error` holds "path:line: what is wrong". Free with hd_group_free(). */
struct hd_group *hd_group_parse(const char *path, const char *text, char *error, size_t error_bytes);

/** Finds and reads a group: a file's path, or the name of one in `$HEDDLE_GROUPS` (a folder), then of one that came
 * with Heddle; in any case. On failure `error` names the nearest, or those that there are. */
struct hd_group *hd_group_read(const char *name_or_path, char *error, size_t error_bytes);

void hd_group_free(struct hd_group *group);

/** Calls `visit` for every group that hd_group_read finds by name, in alphabetical order; those that do not parse have
 *  no group but an error. */
void hd_group_each(void (*visit)(void *context, const struct hd_group *group, const char *error), void *context);

#endif
