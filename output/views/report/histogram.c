/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file histogram.c
 * For how long were 0, 1, 2, ... threads busy: in the program, in the foremost regions side by side, in each region.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/model/format_names.h"
#include "output/model/levels.h"
#include "output/views/render/level_bars.h"
#include "output/views/report/listing.h"
#include "output/views/report/report_internal.h"
#include "support/command/memory.h"

/* A column of the regions side by side: percentage, bar, gap. */
enum { FOREMOST_MAX = 5, LABEL_WIDTH = 7, PERCENT_WIDTH = 6, BAR_LEAST = 8, BAR_MOST = 30, PAGE_WIDTH = 100 };

static void print_mark(const struct hd_model *model, uint32_t marks, FILE *out) {
  const struct hd_bounds bounds = hd_bounds_of_busy_threads(marks);
  if (bounds.at_least || bounds.at_most)
    hd_print_sentences(out, "%s fewer threads were busy: %s%s (see the notes).",
                       bounds.at_least ? "At times more or" : "At times",
                       model->off_classes ? "events were switched off, and " : "",
                       bounds.at_least ? "tasks count as waiting, waits as busy" : "unobserved waits count as busy");
}

static void print_unknown(FILE *out) {
  hd_print_sentences(out, "How many threads were busy at the same time is not known where events were switched off "
                          "('--no-estimates': as if threads that were not observed were busy).");
}

static void print_program(const struct hd_model *model, enum hd_levels_order order, FILE *out) {
  if (!model->levels_known || model->elapsed_ticks == 0)
    return;
  fputc('\n', out);
  if (hd_levels_mislead(model, model->ticks, model->unresolved.ticks)) {
    print_unknown(out);
    return;
  }
  hd_levels_print(&model->time_at, model, order, out);
  print_mark(model, model->nodes[0].marks[HD_MARKS_OF_CALLPATHS], out);
  hd_report_run_in_time(model, out);
}

void hd_report_concurrency(const struct hd_model *model, FILE *out) {
  print_program(model, HD_LEVELS_UPWARDS, out);
}

/* ---- side by side ---- */

struct foremost {
  const struct hd_line *lines[FOREMOST_MAX];
  uint32_t count;
};

static bool misleads(const struct hd_model *model, const struct hd_line *line) {
  return hd_levels_mislead(model, line->ticks, line->unresolved.ticks);
}

static void insert(struct foremost *foremost, uint32_t limit, const struct hd_line *line, enum hd_sort sort) {
  uint32_t at = foremost->count;
  while (at > 0 && hd_line_compare(line, foremost->lines[at - 1], sort) < 0)
    at--;
  if (at == limit)
    return;
  if (foremost->count < limit)
    foremost->count++;
  memmove(&foremost->lines[at + 1], &foremost->lines[at], (foremost->count - at - 1) * sizeof foremost->lines[0]);
  foremost->lines[at] = line;
}

/* What takes less than a hundredth of the run is left to --histogram. */
static struct foremost find_foremost(const struct hd_lines *view, uint32_t limit, enum hd_sort sort) {
  struct foremost foremost = {.count = 0};
  for (uint32_t i = 1; i < view->count; i++) {
    const struct hd_line *line = &view->lines[i];
    const uint64_t elapsed = hd_levels_all(&line->elapsed_at);
    if (line->shown && hd_kind_is_region(line->node->kind) && elapsed > 0 &&
        elapsed >= view->model->elapsed_ticks / 100 && !misleads(view->model, line))
      insert(&foremost, limit, line, sort);
  }
  return foremost;
}

static unsigned title_width(const struct hd_lines *view, const struct hd_line *line) {
  char location[HD_PLACE_BYTES];
  hd_location_text(location, view->model, line->node);
  const char *from = location[0] ? location : hd_kind_words(line->node->kind);
  return (unsigned)(snprintf(NULL, 0, "id %u ", line->node->id) + (int)hd_text_width(from));
}

