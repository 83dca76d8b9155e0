/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "exercise.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/schedules/advice.h"
#include "output/merge/merge.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "output/replay/part.h"
#include "output/trace/entry.h"
#include "output/trace/size.h"
#include "output/views/compare/compare.h"
#include "output/views/export/export.h"
#include "output/views/html/html.h"
#include "output/views/report/report.h"
#include "output/views/trace/trace_views.h"
#include "support/command/sanitize.h"

/* ---- where all is printed to ---- */

/* Nothing that steers a terminal may come from a file, and nothing that is no UTF-8. */
static void check(const char *text, size_t bytes) {
  for (size_t i = 0; i < bytes;) {
    const size_t character = text[i] == '\n' ? 1 : hd_sanitize_character(text + i);
    if (character == 0) {
      fprintf(stderr, "printed 0x%02x after '%.*s'\n", (unsigned char)text[i], (int)(i < 80 ? i : 80),
              text + (i < 80 ? 0 : i - 80));
      abort();
    }
    i += character;
  }
}

static char *printed;
static size_t printed_bytes;

FILE *fz_open_sink(void) {
  FILE *sink = open_memstream(&printed, &printed_bytes);
  if (!sink)
    abort();
  return sink;
}

void fz_close_sink(FILE *sink) {
  if (fclose(sink) != 0)
    abort();
  check(printed, printed_bytes);
  free(printed);
}

/* ---- one profile ---- */

struct hd_model *fz_read(const void *bytes, size_t size) {
  struct hd_model *model = NULL;
  char error[512] = "";
  const bool done = hd_profile_parse("fuzz.heddle", bytes, size, &model, error, sizeof error);
  check(error, strlen(error));
  if (done != (model != NULL) || (!done && (strncmp(error, "fuzz.heddle: ", 13) != 0 || strchr(error, '\n'))))
    abort();
  return model;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at) {
  (void)status, (void)type, (void)at;
  return remove(path);
}

/* In a folder of their own, which does not last. */
static void export_files(const struct hd_model *model, const struct hd_exporter *exporter) {
  enum { OPEN_MOST = 16 };
  char folder[] = "/tmp/heddle-fuzz-XXXXXX", path[sizeof folder + 16];
  struct hd_trace_size size;
  if (!hd_trace_size(model, &size))
    return;
  if (!mkdtemp(folder))
    abort();
  snprintf(path, sizeof path, "%s/out.prv", folder);
  exporter->write_files(model, path, false);
  nftw(folder, remove_one, OPEN_MOST, FTW_DEPTH | FTW_PHYS);
}

/* Formats that write each callpath in full are for paths that are not too deep. */
static void export(const struct hd_model *model, uint32_t turn, FILE *sink) {
  enum { DEEP = 200 };
  uint32_t count = 0;
  bool deep = false;
  for (uint32_t i = 0; i < model->node_count; i++)
    deep |= model->nodes[i].depth > DEEP;
  while (hd_exporters[count])
    count++;
  const struct hd_exporter *exporter = hd_exporters[deep ? 0 : turn % count];
  FILE *binary = exporter->binary ? fopen("/dev/null", "w") : NULL; /* no terminal sees it */
  if (exporter->write_files)
    export_files(model, exporter);
  else if (exporter->write)
    exporter->write(model, (enum hd_weight)(turn / count % HD_WEIGHT_COUNT), binary ? binary : sink);
  if (binary)
    fclose(binary);
  if (exporter->write_both)
    exporter->write_both(model, model, HD_WEIGHT_BUSY, sink);
}

enum { PAGE_TURN = 63 }; /* a page is large */

void fz_report(struct hd_model *model, uint32_t turn) {
  FILE *sink = fz_open_sink();
  const enum hd_question question = (enum hd_question)(turn % (HD_ASK_CALLERS + 1));
  struct hd_report_options options = {.question = question, .level = 1, .with = "1", .callers = "."};
  options.sort = question >= HD_ASK_FLAT ? HD_SORT_INCLUSIVE : HD_SORT_GAIN;
  options.csv = turn / 16 % 2;
  options.sort_column = turn / 64 % 3 == 2 ? "Id" : NULL;
  options.markdown = question == HD_ASK_REGIONS && !options.csv && turn / 32 % 2;
  options.limit = turn / 32 % 2 ? 0 : 25;
  hd_report_print(model, &options, sink, sink);
  hd_report_summary(model, sink);
  struct hd_advice advice = hd_advice_of(model, &model->nodes[turn % model->node_count]);
  hd_advice_free(&advice);
  if (turn / 64 % 2)
    export(model, turn / 128, sink);
  if (turn % 64 == PAGE_TURN)
    hd_html_write(model, &(struct hd_html_options){.no_source = true}, sink);
  fz_close_sink(sink);
}

