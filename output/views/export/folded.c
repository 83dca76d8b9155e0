/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file folded.c
 * Folded stacks, a line for each callpath: "program app;parallel heat.c:42 in main;loop static heat.c:44 1234", as
 * Brendan Gregg's flamegraph.pl and most viewers of flame graphs read them.
 */
#include "output/model/node_text.h"
#include "output/views/export/export.h"
#include "support/command/memory.h"

#include <inttypes.h>
#include <stdlib.h>

/* Semicolons separate, and a line's last blank. */
static void write_place(const struct hd_model *model, uint32_t node, FILE *out) {
  char place[HD_PLACE_BYTES];
  hd_node_text(place, model, &model->nodes[node], NULL);
  for (char *at = place; *at; at++)
    putc(*at == ';' ? ',' : *at, out);
}

static void write_callpath(const struct hd_model *model, uint32_t node, uint32_t *path, FILE *out) {
  uint32_t depth = 0;
  for (path[depth++] = node; node != 0; path[depth++] = node)
    node = model->nodes[node].parent;
  while (depth-- > 0) {
    write_place(model, path[depth], out);
    if (depth > 0)
      putc(';', out);
  }
}

static bool write_folded(const struct hd_model *model, enum hd_weight weight, FILE *out) {
  uint32_t *path = hd_new((size_t)model->node_count + 1, sizeof *path);
  for (uint32_t i = 0; i < model->node_count; i++) {
    const uint64_t ns = hd_weight_ns(model, &model->nodes[i], weight);
    if (ns == 0)
      continue;
    write_callpath(model, i, path, out);
    fprintf(out, " %" PRIu64 "\n", ns);
  }
  free(path);
  return true;
}

const struct hd_exporter hd_export_folded = {
    "folded", "folded stacks: a callpath and its weight in nanoseconds in each line, for flame graphs",
    .write = write_folded, .one_weight = true};
