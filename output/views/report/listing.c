/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/report/listing.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/lines/line_counts.h"
#include "output/views/render/csv.h"
#include "output/views/render/document.h"
#include "output/views/report/report_internal.h"
#include "support/command/memory.h"

int hd_ranked_compare(const void *a, const void *b) {
  const struct hd_ranked *left = a, *right = b;
  if (left->ticks != right->ticks)
    return left->ticks > right->ticks ? -1 : 1;
  return (left->line > right->line) - (left->line < right->line);
}

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

static void find_sorted_by(struct hd_listing *listing) {
  const char *name = listing->asked ? listing->asked->sort_column : NULL;
  for (size_t i = 0; name && i < listing->columns.count && !listing->sorts; i++)
    if (hd_column_has_name(&listing->columns.items[i], name, strlen(name))) {
      listing->sorted_by = i;
      listing->sorts = true;
    }
}

void hd_listing_begin(struct hd_listing *listing, const char *first, const char *title, bool tree) {
  find_sorted_by(listing);
  if (!listing->csv) {
    hd_columns_choose(&listing->columns, listing->asked ? listing->asked->columns : NULL);
    const struct hd_columns early = part(listing, false), late = part(listing, true);
    hd_columns_add(&early, &listing->grid);
    hd_count_columns_add(&listing->counted, &listing->grid);
    hd_columns_add(&late, &listing->grid);
    listing->placed = title;
    if (title)
      hd_table_place(&listing->grid, title, tree);
    return;
  }
  if (!first)
    return;
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

/* Text: returns the row. */
static struct libscols_line *put(struct hd_listing *listing, const struct hd_listed *row,
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
  const struct hd_value *number = &values[listing->largest];
  if (listing->largest && number->known && !number->dash && number->number > listing->foremost_number) {
    listing->foremost = line;
    listing->foremost_number = number->number;
  }
  return line;
}

/* ---- sorted by a column ---- */

struct hd_kept {
  struct hd_listed *row; /* cut behind its place */
  struct hd_value *values;
  struct hd_kept *parent, *first, *last, *next; /* once they are sorted: of those below it; beside it */
  size_t index;                                 /* in the order in which rows were put */
  bool shown;
  struct libscols_line *line;
};

/* Their words need not last. */
static struct hd_value *copy_values(const struct hd_columns *columns, const struct hd_value *values) {
  struct hd_value *copy = hd_new(columns->count, sizeof *copy);
  memcpy(copy, values, columns->count * sizeof *copy);
  for (size_t i = 0; i < columns->count; i++)
    if (copy[i].word)
      hd_need((copy[i].word = strdup(copy[i].word)));
  return copy;
}

static void *keep(struct hd_listing *listing, const struct hd_listed *row, const struct hd_value *values) {
  const size_t bytes = offsetof(struct hd_listed, place) + strlen(row->place) + 1;
  struct hd_kept *kept = hd_new(1, sizeof *kept);
  *kept = (struct hd_kept){.row = hd_new(1, bytes),
                           .values = copy_values(&listing->columns, values),
                           .parent = row->parent,
                           .index = listing->kept_count};
  memcpy(kept->row, row, bytes);
  listing->kept = hd_grow_by_one(listing->kept, listing->kept_count, sizeof(struct hd_kept *));
  return listing->kept[listing->kept_count++] = kept;
}

void *hd_listing_put(struct hd_listing *listing, const struct hd_listed *row, const struct hd_value *values) {
  return listing->sorts ? keep(listing, row, values) : put(listing, row, values);
}

/* What is no callpath last. */
static int compare(const void *a, const void *b, void *context) {
  const struct hd_listing *listing = context;
  const struct hd_kept *left = *(struct hd_kept *const *)a, *right = *(struct hd_kept *const *)b;
  const size_t column = listing->sorted_by;
  if (!left->row->node != !right->row->node)
    return left->row->node ? -1 : 1;
  const int order = hd_value_compare(&listing->columns.items[column], &left->values[column], &right->values[column]);
  return order != 0 ? order : left->index < right->index ? -1 : 1;
}

/* The foremost `limit` (0: all), none without those above it. Returns how many are not shown. */
static uint32_t choose_shown(const struct hd_listing *listing, uint32_t limit) {
  size_t left = 0;
  for (size_t i = 0; i < listing->kept_count; i++) {
    listing->kept[i]->shown = limit == 0 || !listing->kept[i]->row->node;
    left += !listing->kept[i]->shown;
  }
  for (uint32_t shown = 0; shown < limit && left > 0; shown++, left--) {
    size_t i = 0;
    while (listing->kept[i]->shown || (listing->kept[i]->parent && !listing->kept[i]->parent->shown))
      i++;
    listing->kept[i]->shown = true;
  }
  return (uint32_t)left;
}

static void link_below(struct hd_kept *parent, struct hd_kept *kept) {
  if (parent->last)
    parent->last->next = kept;
  else
    parent->first = kept;
  parent->last = kept;
}

static struct hd_kept *next_of(struct hd_kept *kept) {
  if (kept->first)
    return kept->first;
  while (kept && !kept->next)
    kept = kept->parent;
  return kept ? kept->next : NULL;
}

static void put_kept(struct hd_listing *listing, struct hd_kept *kept) {
  struct hd_listed row;
  memcpy(&row, kept->row, offsetof(struct hd_listed, place));
  snprintf(row.place, sizeof row.place, "%s", kept->row->place);
  row.parent = kept->parent ? kept->parent->line : NULL;
  kept->line = put(listing, &row, kept->values);
}

static void free_kept(struct hd_listing *listing) {
  for (size_t i = 0; i < listing->kept_count; i++) {
    for (size_t j = 0; j < listing->columns.count; j++)
      free((char *)(uintptr_t)listing->kept[i]->values[j].word);
    free(listing->kept[i]->values);
    free(listing->kept[i]->row);
    free(listing->kept[i]);
  }
  free(listing->kept);
  listing->kept = NULL;
  listing->kept_count = 0;
}

/* Puts the rows that were kept; returns how many are not shown. */
static uint32_t put_sorted(struct hd_listing *listing) {
  struct hd_kept top = {0};
  if (listing->kept_count == 0)
    return 0;
  qsort_r(listing->kept, listing->kept_count, sizeof(struct hd_kept *), compare, listing);
  const uint32_t left = choose_shown(listing, listing->asked->limit);
  for (size_t i = 0; i < listing->kept_count; i++)
    link_below(listing->kept[i]->parent ? listing->kept[i]->parent : &top, listing->kept[i]);
  for (struct hd_kept *kept = top.first; kept; kept = next_of(kept))
    if (kept->shown)
      put_kept(listing, kept);
  free_kept(listing);
  return left;
}

void hd_listing_group(struct hd_listing *listing) {
  put_sorted(listing);
}

/* ---- the end ---- */

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

static void paint_largest(struct hd_listing *listing) {
  const struct hd_columns early = part(listing, false);
  size_t at = 0;
  for (size_t i = SIZE_MAX; (i = hd_columns_next(&early, i)) < early.count; at++)
    if (i == listing->largest && listing->foremost)
      hd_table_paint(&listing->grid, listing->foremost, at, HD_PAINT_GAIN, listing->out);
}

void hd_listing_end(struct hd_listing *listing, uint32_t left) {
  left += put_sorted(listing);
  paint_largest(listing);
  if (listing->grid.row_count > 0) {
    if (!listing->titled)
      fprintf(listing->out, "\nTimes in %s.\n", listing->columns.unit.name);
    if (listing->markdown) {
      struct hd_document document = {.out = listing->out, .markdown = true};
      hd_document_table(&document, &listing->grid);
      if (left > 0)
        hd_document_say(&document, "%u more line%s not shown.", left, left == 1 ? " is" : "s are");
      return;
    }
    hd_table_print(&listing->grid, listing->out);
    hd_count_columns_said_left(&listing->counted, listing->out);
    hide_left_out(listing);
    hd_report_left(left, "line", listing->out);
  }
  hd_table_free(&listing->grid);
}
