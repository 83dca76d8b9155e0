/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file routines.c
 * What the views with routines have in common, and which of them answers a question.
 */
#include <math.h>
#include <string.h>

#include "output/analysis/callpath_filter.h"
#include "output/views/report/call_graph_views.h"

void hd_cell_ticks(char cell[HD_CELL_BYTES], const struct hd_model *model, const struct hd_unit *unit, uint64_t ticks,
                   bool known) {
  hd_cell_time(cell, unit, known ? hd_model_seconds(model, ticks) : NAN);
}

void hd_cell_count(char cell[HD_CELL_BYTES], uint64_t count, bool known) {
  if (known)
    snprintf(cell, HD_CELL_BYTES, "%llu", (unsigned long long)count);
  else
    snprintf(cell, HD_CELL_BYTES, "-");
}

void hd_cell_visits(char cell[HD_CELL_BYTES], const struct hd_model *model, enum hd_kind kind, uint64_t visits,
                    bool known) {
  const bool at_least = known && hd_model_is_incomplete(model, kind);
  const size_t used = (size_t)snprintf(cell, HD_CELL_BYTES, "%s", at_least ? ">=" : "");
  if (known)
    snprintf(cell + used, HD_CELL_BYTES - used, "%llu", (unsigned long long)visits);
  else
    snprintf(cell, HD_CELL_BYTES, "-");
}

void hd_report_visits_mark(const struct hd_model *model, FILE *out) {
  for (uint32_t i = 1; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    if (!(node->flags & HD_NODE_GONE) && hd_node_is_measured(node) && hd_model_is_incomplete(model, node->kind)) {
      fputs("'>=', '<=', '~': at least, at most, about: events were switched off for a time, because they cost more "
            "than\n"
            "the budget (see the notes). What was not observed of a line is in what is around it, waits in its busy "
            "time.\n",
            out);
      return;
    }
  }
}

void hd_report_shortened_mark(const struct hd_model *model, FILE *out) {
  for (uint32_t i = 1; i < model->node_count; i++)
    if (model->nodes[i].flags & HD_PROFILE_SHORTENED && !(model->nodes[i].flags & HD_NODE_GONE)) {
      fputs("'...': any callpath that ends there, with what is below (the memory limit was near, see the notes).\n",
            out);
      return;
    }
}

void hd_cell_percent(char cell[HD_CELL_BYTES], double part, double whole, bool known) {
  hd_cell_number(cell, known && whole > 0 ? 100 * part / whole : NAN, 1);
}

void hd_entry_text(char text[HD_PLACE_BYTES], const struct hd_graph *graph, uint32_t entry, bool numbered) {
  const struct hd_graph_entry *at = &graph->entries[entry];
  char number[HD_CELL_BYTES] = "", cycle[HD_CELL_BYTES] = "", place[HD_PLACE_BYTES];
  hd_node_text(place, graph->model, at->node, NULL);
  if (numbered)
    snprintf(number, sizeof number, " [%u]", at->index);
  if (at->cycle > 0)
    snprintf(cycle, sizeof cycle, " <cycle %u>", at->cycle);
  snprintf(text, HD_PLACE_BYTES, "%.400s%s%s%s", place, at->recursive ? " (recursive)" : "", cycle, number);
}

void hd_report_routine_hint(bool any, bool measured, const struct hd_model *model, FILE *out) {
  const bool off = model->header.unwind_depth == 0;
  if (!any)
    fprintf(out,
            "\nThere are no routines in this profile, only OpenMP constructs: %s.\n"
            "Compile the program with -finstrument-functions (gcc or clang) to have its routines with their calls and\n"
            "times%s.\n",
            off ? "it was made with HEDDLE_UNWIND=off" : "no parallel region's caller could be told",
            off ? "; without HEDDLE_UNWIND=off, at least the callers of regions are here" : "");
  else if (!measured)
    fprintf(
        out,
        "\nThe routines are known as callers of regions only%s. Compile the program with\n"
        "-finstrument-functions (gcc or clang) and start it by 'heddle run' ('heddle run --routines' where a script\n"
        "starts it) to get their calls and their own time.\n",
        model->header.flags & HD_FILE_ROUTINES ? "" : ": libheddle.so was not loaded with the program");
}

void hd_report_scope(const struct hd_model *model, const struct hd_report_options *options, FILE *out) {
  char kept[HD_CELL_BYTES];
  const uint64_t busy = model->nodes[0].inclusive_ticks[HD_BUSY];
  const uint64_t all = model->ticks[HD_BUSY];
  hd_cell_duration(kept, hd_model_seconds(model, busy));
  if (options->focus)
    fprintf(out, "focus     callpaths through '%s' only: %s busy, %.1f %% of all threads' busy time\n", options->focus,
            kept, all > 0 ? 100 * (double)busy / (double)all : 0);
  if (model->header.callpath_depth > 0)
    fprintf(out, "depth     callpaths are their last %u site%s: times \"with the lines below\" lack what lies deeper\n",
            model->header.callpath_depth, model->header.callpath_depth == 1 ? "" : "s");
}

static enum hd_report_end end_of(bool made) {
  return made ? HD_REPORT_MADE : HD_REPORT_NO_MEMORY;
}

static enum hd_report_end answer(const struct hd_graph *graph, const struct hd_report_options *options, FILE *out,
                                 FILE *errors) {
  if (options->question == HD_ASK_CALLERS)
    return hd_report_callers(graph, options, out, errors);
  if (options->question == HD_ASK_FLAT)
    return end_of(options->csv ? hd_report_flat_csv(graph, options, out) : hd_report_flat(graph, options, out));
  return end_of(options->csv ? hd_report_callgraph_csv(graph, options, out) : hd_report_callgraph(graph, options, out));
}

enum hd_report_end hd_report_routines(const struct hd_model *model, const struct hd_report_options *options, FILE *out,
                                      FILE *errors) {
  if (options->question == HD_ASK_TREE)
    return end_of(hd_report_tree(model, options, out));
  struct hd_graph *graph = hd_graph_new(model, options->sort);
  if (!graph)
    return HD_REPORT_NO_MEMORY;
  const enum hd_report_end end = answer(graph, options, out, errors);
  hd_graph_free(graph);
  return end;
}
