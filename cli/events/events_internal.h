/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file events_internal.h
 * Between the files of `heddle events`: what is shown of events and groups, and why some cannot be counted here.
 */
#ifndef HEDDLE_CLI_EVENTS_EVENTS_INTERNAL_H
#define HEDDLE_CLI_EVENTS_EVENTS_INTERNAL_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "support/command/texts.h"

struct libscols_table;

struct hd_events_choices {
  const char *expression; /* NULL: all */
  regex_t regex;          /* compiled, if there is an expression */
  bool available;         /* only what can be counted */
  bool csv;
};

/** A list on its way out. */
struct hd_events_walk {
  const struct hd_events_choices *choices;
  FILE *out;
  struct libscols_table *table; /* NULL: comma-separated values, or one thing after the other */
  struct hd_texts reasons;      /* long, and the same for many: the table shows their numbers */
  size_t shown;
};

/** Is one of the texts meant? */
bool hd_events_is_meant(const struct hd_events_choices *choices, const char *const *texts, size_t count);

/** A line of comma-separated values. */
void hd_events_put_row(const char *const *fields, size_t count, FILE *out);

/** Makes the table; the last column gives way. */
void hd_events_new_table(struct hd_events_walk *walk, const char *const *titles, size_t count);

/** A row of it. */
void hd_events_add_row(struct hd_events_walk *walk, const char *const *cells, size_t count);

/** A cell with "yes", or "no" and the reason's number. */
void hd_events_answer(struct hd_events_walk *walk, bool available, const char *why, char *cell, size_t cell_bytes);

/** Prints the table, if there is one, and the reasons, and frees them. Returns whether anything was shown. */
bool hd_events_end(struct hd_events_walk *walk);

/** (list.c) All events of all sources. False: there is none. */
bool hd_events_list(const struct hd_events_choices *choices, FILE *out);

/** (groups.c) All groups, or one by one those that are meant; likewise. */
bool hd_events_groups(const struct hd_events_choices *choices, FILE *out);

#endif
