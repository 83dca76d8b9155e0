/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file locks.c
 * --locks: who held what others waited for: what each callpath waited, and in which callpaths the holders had got it.
 */
#include "output/model/locks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/views/render/column_names.h"
#include "output/views/report/listing.h"
#include "output/views/report/report_internal.h"
#include "support/command/memory.h"

enum {
  HOLDER,
  WAITED,
  HELD,
  HELD_SHARE,
  HANDOVER,
  FREE,
  UNKNOWN,
  TIMES,
  DELAY,
  HOLDS,
  HOLD,
  ELSEWHERE,
  LINE_ID,
  COLUMNS
};

static const struct hd_column columns[COLUMNS] = {
    [HOLDER] = {"holder", NULL, HD_COUNT, 0, 0,
                "the row of a callpath in which holders had got it; empty: all of them"},
    [WAITED] = {"waited_s", "Waited", HD_SECONDS, 0, 0, "thread time that threads waited there"},
    [HELD] = {"held_by_s", "Held", HD_SECONDS, 0, 0, "of it, another thread held it: by where that thread had got it"},
    [HELD_SHARE] = {"held_by_share", "Held%", HD_SHARE, 0, 3, "\nHeld as part of Waited"},
    [HANDOVER] = {"handover_s", "Handover", HD_SECONDS, 0, 0,
                  "of it, nobody did, from a release for which threads waited to the next acquisition"},
    [FREE] = {"free_s", "Free", HD_SECONDS, 0, 4, "of it, nobody did, nor did others wait: what it takes to get it"},
    [UNKNOWN] = {"unknown_s", "Unknown", HD_SECONDS, 0, 2, "the rest"},
    [TIMES] = {"times", "Times", HD_COUNT, 0, 1, "waits; below, holds that were waited for, once for each wait"},
    [DELAY] = {"handover_ns", "ns/handover", HD_NUMBER, 0, 1, "from release to acquisition, on average"},
    [HOLDS] = {"holds", "Holds", HD_COUNT, 0, 5, "times that it was got there"},
    [HOLD] = {"hold_s", "Hold", HD_SECONDS, 0, 2, "from then to its release"},
    [ELSEWHERE] = {"released_elsewhere", "Elsewhere", HD_COUNT, 0, 2,
                   "of Holds, another thread released it: so much of Hold is not the holder's own"},
    [LINE_ID] = {NULL, "Id", HD_COUNT, 0, 6, "\n" HD_MEANS_ID},
};

const struct hd_report_columns hd_report_locks_columns = {"locks", columns, COLUMNS, -1};

/* ---- by line ---- */

struct book {
  struct hd_lines *view;
  struct hd_model_lock *locks;      /* by line; `node` is the line */
  uint64_t *waited;                 /* by line: thread time */
  uint64_t *held;                   /* by line: of it, that the lock was held */
  struct hd_model_lock_pair *pairs; /* sorted by line; likewise both */
  uint32_t pair_count;
  uint32_t *order; /* lines that are shown */
  uint32_t count;
};

static void add_up(struct book *book) {
  const struct hd_model *model = book->view->model;
  const uint32_t *line_of = book->view->line_of_node;
  struct hd_model_lock *all = hd_new(model->lock_count, sizeof *all);
  for (uint32_t i = 0; i < model->lock_count; i++) {
    all[i] = model->locks[i];
    all[i].node = line_of[all[i].node];
  }
  const uint32_t count = hd_locks_join(all, model->lock_count);
  for (uint32_t i = 0; i < count; i++)
    book->locks[all[i].node] = all[i];
  free(all);
  for (uint32_t i = 0; i < model->lock_pair_count; i++) {
    book->pairs[i] = model->lock_pairs[i];
    book->pairs[i].node = line_of[book->pairs[i].node];
    book->pairs[i].holder = line_of[book->pairs[i].holder];
  }
  book->pair_count = hd_lock_pairs_join(book->pairs, model->lock_pair_count);
  for (uint32_t i = 0; i < book->pair_count; i++)
    book->held[book->pairs[i].node] += book->pairs[i].ticks;
  for (uint32_t i = 0; i < model->node_count; i++)
    book->waited[line_of[i]] += hd_locks_waited(&model->nodes[i]);
}

/* Those that were waited for longest first. */
static void choose(struct book *book) {
  struct hd_ranked *chosen = hd_new(book->view->count, sizeof *chosen);
  for (uint32_t i = 0; i < book->view->count; i++)
    if (book->locks[i].waits > 0 || book->locks[i].holds > 0)
      chosen[book->count++] = (struct hd_ranked){i, book->waited[i]};
  qsort(chosen, book->count, sizeof *chosen, hd_ranked_compare);
  for (uint32_t i = 0; i < book->count; i++)
    book->order[i] = chosen[i].line;
  free(chosen);
}

/* ---- rows ---- */

static void fill(struct hd_value *values, const struct book *book, uint32_t index) {
  const struct hd_model *model = book->view->model;
  const struct hd_model_lock *lock = &book->locks[index];
  const uint64_t all = book->waited[index], by = book->held[index];
  const uint64_t divided = by + lock->handover_ticks + lock->free_ticks;
  values[HOLDER].blank = true;
  values[WAITED] = hd_ticks(model, (double)all, true);
  values[HELD] = hd_ticks(model, (double)by, true);
  values[HELD_SHARE] = hd_share((double)by, (double)all, true);
  values[HANDOVER] = hd_ticks(model, (double)lock->handover_ticks, true);
  values[FREE] = hd_ticks(model, (double)lock->free_ticks, true);
  values[UNKNOWN] = hd_ticks(model, all > divided ? (double)(all - divided) : 0, true);
  values[TIMES] = hd_count(lock->waits, true);
  values[DELAY] = hd_decimals(
      lock->handovers > 0 ? 1e9 * hd_model_seconds(model, lock->delay_ticks) / (double)lock->handovers : NAN, 0);
  values[HOLDS] = hd_count(lock->holds, true);
  values[HOLD] = hd_ticks(model, (double)lock->hold_ticks, lock->holds > 0);
  values[ELSEWHERE] = hd_count(lock->elsewhere, true);
  values[LINE_ID] = hd_count(book->view->lines[index].node->id, true);
}

