/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file rows.c
 * The rows of a comparison as a tree: what lost most first, on every level.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/views/compare/compare_internal.h"
#include "support/command/memory.h"

/** A row's place in the order. */
struct ordered {
  uint32_t row;
  double weight;
  uint32_t first, next; /* rows in it, and the next beside it; HD_NONE: none */
};

/* What occurs at one point only cannot be said to have lost anything, but must not hide at the end either. */
static double weight_of(const struct hd_comparison *comparison, uint32_t index, uint32_t point) {
  const struct hd_compared_row *row = &comparison->rows[index];
  double weight = point > 0 && row->at[point].matched ? fabs(row->at[point].lost_total_s)
                  : point > 0                         ? 0
                                                      : row->weight_s;
  for (uint32_t i = 0; i < comparison->point_count; i++)
    if (hd_row_is_partial(comparison, row) && row->at[i].runs > 0)
      weight = fmax(weight, row->at[i].time_s);
  return weight;
}

static int compare_weights(const void *a, const void *b) {
  const struct ordered *left = a;
  const struct ordered *right = b;
  if (left->weight != right->weight)
    return left->weight < right->weight ? -1 : 1;
  return left->row > right->row ? -1 : 1; /* the first of equal ones comes first */
}

/* Rows by number, linked in the order in which they are shown; the first of all is that of row 0. */
static struct ordered *order(const struct hd_comparison *comparison, uint32_t point) {
  const uint32_t count = comparison->row_count;
  struct ordered *sorted = hd_new(count, sizeof *sorted);
  struct ordered *links = hd_new(count, sizeof *links);
  for (uint32_t i = 0; i < count; i++) {
    sorted[i] = (struct ordered){.row = i, .weight = weight_of(comparison, i, point)};
    links[i] = (struct ordered){.row = i, .first = HD_NONE, .next = HD_NONE};
  }
  qsort(sorted, count, sizeof *sorted, compare_weights);
  for (uint32_t i = 0; i < count; i++) { /* the lightest is put first, so that it is last in the end */
    const uint32_t row = sorted[i].row;
    const uint32_t parent = comparison->rows[row].parent == HD_NONE ? 0 : comparison->rows[row].parent;
    if (row < 2)
      continue;
    links[row].next = links[parent].first;
    links[parent].first = row;
  }
  free(sorted);
  return links;
}

uint32_t hd_foremost_region(const struct hd_comparison *comparison, uint32_t point) {
  struct ordered *links = order(comparison, point);
  const uint32_t found = links[0].first;
  free(links);
  return found;
}

static void say_where(char place[HD_PLACE_BYTES], const struct hd_comparison *comparison, uint32_t index) {
  const struct hd_compared_row *row = &comparison->rows[index];
  char text[HD_PLACE_BYTES];
  hd_row_text(text, comparison, index, false);
  size_t used = (size_t)snprintf(place, HD_PLACE_BYTES, "%.380s", text);
  const char *between = " (only at ";
  for (uint32_t point = 0; hd_row_is_partial(comparison, row) && point < comparison->point_count; point++) {
    if (row->at[point].runs == 0 || used + 80 > HD_PLACE_BYTES)
      continue;
    used += (size_t)snprintf(place + used, HD_PLACE_BYTES - used, "%s%.60s", between, comparison->points[point].label);
    between = ", ";
  }
  if (between[0] == ',')
    used += (size_t)snprintf(place + used, HD_PLACE_BYTES - used, ")");
  if (hd_row_calls_differ(comparison, row))
    snprintf(place + used, HD_PLACE_BYTES - used, " (calls differ)");
}

static struct libscols_line *add_row(struct hd_compare_table *table, uint32_t row, struct libscols_line *parent,
                                     hd_row_filler *fill, void *context) {
  char place[HD_PLACE_BYTES];
  struct libscols_line *line = hd_table_row(&table->grid, parent);
  if (fill)
    fill(context, row);
  else
    hd_compare_table_cells(table, row, HD_NONE);
  say_where(place, table->comparison, row);
  hd_table_at(&table->grid, place);
  return line;
}

/* The row that comes next in the tree; HD_NONE: a region's subtree ends. */
static uint32_t next_below(const struct hd_comparison *comparison, const struct ordered *links, uint32_t top,
                           uint32_t at) {
  if (links[at].first != HD_NONE)
    return links[at].first;
  while (at != top && links[at].next == HD_NONE)
    at = comparison->rows[at].parent;
  return at == top ? HD_NONE : links[at].next;
}

uint32_t hd_compare_fill(struct hd_compare_table *table, uint32_t point, unsigned long limit, hd_row_filler *fill,
                         void *context) {
  const struct hd_comparison *comparison = table->comparison;
  struct ordered *links = order(comparison, point);
  struct libscols_line **made = hd_new(comparison->row_count, sizeof *made);
  unsigned long shown = 0;
  uint32_t left = 0;
  for (uint32_t top = links[0].first; top != HD_NONE; top = links[top].next) {
    if (limit > 0 && shown == limit) {
      left++;
      continue;
    }
    shown++;
    for (uint32_t at = top; at != HD_NONE; at = next_below(comparison, links, top, at))
      made[at] = add_row(table, at, at == top ? NULL : made[comparison->rows[at].parent], fill, context);
  }
  add_row(table, 1, NULL, fill, context);
  add_row(table, 0, NULL, fill, context);
  free(links);
  free(made);
  return left;
}

void hd_said_left(struct hd_document *document, uint32_t left, const char *what) {
  if (left > 0)
    hd_document_say(document, "%u more %s%s not shown; --limit 0 shows all.", left, what, left == 1 ? " is" : "s are");
}
