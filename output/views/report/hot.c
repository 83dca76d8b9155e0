/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file hot.c
 * What threads execute: functions, or lines, by callpath and state, from samples.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/losses/causes.h"
#include "output/analysis/lines/hot_places.h"
#include "output/model/samples.h"
#include "output/views/render/column_names.h"
#include "output/views/report/listing.h"
#include "output/views/report/report_internal.h"
#include "support/command/memory.h"
#include "support/command/sanitize.h"

struct hot {
  const struct hd_lines *view;
  const struct hd_model *model;
  const struct hd_report_options *options;
  struct hd_hot_places places; /* `node` is a line of the view */
  struct hd_hot_places lines;  /* of the same, by line: for the hottest of a function */
  struct hd_sample_sum whole;
  uint32_t shown;
  struct hd_listing listing;
};

enum { TIME, SHARE, INTERVAL, SAMPLES, STATE, LIBRARY, FUNCTION, INLINED, FILE_NAME, LINE, OFFSET, ID, COLUMNS };

static const struct hd_column columns[COLUMNS] = {
    [TIME] = {"sampled_s", "Time", HD_SECONDS, 0, 0, "processor time in user space, an estimate from samples"},
    [SHARE] = {"sampled_share", "%", HD_SHARE, 0, 0, "of the processor time of all samples"},
    [INTERVAL] = {"sampled_share_low,sampled_share_high", "95%", HD_INTERVAL, 0, 4,
                  "in which the share lies with a probability of 95 %\na fraction of 1 in --csv"},
    [SAMPLES] = {"samples", "Samples", HD_COUNT, 0, 5, "how often it was found"},
    [STATE] = {"state", "State", HD_WORD, 0, 0, "of the thread"},
    [LIBRARY] = {"library", "Library", HD_WORD, 0, 3, "program or library that has the code"},
    [FUNCTION] = {"hot_function", NULL, HD_WORD, 0, 0, "innermost inlined function"},
    [INLINED] = {"inlined_into", NULL, HD_WORD, 0, 0, "the function that has its code"},
    [FILE_NAME] = {"hot_file", NULL, HD_WORD, 0, 0, "of the line"},
    [LINE] = {"hot_line", NULL, HD_COUNT, 0, 0, "the line; without --lines that with most samples"},
    [OFFSET] = {"hot_offset", NULL, HD_WORD, 0, 0,
                "address in the library, where no function is known; without --lines that with most samples"},
    [ID] = {NULL, "Id", HD_COUNT, 0, 2, "\n" HD_MEANS_ID},
};

const struct hd_report_columns hd_report_hot_columns = {"hot", columns, COLUMNS, -1};

/* ---- what is counted ---- */

static struct hd_sample_sum sum_of(const struct hd_model_sample *sample) {
  return (struct hd_sample_sum){(double)sample->count, (double)sample->taken};
}

/* Samples of a view's lines. */
static struct hd_model_sample *by_line(const struct hd_lines *view) {
  const struct hd_model *model = view->model;
  struct hd_model_sample *samples = hd_new((size_t)model->sample_count + 1, sizeof *samples);
  for (uint32_t i = 0; i < model->sample_count; i++) {
    samples[i] = model->samples[i];
    samples[i].node = view->line_of_node[model->samples[i].node];
  }
  return samples;
}

static void find_places(struct hot *hot) {
  const uint32_t count = hot->model->sample_count;
  const unsigned by = HD_HOT_CALLPATHS | HD_HOT_STATES;
  struct hd_model_sample *samples = by_line(hot->view);
  hot->lines = hd_hot_places_new(samples, count, by | HD_HOT_LINES);
  hot->places = hd_hot_places_new(samples, count, hot->options->lines ? by | HD_HOT_LINES : by);
  for (uint32_t i = 0; i < count; i++) {
    hot->whole.count += (double)samples[i].count;
    hot->whole.taken += (double)samples[i].taken;
  }
  free(samples);
}

