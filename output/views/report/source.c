/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file source.c
 * The source with the numbers of its lines at the left, as `perf annotate` has it: lines of constructs, and lines that
 * threads execute.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output/analysis/lines/source_lines.h"
#include "output/views/render/cells.h"
#include "output/views/report/report_internal.h"
#include "support/command/memory.h"
#include "support/command/sanitize.h"

enum { CONTEXT = 2, TEXT_BYTES = 512 }; /* lines above and below one with numbers */

/* The lines of a file lie one after the other. */
struct file {
  size_t first, end;
  double weight;
  bool is_elsewhere; /* only samples are there, and its text is not here: of a library */
};

struct source {
  const struct hd_model *model;
  struct hd_source_lines lines;
  bool *shown; /* by line */
  struct file *files;
  size_t file_count;
  struct hd_unit unit;
  FILE *out;
};

/* ---- which lines ---- */

/* What it is worth to look at: the part of the run that could be gained, or that threads spent there. */
static double weight_of(const struct source *source, const struct hd_source_line *line) {
  const double all = (double)hd_ticks_all(source->model->ticks), elapsed = (double)source->model->elapsed_ticks;
  const double gain = elapsed > 0 ? line->gain_ticks / elapsed : 0;
  const double spent = all > 0 ? (line->busy_ticks + line->wait_ticks) / all : 0;
  const double sampled = source->lines.samples > 0 ? line->samples / source->lines.samples : 0;
  return fmax(gain, fmax(spent, sampled));
}

struct ranked {
  size_t index;
  double weight;
};

static int compare(const void *a, const void *b) {
  const struct ranked *left = a, *right = b;
  if (left->weight != right->weight)
    return left->weight > right->weight ? -1 : 1;
  return (left->index > right->index) - (left->index < right->index);
}

static size_t choose(struct source *source, uint32_t limit) {
  struct ranked *ranked = hd_new(source->lines.count + 1, sizeof *ranked);
  size_t count = 0, left = 0;
  source->shown = hd_new(source->lines.count + 1, sizeof *source->shown);
  for (size_t f = 0; f < source->file_count; f++)
    for (size_t i = source->files[f].first; i < source->files[f].end && !source->files[f].is_elsewhere; i++)
      ranked[count++] = (struct ranked){i, weight_of(source, &source->lines.items[i])};
  qsort(ranked, count, sizeof *ranked, compare);
  for (size_t i = 0; i < count; i++) {
    source->shown[ranked[i].index] = limit == 0 || i < limit;
    left += !source->shown[ranked[i].index];
  }
  free(ranked);
  return left;
}

/* ---- files ---- */

static size_t end_of_file(const struct source *source, size_t first) {
  size_t end = first;
  while (end < source->lines.count && strcmp(source->lines.items[end].file, source->lines.items[first].file) == 0)
    end++;
  return end;
}

/* Anybody may have made a profile, and named a device in it. */
static FILE *open_regular(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0)
    return NULL;
  errno = EINVAL;
  return S_ISREG(status.st_mode) ? fopen(path, "re") : NULL;
}

/* Where the compiler saw it, or here. NULL: errno says why it is not where the compiler saw it. */
static FILE *open_text(const char *path) {
  FILE *file = open_regular(path);
  const int reason = errno;
  if (!file)
    file = open_regular(hd_base_name(path));
  errno = reason;
  return file;
}

static bool is_here(const char *path) {
  FILE *file = open_text(path);
  if (file)
    fclose(file);
  return file != NULL;
}

static struct file file_of(const struct source *source, size_t first) {
  struct file file = {.first = first, .end = end_of_file(source, first), .is_elsewhere = true};
  for (size_t i = file.first; i < file.end; i++) {
    const struct hd_source_line *line = &source->lines.items[i];
    file.weight += weight_of(source, line);
    if (line->gain_ticks > 0 || line->busy_ticks > 0 || line->wait_ticks > 0)
      file.is_elsewhere = false;
  }
  file.is_elsewhere = file.is_elsewhere && !is_here(source->lines.items[first].file);
  return file;
}

/* What matters most first; of two alike, by name. */
static int compare_files(const void *a, const void *b) {
  const struct file *left = a, *right = b;
  if (left->weight != right->weight)
    return left->weight > right->weight ? -1 : 1;
  return (left->first > right->first) - (left->first < right->first);
}

static void find_files(struct source *source) {
  source->files = hd_new(source->lines.count + 1, sizeof *source->files);
  for (size_t first = 0; first < source->lines.count; first = source->files[source->file_count++].end)
    source->files[source->file_count] = file_of(source, first);
  qsort(source->files, source->file_count, sizeof *source->files, compare_files);
}

/* ---- lines ---- */

static void put_time(const struct source *source, double ticks) {
  char cell[HD_CELL_BYTES] = "";
  const double seconds = ticks * source->model->seconds_per_tick;
  if (hd_unit_shows(&source->unit, seconds))
    hd_cell_time(cell, &source->unit, seconds);
  fprintf(source->out, "%9s ", cell);
}

static void put_numbers(const struct source *source, const struct hd_source_line *line) {
  const double share = line && source->lines.samples > 0 ? 100 * line->samples / source->lines.samples : 0;
  if (!line) {
    fprintf(source->out, "%37s", "");
    return;
  }
  put_time(source, line->gain_ticks);
  put_time(source, line->busy_ticks);
  put_time(source, line->wait_ticks);
  if (share >= 0.05)
    fprintf(source->out, "%5.1f  ", share);
  else
    fprintf(source->out, "%7s", "");
}

