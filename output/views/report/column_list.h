/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file column_list.h
 * The columns of all views of the report, from their tables: for `heddle report --help` and docs/columns.md.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_REPORT_COLUMN_LIST_H
#define HEDDLE_OUTPUT_VIEWS_REPORT_COLUMN_LIST_H

#include <stdbool.h>
#include <stdio.h>

#include "output/views/report/report.h"

/** By view: title in the text, name in --csv, unit, meaning; what an earlier view has, too, is left out. Lines for a
 *  terminal, or tables in Markdown. */
void hd_column_list_print(bool markdown, FILE *out);

/** Whether each name of a comma-separated list is a column of the table that answers the question; else `*wrong` points
 * to the first that is not. */
bool hd_column_list_has(enum hd_question question, const char *list, const char **wrong);

/** The titles of the columns of that table, comma-separated; "": it has no such table. The caller frees. */
char *hd_column_list_titles(enum hd_question question);

#endif
