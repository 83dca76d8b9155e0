/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The source around constructs and sampled lines, with the samples of each line. */
#include <stdlib.h>
#include <string.h>

#include "output/model/format_names.h"
#include "output/views/html/sections.h"
#include "output/views/html/source_file.h"
#include "output/views/html/table.h"
#include "output/views/render/html_escape.h"
#include "support/command/memory.h"

enum {
  LINES_BEFORE = 6,
  LINES_AFTER = 14,
  LINE_BYTES_MOST = 400,
  PAGE_BYTES_MOST = 400000,
  LINKS_MOST = 4,
  OPEN_SPOTS_MOST = 200
};

/* A line that something is known of. */
struct spot {
  const char *file;
  uint32_t line;
  const struct hd_node *node; /* a construct or routine; NULL: samples */
  uint64_t samples;
};

struct spots {
  struct spot *items;
  size_t count;
};

static void add_spot(struct spots *spots, struct spot spot) {
  if (spot.file && spot.line > 0)
    spots->items[spots->count++] = spot;
}

static int compare(const void *a, const void *b) {
  const struct spot *left = a, *right = b;
  const int order = strcmp(left->file, right->file);
  if (order != 0)
    return order;
  if (left->line != right->line)
    return left->line < right->line ? -1 : 1;
  const uint32_t of_left = left->node ? left->node->id : UINT32_MAX;
  const uint32_t of_right = right->node ? right->node->id : UINT32_MAX;
  return of_left < of_right ? -1 : of_left > of_right;
}

static struct spots find_spots(const struct hd_model *model) {
  struct spots spots = {.items = hd_new((size_t)model->node_count + model->sample_count + 1, sizeof *spots.items)};
  for (uint32_t i = 0; i < model->node_count; i++)
    add_spot(&spots, (struct spot){model->nodes[i].name.file, model->nodes[i].name.line, &model->nodes[i], 0});
  for (uint32_t i = 0; i < model->sample_count; i++)
    add_spot(&spots,
             (struct spot){model->samples[i].name.file, model->samples[i].name.line, NULL, model->samples[i].count});
  qsort(spots.items, spots.count, sizeof *spots.items, compare);
  return spots;
}

/* ---- one file ---- */

static void put_code(const char *line, FILE *out) {
  const size_t length = strlen(line);
  char *copy = strndup(line, LINE_BYTES_MOST);
  fputs("<td><code>", out);
  hd_html_text(copy, out);
  fputs(length > LINE_BYTES_MOST ? "…</code>" : "</code>", out);
  free(copy);
}

/* The constructs of a line, each kind once, as links to their rows. */
static void put_links(const struct spot *first, const struct spot *end, FILE *out) {
  uint32_t count = 0;
  for (const struct spot *at = first; at < end && count < LINKS_MOST; at++) {
    const struct spot *same = first;
    while (at->node && same < at && (!same->node || same->node->kind != at->node->kind))
      same++;
    if (!at->node || same < at)
      continue;
    fprintf(out, "%s<a href=\"#c%u\">%s</a>", count > 0 ? ", " : " <small>", at->node->id,
            hd_node_words(at->node));
    count++;
  }
  fputs(count > 0 ? "</small>" : "", out);
}

static void put_line(const struct hd_source_file *file, uint32_t line, const struct spot *first, const struct spot *end,
                     FILE *out) {
  uint64_t samples = 0;
  bool is_construct = false;
  for (const struct spot *at = first; at < end; at++) {
    samples += at->samples;
    is_construct |= at->node != NULL;
  }
  fprintf(out, "<tr%s data-line=\"%u\"><th scope=\"row\">%u</th>", is_construct ? " class=\"site\"" : "", line, line);
  fprintf(out, samples > 0 ? "<td>%llu</td>" : "<td></td>", (unsigned long long)samples);
  put_code(file->lines[line - 1], out);
  put_links(first, end, out);
  fputs("</td></tr>\n", out);
}

/* The lines around each spot; what lies between is left out. */
static void put_lines(const struct hd_source_file *file, const struct spot *spot, const struct spot *end, FILE *out) {
  uint32_t next = 1;
  while (spot < end && spot->line <= file->count) {
    const uint32_t from = spot->line > LINES_BEFORE + next ? spot->line - LINES_BEFORE : next;
    const uint32_t until = spot->line + LINES_AFTER < file->count ? spot->line + LINES_AFTER : file->count;
    if (from > next)
      fputs("<tr class=\"gap\"><th></th><td></td><td>…</td></tr>\n", out);
    for (next = from; next <= until; next++) {
      const struct spot *first = spot;
      while (spot < end && spot->line == next)
        spot++;
      put_line(file, next, first, spot, out);
    }
  }
}

static void put_file(const struct hd_model *model, const struct spot *first, const struct spot *end, FILE *out) {
  struct hd_source_file file;
  if (!hd_source_read(first->file, &file))
    return;
  fprintf(out, "<details class=\"source\"%s data-file=\"", end - first <= OPEN_SPOTS_MOST ? " open" : "");
  hd_html_text(first->file, out);
  fputs("\"><summary>", out);
  hd_html_text(first->file, out);
  fputs("</summary>\n", out);
  if (model->header.begin_epoch_ns > 0 && file.modified_ns > model->header.begin_epoch_ns)
    fputs("<p class=\"warning\">This file has changed since the run: lines may not match.</p>\n", out);
  fputs("<div class=\"wide\"><table class=\"code\"><thead><tr><th scope=\"col\">Line</th><th scope=\"col\">Samples</th>"
        "<th scope=\"col\" class=\"word\">Source</th></tr></thead>\n<tbody>\n",
        out);
  put_lines(&file, first, end, out);
  fputs("</tbody></table></div></details>\n", out);
  hd_source_free(&file);
}

/* ---- all of them ---- */

static const struct spot *end_of_file(const struct spots *spots, const struct spot *first) {
  const struct spot *end = first;
  while (end < spots->items + spots->count && strcmp(end->file, first->file) == 0)
    end++;
  return end;
}

static bool has_node(const struct spot *first, const struct spot *end) {
  while (first < end && !first->node)
    first++;
  return first < end;
}

/* Files with constructs first, then those with samples alone, until the page has enough. */
void hd_html_source(const struct hd_model *model, FILE *out) {
  struct spots spots = find_spots(model);
  char *text = NULL;
  size_t bytes = 0;
  FILE *into = open_memstream(&text, &bytes);
  hd_need(into);
  for (int samples_only = 0; samples_only < 2; samples_only++)
    for (const struct spot *first = spots.items, *end; first < spots.items + spots.count; first = end) {
      end = end_of_file(&spots, first);
      fflush(into);
      if (has_node(first, end) != samples_only && bytes < PAGE_BYTES_MOST)
        put_file(model, first, end, into);
    }
  hd_written(into);
  hd_html_section("source", "Source", out);
  if (bytes == 0)
    fputs("<p>No source file of the profile was found when this page was made.</p>\n", out);
  fwrite(text, 1, bytes, out);
  fputs("</section>\n", out);
  free(text);
  free(spots.items);
}
