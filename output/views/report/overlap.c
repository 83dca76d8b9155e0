/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file overlap.c
 * With whom? The lines of the report in which threads were busy while others were busy in a given one.
 *
 * The file knows pairs of profiles. A line whose place was compiled to several addresses, or in which routines were
 * measured, has several profiles; its overlaps are their sums, which count twice what two of them were busy together.
 * That is known, and said.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/callpaths/callpath_truncate.h"
#include "output/model/format_names.h"
#include "output/views/render/column_names.h"
#include "output/views/render/level_bars.h"
#include "output/views/report/listing.h"
#include "output/views/report/report_internal.h"
#include "support/command/memory.h"

/* What the profiles of one line add up to. */
struct sums {
  uint32_t line;
  uint64_t active_ticks;
  uint64_t inner_ticks; /* overlap of the line's own profiles with each other */
  uint64_t overlap_ticks;
};

struct table {
  const struct hd_report_options *options;
  const struct hd_lines *view;
  const struct hd_model *model;
  uint32_t line; /* the one that is asked about */
  struct sums asked;
  uint64_t unpaired_ticks;
  struct sums *partners; /* by line; then the largest overlap first, without those that have none */
  uint32_t count;
  uint32_t shown;
};

/* ---- which profile is meant ---- */

static bool is_function(const struct hd_node *node, const char *text) {
  char function[HD_FUNCTION_BYTES];
  if (!node->name.function)
    return false;
  hd_function_text(function, node->name.function);
  return strcmp(text, node->name.function) == 0 || strcmp(text, function) == 0;
}

/* "heat.c:42", "/src/heat.c:42", "loop static heat.c:42" or "main". */
static bool is_meant(const struct hd_model *model, const struct hd_node *node, const char *text) {
  char location[HD_PLACE_BYTES];
  const char *kind = hd_kind_words(node->kind);
  const size_t length = strlen(kind);
  if (is_function(node, text))
    return true;
  if (strncmp(text, kind, length) == 0 && text[length] == ' ')
    text += length + 1;
  hd_location_text(location, model, node);
  if (location[0] && strcmp(text, location) == 0)
    return true;
  const char *colon = strrchr(text, ':');
  char line[16];
  snprintf(line, sizeof line, "%u", node->name.line);
  return colon && node->name.file && node->name.line != 0 && strlen(node->name.file) == (size_t)(colon - text) &&
         strncmp(text, node->name.file, (size_t)(colon - text)) == 0 && strcmp(colon + 1, line) == 0;
}

static bool line_is_meant(const struct hd_lines *view, uint32_t line, const char *text) {
  return is_meant(view->model, view->lines[line].node, text);
}

static void list_candidates(const struct hd_lines *view, const char *text, FILE *errors) {
  char place[HD_CALLPATH_BYTES];
  fprintf(errors, "heddle: '%s' matches several callpaths; choose one by its id:\n", text);
  for (uint32_t i = 0; i < view->count; i++)
    if (line_is_meant(view, i, text)) {
      hd_callpath_text(place, view, i);
      fprintf(errors, "%8u  %s\n", view->lines[i].node->id, place);
    }
}

/* The lines that are meant, into `lines`; their number. */
static uint32_t find_lines(const struct hd_lines *view, const char *text, uint32_t *lines) {
  uint32_t count = 0;
  if (text[strspn(text, "0123456789")] == '\0') {
    const unsigned long id = strtoul(text, NULL, 10);
    if (id < view->model->node_count)
      lines[count++] = view->line_of_node[id];
    return count;
  }
  for (uint32_t i = 0; i < view->count; i++)
    if (line_is_meant(view, i, text))
      lines[count++] = i;
  return count;
}

/* A table of text is of one callpath; a loop often shares its line with its region. */
static bool is_answerable(const struct hd_lines *view, const struct hd_report_options *options, uint32_t count,
                          FILE *errors) {
  if (count == 0)
    fprintf(errors, "heddle: %s: no callpath '%s'; 'heddle report --limit 0' lists all with their ids\n",
            view->model->path, options->with);
  else if (count > 1 && !options->csv)
    list_candidates(view, options->with, errors);
  return count == 1 || (count > 1 && options->csv);
}

/* ---- its partners ---- */

static int compare_partners(const void *a, const void *b) {
  const struct sums *left = a, *right = b;
  if (left->overlap_ticks != right->overlap_ticks)
    return left->overlap_ticks > right->overlap_ticks ? -1 : 1;
  return left->line < right->line ? -1 : 1;
}

