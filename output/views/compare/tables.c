/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file tables.c
 * Tables for people: columns of columns.h, each at a point of its own or at the row's, and columns of the table's own.
 */
#include <stdarg.h>
#include <stdio.h>

#include "output/views/compare/compare_internal.h"

void hd_compare_table_begin(struct hd_compare_table *table, const struct hd_comparison *comparison) {
  *table = (struct hd_compare_table){.comparison = comparison,
                                     .columns = {.items = table->items, .unit = hd_comparison_unit(comparison)}};
}

void hd_compare_table_own(struct hd_compare_table *table, enum hd_column_kind kind, int rank, const char *format, ...) {
  const size_t at = table->columns.count++;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(table->titles[at], sizeof table->titles[at], format, arguments);
  va_end(arguments);
  table->items[at] = (struct hd_column){.title = table->titles[at], .kind = kind, .rank = rank};
}

void hd_compare_table_add(struct hd_compare_table *table, enum hd_compared_column column, uint32_t point, int rank,
                          const char *title) {
  const struct hd_column *from = &hd_compared_columns[column];
  table->shows[table->columns.count] = column;
  table->points[table->columns.count] = point;
  hd_compare_table_own(table, from->kind, rank, "%s", title ? title : from->title);
}

void hd_compare_table_place(struct hd_compare_table *table, const char *title, bool tree) {
  hd_columns_add(&table->columns, &table->grid);
  hd_table_place(&table->grid, title, tree);
}

void hd_compare_table_cells(struct hd_compare_table *table, uint32_t row, uint32_t point) {
  struct hd_value all[HD_COMPARED_COLUMNS], values[HD_TABLE_COLUMNS];
  for (size_t i = 0; i < table->columns.count; i++) {
    const uint32_t at = table->points[i] == HD_NONE ? point : table->points[i];
    if (i == 0 || table->points[i] != table->points[i - 1])
      hd_compared_values(all, table->comparison, row, at, &table->columns.unit);
    values[i] = all[table->shows[i]];
    if (table->unmarked && (table->shows[i] == HD_COMPARED_LOST || table->shows[i] == HD_COMPARED_DIFFERENCE))
      values[i].mark = NULL;
  }
  hd_columns_cells(&table->columns, values, &table->grid);
}