static void fill_holder(struct hd_value *values, const struct book *book, const struct hd_model_lock_pair *pair) {
  const struct hd_model *model = book->view->model;
  for (int i = 0; i < COLUMNS; i++)
    values[i].blank = true;
  values[HOLDER] = hd_count(book->view->lines[pair->holder].node->id, true);
  values[HELD] = hd_ticks(model, (double)pair->ticks, true);
  values[HELD_SHARE] = hd_share((double)pair->ticks, (double)book->waited[pair->node], true);
  values[TIMES] = hd_count(pair->count, true);
  values[LINE_ID] = hd_count(book->view->lines[pair->holder].node->id, true);
}

static int by_ticks(const void *a, const void *b) {
  const struct hd_model_lock_pair *left = a, *right = b;
  if (left->ticks != right->ticks)
    return left->ticks > right->ticks ? -1 : 1;
  return (left->holder > right->holder) - (left->holder < right->holder);
}

static void put_holder(struct hd_listing *listing, const struct book *book, const struct hd_model_lock_pair *pair,
                       void *parent) {
  struct hd_value values[COLUMNS] = {0};
  char place[HD_CALLPATH_BYTES];
  struct hd_listed row = hd_listed_line(book->view, pair->node); /* the comma-separated values name it once more */
  row.parent = parent;
  hd_callpath_text(place, book->view, pair->holder);
  if (pair->holder == 0)
    snprintf(row.place, sizeof row.place, "held by others, out of focus");
  else
    snprintf(row.place, sizeof row.place, "held by %.*s", (int)sizeof row.place - 16, place);
  fill_holder(values, book, pair);
  hd_listing_put(listing, &row, values);
}

static void put(struct hd_listing *listing, struct book *book, uint32_t index) {
  struct hd_value values[COLUMNS] = {0};
  struct hd_listed row = hd_listed_line(book->view, index);
  hd_callpath_text(row.place, book->view, index);
  fill(values, book, index);
  void *parent = hd_listing_put(listing, &row, values);
  uint32_t first = 0, count = 0;
  while (first < book->pair_count && book->pairs[first].node < index)
    first++;
  while (first + count < book->pair_count && book->pairs[first + count].node == index)
    count++;
  if (count > 0)
    qsort(&book->pairs[first], count, sizeof *book->pairs, by_ticks);
  for (uint32_t i = 0; i < count; i++)
    put_holder(listing, book, &book->pairs[first + i], parent);
}

/* ---- the view ---- */

static void print_lost(const struct hd_model *model, FILE *out) {
  if (model->header.lost_locks > 0)
    hd_print_sentences(out, "\nThere was no room for %u waits or holders: the time of such waits is in Unknown.",
                       model->header.lost_locks);
}

static void print(struct book *book, const struct hd_report_options *options, bool missing, FILE *out) {
  const struct hd_model *model = book->view->model;
  const uint32_t shown = hd_at_most(book->count, hd_limit_of(options));
  struct hd_listing listing = {
      .model = model,
      .columns = {columns, COLUMNS, 0,
                  hd_unit_for(hd_model_seconds(model, book->count > 0 ? book->waited[book->order[0]] : 0))},
      .csv = options->csv,
      .asked = options,
      .out = out};
  if (options->csv || (!missing && book->count > 0))
    hd_listing_begin(&listing, HD_LINE_FIRST, "Waits, and who held it meanwhile", true);
  for (uint32_t i = 0; i < shown; i++)
    put(&listing, book, book->order[i]);
  if (options->csv || (!missing && book->count > 0))
    hd_listing_end(&listing, options->csv ? 0 : book->count - shown);
  if (options->csv || missing || book->count == 0)
    return;
  fputc('\n', out);
  hd_columns_legend(&listing.columns, "", out);
  print_lost(model, out);
}

void hd_report_locks(struct hd_lines *view, const struct hd_report_options *options, FILE *out) {
  const struct hd_model *model = view->model;
  const char *missing = hd_locks_missing(model);
  struct book book = {.view = view,
                      .locks = hd_new(view->count, sizeof *book.locks),
                      .waited = hd_new(view->count, sizeof *book.waited),
                      .held = hd_new(view->count, sizeof *book.held),
                      .pairs = hd_new((size_t)model->lock_pair_count + 1, sizeof *book.pairs),
                      .order = hd_new(view->count, sizeof *book.order)};
  if (!missing) {
    add_up(&book);
    choose(&book);
  }
  if (!options->csv) {
    hd_report_heading(model, hd_heading_of(options), out);
    hd_report_scope(model, options, out);
  }
  if (!options->csv && missing)
    hd_print_sentences(out, "\nWho held what others waited for is not known: %s.", missing);
  else if (!options->csv && book.count == 0)
    hd_print_sentences(out, "\nThreads used no locks.");
  print(&book, options, missing != NULL, out);
  free(book.waited);
  free(book.held);
  free(book.order);
  free(book.pairs);
  free(book.locks);
}