/* "id 3 heat.c:42"; of a long name the end is kept, with the line number. */
static void print_title(const struct hd_lines *view, const struct hd_line *line, unsigned width, bool padded,
                        FILE *out) {
  char location[HD_PLACE_BYTES];
  hd_location_text(location, view->model, line->node);
  const char *from = location[0] ? location : hd_kind_words(line->node->kind);
  const size_t id = (size_t)fprintf(out, "id %u ", line->node->id);
  const size_t room = width > id + 2 ? width - id - 2 : 0;
  while (*from && hd_text_width(from) > room)
    from++;
  while (((unsigned char)*from & 0xc0) == 0x80)
    from++;
  const size_t used = id + hd_text_width(from);
  fprintf(out, "%s%*s", from, padded && width > used ? (int)(width - used) : 0, "");
}

/* The bars' part of a column, and the column: wider than that where titles need it and there is room. */
struct layout {
  unsigned bar, column;
};

static struct layout lay_out(const struct hd_lines *view, const struct foremost *foremost, unsigned room) {
  enum { GAP = 2 };
  const unsigned width = room / foremost->count, least = PERCENT_WIDTH + 1 + BAR_LEAST;
  const unsigned most = width > least ? width : least;
  struct layout layout = {.bar = most - PERCENT_WIDTH - 1 < BAR_MOST ? most - PERCENT_WIDTH - 1 : BAR_MOST};
  layout.column = PERCENT_WIDTH + 1 + layout.bar;
  for (uint32_t i = 0; i < foremost->count; i++) {
    const unsigned wanted = title_width(view, foremost->lines[i]) + 2 * GAP;
    const unsigned given = wanted < most ? wanted : most;
    layout.column = given > layout.column ? given : layout.column;
  }
  return layout;
}

static void print_row(const struct foremost *foremost, const struct hd_level_group *group, struct layout layout,
                      FILE *out) {
  char label[HD_LEVEL_LABEL_BYTES];
  hd_level_label(label, group);
  fprintf(out, "%*s", LABEL_WIDTH, label);
  for (uint32_t i = 0; i < foremost->count; i++) {
    const struct hd_levels *levels = &foremost->lines[i]->elapsed_at;
    const double share = (double)hd_level_group_ticks(levels, group) / (double)hd_levels_all(levels);
    fprintf(out, "%*.1f ", PERCENT_WIDTH, 100 * share);
    const unsigned drawn = hd_draw_bar(share, layout.bar, out);
    if (i + 1 < foremost->count)
      fprintf(out, "%*s", (int)(layout.column - PERCENT_WIDTH - 1 - drawn), "");
  }
  fputc('\n', out);
}

void hd_report_foremost(const struct hd_lines *view, enum hd_sort sort, FILE *out) {
  const unsigned page = hd_draw_width(out, PAGE_WIDTH, PAGE_WIDTH);
  const unsigned room = page > LABEL_WIDTH ? page - LABEL_WIDTH : 0;
  const unsigned fit = room / (PERCENT_WIDTH + 1 + BAR_LEAST);
  const struct foremost foremost = find_foremost(view, fit < 1 ? 1 : fit < FOREMOST_MAX ? fit : FOREMOST_MAX, sort);
  if (!view->model->levels_known || foremost.count == 0)
    return;
  const struct layout layout = lay_out(view, &foremost, room);
  uint32_t highest = 0;
  for (uint32_t i = 0; i < foremost.count; i++) {
    const uint32_t own = hd_levels_highest(&foremost.lines[i]->elapsed_at);
    highest = own > highest ? own : highest;
  }
  const struct hd_level_groups groups = hd_level_groups_for(highest);
  fprintf(out, "\nThreads busy in the top regions, %% of their time:\n%*s", LABEL_WIDTH, "busy");
  for (uint32_t i = 0; i < foremost.count; i++) {
    fputs("  ", out);
    print_title(view, foremost.lines[i], layout.column - 2, i + 1 < foremost.count, out);
  }
  fputc('\n', out);
  for (uint32_t i = 0; i < groups.count; i++)
    print_row(&foremost, &groups.items[i], layout, out);
}

/* ---- one after the other ---- */

enum { LEVEL, ELAPSED, LEVEL_SHARE, COLUMNS };

static const struct hd_column columns[COLUMNS] = {
    [LEVEL] = {"level", "Threads", HD_COUNT, 0, 0, "\na number of busy threads; line 0 is the program"},
    [ELAPSED] = {"elapsed_s", "Time", HD_SECONDS, 0, 0, "\nhow long so many threads were busy"},
    [LEVEL_SHARE] = {"level_share", "Time%", HD_SHARE, 0, 0, "\nof the region's elapsed time"},
};

