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

struct libscols_table;

struct hd_events_choices {
  const char *expression; /* NULL: all */
  regex_t regex;          /* compiled, if there is an expression */
  bool available;         /* only what can be counted */
  bool csv;
};

enum hd_events_end { HD_EVENTS_SHOWN, HD_EVENTS_NONE, HD_EVENTS_NO_MEMORY };

/** Reasons are long and the same for many: a table shows their numbers. */
struct hd_events_reasons {
  char **items;
  size_t count;
};

/** The number of a reason, from 1 on; 0: no memory. */
size_t hd_events_reason(struct hd_events_reasons *reasons, const char *why);
void hd_events_print_reasons(const struct hd_events_reasons *reasons, FILE *out);
void hd_events_free_reasons(struct hd_events_reasons *reasons);

/** Is one of the texts meant? */
bool hd_events_is_meant(const struct hd_events_choices *choices, const char *const *texts, size_t count);

/** A line of comma-separated values. */
void hd_events_put_row(const char *const *fields, size_t count, FILE *out);

/** A table with these columns, the last of which gives way. NULL: no memory. */
struct libscols_table *hd_events_new_table(const char *const *titles, size_t count, FILE *out);

/** A cell with "yes", or "no" and the reason's number; false: no memory. */
bool hd_events_answer(char *cell, size_t cell_bytes, bool available, const char *why,
                      struct hd_events_reasons *reasons);

/** (list.c) All events of all sources. */
enum hd_events_end hd_events_list(const struct hd_events_choices *choices, FILE *out);

/** (groups.c) All groups, or one by one those that are meant. */
enum hd_events_end hd_events_groups(const struct hd_events_choices *choices, FILE *out);

#endif
