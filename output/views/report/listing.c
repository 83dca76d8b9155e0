/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/report/listing.h"

#include <string.h>

#include "output/analysis/line_counts.h"
#include "output/views/render/csv.h"
#include "output/views/render/document.h"
#include "output/views/report/report_internal.h"

struct hd_listed hd_listed_line(const struct hd_lines *view, uint32_t index) {
  const struct hd_line *line = &view->lines[index];
  struct hd_listed row = {.node = line->node, .marks = line->marks};
  const int used = snprintf(row.first, sizeof row.first, "%u,%u,", line->node->id, index);
  if (index > 0)
    snprintf(row.first + used, sizeof row.first - (size_t)used, "%u", line->parent);
  strcat(row.first, ",");
  return row;
}

struct hd_listed hd_listed_entry(const struct hd_graph *graph, uint32_t index) {
  const struct hd_graph_entry *entry = &graph->entries[index];
  struct hd_listed row = {.node = entry->node, .marks = entry->marks};
  row.elapsed_ticks = hd_graph_entry_elapsed(graph, entry);
  return row;
}

static struct hd_columns part(const struct hd_listing *listing, bool late) {
  struct hd_columns columns = listing->columns;
  columns.hidden |= late ? ~listing->late : listing->late;
  return columns;
}

void hd_listing_begin(struct hd_listing *listing, const char *first, const char *title, bool tree) {
  if (!listing->csv) {
    hd_columns_choose(&listing->columns, listing->chosen);
    const struct hd_columns early = part(listing, false), late = part(listing, true);
    hd_columns_add(&early, &listing->grid);
    hd_count_columns_add(&listing->counted, &listing->grid);
    hd_columns_add(&late, &listing->grid);
    listing->placed = title;
    if (title)
      hd_table_place(&listing->grid, title, tree);
    return;
  }
  fputs(first, listing->out);
  hd_csv_node_names(listing->out);
  hd_csv_mark_names(listing->out);
  hd_columns_csv_names(&listing->columns, listing->out);
  for (int i = 0; i < 2 && listing->counts_of[i]; i++)
    hd_csv_count_names(listing->model, listing->counts_of[i], i == 0, listing->out);
  hd_csv_more_mark_names(listing->out);
  fputc('\n', listing->out);
}

static void put_csv(const struct hd_listing *listing, const struct hd_listed *row, const struct hd_value *values) {
  FILE *out = listing->out;
  fputs(row->first, out);
  if (row->node) {
    hd_csv_node(listing->model, row->node, out);
    hd_csv_marks(row->marks, out);
  } else
    fprintf(out, "%s,%s,,,,,,", row->kind, row->name);
  hd_columns_csv(&listing->columns, values, out);
  for (int i = 0; i < 2 && listing->counts_of[i]; i++)
    hd_csv_counts(listing->model, row->sums[i], i == 0, row->elapsed_ticks, out);
  hd_csv_more_marks(row->marks, out);
  fputc('\n', out);
}

struct libscols_line *hd_listing_put(struct hd_listing *listing, const struct hd_listed *row,
                                     const struct hd_value *values) {
  if (listing->csv) {
    put_csv(listing, row, values);
    return NULL;
  }
  const struct hd_columns early = part(listing, false), late = part(listing, true);
  struct libscols_line *line = hd_table_row(&listing->grid, row->parent);
  hd_columns_cells(&early, values, &listing->grid);
  if (row->sums[0])
    hd_count_cells(&listing->grid, &listing->counted, row->sums[0], row->elapsed_ticks);
  hd_columns_cells(&late, values, &listing->grid);
  if (listing->placed)
    hd_table_at(&listing->grid, row->place);
  return line;
}

/* Legends are about columns that are there. */
static void hide_left_out(struct hd_listing *listing) {
  const struct hd_columns early = part(listing, false), late = part(listing, true);
  size_t at = 0;
  for (size_t i = SIZE_MAX; (i = hd_columns_next(&early, i)) < early.count; at++)
    if (hd_table_is_hidden(&listing->grid, at))
      listing->columns.hidden |= UINT64_C(1) << i;
  at += listing->counted.count;
  for (size_t i = SIZE_MAX; (i = hd_columns_next(&late, i)) < late.count; at++)
    if (hd_table_is_hidden(&listing->grid, at))
      listing->columns.hidden |= UINT64_C(1) << i;
}

void hd_listing_end(struct hd_listing *listing, uint32_t left) {
  if (listing->grid.row_count > 0) {
    if (!listing->titled)
      fprintf(listing->out, "\nTimes in %s.\n", listing->columns.unit.name);
    if (listing->markdown) {
      hd_document_table(&(struct hd_document){listing->out, true}, &listing->grid);
      return;
    }
    hd_table_print(&listing->grid, listing->out);
    hd_count_columns_said_left(&listing->counted, listing->out);
    hide_left_out(listing);
    hd_report_left(left, "line", listing->out);
  }
  hd_table_free(&listing->grid);
}