/* ---- its trace ---- */

/* The middle third. */
static void part(struct hd_model *model, uint32_t turn) {
  const double begin = hd_trace_seconds(model, model->header.loaded_ticks),
               third = (hd_trace_seconds(model, model->end_ticks) - begin) / 3;
  const struct hd_run_part wanted = {begin + third, begin + 2 * third};
  struct hd_model *of_part = NULL;
  char error[4096] = "";
  if (hd_part_of(model, &wanted, &of_part, error, sizeof error))
    fz_report(of_part, turn);
  check(error, strlen(error));
  hd_model_free(of_part);
}

static void show_trace(struct hd_model *model, uint32_t turn, FILE *sink) {
  const struct hd_trace_choice choice = {
      .from_seconds = -INFINITY, .to_seconds = INFINITY, .thread = HD_NONE, .region = HD_NONE, .csv = turn / 8 % 2};
  const struct hd_lull_choice lulls = {.busy_most = turn / 8 % 3, .least_seconds = 1e-9, .json = turn / 24 % 2};
  uint64_t differences = 0;
  switch (turn % 6) {
  case 0:
    hd_trace_summary(model, sink);
    break;
  case 1:
    hd_trace_print(model, &choice, sink);
    break;
  case 2:
    hd_trace_print_concurrency(model, &choice, sink);
    break;
  case 3:
    hd_trace_print_instance(model, turn / 8 % model->node_count, HD_TRACE_SLOWEST, sink);
    break;
  case 4:
    hd_trace_print_lulls(model, &lulls, sink);
    break;
  default:
    hd_trace_check(model, &differences, sink);
  }
}

void fz_trace(struct hd_model *model, uint32_t turn) {
  struct hd_trace_size size;
  if (!hd_trace_size(model, &size) || size.only_concurrency)
    return;
  if (turn % 2) {
    part(model, turn / 2);
    return;
  }
  FILE *sink = fz_open_sink();
  show_trace(model, turn / 2, sink);
  fz_close_sink(sink);
}

void fz_narrow(struct hd_model *model) {
  FILE *sink = fz_open_sink();
  hd_report_narrow(model, &(struct hd_report_options){.focus = "[f1]", .depth = 2}, sink);
  fz_close_sink(sink);
}

/* ---- two ---- */

static void compare(struct hd_model *a, struct hd_model *b, enum hd_comparison_mode mode,
                    enum hd_compare_format format) {
  const struct hd_compare_input inputs[] = {{.model = a, .side = 0, .label = "a"},
                                            {.model = b, .side = 1, .label = "b"}};
  const uint32_t predict[] = {64};
  char error[512] = "";
  struct hd_comparison *comparison =
      hd_comparison_new(inputs, 2, &(struct hd_compare_options){.mode = mode, .force = true}, error, sizeof error);
  FILE *sink = fz_open_sink();
  check(error, strlen(error));
  if (comparison)
    hd_compare_print(&(struct hd_compare_series){.comparison = comparison}, 1,
                     &(struct hd_compare_view_options){.format = format, .predict = predict, .predict_count = 1}, sink);
  hd_comparison_free(comparison);
  fz_close_sink(sink);
}

/* What heddle writes, heddle must read. */
static void merge(struct hd_model *a, struct hd_model *b) {
  struct hd_model *const models[] = {a, b};
  struct hd_writer writer = {0};
  char error[512] = "";
  if (hd_merge(models, 2, true, &writer, error, sizeof error)) {
    struct hd_model *sum = fz_read(writer.bytes, writer.size);
    if (!sum)
      abort();
    fz_report(sum, 64);
    hd_model_free(sum);
  }
  check(error, strlen(error));
  hd_writer_free(&writer);
}

void fz_combine(const void *bytes, size_t size, const void *other, size_t other_size, uint32_t turn) {
  struct hd_model *a = fz_read(bytes, size);
  struct hd_model *b = fz_read(other, other_size);
  if (a && b && turn % 2 == 0)
    merge(a, b);
  else if (a && b)
    compare(a, b, turn / 2 % 2 ? HD_COMPARE_SIDES : HD_COMPARE_SCALING,
            (enum hd_compare_format)(turn / 4 % (HD_COMPARE_HTML + 1)));
  hd_model_free(a);
  hd_model_free(b);
}
