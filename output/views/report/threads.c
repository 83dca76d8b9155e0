/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file threads.c
 * What each thread did: over the whole run, then in each of the foremost regions.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/losses/causes.h"
#include "output/model/account.h"
#include "output/model/format_names.h"
#include "output/views/render/column_names.h"
#include "output/views/render/state_columns.h"
#include "output/views/report/listing.h"
#include "output/views/report/report_internal.h"
#include "support/command/memory.h"

typedef uint64_t state_ticks[HD_THREAD_SUMS];

enum {
  THREAD,
  KIND,
  STATES,
  LIFETIME = STATES + HD_STATE_COLUMNS,
  TIME,
  BUSY_SHARE,
  BUSY_OVER_MEAN,
  PROCESSOR,
  UNRESOLVED,
  COLUMNS
};

static const struct hd_column table[COLUMNS] = {
    [THREAD] = HD_COLUMN(THREAD, 1, 0, "\nits number"),
    [KIND] = HD_COLUMN(THREAD_KIND, 2, 0, "\ninitial, worker, other; of several threads in one row: how many"),
    [LIFETIME] = {NULL, "Lifetime", HD_SECONDS, 3, 0, "\nof the whole run: the thread's own"},
    [TIME] = {NULL, "Time", HD_SECONDS, 3, 0, "\nall that the thread did inside the region"},
    [BUSY_SHARE] = {NULL, "Busy%", HD_SHARE, 5, 0, "\nBusy as part of Lifetime"},
    [BUSY_OVER_MEAN] = {NULL, "/mean", HD_NUMBER, 5, 0, "\nBusy over the mean of the threads"},
    [PROCESSOR] =
        HD_COLUMN(PROCESSOR, 9, 0, "\nof the time in which the thread wanted a processor, how much it had one"),
    [UNRESOLVED] = HD_COLUMN(UNRESOLVED, 7, 0, HD_MEANS_UNRESOLVED),
};

const struct hd_report_columns hd_report_threads_columns = {"threads", table, COLUMNS, STATES};

/* The threads' times in one line of the report and those below it. */
struct threads {
  const struct hd_lines *view;
  uint32_t line;
  bool whole; /* the threads' whole lives */
  state_ticks *sums;
  struct hd_column items[COLUMNS];
  struct hd_columns columns;
};

static void start(struct threads *threads, struct hd_lines *view, uint32_t line, bool focused) {
  *threads = (struct threads){.view = view, .line = line, .whole = line == 0 && !focused};
  memcpy(threads->items, table, sizeof table);
  hd_state_columns(threads->items + STATES, 6);
  threads->items[STATES + HD_BUSY].order = 4;
  threads->columns = (struct hd_columns){.items = threads->items, .count = COLUMNS};
  threads->sums = hd_new((size_t)view->model->thread_count + 1, sizeof *threads->sums);
  hd_lines_sum_threads(view, line, threads->sums);
}

static bool takes_part(const struct threads *threads, uint32_t thread) {
  return threads->whole || hd_ticks_all(threads->sums[thread]) > 0;
}

/* All of a thread's time is shown: the sums, and causes that stand for their sum. */
static void rank_states(struct hd_column *states, uint64_t hidden) {
  const int sums[] = {HD_BUSY, HD_STATE_COLUMN_WAIT, HD_STATE_COLUMN_RUNTIME, HD_STATE_COLUMN_IDLE};
  for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
    states[sums[i]].rank = 0;
  for (int state = HD_WAIT_FIRST; state <= HD_RUNTIME_LAST; state++)
    if (hidden >> (state <= HD_WAIT_LAST ? HD_STATE_COLUMN_WAIT : HD_STATE_COLUMN_RUNTIME) & 1)
      states[hd_state_column(state)].rank = 0;
}