static void add_known(uint64_t *to, uint64_t ticks) {
  *to = *to == HD_TICKS_UNKNOWN || ticks == HD_TICKS_UNKNOWN ? HD_TICKS_UNKNOWN : *to + ticks;
}

static void add_up(struct table *table) {
  const struct hd_model *model = table->model;
  const uint32_t *line_of = table->view->line_of_node;
  for (uint32_t i = 0; i < table->view->count; i++)
    table->partners[i].line = i;
  for (uint32_t i = 0; i < model->node_count; i++) {
    add_known(&table->partners[line_of[i]].active_ticks, model->nodes[i].active_ticks);
    table->unpaired_ticks += line_of[i] == table->line ? model->nodes[i].unpaired_ticks : 0;
  }
  for (uint32_t i = 0; i < model->overlap_count; i++) {
    const struct hd_overlap *overlap = &model->overlaps[i];
    const uint32_t a = line_of[overlap->a], b = line_of[overlap->b];
    if (a == b)
      add_known(&table->partners[a].inner_ticks, overlap->ticks);
    else if (a == table->line || b == table->line)
      add_known(&table->partners[a == table->line ? b : a].overlap_ticks, overlap->ticks);
  }
}

static void find_partners(struct table *table) {
  const uint32_t lines = table->view->count;
  table->partners = hd_new(lines, sizeof *table->partners);
  add_up(table);
  table->asked = table->partners[table->line];
  for (uint32_t i = 0; i < lines; i++)
    if (table->partners[i].overlap_ticks > 0)
      table->partners[table->count++] = table->partners[i];
  qsort(table->partners, table->count, sizeof *table->partners, compare_partners);
}

/* ---- the answer ---- */

static void print_heading(const struct table *table, FILE *out) {
  char place[HD_CALLPATH_BYTES];
  const struct hd_line *line = &table->view->lines[table->line];
  const double ticks = (double)table->asked.active_ticks, run = (double)table->model->elapsed_ticks;
  hd_callpath_text(place, table->view, table->line);
  fprintf(out, "callpath  %s (id %u)\n", place, line->node->id);
  if (table->asked.active_ticks == HD_TICKS_UNKNOWN) {
    fputs("active    unknown: several callpaths were truncated to this one (--depth)\n", out);
    return;
  }
  char mean[HD_CELL_BYTES] = "";
  if (ticks > 0)
    snprintf(mean, sizeof mean, ", on average %.2f", (double)hd_levels_all(&line->busy_at) / ticks);
  char *text =
      hd_print("active    %s, %.1f %% of the run: at least one thread was busy in it%s",
               hd_duration_of(table->model, table->asked.active_ticks).text, run > 0 ? 100 * ticks / run : 0, mean);
  hd_print_facts(text, out);
  free(text);
}

static void print_missing(const struct table *table, FILE *out) {
  const uint64_t lost = table->model->header.lost_overlap_ticks;
  if (table->unpaired_ticks > 0)
    hd_print_sentences(out, "Not known for %s of the active time: more than 64 callpaths were busy at once.",
                       hd_duration_of(table->model, table->unpaired_ticks).text);
  if (lost > 0)
    hd_print_sentences(out, "Each overlap may be up to %s too small: there were too many pairs to keep all.",
                       hd_duration_of(table->model, lost).text);
}

static void print_doubled(const struct table *table, FILE *out) {
  uint64_t inner = 0;
  bool unknown = false;
  for (uint32_t i = 0; i <= table->shown; i++) {
    const struct sums *sums = i < table->shown ? &table->partners[i] : &table->asked;
    unknown |= sums->overlap_ticks == HD_TICKS_UNKNOWN;
    if (sums->inner_ticks != HD_TICKS_UNKNOWN)
      inner = sums->inner_ticks > inner ? sums->inner_ticks : inner;
  }
  if (inner > 0)
    fprintf(out,
            "Lines that combine several callpaths (routines inside them, several addresses) are sums:\n"
            "their times may be too long, at worst by %s.\n",
            hd_duration_of(table->model, inner).text);
  if (unknown)
    fputs("'-': unknown, because several callpaths were truncated to one (--depth).\n", out);
}

enum { OVERLAP, SHARE, WITH, ID, COLUMNS };

