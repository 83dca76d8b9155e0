/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/lines/source_lines.h"

#include <stdlib.h>
#include <string.h>

#include "output/model/format_names.h"
#include "support/command/memory.h"

/* Before lines are merged: a region and the loop in it may begin in the same line. */
struct part {
  struct hd_source_line of;
  double region_gain_ticks;
};

static int compare(const void *a, const void *b) {
  const struct part *left = a, *right = b;
  const int file = strcmp(left->of.file, right->of.file);
  if (file != 0)
    return file;
  return (left->of.line > right->of.line) - (left->of.line < right->of.line);
}

static struct part of_node(const struct hd_node *node) {
  const bool region = hd_kind_is_region(node->kind);
  return (struct part){.of = {.file = node->name.file,
                              .line = node->name.line,
                              .gain_ticks = region ? 0 : node->team.gain_ticks,
                              .busy_ticks = (double)node->ticks[HD_BUSY],
                              .wait_ticks = (double)hd_ticks_waiting(node->ticks)},
                       .region_gain_ticks = region ? node->team.gain_ticks : 0};
}

static size_t collect(const struct hd_model *model, struct part *parts) {
  size_t count = 0;
  for (uint32_t i = 1; i < model->node_count; i++)
    if (model->nodes[i].name.file && model->nodes[i].name.line > 0)
      parts[count++] = of_node(&model->nodes[i]);
  for (uint32_t i = 0; i < model->sample_count; i++) {
    const struct hd_model_sample *sample = &model->samples[i];
    if (sample->state == HD_BUSY && sample->name.file && sample->name.line > 0)
      parts[count++] =
          (struct part){.of = {.file = sample->name.file, .line = sample->name.line, .samples = (double)sample->count}};
  }
  return count;
}

static void add(struct part *to, const struct part *from) {
  to->of.gain_ticks += from->of.gain_ticks;
  to->region_gain_ticks += from->region_gain_ticks;
  to->of.busy_ticks += from->of.busy_ticks;
  to->of.wait_ticks += from->of.wait_ticks;
  to->of.samples += from->of.samples;
}

static size_t merge(struct part *parts, size_t count) {
  size_t merged = 0;
  qsort(parts, count, sizeof *parts, compare);
  for (size_t i = 0; i < count; i++)
    if (merged > 0 && compare(&parts[merged - 1], &parts[i]) == 0)
      add(&parts[merged - 1], &parts[i]);
    else
      parts[merged++] = parts[i];
  return merged;
}

struct hd_source_lines hd_source_lines_new(const struct hd_model *model) {
  struct hd_source_lines lines = {0};
  struct part *parts = hd_new((size_t)model->node_count + model->sample_count, sizeof *parts);
  const size_t count = merge(parts, collect(model, parts));
  lines.items = hd_new(count + 1, sizeof *lines.items);
  for (size_t i = 0; i < count; i++) {
    struct hd_source_line line = parts[i].of;
    if (parts[i].region_gain_ticks > 0)
      line.gain_ticks = parts[i].region_gain_ticks;
    if (line.gain_ticks > 0 || line.busy_ticks > 0 || line.wait_ticks > 0 || line.samples > 0)
      lines.items[lines.count++] = line;
  }
  for (uint32_t i = 0; i < model->sample_count; i++)
    lines.samples += model->samples[i].state == HD_BUSY ? (double)model->samples[i].count : 0;
  free(parts);
  return lines;
}

void hd_source_lines_free(struct hd_source_lines *lines) {
  free(lines->items);
  *lines = (struct hd_source_lines){0};
}
