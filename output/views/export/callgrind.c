/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file callgrind.c
 * The format of callgrind's profiles (valgrind's manual, "Callgrind Format Specification"), for kcachegrind and
 * callgrind_annotate: a function for each place, an event for each weight, in nanoseconds.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "output/model/node_text.h"
#include "output/views/export/export.h"
#include "support/command/memory.h"
#include "support/command/sanitize.h"

/* Of the weights that the model has. */
static void write_costs(const struct hd_model *model, const uint64_t *costs, FILE *out) {
  for (enum hd_weight weight = 0; weight < HD_WEIGHT_COUNT; weight++)
    if (hd_weight_is_known(model, weight))
      fprintf(out, " %" PRIu64, costs[weight]);
  putc('\n', out);
}

/* `prefix`: "", or "c" for what is called. */
static void write_place(const struct hd_model *model, const struct hd_node *node, const char *prefix, FILE *out) {
  char place[HD_PLACE_BYTES];
  hd_node_text(place, model, node, NULL);
  fprintf(out, "%s=", *prefix ? "cfi" : "fl");
  hd_sanitize_write(node->name.file ? node->name.file : "???", out);
  fprintf(out, "\n%sfn=%s\n", prefix, place);
}

static uint64_t *sum_up(const struct hd_model *model) {
  uint64_t *costs = hd_new((size_t)model->node_count * HD_WEIGHT_COUNT, sizeof *costs);
  for (uint32_t i = model->node_count; i-- > 0;) { /* children have larger ids */
    const uint32_t parent = model->nodes[i].parent;
    for (int weight = 0; weight < HD_WEIGHT_COUNT; weight++) {
      uint64_t *own = &costs[(size_t)i * HD_WEIGHT_COUNT + (size_t)weight];
      *own += hd_weight_ns(model, &model->nodes[i], (enum hd_weight)weight);
      if (i != parent)
        costs[(size_t)parent * HD_WEIGHT_COUNT + (size_t)weight] += *own;
    }
  }
  return costs;
}

static void write_own(const struct hd_model *model, const struct hd_node *node, FILE *out) {
  uint64_t own[HD_WEIGHT_COUNT];
  for (int weight = 0; weight < HD_WEIGHT_COUNT; weight++)
    own[weight] = hd_weight_ns(model, node, (enum hd_weight)weight);
  putc('\n', out);
  write_place(model, node, "", out);
  fprintf(out, "%" PRIu32, node->name.line);
  write_costs(model, own, out);
}

static void write_call(const struct hd_model *model, const struct hd_node *node, const uint64_t *costs, FILE *out) {
  const struct hd_node *from = &model->nodes[node->parent];
  putc('\n', out);
  write_place(model, from, "", out);
  write_place(model, node, "c", out);
  fprintf(out, "calls=%" PRIu64 " %" PRIu32 "\n%" PRIu32, node->visits, node->name.line, from->name.line);
  write_costs(model, &costs[(size_t)node->id * HD_WEIGHT_COUNT], out);
}

static void write_events(const struct hd_model *model, FILE *out) {
  for (enum hd_weight each = 0; each < HD_WEIGHT_COUNT; each++)
    if (hd_weight_is_known(model, each))
      fprintf(out, "event: %s : %s, ns\n", hd_weight_id(each), hd_weight_words(each));
  fputs("events:", out);
  for (enum hd_weight each = 0; each < HD_WEIGHT_COUNT; each++)
    if (hd_weight_is_known(model, each))
      fprintf(out, " %s", hd_weight_id(each));
}

static bool write_callgrind(const struct hd_model *model, enum hd_weight weight, FILE *out) {
  (void)weight;
  uint64_t *costs = sum_up(model);
  fputs("# callgrind format\nversion: 1\ncreator: heddle\n", out);
  fprintf(out, "pid: %" PRIu64 "\ncmd: ", (uint64_t)model->header.pid);
  hd_sanitize_write(model->header.program, out);
  fputs("\npositions: line\n", out);
  write_events(model, out);
  fputs("\nsummary:", out);
  write_costs(model, costs, out);
  for (uint32_t i = 0; i < model->node_count; i++) {
    write_own(model, &model->nodes[i], out);
    if (i != 0)
      write_call(model, &model->nodes[i], costs, out);
  }
  free(costs);
  return true;
}

const struct hd_exporter hd_export_callgrind = {
    "callgrind", "all weights as events in nanoseconds, for kcachegrind and callgrind_annotate",
    .write = write_callgrind};