static const struct hd_column columns[COLUMNS] = {
    [OVERLAP] = HD_COLUMN(
        OVERLAP, 0, 0,
        "while at least one thread was busy in each of the two, in the line itself and not in those below it. "
        "Overlaps with several may cover the same time: they do not add up"),
    [SHARE] = {"active_share", "Active%", HD_SHARE, 0, 0, "of the time given above"},
    [WITH] = {"with", NULL, HD_COUNT, 0, 0, "\nthe number of the callpath that --with names"},
    [ID] = {NULL, "Id", HD_COUNT, 0, 0, "\n" HD_MEANS_ID},
};

const struct hd_report_columns hd_report_overlap_columns = {"with", columns, COLUMNS, -1};

static struct hd_unit unit_for(const struct table *table) {
  uint64_t largest = 0;
  for (uint32_t i = 0; i < table->count; i++)
    if (table->partners[i].overlap_ticks > largest && table->partners[i].overlap_ticks != HD_TICKS_UNKNOWN)
      largest = table->partners[i].overlap_ticks;
  return hd_unit_for(hd_model_seconds(table->model, largest));
}

static void put_partners(const struct table *table, struct hd_listing *listing) {
  const uint64_t active = table->asked.active_ticks;
  for (uint32_t i = 0; i < table->shown; i++) {
    const struct sums *partner = &table->partners[i];
    const bool known = partner->overlap_ticks != HD_TICKS_UNKNOWN;
    const double overlap = (double)partner->overlap_ticks;
    struct hd_listed row = hd_listed_line(table->view, partner->line);
    const struct hd_bounds bounds = hd_bounds_of_levels(row.marks | table->view->lines[table->line].marks);
    const struct hd_value values[COLUMNS] = {
        [OVERLAP] = hd_bounded(hd_ticks(table->model, overlap, known), bounds),
        [SHARE] = hd_bounded(hd_share(overlap, (double)active, known && active != HD_TICKS_UNKNOWN), bounds),
        [WITH] = hd_count(table->view->lines[table->line].node->id, true),
        [ID] = hd_count(row.node->id, true),
    };
    hd_callpath_text(row.place, table->view, partner->line);
    hd_listing_put(listing, &row, values);
  }
  hd_listing_end(listing, table->count - table->shown);
}

static void print_text(const struct table *table, struct hd_listing *listing, FILE *out) {
  print_heading(table, out);
  hd_report_notes(table->model, SIZE_MAX, out);
  hd_report_scope(table->model, table->options, out);
  if (table->asked.active_ticks == 0) {
    fputs("\n"
          "No thread was ever busy in the line itself: what runs below it has lines of its own.\n",
          out);
    return;
  }
  if (table->count == 0)
    fputs("\nNo other callpath was busy at the same time.\n", out);
  hd_listing_begin(listing, NULL, "Busy at the same time, innermost first", false);
  put_partners(table, listing);
  print_missing(table, out);
  print_doubled(table, out);
  if (table->count > 0) {
    fputc('\n', out);
    hd_columns_legend(&listing->columns, "", out);
    hd_report_visits_mark(table->model, out);
  }
}

static void answer(struct hd_listing *listing, const struct hd_lines *view, uint32_t line,
                   const struct hd_report_options *options) {
  struct table table = {.options = options, .view = view, .model = view->model, .line = line};
  find_partners(&table);
  table.shown = hd_at_most(table.count, hd_limit_of(options));
  listing->columns.unit = unit_for(&table);
  if (options->csv)
    put_partners(&table, listing);
  else
    print_text(&table, listing, listing->out);
  free(table.partners);
}

enum hd_report_end hd_report_overlap(const struct hd_lines *view, const struct hd_report_options *options, FILE *out,
                                     FILE *errors) {
  struct hd_listing listing = {
      .model = view->model, .columns = {columns, COLUMNS, 0, {0}}, .csv = options->csv, .asked = options, .out = out};
  uint32_t *lines = hd_new((size_t)view->count + 1, sizeof *lines);
  const uint32_t count = find_lines(view, options->with, lines);
  const bool answerable = is_answerable(view, options, count, errors);
  if (answerable && options->csv)
    hd_listing_begin(&listing, HD_LINE_FIRST, NULL, false);
  for (uint32_t i = 0; answerable && i < count; i++)
    answer(&listing, view, lines[i], options);
  free(lines);
  return answerable ? HD_REPORT_MADE : HD_REPORT_REFUSED;
}
