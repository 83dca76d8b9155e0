/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file report.c
 * The reports as a whole, and the summary after a run.
 */
#include <stdlib.h>

#include "output/analysis/callpaths/callpath_filter.h"
#include "output/analysis/callpaths/callpath_truncate.h"
#include "output/analysis/callpaths/site_regex.h"
#include "output/views/explain/explain.h"
#include "output/views/report/report_internal.h"
#include "support/command/memory.h"

enum { SUMMARY_REGIONS = 8, SUMMARY_ROUTINES = 6 };

static bool has_routines(const struct hd_model *model) {
  for (uint32_t i = 0; i < model->node_count; i++)
    if (model->nodes[i].kind == HD_KIND_ROUTINE)
      return true;
  return false;
}

static const char levels_more[] = "--at-k 1 (what runs while at most 1 is busy), --with ID (what runs beside a line), "
                                  "--histogram, --timeline";
static const char routines_more[] = "--flat (each routine), --callgraph (who calls whom), --tree (callpaths), "
                                    "--callers REGEX";

static void print_more(const struct hd_model *model, bool levels, FILE *out) {
  const bool routines = has_routines(model);
  if (!levels && !routines)
    return;
  char *text =
      hd_print("%s%s%s.", levels ? levels_more : "", levels && routines ? ", " : "", routines ? routines_more : "");
  fputs("More: ", out);
  hd_print_wrapped(text, 6, out);
  fputc('\n', out);
  free(text);
}

static void print_legend(const struct hd_lines *view, uint64_t hidden, FILE *out) {
  fputc('\n', out);
  hd_report_regions_legend(view, hidden, out);
  hd_report_visits_mark(view->model, out);
  hd_report_disturbed_mark(view->model, out);
  hd_report_shortened_mark(view->model, out);
  print_more(view->model, view->model->levels_known, out);
}

static void print_regions(struct hd_lines *view, const struct hd_report_options *options, FILE *out) {
  const uint32_t left = hd_lines_select(view, options->sort, hd_limit_of(options), false);
  hd_report_warning(view->model, out);
  if (!options->focus && options->depth == 0) /* part of a run does not show why the rest of it waited */
    hd_explain_brief(view->model, true, out);
  hd_report_run(view->model, hd_heading_of(options), out);
  hd_report_scope(view->model, options, out);
  hd_report_concurrency(view->model, out);
  if (view->count <= 1) {
    fprintf(out, "\nNo parallel region was %s.\n", view->model->header.runtime[0] ? "entered" : "heard of");
    hd_report_counted(view->model, out);
    print_more(view->model, false, out);
    return;
  }
  const uint64_t hidden = hd_report_regions(view, options, out);
  hd_report_left(left, "line", out);
  hd_report_counted(view->model, out);
  hd_report_foremost(view, options->sort, out);
  print_legend(view, hidden, out);
}

/* By question: as text, as comma-separated values. */
typedef void line_view(struct hd_lines *view, const struct hd_report_options *options, FILE *out);
static line_view *const line_views[][2] = {
    [HD_ASK_REGIONS] = {print_regions, hd_report_regions_csv},
    [HD_ASK_THREADS] = {hd_report_threads, hd_report_threads},
    [HD_ASK_HISTOGRAM] = {hd_report_histogram, hd_report_histogram_csv},
    [HD_ASK_TIMELINE] = {hd_report_timeline, hd_report_timeline_csv},
    [HD_ASK_LOOPS] = {hd_report_loops, hd_report_loops},
    [HD_ASK_TASKS] = {hd_report_tasks, hd_report_tasks},
    [HD_ASK_PATH] = {hd_report_critical_path, hd_report_critical_path},
    [HD_ASK_LOCKS] = {hd_report_locks, hd_report_locks},
    [HD_ASK_EFFICIENCY] = {hd_report_efficiency, hd_report_efficiency},
    [HD_ASK_HOT] = {hd_report_hot, hd_report_hot},
    [HD_ASK_SOURCE] = {hd_report_source, hd_report_source},
    [HD_ASK_OVERHEAD] = {hd_report_overhead, hd_report_overhead},
    [HD_ASK_AT_LEVEL] = {hd_report_at_level, hd_report_at_level},
};

static enum hd_report_end print_lines(struct hd_lines *view, const struct hd_report_options *options, FILE *out,
                                      FILE *errors) {
  if (options->markdown) {
    hd_report_markdown(view, options, out);
    return HD_REPORT_MADE;
  }
  if (options->question == HD_ASK_WITH)
    return hd_report_overlap(view, options, out, errors);
  line_views[options->question][options->csv](view, options, out);
  return HD_REPORT_MADE;
}