const struct hd_report_columns hd_report_histogram_columns = {"histogram", columns, COLUMNS, -1};

/* Bars stand as the rows of the comma-separated values: the largest first. */
static enum hd_levels_order order_of(const struct hd_report_options *options) {
  const char *name = options->sort_column;
  return !name                                                     ? HD_LEVELS_UPWARDS
         : hd_column_has_name(&columns[LEVEL], name, strlen(name)) ? HD_LEVELS_DOWNWARDS
                                                                   : HD_LEVELS_BY_TIME;
}

static void print_region(const struct hd_lines *view, uint32_t index, enum hd_levels_order order, FILE *out) {
  char place[HD_PLACE_BYTES], mean[HD_CELL_BYTES], wall[HD_CELL_BYTES];
  const struct hd_model *model = view->model;
  const struct hd_line *line = &view->lines[index];
  hd_place_text(place, model, line, NULL);
  hd_cell_number(mean, hd_team_concurrency(&line->team), 2);
  hd_cell_number(wall, 100 * line->wall_share_ticks / (double)model->elapsed_ticks, 1);
  const char *mean_mark = hd_bounds_text(hd_bounds_of_concurrency(line->marks));
  const char *wall_mark = hd_bounds_text(hd_bounds_of_levels(line->marks));
  char *words = hd_print("elapsed %s, %s%s of its threads busy on average, wall share %s%s %% of the run",
                         hd_duration_of(model, line->team.elapsed_ticks).text, mean_mark ? mean_mark : "", mean,
                         wall_mark ? wall_mark : "", wall);
  enum { INDENT = 8 };
  fprintf(out, "\nid %u  %s\n%*s", line->node->id, place, INDENT, "");
  hd_print_paragraph(words, INDENT, out);
  free(words);
  if (hd_levels_all(&line->elapsed_at) == 0)
    return;
  if (misleads(model, line)) {
    print_unknown(out);
    return;
  }
  hd_levels_print(&line->elapsed_at, model, order, out);
  print_mark(model, line->marks, out);
}

void hd_report_histogram(struct hd_lines *view, const struct hd_report_options *options, FILE *out) {
  const uint32_t left = hd_lines_select(view, options->sort, options->limit, true);
  const enum hd_levels_order order = order_of(options);
  hd_report_heading(view->model, hd_heading_of(options), out);
  hd_report_scope(view->model, options, out);
  print_program(view->model, order, out);
  for (uint32_t i = 1; i < view->count; i++)
    if (view->lines[i].shown)
      print_region(view, i, order, out);
  fputs(left > 0 ? "\n" : "", out);
  hd_report_left(left, "region", out);
  hd_report_visits_mark(view->model, out);
  hd_print_sentences(out, "\nThreads busy: at the same time, in the whole program; the times add up to the region's "
                          "elapsed time. Wall share: the region's part of the run; threads that are busy at the same "
                          "time share that time.");
}

/* ---- comma-separated values ---- */

void hd_report_histogram_csv(struct hd_lines *view, const struct hd_report_options *options, FILE *out) {
  const struct hd_report_options asked = {.sort_column = options->sort_column};
  struct hd_listing listing = {
      .model = view->model, .columns = {columns, COLUMNS, 0, {0}}, .csv = true, .asked = &asked, .out = out};
  hd_lines_select(view, options->sort, options->limit, true);
  view->lines[0].shown = true;
  hd_listing_begin(&listing, HD_LINE_FIRST, NULL, false);
  for (uint32_t i = 0; i < view->count; i++) {
    const struct hd_levels *levels = &view->lines[i].elapsed_at;
    const double whole = (double)hd_levels_all(levels);
    const struct hd_listed row = hd_listed_line(view, i);
    for (uint32_t k = 0; view->lines[i].shown && whole > 0 && k <= hd_levels_highest(levels); k++) {
      const double ticks = (double)levels->ticks[k];
      const struct hd_value values[COLUMNS] = {[LEVEL] = hd_count(k, true),
                                               [ELAPSED] = hd_ticks(view->model, ticks, true),
                                               [LEVEL_SHARE] = hd_share(ticks, whole, true)};
      hd_listing_put(&listing, &row, values);
    }
    hd_listing_group(&listing);
  }
}
