/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file column_list.h
 * The columns of all views of the report, from their tables: for `heddle report --help` and docs/columns.md.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_REPORT_COLUMN_LIST_H
#define HEDDLE_OUTPUT_VIEWS_REPORT_COLUMN_LIST_H

#include <stdbool.h>
#include <stdio.h>

/** By view: title in the text, name in --csv, unit, meaning; what an earlier view has, too, is left out. Lines for a
 *  terminal, or tables in Markdown. */
void hd_column_list_print(bool markdown, FILE *out);

#endif