static void choose_columns(struct threads *threads) {
  const struct hd_model *model = threads->view->model;
  state_ticks most = {0};
  uint64_t largest = 0;
  for (uint32_t i = 0; i < model->thread_count; i++) {
    const uint64_t all = hd_ticks_all(threads->sums[i]);
    largest = all > largest ? all : largest;
    for (int state = 0; state < HD_THREAD_SUMS; state++)
      most[state] = threads->sums[i][state] > most[state] ? threads->sums[i][state] : most[state];
  }
  bool accounted = false;
  for (uint32_t i = 0; i < model->thread_count; i++)
    accounted |= threads->whole && model->threads[i].account.known;
  threads->columns.unit = hd_unit_for(hd_model_seconds(model, largest));
  const uint64_t states = hd_state_columns_hidden(model, most, &threads->columns.unit);
  rank_states(threads->items + STATES, states);
  threads->columns.hidden = states << STATES | UINT64_C(1) << (threads->whole ? BUSY_OVER_MEAN : BUSY_SHARE) |
                            UINT64_C(1) << (threads->whole ? TIME : LIFETIME) | (uint64_t)!accounted << PROCESSOR;
  if (!hd_unit_shows(&threads->columns.unit, hd_model_seconds(model, most[HD_SUM_UNRESOLVED])))
    threads->columns.hidden |= UINT64_C(1) << UNRESOLVED;
}

static double mean_busy(const struct threads *threads) {
  double sum = 0;
  uint32_t count = 0;
  for (uint32_t i = 0; i < threads->view->model->thread_count; i++) {
    sum += (double)threads->sums[i][HD_BUSY];
    count += takes_part(threads, i);
  }
  return count > 0 ? sum / count : 0;
}

static void fill(struct hd_value values[COLUMNS], const struct threads *threads, uint32_t thread, double mean) {
  const struct hd_model *model = threads->view->model;
  const struct hd_model_thread *from = &model->threads[thread];
  const uint64_t *ticks = threads->sums[thread];
  const double busy = (double)ticks[HD_BUSY], all = (double)hd_ticks_all(ticks);
  hd_state_values(values + STATES, model, ticks);
  values[THREAD] = hd_count(thread, true);
  values[KIND] = hd_word(hd_thread_kind_id(from->kind), true);
  if (from->threads > 1) /* so many the row stands for */
    snprintf(values[KIND].text, HD_CELL_BYTES, "%s x %" PRIu64, values[KIND].word, from->threads);
  values[LIFETIME] = values[TIME] = hd_ticks(model, all, true);
  values[BUSY_SHARE] = hd_share(busy, all, true);
  values[UNRESOLVED] = hd_ticks(model, (double)ticks[HD_SUM_UNRESOLVED], true);
  values[BUSY_OVER_MEAN] = hd_number(mean > 0 ? busy / mean : NAN);
  values[PROCESSOR] = hd_share(threads->whole ? hd_account_share(&from->account) : NAN, 1, true);
}

static uint32_t marks_of(const struct threads *threads, uint32_t thread) {
  return threads->whole ? hd_model_thread_marks(threads->view->model, thread)
                        : threads->view->lines[threads->line].marks;
}

static void mark(struct hd_value values[COLUMNS], uint32_t marks) {
  hd_state_marks(values + STATES, marks);
  values[BUSY_SHARE].mark = values[STATES + HD_BUSY].mark;
  values[BUSY_OVER_MEAN].mark = hd_bounds_text(hd_bounds_of_imbalance(marks));
}

/* ---- rows ---- */

/* The program's are of each thread's whole life. */
static void put_rows(const struct threads *threads, struct hd_listing *listing, const struct hd_count_sum *sums) {
  const struct hd_model *model = threads->view->model;
  const double mean = mean_busy(threads);
  struct hd_listed row = hd_listed_line(threads->view, threads->line);
  for (uint32_t i = 0; i < model->thread_count; i++) {
    struct hd_value values[COLUMNS] = {0};
    if (!takes_part(threads, i) && !(listing->csv && threads->line == 0))
      continue;
    row.sums[0] = sums ? &sums[i] : NULL;
    row.elapsed_ticks = threads->whole ? hd_count_lifetime(model, i) : NAN;
    snprintf(row.place, sizeof row.place, "%u", i);
    fill(values, threads, i, mean);
    row.marks = marks_of(threads, i);
    mark(values, row.marks);
    hd_listing_put(listing, &row, values);
  }
}

