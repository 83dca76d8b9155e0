/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file timeline.c
 * The run in time: where was it serial? --timeline: and its regions, when did they run, and how concurrent?
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/lines/line_histories.h"
#include "output/analysis/lines/place_text.h"
#include "output/model/histories.h"
#include "output/model/levels.h"
#include "output/views/render/column_names.h"
#include "output/views/render/history_strip.h"
#include "output/views/render/level_bars.h"
#include "output/views/report/listing.h"
#include "output/views/report/report_internal.h"
#include "support/command/memory.h"

enum { STRIP_MAX = 100, STRIP_OTHERWISE = 72, STRIP_LEAST = 16 };

/* What went on in column i of `columns`. */
static struct hd_run_stretch column_of(const struct hd_model *model, unsigned i, unsigned columns) {
  const double width = (double)model->elapsed_ticks / columns;
  struct hd_run_stretch stretch;
  hd_model_stretch(model, i * width, (i + 1) * width, &stretch);
  return stretch;
}

static void print_heights(const struct hd_model *model, unsigned columns, uint32_t highest, FILE *out) {
  const double full = (double)model->elapsed_ticks / columns * highest;
  for (unsigned i = 0; i < columns; i++)
    fputs(hd_draw_height(column_of(model, i, columns).busy_ticks / full), out);
  fputc('\n', out);
}

/* Returns whether any column was marked; the line then ends behind the last one. */
static bool print_marks(const struct hd_model *model, unsigned columns, FILE *out) {
  char marks[STRIP_MAX + 1] = "";
  unsigned used = 0;
  for (unsigned i = 0; i < columns; i++) {
    const struct hd_run_stretch stretch = column_of(model, i, columns);
    const double alone = stretch.none_ticks + stretch.sequential_ticks;
    const bool serial = alone > (double)model->elapsed_ticks / columns / 2;
    marks[i] = serial ? 's' : ' ';
    if (serial)
      used = i + 1;
  }
  if (used > 0)
    fprintf(out, "%.*s\n", (int)used, marks);
  return used > 0;
}

static unsigned columns_for(FILE *out) {
  const unsigned width = hd_draw_width(out, STRIP_MAX, STRIP_OTHERWISE);
  return width > STRIP_LEAST ? width : STRIP_LEAST;
}

void hd_report_run_in_time(const struct hd_model *model, FILE *out) {
  const unsigned columns = columns_for(out);
  const uint32_t highest = hd_levels_highest(&model->time_at);
  struct hd_run_stretch all;
  if (highest == 0 || model->elapsed_ticks == 0 || !hd_model_stretch(model, 0, 1, &all))
    return;
  fputc('\n', out);
  print_heights(model, columns, highest, out);
  const bool marked = print_marks(model, columns, out);
  hd_draw_axis(hd_model_seconds(model, model->elapsed_ticks), columns, out);
  hd_print_sentences(out,
                     hd_draw_has_blocks() ? "Height: threads busy on average, up to %u; .: none%s"
                                          : "1 to 8: eighths of %u threads busy on average; .: none%s",
                     highest, marked ? "; s: at most one, most of the time" : "");
}

/* ---- regions ---- */

enum { BEGIN, LENGTH, ELAPSED, CONCURRENCY, COLUMNS };

static const struct hd_column columns[COLUMNS] = {
    [BEGIN] = {"begin_s", "From", HD_SECONDS, 0, 0, "\na stretch of the run: when it began, after the program's start"},
    [LENGTH] = {"length_s", "Length", HD_SECONDS, 0, 0, "\nand for how long it lasted"},
    [ELAPSED] = {"elapsed_s", "Elapsed", HD_SECONDS, 0, 0,
                 "\nhow long the region ran in it; instances at the same time add up"},
    [CONCURRENCY] = {"busy_threads", "Busy", HD_NUMBER, 0, 0, "\nthreads of the program busy meanwhile, on average"},
};

const struct hd_report_columns hd_report_timeline_columns = {"timeline", columns, COLUMNS, -1};

static bool misleads(const struct hd_lines *view, const struct hd_line *line) {
  return hd_levels_mislead(view->model, line->ticks, line->unresolved.ticks);
}

/* The buckets with the fewest and the most threads busy, of those in which it ran a tenth as long as in any other. */
struct extremes {
  double least, most; /* NaN: there is none */
  uint32_t least_at, most_at;
};

static struct extremes extremes_of(const struct hd_model *model, const struct hd_history *history) {
  struct extremes found = {.least = NAN, .most = NAN};
  uint64_t longest = 0;
  for (uint32_t i = 0; i < hd_history_buckets_in_use(model); i++)
    if (longest < history->buckets[i].elapsed_ticks)
      longest = history->buckets[i].elapsed_ticks;
  for (uint32_t i = 0; i < hd_history_buckets_in_use(model); i++) {
    const double elapsed = (double)history->buckets[i].elapsed_ticks;
    const double busy = (double)history->buckets[i].busy_ticks / elapsed;
    if (!(elapsed > 0.1 * (double)longest))
      continue;
    if (!(busy >= found.least))
      found.least = busy, found.least_at = i;
    if (!(busy <= found.most))
      found.most = busy, found.most_at = i;
  }
  return found;
}

static double begin_of(const struct hd_model *model, uint32_t bucket) {
  return hd_model_seconds(model, model->before_ticks + bucket * model->history_width_ticks);
}