static void put_line(const struct source *source, const struct hd_source_line *numbers, uint32_t number,
                     const char *text) {
  put_numbers(source, numbers);
  fprintf(source->out, "%5u%s", number, *text ? "  " : "");
  hd_sanitize_write(text, source->out);
  fputc('\n', source->out);
}

/* Tabs as wide as terminals have them. */
static void take_text(const char *from, char to[TEXT_BYTES]) {
  size_t used = 0;
  for (; *from && *from != '\n' && *from != '\r' && used + 8 < TEXT_BYTES; from++)
    if (*from == '\t')
      do
        to[used++] = ' ';
      while (used % 8 != 0);
    else
      to[used++] = *from;
  to[used] = '\0';
}

/* ---- what is shown ---- */

/* Whether a line that is shown is near: the next one from `at` on, or the one before it. */
static bool is_near(const struct source *source, size_t first, size_t at, size_t end, uint32_t number) {
  const struct hd_source_line *items = source->lines.items;
  for (size_t i = at; i < end && items[i].line <= number + CONTEXT; i++)
    if (source->shown[i])
      return true;
  for (size_t i = at; i > first && items[i - 1].line + CONTEXT >= number; i--)
    if (source->shown[i - 1])
      return true;
  return false;
}

static void put_text(const struct source *source, size_t first, size_t end, FILE *file) {
  char *line = NULL, text[TEXT_BYTES];
  size_t bytes = 0, at = first;
  bool gap = false, any = false;
  for (uint32_t number = 1; getline(&line, &bytes, file) >= 0; number++) {
    while (at < end && source->lines.items[at].line < number)
      at++;
    const bool is_at = at < end && source->lines.items[at].line == number;
    if (!is_near(source, first, at, end, number)) {
      gap = true;
      continue;
    }
    if (gap && any)
      fprintf(source->out, "%37s  ...\n", "");
    gap = false;
    any = true;
    take_text(line, text);
    put_line(source, is_at ? &source->lines.items[at] : NULL, number, text);
  }
  free(line);
}

static void put_numbers_alone(const struct source *source, size_t first, size_t end) {
  for (size_t i = first; i < end; i++)
    if (source->shown[i])
      put_line(source, &source->lines.items[i], source->lines.items[i].line, "");
}

static bool is_newer(const struct hd_model *model, FILE *file) {
  struct stat status;
  const uint64_t begin_s = model->header.begin_epoch_ns / 1000000000u;
  return begin_s > 0 && fstat(fileno(file), &status) == 0 && (uint64_t)status.st_mtime > begin_s;
}

static void put_file(const struct source *source, size_t first, size_t end) {
  const char *path = source->lines.items[first].file;
  FILE *file = open_text(path);
  fputc('\n', source->out);
  hd_sanitize_write(path, source->out);
  if (!file)
    fprintf(source->out, ": %s", strerror(errno));
  else if (is_newer(source->model, file))
    fputs(": changed since the run; lines may have moved", source->out);
  fprintf(source->out, "\n%9s %9s %9s %5s  %5s  %s\n", "Gain", "Busy", "Wait", "Hot%", "Line", file ? "Source" : "");
  if (file) {
    put_text(source, first, end, file);
    fclose(file);
  } else {
    put_numbers_alone(source, first, end);
  }
}

static void put_files(const struct source *source) {
  for (size_t f = 0; f < source->file_count; f++) {
    const struct file *file = &source->files[f];
    bool any = false;
    for (size_t i = file->first; i < file->end && !any; i++)
      any = source->shown[i];
    if (any)
      put_file(source, file->first, file->end);
  }
}

static void put_elsewhere(const struct source *source) {
  size_t files = 0;
  double samples = 0;
  for (size_t f = 0; f < source->file_count; f++) {
    const struct file *file = &source->files[f];
    files += file->is_elsewhere;
    for (size_t i = file->first; i < file->end && file->is_elsewhere; i++)
      samples += source->lines.items[i].samples;
  }
  if (files > 0)
    hd_print_sentences(source->out,
                       "\n%.1f %% of the samples of busy threads are in %zu file%s whose source is not here: 'heddle "
                       "report --hot' names the functions.",
                       100 * samples / source->lines.samples, files, files == 1 ? "" : "s");
}

static struct hd_unit unit_of(const struct source *source) {
  double most = 0;
  for (size_t i = 0; i < source->lines.count; i++) {
    const struct hd_source_line *line = &source->lines.items[i];
    most = fmax(most, fmax(line->gain_ticks, fmax(line->busy_ticks, line->wait_ticks)));
  }
  return hd_unit_for(most * source->model->seconds_per_tick);
}

void hd_report_source(struct hd_lines *view, const struct hd_report_options *options, FILE *out) {
  struct source source = {.model = view->model, .lines = hd_source_lines_new(view->model), .out = out};
  find_files(&source);
  const size_t left = choose(&source, options->limit);
  source.unit = unit_of(&source);
  hd_report_heading(view->model, hd_heading_of(options), out);
  hd_report_scope(view->model, options, out);
  if (source.lines.count == 0)
    fputs("\nNo line of the source is known: compile with -g.\n", out);
  else
    fprintf(out, "\nTimes in %s.\n", source.unit.name);
  put_files(&source);
  hd_report_left((uint32_t)left, "line", out);
  put_elsewhere(&source);
  if (source.lines.count > 0)
    hd_print_sentences(out,
                       "\nGain: wall time to gain, of the regions or constructs that begin in the line. Busy, Wait: "
                       "thread time of the construct itself. Hot%%: of the samples of busy threads, those in the "
                       "line's code ('heddle report --hot').");
  free(source.files);
  free(source.shown);
  hd_source_lines_free(&source.lines);
}
