/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file csv.c
 * One line for each row and point, with one header, in full precision; what is not known is empty.
 */
#include <math.h>
#include <stdio.h>

#include "output/model/format_names.h"
#include "output/views/compare/compare_internal.h"

static const struct hd_columns columns = {.items = hd_compared_columns, .count = HD_COMPARED_COLUMNS};

static void put_names(const struct hd_compared_counts *counts, FILE *out) {
  fputs("comparison,mode,row,parent,row_kind,", out);
  hd_csv_node_names(out);
  hd_columns_csv_names(&columns, out);
  for (uint32_t i = 0; i < counts->event_count; i++) {
    fputc(',', out);
    hd_csv_text(counts->comparison->runs[0].model->events[i].name, out);
  }
  fputc('\n', out);
}

static void put_place(const struct hd_comparison *comparison, uint32_t index, FILE *out) {
  const struct hd_compared_row *row = &comparison->rows[index];
  fprintf(out, "%u", index);
  hd_csv_count(row->parent, row->parent != HD_NONE, out);
  fprintf(out, ",%s,", hd_compared_kind_id(row->kind));
  if (index < 2) {
    fputs(",,,,,", out);
    return;
  }
  const struct hd_node node = hd_row_node(comparison, row->united);
  hd_csv_node(comparison->united->nodes[row->united].model, &node, out);
}

static void put_counts(const struct hd_compared_counts *counts, uint32_t row, uint32_t point, FILE *out) {
  struct hd_count_sum *sums = hd_compared_count(counts, row, point);
  for (uint32_t i = 0; i < counts->event_count; i++) {
    const struct hd_count count = sums ? hd_compared_count_of(counts, sums, row, point, i) : (struct hd_count){0};
    hd_csv_number(count.known && !count.partial ? count.value : NAN, out);
  }
  free(sums);
}

static void put_line(const struct hd_compare_series *series, const struct hd_compared_counts *counts, uint32_t row,
                     uint32_t point, FILE *out) {
  const struct hd_comparison *comparison = series->comparison;
  struct hd_value values[HD_COMPARED_COLUMNS];
  hd_compared_values(values, comparison, row, point, &(struct hd_unit){.per_second = 1});
  hd_csv_text(series->title, out);
  fprintf(out, ",%s,", comparison->options.mode == HD_COMPARE_SCALING ? "scaling" : "sides");
  put_place(comparison, row, out);
  hd_columns_csv(&columns, values, out);
  put_counts(counts, row, point, out);
  fputc('\n', out);
}

/* Columns of counters are there if all comparisons have them. */
static void put_one(const struct hd_compare_series *series, bool counted, bool first, FILE *out) {
  struct hd_compared_counts counts = hd_compared_counts_new(series->comparison);
  if (!counted)
    counts.event_count = 0;
  if (first)
    put_names(&counts, out);
  for (uint32_t row = 0; row < series->comparison->row_count; row++)
    for (uint32_t point = 0; point < series->comparison->point_count; point++)
      put_line(series, &counts, row, point, out);
  hd_compared_counts_free(&counts);
}

static bool all_counted(const struct hd_compare_series *series, size_t count) {
  bool counted = true;
  for (size_t i = 0; i < count; i++) {
    struct hd_compared_counts counts = hd_compared_counts_new(series[i].comparison);
    counted = counted && counts.event_count > 0;
    hd_compared_counts_free(&counts);
  }
  return counted;
}

void hd_compare_csv(const struct hd_compare_series *series, size_t count, FILE *out) {
  const bool counted = all_counted(series, count);
  for (size_t i = 0; i < count; i++)
    put_one(&series[i], counted, i == 0, out);
}