/* ", fewest 1.20 at 3.1 s, most 3.98 at 0.2 s". */
static void put_extremes(char text[], size_t bytes, const struct hd_model *model, const struct hd_history *history) {
  const struct extremes found = extremes_of(model, history);
  char least[HD_CELL_BYTES], most[HD_CELL_BYTES];
  hd_cell_number(least, found.least, 2);
  hd_cell_number(most, found.most, 2);
  if (!isnan(found.least))
    snprintf(text, bytes, ", fewest %s at %s, most %s at %s", least,
             hd_duration_brief(begin_of(model, found.least_at)).text, most,
             hd_duration_brief(begin_of(model, found.most_at)).text);
}

static void print_words(const struct hd_lines *view, const struct hd_line *line, const struct hd_history *history,
                        FILE *out) {
  enum { INDENT = 8 };
  const struct hd_history_part whole = hd_history_part_of(view->model, history, 0, INFINITY);
  char mean[HD_CELL_BYTES], extremes[8 * HD_CELL_BYTES] = "";
  hd_cell_number(mean, whole.busy_ticks / whole.elapsed_ticks, 2);
  put_extremes(extremes, sizeof extremes, view->model, history);
  char *words =
      hd_print(misleads(view, line) ? "elapsed %s; how many threads were busy meanwhile is not known, because "
                                      "events were switched off"
                                    : "elapsed %s; threads busy meanwhile: %s on average%s",
               hd_duration_of(view->model, line->team.elapsed_ticks).text, mean, extremes);
  fprintf(out, "%*s", INDENT, "");
  hd_print_paragraph(words, INDENT, out);
  free(words);
}

static void print_region(const struct hd_lines *view, uint32_t index, FILE *out) {
  const struct hd_line *line = &view->lines[index];
  struct hd_history *history = hd_line_history(view, index);
  char place[HD_PLACE_BYTES];
  hd_place_text(place, view->model, line, NULL);
  fprintf(out, "\nid %u  %s\n", line->node->id, place);
  print_words(view, line, history, out);
  if (!misleads(view, line)) {
    hd_history_strip(view->model, history, columns_for(out), hd_levels_highest(&view->model->time_at), out);
    fputc('\n', out);
  }
  free(history);
}

/* What took less than a hundredth of the run is left out, and what has no history. */
static uint32_t choose(struct hd_lines *view, const struct hd_report_options *options) {
  uint32_t left = hd_lines_select(view, options->sort, 0, true), shown = 0;
  for (uint32_t i = 1; i < view->count; i++) {
    struct hd_line *line = &view->lines[i];
    struct hd_history *history = line->shown ? hd_line_history(view, i) : NULL;
    const bool is_large = hd_team_elapsed(&line->team) >= 0.01 * (double)view->model->elapsed_ticks;
    const bool is_chosen = history && is_large && (options->limit == 0 || shown < options->limit);
    left += line->shown && !is_chosen;
    line->shown = is_chosen;
    shown += is_chosen;
    free(history);
  }
  return left;
}

static const char *why_nothing(const struct hd_model *model) {
  if (model->since)
    return "is not known of a part of a run";
  return model->header.flags & HD_FILE_MERGED ? "is not known of a sum of runs" : "is not known: there is none";
}

static void print_legend(const struct hd_model *model, FILE *out) {
  if (model->history_count == 0)
    hd_print_sentences(out, "\nWhen regions ran %s.", why_nothing(model));
  else
    hd_print_sentences(
        out,
        "\nRegions: height: threads of the program busy on average while the region ran; a space: it did "
        "not run; ?: not known. Exact in stretches of %s.",
        hd_duration_of(model, model->history_width_ticks).text);
}

void hd_report_timeline(struct hd_lines *view, const struct hd_report_options *options, FILE *out) {
  const struct hd_model *model = view->model;
  const uint32_t left = choose(view, options);
  hd_report_heading(model, hd_heading_of(options), out);
  hd_report_scope(model, options, out);
  hd_report_run_in_time(model, out);
  for (uint32_t i = 1; i < view->count; i++)
    if (view->lines[i].shown)
      print_region(view, i, out);
  fputs(left > 0 ? "\n" : "", out);
  hd_report_left(left, "region", out);
  print_legend(model, out);
}

static void put_buckets(struct hd_listing *listing, const struct hd_lines *view, uint32_t index,
                        const struct hd_history *history) {
  const struct hd_model *model = view->model;
  const struct hd_listed row = hd_listed_line(view, index);
  for (uint32_t i = 0; i < hd_history_buckets_in_use(model); i++) {
    const struct hd_history_bucket *bucket = &history->buckets[i];
    const bool known = i * model->history_width_ticks >= history->since_ticks;
    const double elapsed = (double)bucket->elapsed_ticks;
    const struct hd_value values[COLUMNS] = {
        [BEGIN] = hd_ticks(model, (double)(model->before_ticks + i * model->history_width_ticks), true),
        [LENGTH] = hd_ticks(model, hd_history_bucket_ticks(model, i), true),
        [ELAPSED] = hd_ticks(model, elapsed, known),
        [CONCURRENCY] = hd_number(known && elapsed > 0 ? (double)bucket->busy_ticks / elapsed : NAN)};
    hd_listing_put(listing, &row, values);
  }
}

void hd_report_timeline_csv(struct hd_lines *view, const struct hd_report_options *options, FILE *out) {
  const struct hd_report_options asked = {.sort_column = options->sort_column};
  struct hd_listing listing = {
      .model = view->model, .columns = {columns, COLUMNS, 0, {0}}, .csv = true, .asked = &asked, .out = out};
  choose(view, options);
  hd_listing_begin(&listing, HD_LINE_FIRST, NULL, false);
  for (uint32_t i = 1; i < view->count; i++) {
    struct hd_history *history = view->lines[i].shown ? hd_line_history(view, i) : NULL;
    if (history)
      put_buckets(&listing, view, i, history);
    free(history);
    hd_listing_group(&listing);
  }
  hd_listing_end(&listing, 0);
}