/* The times, and below them a table of its own: what each thread counted, while busy and while waiting. */
static void print_tables(struct threads *threads, const struct hd_report_options *options,
                         struct hd_count_columns *columns, FILE *out) {
  const struct hd_model *model = threads->view->model;
  const struct hd_report_options asked = {.columns = options->columns, .sort_column = options->sort_column};
  struct hd_listing times = {.model = model, .columns = threads->columns, .asked = &asked, .out = out, .titled = true};
  struct hd_listing counts = {.model = model, .counted = *columns, .out = out, .titled = true};
  hd_listing_begin(&times, NULL, NULL, false);
  hd_table_left(&times.grid, 1);
  put_rows(threads, &times, NULL);
  hd_listing_end(&times, 0);
  if (columns->count == 0)
    return;
  struct hd_count_sum *sums = hd_lines_count_threads(threads->view, threads->line);
  hd_listing_begin(&counts, NULL, "Thread", false);
  put_rows(threads, &counts, sums);
  hd_listing_end(&counts, 0);
  *columns = counts.counted; /* with the marks that occurred */
  free(sums);
}

static void print_line(struct hd_lines *view, uint32_t line, const struct hd_report_options *options,
                       struct hd_count_columns *columns, FILE *out) {
  char place[HD_PLACE_BYTES];
  struct threads threads;
  start(&threads, view, line, options->focus);
  choose_columns(&threads);
  hd_place_text(place, view->model, &view->lines[line], NULL);
  fprintf(out, "\n%s (times in %s)\n",
          line > 0         ? place
          : options->focus ? "All callpaths in focus"
                           : "Whole run",
          threads.columns.unit.name);
  print_tables(&threads, options, columns, out);
  free(threads.sums);
}

static void put_csv(struct hd_lines *view, uint32_t line, const struct hd_report_options *options, FILE *out) {
  const struct hd_report_options asked = {.sort_column = options->sort_column};
  struct threads threads;
  start(&threads, view, line, options->focus);
  struct hd_listing listing = {.model = view->model,
                               .columns = threads.columns,
                               .csv = true,
                               .asked = &asked,
                               .out = out,
                               .counts_of = {" inclusive"}};
  struct hd_count_sum *sums = hd_lines_count_threads(view, line);
  hd_listing_begin(&listing, line == 0 ? HD_LINE_FIRST : NULL, NULL, false);
  put_rows(&threads, &listing, sums);
  hd_listing_end(&listing, 0);
  free(sums);
  free(threads.sums);
}

void hd_report_threads(struct hd_lines *view, const struct hd_report_options *options, FILE *out) {
  const uint32_t left = hd_lines_select(view, options->sort, options->limit, !options->csv);
  struct hd_count_columns columns;
  view->lines[0].shown = true;
  hd_count_columns_choose(&columns, view->model, true);
  if (!options->csv) {
    hd_report_heading(view->model, hd_heading_of(options), out);
    hd_report_scope(view->model, options, out);
  }
  for (uint32_t i = 0; i < view->count; i++)
    if (view->lines[i].shown && options->csv)
      put_csv(view, i, options, out);
    else if (view->lines[i].shown)
      print_line(view, i, options, &columns, out);
  if (options->csv)
    return;
  fputs(left > 0 ? "\n" : "", out);
  hd_report_left(left, "region", out);
  hd_print_sentences(out, "\nA region's times include all that the thread did inside it. /mean: busy time over the "
                          "threads' mean. Proc%%: of the time in which the thread wanted a processor, how much it had "
                          "one, by the kernel's account.");
  hd_report_visits_mark(view->model, out);
  hd_count_legend(&columns, "of what the thread did there", out);
}
