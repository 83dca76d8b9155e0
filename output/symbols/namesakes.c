/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/symbols/namesakes.h"

#include <stdlib.h>
#include <string.h>

#include "output/model/node_text.h"
#include "support/command/memory.h"

struct shown {
  char *text;
  struct hd_node *node;
};

static int by_text(const void *a, const void *b) {
  return strcmp(((const struct shown *)a)->text, ((const struct shown *)b)->text);
}

static bool has_arguments(const struct hd_node *node) {
  const char *function = node->kind == HD_KIND_PHASE ? NULL : node->name.function;
  return function && strpbrk(function, "(<") && !strstr(function, HD_UNKNOWN_SITE);
}

static uint32_t collect(struct hd_model *model, struct shown *all) {
  char text[HD_PLACE_BYTES];
  uint32_t count = 0;
  for (uint32_t i = 1; i < model->node_count; i++) {
    struct hd_node *node = &model->nodes[i];
    node->name.in_full = false;
    if (!has_arguments(node))
      continue;
    hd_node_text(text, model, node, NULL);
    all[count++] = (struct shown){hd_print("%s", text), node};
  }
  return count;
}

/* Those that are shown alike, when not all are the same function. */
static void mark(struct shown *alike, size_t count) {
  bool differ = false;
  for (size_t i = 1; i < count; i++)
    differ |= strcmp(alike[i].node->name.function, alike[0].node->name.function) != 0;
  for (size_t i = 0; i < count; i++)
    alike[i].node->name.in_full = differ;
}

void hd_names_mark_namesakes(struct hd_model *model) {
  struct shown *all = hd_new(model->node_count, sizeof *all);
  const uint32_t count = collect(model, all);
  qsort(all, count, sizeof *all, by_text);
  for (uint32_t first = 0, next = 1; first < count; first = next++) {
    while (next < count && strcmp(all[next].text, all[first].text) == 0)
      next++;
    mark(&all[first], next - first);
  }
  for (uint32_t i = 0; i < count; i++)
    free(all[i].text);
  free(all);
}
