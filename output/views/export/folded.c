/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file folded.c
 * Folded stacks, a line for each callpath: "program app;parallel heat.c:42 in main;loop static heat.c:44 1234", as
 * Brendan Gregg's flamegraph.pl and most viewers of flame graphs read them. Of two profiles each line has both weights,
 * as his difffolded.pl writes them.
 */
#include "output/model/node_text.h"
#include "output/views/export/export.h"
#include "support/command/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Semicolons separate, and a line's last blank. */
static void write_place(const struct hd_model *model, uint32_t node, FILE *out) {
  char place[HD_PLACE_BYTES];
  hd_node_text(place, model, &model->nodes[node], NULL);
  for (char *at = place; *at; at++)
    putc(*at == ';' ? ',' : *at, out);
}

/* `named`: the model that has the program's name. */
static void write_callpath(const struct hd_model *model, const struct hd_model *named, uint32_t node, uint32_t *path,
                           FILE *out) {
  uint32_t depth = 0;
  for (path[depth++] = node; node != 0; path[depth++] = node)
    node = model->nodes[node].parent;
  while (depth-- > 0) {
    write_place(path[depth] == 0 ? named : model, path[depth], out);
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
    write_callpath(model, model, i, path, out);
    fprintf(out, " %" PRIu64 "\n", ns);
  }
  free(path);
  return true;
}

/* ---- two profiles ---- */

struct stack {
  char *text;
  uint64_t ns[2];
};

/* Of one of the two; `named`: both are to have the name of the same program. */
static size_t add_stacks(struct stack *stacks, const struct hd_model *model, const struct hd_model *named,
                         enum hd_weight weight, int side) {
  uint32_t *path = hd_new((size_t)model->node_count + 1, sizeof *path);
  size_t count = 0;
  for (uint32_t i = 0; i < model->node_count; i++) {
    const uint64_t ns = hd_weight_ns(model, &model->nodes[i], weight);
    size_t bytes;
    if (ns == 0)
      continue;
    struct stack *stack = &stacks[count++];
    stack->ns[side] = ns;
    FILE *memory = open_memstream(&stack->text, &bytes);
    hd_need(memory);
    write_callpath(model, named, i, path, memory);
    hd_written(memory);
  }
  free(path);
  return count;
}

static int by_text(const void *a, const void *b) {
  return strcmp(((const struct stack *)a)->text, ((const struct stack *)b)->text);
}

static void write_both(const struct hd_model *before, const struct hd_model *after, enum hd_weight weight, FILE *out) {
  struct stack *stacks = hd_new((size_t)before->node_count + after->node_count, sizeof *stacks);
  size_t count = add_stacks(stacks, before, after, weight, 0);
  count += add_stacks(stacks + count, after, after, weight, 1);
  if (count > 0)
    qsort(stacks, count, sizeof *stacks, by_text);
  for (size_t i = 0, end; i < count; i = end) {
    uint64_t ns[2] = {0};
    for (end = i; end < count && strcmp(stacks[end].text, stacks[i].text) == 0; end++)
      for (int side = 0; side < 2; side++)
        ns[side] += stacks[end].ns[side];
    fprintf(out, "%s %" PRIu64 " %" PRIu64 "\n", stacks[i].text, ns[0], ns[1]);
  }
  for (size_t i = 0; i < count; i++)
    free(stacks[i].text);
  free(stacks);
}

const struct hd_exporter hd_export_folded = {
    "folded",
    "folded stacks: a callpath and its weight in nanoseconds in each line, for flame graphs;\n"
    "             of two FILEs both weights, for flame graphs of the difference",
    .write = write_folded, .write_both = write_both, .one_weight = true};
