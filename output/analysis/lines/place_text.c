/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/lines/place_text.h"

#include <stdio.h>
#include <string.h>

#include "support/command/sanitize.h"

static bool is_shortened(const struct hd_line *line) {
  return line->flags & HD_PROFILE_SHORTENED;
}

static void line_text(char place[HD_PLACE_BYTES], const struct hd_model *model, const struct hd_line *line,
                      const struct hd_line *outer) {
  hd_node_text(place, model, line->node, outer ? outer->node : NULL);
  const size_t used = strlen(place);
  if (hd_node_is_recursive(line->node, line->flags))
    snprintf(place + used, HD_PLACE_BYTES - used, " (recursive)");
}

void hd_place_text(char place[HD_PLACE_BYTES], const struct hd_model *model, const struct hd_line *line,
                   const struct hd_line *outer) {
  char text[HD_PLACE_BYTES];
  const bool marked = is_shortened(line) && !(outer && is_shortened(outer)); /* once for both of its sites */
  line_text(text, model, line, outer);
  snprintf(place, HD_PLACE_BYTES, "%s%.500s", marked ? "... " : "", text);
  hd_sanitize(place); /* a character may have been cut */
}

/* A callpath of any depth is cut where the text is full. */
void hd_callpath_text(char text[HD_CALLPATH_BYTES], const struct hd_lines *view, uint32_t line) {
  char place[HD_PLACE_BYTES];
  size_t used = 0;
  const struct hd_line *inner = NULL;
  text[0] = '\0';
  if (line == 0)
    strcpy(text, "program, outside parallel regions");
  while (line != 0 && used + 2 * (size_t)HD_PLACE_BYTES < HD_CALLPATH_BYTES) {
    line_text(place, view->model, &view->lines[line], inner);
    used += (size_t)snprintf(text + used, HD_CALLPATH_BYTES - used, "%s%s", inner ? " < " : "", place);
    inner = &view->lines[line];
    line = inner->parent;
  }
  if (line != 0 || (inner && is_shortened(inner)))
    strcpy(text + used, " < ...");
}

void hd_entry_text(char text[HD_PLACE_BYTES], const struct hd_graph *graph, uint32_t entry, bool numbered) {
  const struct hd_graph_entry *at = &graph->entries[entry];
  char number[32] = "", cycle[32] = "", place[HD_PLACE_BYTES];
  hd_node_text(place, graph->model, at->node, NULL);
  if (numbered)
    snprintf(number, sizeof number, " [%u]", at->index);
  if (at->cycle > 0)
    snprintf(cycle, sizeof cycle, " <cycle %u>", at->cycle);
  snprintf(text, HD_PLACE_BYTES, "%.400s%s%s%s", place, at->recursive ? " (recursive)" : "", cycle, number);
}