static bool same_text(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

/* The line of a place with the most samples, or its address: they come in this order. */
static const struct hd_model_sample *hottest_line(const struct hot *hot, const struct hd_model_sample *place) {
  for (uint32_t i = 0; !hot->options->lines && i < hot->lines.count; i++) {
    const struct hd_model_sample *line = &hot->lines.items[i];
    if (line->node == place->node && line->state == place->state && line->module == place->module &&
        same_text(line->name.function, place->name.function) && same_text(line->inlined_into, place->inlined_into))
      return line;
  }
  return place;
}

/* ---- rows ---- */

static const char *library_of(const struct hot *hot, const struct hd_model_sample *sample) {
  return sample->module == HD_NONE ? NULL : hd_base_name(hot->model->modules[sample->module].path);
}

/* In the text without characters that a terminal obeys; comma-separated values take care of that themselves. */
static struct hd_value library_value(const struct hot *hot, const struct hd_model_sample *sample) {
  struct hd_value value = hd_word(library_of(hot, sample), sample->module != HD_NONE);
  snprintf(value.text, sizeof value.text, "%s", value.word ? value.word : "");
  hd_sanitize(value.text);
  return value;
}

static struct hd_value interval_of(struct hd_sample_share share) {
  struct hd_value value = {.known = isfinite(share.low), .number = share.low, .whole = share.high};
  snprintf(value.text, sizeof value.text, "%.1f-%.1f", 100 * share.low, 100 * share.high);
  return value;
}

/* "work hot.c:17 (inlined into three) < loop static hot.c:30 < ..." */
static void place_text(char text[HD_CALLPATH_BYTES], const struct hot *hot, const struct hd_model_sample *place,
                       const struct hd_model_sample *line, const char *offset) {
  char code[HD_PLACE_BYTES], callpath[HD_CALLPATH_BYTES] = "outside regions";
  if (place->node != 0)
    hd_callpath_text(callpath, hot->view, place->node);
  hd_sample_text(code, place, line, offset);
  snprintf(text, HD_CALLPATH_BYTES, "%s < %.1500s", code, callpath);
  hd_sanitize(text);
}

static void put(struct hot *hot, const struct hd_model_sample *place) {
  const struct hd_model_sample *line = hottest_line(hot, place);
  const struct hd_sample_share share = hd_sample_share_of(sum_of(place), hot->whole);
  const double period_s = 1e-9 * (double)hot->model->header.sample_period_ns;
  struct hd_listed row = hd_listed_line(hot->view, place->node);
  char offset[32];
  snprintf(offset, sizeof offset, "0x%llx", (unsigned long long)line->offset);
  const struct hd_value values[COLUMNS] = {
      [TIME] = hd_number((double)place->count * period_s),
      [SHARE] = hd_share((double)place->count, hot->whole.count, true),
      [INTERVAL] = interval_of(share),
      [SAMPLES] = hd_count(place->count, true),
      [STATE] = hot->listing.csv ? hd_word(hd_state_id((enum hd_state)place->state), true)
                                 : hd_word(hd_state_words((enum hd_state)place->state), true),
      [LIBRARY] = library_value(hot, place),
      [FUNCTION] = hd_word(place->name.function, place->name.function != NULL),
      [INLINED] = hd_word(place->inlined_into, place->inlined_into != NULL),
      [FILE_NAME] = hd_word(line->name.file, line->name.file != NULL),
      [LINE] = hd_count(line->name.line, line->name.line > 0),
      [OFFSET] = hd_word(offset, !place->name.function),
      [ID] = hd_count(row.node->id, true),
  };
  place_text(row.place, hot, place, line, offset);
  hd_listing_put(&hot->listing, &row, values);
}

static void put_rows(struct hot *hot) {
  const char *title = hot->options->lines ? "Line < callpath" : "Function and its hottest line < callpath";
  hd_listing_begin(&hot->listing, HD_LINE_FIRST, title, false);
  for (uint32_t i = 0; i < hot->shown; i++)
    put(hot, &hot->places.items[i]);
  hd_listing_end(&hot->listing, hot->places.count - hot->shown);
}

/* ---- text ---- */

enum { LIBRARIES_MOST = 6 };

/* "app 81 %, libomp.so.5 12 %, ..." */
static void print_libraries(const struct hot *hot, FILE *out) {
  struct hd_model_sample *samples = hd_new((size_t)hot->model->sample_count + 1, sizeof *samples);
  for (uint32_t i = 0; i < hot->model->sample_count; i++)
    samples[i] = (struct hd_model_sample){.module = hot->model->samples[i].module,
                                          .count = hot->model->samples[i].count,
                                          .taken = hot->model->samples[i].taken};
  struct hd_hot_places libraries = hd_hot_places_new(samples, hot->model->sample_count, 0);
  for (uint32_t i = 0; i < hd_at_most(libraries.count, LIBRARIES_MOST); i++) {
    const struct hd_value name = library_value(hot, &libraries.items[i]);
    fprintf(out, "%s%s %.1f %%", i == 0 ? "code      " : ", ", name.known ? name.text : "in no module",
            100 * (double)libraries.items[i].count / hot->whole.count);
  }
  fprintf(out, "%s\n", libraries.count > LIBRARIES_MOST ? ", ..." : "");
  hd_hot_places_free(&libraries);
  free(samples);
}

static void print_text(struct hot *hot, FILE *out) {
  const struct hd_file_header *header = &hot->model->header;
  const double period_s = 1e-9 * (double)header->sample_period_ns;
  hd_report_heading(hot->model, hd_heading_of(hot->options), out);
  hd_report_scope(hot->model, hot->options, out);
  if (hot->whole.count == 0) {
    hd_print_sentences(out, "\nNo samples: %s.",
                       header->sample_period_ns == 0
                           ? "none were taken; 'heddle run --samples 100' takes them, 'heddle doctor' says whether it can"
                           : "no thread used the processor for long enough");
    return;
  }
  fprintf(out, "samples   %.0f, each for %s of processor time in user space: %s\n", hot->whole.count,
          hd_duration(period_s).text, hd_duration(hot->whole.count * period_s).text);
  print_libraries(hot, out);
  put_rows(hot);
  fputc('\n', out);
  hd_columns_legend(&hot->listing.columns, hot->options->lines ? "" : "--lines: each line by itself.", out);
}

void hd_report_hot(struct hd_lines *view, const struct hd_report_options *options, FILE *out) {
  const struct hd_model *model = view->model;
  struct hot hot = {.view = view, .model = model, .options = options};
  find_places(&hot);
  const double all_s = hot.whole.count * 1e-9 * (double)model->header.sample_period_ns;
  hot.listing = (struct hd_listing){.model = model,
                                    .columns = {columns, COLUMNS, 0, hd_unit_for(all_s)},
                                    .csv = options->csv,
                                    .asked = options,
                                    .out = out};
  hot.shown = hd_at_most(hot.places.count, hd_limit_of(options));
  if (options->csv)
    put_rows(&hot);
  else
    print_text(&hot, out);
  hd_hot_places_free(&hot.places);
  hd_hot_places_free(&hot.lines);
}
