/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file dot.c
 * The critical path as a graph, for graphviz: callpaths that are on it, and how it goes on from one in another; and
 * those that are not on it, with how much later they could end.
 */
#include <inttypes.h>

#include "output/analysis/lines/critical_path.h"
#include "output/model/duration.h"
#include "output/model/node_text.h"
#include "output/model/paths.h"
#include "output/views/export/export.h"

/* In quotation marks. Graphviz replaces what follows a backslash. Control characters are none in it. */
static void write_text(const char *text, FILE *out) {
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      putc('\\', out);
    putc(*text, out);
  }
}

static double share(uint64_t part, uint64_t whole) {
  return whole > 0 ? (double)part / (double)whole : 0;
}

/* When its first work could begin, and by how much its work could be longer without the run's being so. */
static void write_times(const struct hd_model *model, const struct hd_model_path *path, FILE *out) {
  if (path->earliest_ticks != HD_PATH_NEVER)
    fprintf(out, ", earliest=%.9f", hd_model_seconds(model, path->earliest_ticks));
  if (path->slack_ticks != HD_PATH_NEVER)
    fprintf(out, ", slack=%.9f", hd_model_seconds(model, path->slack_ticks));
}

static void write_begin(const struct hd_model *model, const struct hd_model_path *path, FILE *out) {
  char place[HD_PLACE_BYTES];
  hd_node_text(place, model, &model->nodes[path->node], NULL);
  fprintf(out, "  n%" PRIu32 " [label=\"", path->node);
  write_text(place, out);
  if (path->earliest_ticks != HD_PATH_NEVER)
    fprintf(out, "\\nfrom %s", hd_duration_of(model, path->earliest_ticks).text);
}

static void write_node(const struct hd_model *model, const struct hd_model_path *path, uint64_t span, FILE *out) {
  write_begin(model, path, out);
  fprintf(out, "\\n%s, %.1f %%\", seconds=%.9f", hd_duration_of(model, path->own_ticks).text,
          100 * share(path->own_ticks, span), hd_model_seconds(model, path->own_ticks));
  write_times(model, path, out);
  fputs("];\n", out);
}

static void write_other(const struct hd_model *model, const struct hd_model_path *path, FILE *out) {
  write_begin(model, path, out);
  if (path->slack_ticks != HD_PATH_NEVER)
    fprintf(out, "\\nslack %s", hd_duration_of(model, path->slack_ticks).text);
  fputs("\", seconds=0", out);
  write_times(model, path, out);
  fputs(", style=dashed];\n", out);
}

/* A step to the same callpath is to another thread. */
static void write_step(const struct hd_model *model, const struct hd_model_step *step, FILE *out) {
  fprintf(out, "  n%" PRIu32 " -> n%" PRIu32 " [label=\"%" PRIu64, step->from, step->to, step->count);
  if (step->changes > 0)
    fprintf(out, " (%" PRIu64 " to another thread)", step->changes);
  fprintf(out, "\", count=%" PRIu64 ", thread_changes=%" PRIu64 ", seconds=%.9f%s];\n", step->count, step->changes,
          hd_model_seconds(model, step->ticks), step->changes > 0 ? ", style=bold" : "");
}

static void write_graph(const struct hd_model *model, FILE *out) {
  const uint64_t span = hd_paths_span(model);
  fprintf(out, "  label=\"The critical path%s: %s, work / span %.2f\";\n  node [shape=box];\n",
          hd_path_lack(model, 0) ? " (at least)" : "", hd_duration_of(model, span).text,
          share(model->ticks[HD_BUSY], span));
  for (uint32_t i = 0; i < model->path_count; i++)
    if (model->paths[i].own_ticks > 0)
      write_node(model, &model->paths[i], span, out);
    else if (model->paths[i].earliest_ticks != HD_PATH_NEVER)
      write_other(model, &model->paths[i], out);
  for (uint32_t i = 0; i < model->step_count; i++)
    if (model->steps[i].from != HD_NONE && model->steps[i].count > 0)
      write_step(model, &model->steps[i], out);
}

static bool write_dot(const struct hd_model *model, enum hd_weight weight, FILE *out) {
  (void)weight;
  const char *missing = hd_path_missing(model);
  fputs("digraph critical_path {\n", out);
  if (missing)
    fprintf(out, "  label=\"This profile has no critical path: %s.\";\n", missing);
  else
    write_graph(model, out);
  fputs("}\n", out);
  return true;
}

const struct hd_exporter hd_export_dot = {
    "dot", "the critical path as a graph of callpaths, for graphviz (heddle run --critical-path)", .write = write_dot};
