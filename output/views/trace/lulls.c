/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stretches of time in which few threads were busy, and what all did then. */
#include "output/trace/lulls.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "output/analysis/losses/causes.h"
#include "output/model/duration.h"
#include "output/model/format_names.h"
#include "output/model/node_text.h"
#include "output/trace/size.h"
#include "output/views/render/columns.h"
#include "output/views/trace/lulls_json.h"
#include "output/views/trace/part_hint.h"
#include "output/views/trace/trace_views.h"
#include "support/command/memory.h"

/* ---- a lull's rows: what threads did, in any thread ---- */

enum { ROWS_MOST = 6 };

struct row {
  struct hd_trace_place place;
  uint64_t ticks;
  uint32_t thread_count, thread; /* the last one */
};

static int by_ticks(const void *a, const void *b) {
  const struct row *left = a, *right = b;
  const bool left_busy = left->place.state == HD_BUSY, right_busy = right->place.state == HD_BUSY;
  if (left_busy != right_busy)
    return left_busy ? -1 : 1;
  if (left->ticks != right->ticks)
    return left->ticks > right->ticks ? -1 : 1;
  return (left->place.node > right->place.node) - (left->place.node < right->place.node);
}

/* Those who were busy first, then what took most time. */
static uint32_t list_rows(const struct hd_lull *lull, struct row *rows) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < lull->share_count; i++) {
    const struct hd_lull_share *share = &lull->shares[i];
    const struct row *last = count > 0 ? &rows[count - 1] : NULL;
    if (!last || last->place.state != share->place.state || last->place.node != share->place.node)
      rows[count++] = (struct row){.place = share->place};
    rows[count - 1].ticks += share->ticks;
    rows[count - 1].thread_count++;
    rows[count - 1].thread = share->thread;
  }
  qsort(rows, count, sizeof *rows, by_ticks);
  return count;
}

/* ---- the table ---- */

enum { FROM, LENGTH, BUSY, TIME, THREADS, STATE, COLUMNS };

static const struct hd_column columns[COLUMNS] = {
    [FROM] = {NULL, "From", HD_TEXT, 0, 0, "seconds since the program's start"},
    [LENGTH] = {NULL, "Length", HD_TEXT, 0, 0, NULL},
    [BUSY] = {NULL, "Busy", HD_NUMBER, 0, 0, "busy threads on average"},
    [TIME] = {NULL, "Time", HD_TEXT, 0, 0, "of that, summed over the threads"},
    [THREADS] = {NULL, "Threads", HD_TEXT, 0, 0, NULL},
    [STATE] = {NULL, "State", HD_TEXT, 0, 0, NULL},
};

static struct hd_value text(const char *format, ...) __attribute__((format(printf, 1, 2)));
static struct hd_value text(const char *format, ...) {
  struct hd_value value = {.known = true};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(value.text, HD_CELL_BYTES, format, arguments);
  va_end(arguments);
  return value;
}

static void clear(struct hd_value values[COLUMNS]) {
  for (unsigned i = 0; i < COLUMNS; i++)
    values[i] = (struct hd_value){.blank = true};
}

/* Only the first row has what is said of the lull itself. */
static void fill_lull(struct hd_value values[COLUMNS], const struct hd_model *model, const struct hd_lull *lull) {
  const uint64_t ticks = hd_lull_ticks(lull);
  values[FROM] = text("%.6f", hd_trace_seconds(model, lull->from_ticks));
  values[LENGTH] = text("%s", hd_duration_of(model, ticks).text);
  values[BUSY] = hd_number((double)lull->busy_ticks / (double)ticks);
}

static void fill_row(struct hd_value values[COLUMNS], const struct hd_model *model, const struct row *row) {
  values[TIME] = text("%s", hd_duration_of(model, row->ticks).text);
  values[THREADS] =
      row->thread_count == 1 ? text("thread %" PRIu32, row->thread) : text("%" PRIu32 " threads", row->thread_count);
  values[STATE] = text("%s", hd_state_words((enum hd_state)row->place.state));
}

static void put(struct hd_table *grid, const struct hd_columns *shown, const struct hd_value *values,
                const char *place) {
  hd_table_row(grid, NULL);
  hd_columns_cells(shown, values, grid);
  hd_table_at(grid, place);
}