static enum hd_report_end focus(struct hd_model *model, const char *expression, FILE *errors) {
  uint32_t count = 0;
  bool *meant = hd_site_regex_nodes(model, expression, &count);
  hd_callpath_filter(model, meant);
  free(meant);
  if (count == 0)
    hd_site_regex_complain(model, expression, errors);
  return count == 0 ? HD_REPORT_REFUSED : HD_REPORT_MADE;
}

enum hd_report_end hd_report_narrow(struct hd_model *model, const struct hd_report_options *options, FILE *errors) {
  const enum hd_report_end end = options->focus ? focus(model, options->focus, errors) : HD_REPORT_MADE;
  if (end == HD_REPORT_MADE)
    hd_callpath_truncate(model, options->depth);
  return end;
}

static enum hd_report_end print_graph(const struct hd_graph *graph, const struct hd_report_options *options, FILE *out,
                                      FILE *errors) {
  if (options->question == HD_ASK_CALLERS)
    return hd_report_callers(graph, options, out, errors);
  if (options->question == HD_ASK_FLAT)
    hd_report_flat(graph, options, out);
  else
    hd_report_callgraph(graph, options, out);
  return HD_REPORT_MADE;
}

static enum hd_report_end print_routines(const struct hd_model *model, const struct hd_report_options *options,
                                         FILE *out, FILE *errors) {
  if (options->question == HD_ASK_TREE) {
    hd_report_tree(model, options, out);
    return HD_REPORT_MADE;
  }
  struct hd_graph *graph = hd_graph_new(model, options->sort);
  const enum hd_report_end end = print_graph(graph, options, out, errors);
  hd_graph_free(graph);
  return end;
}

static enum hd_report_end print_view(const struct hd_model *model, const struct hd_report_options *options, FILE *out,
                                     FILE *errors) {
  if (options->question >= HD_ASK_FLAT)
    return print_routines(model, options, out, errors);
  const bool levels_needed = options->question == HD_ASK_AT_LEVEL || options->question == HD_ASK_WITH;
  if (levels_needed && !model->levels_known) {
    fprintf(errors,
            "heddle: %s: this profile has no record of how many threads were busy: it is of an earlier version, or was "
            "killed at start\n",
            model->path);
    return HD_REPORT_REFUSED;
  }
  struct hd_lines *view = hd_lines_new(model, options->sort, HD_LINES_CONSTRUCTS);
  const enum hd_report_end end = print_lines(view, options, out, errors);
  hd_lines_free(view);
  return end;
}

/* They stand in the whole heading, else at the end: what could not be measured is said in any case. */
static void print_notes(const struct hd_model *model, const struct hd_report_options *options, FILE *out) {
  const bool has_heading = options->question != HD_ASK_AT_LEVEL && options->question != HD_ASK_WITH;
  if (options->csv || options->markdown || options->verbose || !has_heading ||
      (model->notes.count == 0 && model->levels_known))
    return;
  fputc('\n', out);
  hd_report_notes(model, SIZE_MAX, out);
}

enum hd_report_end hd_report_print(const struct hd_model *model, const struct hd_report_options *options, FILE *out,
                                   FILE *errors) {
  const enum hd_report_end end = print_view(model, options, out, errors);
  if (end == HD_REPORT_MADE)
    print_notes(model, options, out);
  return end;
}

static void summarize_routines(const struct hd_model *model, FILE *out) {
  struct hd_graph *graph = hd_graph_new(model, HD_SORT_SELF);
  hd_report_flat_brief(graph, SUMMARY_ROUTINES, out);
  hd_graph_free(graph);
}

void hd_report_summary(const struct hd_model *model, FILE *out) {
  struct hd_lines *view = hd_lines_new(model, HD_SORT_GAIN, HD_LINES_CONSTRUCTS);
  hd_report_warning(model, out);
  const size_t findings = hd_explain_brief(model, false, out);
  hd_report_run(model, HD_HEADING_OF_RUN, out);
  if (!hd_report_has_regions(model))
    summarize_routines(model, out);
  const uint32_t left = hd_lines_select(view, HD_SORT_GAIN, SUMMARY_REGIONS - findings, true);
  hd_report_regions(view, NULL, out);
  if (left > 0)
    fprintf(out, "%u more region%s not shown.\n", left, left == 1 ? " is" : "s are");
  hd_lines_free(view);
}
