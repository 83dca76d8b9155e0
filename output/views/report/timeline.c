/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file timeline.c
 * The run in time: where was it serial?
 */
#include <math.h>
#include <string.h>

#include "output/model/levels.h"
#include "output/views/render/level_bars.h"
#include "output/views/report/report_internal.h"

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

static void print_axis(const struct hd_model *model, unsigned columns, FILE *out) {
  char middle[HD_CELL_BYTES], end[HD_CELL_BYTES];
  const double whole = hd_model_seconds(model, model->elapsed_ticks);
  hd_cell_duration(middle, whole / 2);
  hd_cell_duration(end, whole);
  const int half = (int)columns / 2 - 1 + (int)(strlen(middle) + 1) / 2;
  fprintf(out, "0%*s%*s\n", half, middle, (int)columns - 1 - half, end);
}

void hd_report_timeline(const struct hd_model *model, FILE *out) {
  const unsigned width = hd_draw_width(out, STRIP_MAX, STRIP_OTHERWISE);
  const unsigned columns = width > STRIP_LEAST ? width : STRIP_LEAST;
  const uint32_t highest = hd_levels_highest(&model->time_at);
  struct hd_run_stretch all;
  if (highest == 0 || model->elapsed_ticks == 0 || !hd_model_stretch(model, 0, 1, &all))
    return;
  fputc('\n', out);
  print_heights(model, columns, highest, out);
  const bool marked = print_marks(model, columns, out);
  print_axis(model, columns, out);
  hd_print_sentences(out,
                     hd_draw_has_blocks() ? "Height: threads busy on average, up to %u; .: none%s"
                                          : "1 to 8: eighths of %u threads busy on average; .: none%s",
                     highest, marked ? "; s: at most one, most of the time" : "");
}