static void put_row(struct hd_table *grid, const struct hd_columns *shown, const struct hd_model *model,
                    struct hd_value values[COLUMNS], const struct row *row) {
  char place[HD_PLACE_BYTES];
  fill_row(values, model, row);
  hd_node_text(place, model, &model->nodes[row->place.node], NULL);
  put(grid, shown, values, place);
}

/* What does not fit in so many rows is one. */
static void put_others(struct hd_table *grid, const struct hd_columns *shown, const struct hd_model *model,
                       struct hd_value values[COLUMNS], const struct row *rows, uint32_t count) {
  uint64_t ticks = 0;
  for (uint32_t i = 0; i < count; i++)
    ticks += rows[i].ticks;
  values[TIME] = text("%s", hd_duration_of(model, ticks).text);
  char *words = hd_print("%" PRIu32 " others: --json has all", count);
  put(grid, shown, values, words);
  free(words);
}

static void put_lull(struct hd_table *grid, const struct hd_columns *shown, const struct hd_model *model,
                     const struct hd_lull *lull) {
  struct row *rows = hd_new((size_t)lull->share_count + 1, sizeof *rows);
  struct hd_value values[COLUMNS];
  const uint32_t count = list_rows(lull, rows), kept = count > ROWS_MOST ? ROWS_MOST - 1 : count;
  clear(values);
  fill_lull(values, model, lull);
  for (uint32_t i = 0; i < kept; i++) {
    put_row(grid, shown, model, values, &rows[i]);
    clear(values);
  }
  if (kept < count)
    put_others(grid, shown, model, values, rows + kept, count - kept);
  free(rows);
}

static void print_table(const struct hd_model *model, const struct hd_lulls *lulls, FILE *out) {
  const struct hd_columns shown = {columns, COLUMNS, 0, {0}};
  struct hd_table grid = {0};
  hd_columns_add(&shown, &grid);
  hd_table_left(&grid, THREADS);
  hd_table_left(&grid, STATE);
  hd_table_place(&grid, "Where", false);
  for (uint32_t i = 0; i < lulls->count; i++)
    put_lull(&grid, &shown, model, &lulls->items[i]);
  fputc('\n', out);
  hd_table_print(&grid, out);
  fputc('\n', out);
  hd_columns_legend(&shown, "", out);
  hd_table_free(&grid);
}

/* ---- all of it ---- */

static void print_summary(const struct hd_model *model, const struct hd_lull_choice *choice,
                          const struct hd_lulls *lulls, FILE *out) {
  struct hd_trace_size size;
  hd_trace_size(model, &size);
  struct hd_cell least = hd_duration_brief(choice->least_seconds), sum = hd_duration_of(model, lulls->ticks);
  hd_print_sentences(out,
                     "At most %" PRIu32 " thread%s busy for at least %s: %" PRIu32 " time%s, for %s of the %s traced.",
                     choice->busy_most, hd_plural(choice->busy_most), least.text, lulls->found, hd_plural(lulls->found),
                     sum.text, hd_duration_of(model, size.stretch_ticks).text);
}

static void print(const struct hd_model *model, const struct hd_lull_choice *choice, const struct hd_lulls *lulls,
                  FILE *out) {
  print_summary(model, choice, lulls, out);
  if (lulls->count == 0)
    return;
  print_table(model, lulls, out);
  if (lulls->count < lulls->found)
    hd_print_sentences(out, "These are the %" PRIu32 " longest of %" PRIu32 ": '--limit 0' shows all.", lulls->count,
                       lulls->found);
  hd_trace_print_part_hint(model, "the longest", lulls->items[0].from_ticks, lulls->items[0].to_ticks, out);
}

bool hd_trace_print_lulls(const struct hd_model *model, const struct hd_lull_choice *choice, FILE *out) {
  const double least_ticks = choice->least_seconds / model->seconds_per_tick;
  const struct hd_lull_condition condition = {choice->busy_most, (uint64_t)fmin(round(least_ticks), 0x1p63)};
  struct hd_lulls lulls;
  char error[PATH_MAX + 256] = "";
  bool done = hd_lulls_find(model, &condition, &lulls, error, sizeof error);
  hd_lulls_cut(&lulls, choice->limit);
  done = hd_lulls_look(model, &lulls, error, sizeof error) && done;
  if (choice->json)
    done &= hd_trace_lulls_json(model, choice, &lulls, out);
  else
    print(model, choice, &lulls, out);
  if (!done && *error)
    fprintf(stderr, "heddle: %s\n", error);
  hd_lulls_free(&lulls);
  return done;
}
