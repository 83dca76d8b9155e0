/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>

#include "output/analysis/lines/lines.h"
#include "output/model/format_names.h"
#include "support/command/memory.h"

/* The lines that may be chosen next: their parents are. */
struct frontier {
  uint32_t *lines;
  uint32_t count;
};

/* Whether there was anything of it, in a part of a run. */
static bool has_been(const struct hd_lines *view, const struct hd_line *line) {
  return view->model->since_ticks == 0 || line->visits > 0 || hd_ticks_all(line->ticks) > 0;
}

static bool is_wanted(const struct hd_lines *view, uint32_t line, bool regions_only) {
  return has_been(view, &view->lines[line]) && (!regions_only || hd_kind_is_region(view->lines[line].node->kind));
}

/* Constructs that stay out are looked through: a region may lie below them. */
static void add_children(const struct hd_lines *view, uint32_t parent, bool regions_only, struct frontier *frontier) {
  const uint32_t end = parent + view->lines[parent].subtree;
  for (uint32_t i = parent + 1; i < end;) {
    const bool wanted = is_wanted(view, i, regions_only);
    if (wanted)
      frontier->lines[frontier->count++] = i;
    i += wanted ? view->lines[i].subtree : 1;
  }
}

static uint32_t take_foremost(const struct hd_lines *view, enum hd_sort sort, struct frontier *frontier) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < frontier->count; i++)
    if (hd_line_compare(&view->lines[frontier->lines[i]], &view->lines[frontier->lines[best]], sort) < 0)
      best = i;
  const uint32_t line = frontier->lines[best];
  frontier->lines[best] = frontier->lines[--frontier->count];
  return line;
}

/* A loop that keeps all threads busy has nothing to gain, and may be what the run consists of: every second line is
 * chosen by its busy time, so that where the time goes is in the report, too. */
static enum hd_sort key_of_choice(enum hd_sort sort, uint32_t chosen) {
  return sort == HD_SORT_GAIN && chosen % 2 == 1 ? HD_SORT_BUSY : sort;
}

uint32_t hd_lines_select(struct hd_lines *view, enum hd_sort sort, unsigned long limit, bool regions_only) {
  uint32_t candidates = 0;
  for (uint32_t i = 1; i < view->count; i++)
    candidates += is_wanted(view, i, regions_only);
  if (limit == 0 || limit >= candidates) {
    for (uint32_t i = 1; i < view->count; i++)
      view->lines[i].shown = is_wanted(view, i, regions_only);
    return 0;
  }
  struct frontier frontier = {hd_new(view->count, sizeof *frontier.lines), 0};
  uint32_t chosen = 0;
  add_children(view, 0, regions_only, &frontier);
  while (frontier.count > 0 && chosen < limit) {
    const uint32_t line = take_foremost(view, key_of_choice(sort, chosen), &frontier);
    view->lines[line].shown = true;
    chosen++;
    add_children(view, line, regions_only, &frontier);
  }
  free(frontier.lines);
  return candidates - chosen;
}
