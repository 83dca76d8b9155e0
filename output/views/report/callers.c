/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file callers.c
 * The inverted tree: from routines or constructs up to all that called them, with what came by each way.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "output/analysis/callpaths/site_regex.h"
#include "output/views/render/column_names.h"
#include "output/views/report/listing.h"
#include "output/views/report/report_internal.h"
#include "support/command/memory.h"

/* One way: an entry, then its caller, and so on. */
struct way {
  uint32_t entry;              /* the outermost so far */
  struct way *below;           /* the way without it; NULL: it is what was asked for */
  struct way *children, *next; /* the way with a caller more; another of the same length */
  struct way *made;            /* all ways in a chain, to be freed */
  const struct tree *tree;
  uint32_t row; /* 0: it is not shown */
  struct libscols_line *line;
  uint64_t self_ticks, inclusive_ticks;
  double wall_ticks;
  uint32_t marks; /* enum hd_mark */
  uint64_t visits, visits_concurrent;
  bool measured;
};

struct tree {
  const struct hd_graph *graph;
  bool *wanted; /* by entry */
  struct way *roots, *made;
  uint32_t count;
  uint32_t *top; /* by entry: the outermost node on the walk's path; HD_NONE: none */
  bool too_many;
  enum hd_sort sort;
};

/* ---- the ways ---- */

/* The ways of all callpaths are as many as these are deep: of a chain of routines half its length squared. */
enum { WAYS_LEAST = 1 << 16, WAYS_EACH = 128 /* for each callpath */ };

/* NULL: there are too many. */
static struct way *find_way(struct tree *tree, struct way *below, uint32_t entry) {
  struct way **first = below ? &below->children : &tree->roots, *way;
  LL_SEARCH_SCALAR(*first, way, entry, entry);
  if (way)
    return way;
  tree->too_many = tree->count >= WAYS_LEAST + (uint64_t)tree->graph->model->node_count * WAYS_EACH;
  if (tree->too_many)
    return NULL;
  way = hd_new(1, sizeof *way);
  *way = (struct way){.entry = entry, .below = below, .tree = tree};
  LL_PREPEND(*first, way);
  LL_PREPEND2(tree->made, way, made);
  tree->count++;
  return way;
}

enum what { ADD_TIMES = 1, ADD_CALLS = 2 };

/* Adds what `from` has to all ways of the callpath that ends in node `at`. */
static void add_way(struct tree *tree, uint32_t at, const struct hd_node *from, bool outermost, enum what what) {
  const struct hd_graph *graph = tree->graph;
  const struct hd_node *nodes = graph->model->nodes;
  struct way *to = NULL;
  for (;;) {
    to = find_way(tree, to, graph->entry_of_node[at]);
    if (!to)
      return;
    to->marks |= from->marks[HD_MARKS_OF_CALLPATHS];
    if (what & ADD_TIMES) {
      to->self_ticks += from->ticks[HD_BUSY];
      to->inclusive_ticks += outermost ? from->inclusive_ticks[HD_BUSY] : 0;
      to->wall_ticks += outermost ? from->wall_share_inclusive_ticks : 0;
    }
    if (what & ADD_CALLS) {
      to->measured |= hd_node_is_measured(from);
      to->visits += from->visits;
      to->visits_concurrent += from->visits_concurrent;
    }
    if (at == 0)
      return;
    at = nodes[at].parent;
  }
}

/* In recursion the time counts to the way of the outermost entry, each call to its own. */
static void enter(void *context, uint32_t id) {
  struct tree *tree = context;
  const struct hd_graph *graph = tree->graph;
  const struct hd_node *node = &graph->model->nodes[id];
  const uint32_t entry = graph->entry_of_node[id];
  if (!tree->wanted[entry] || tree->too_many)
    return;
  if (tree->top[entry] == HD_NONE)
    tree->top[entry] = id;
  add_way(tree, tree->top[entry], node, graph->outermost[id], ADD_TIMES);
  add_way(tree, id, node, false, ADD_CALLS);
}

static void leave(void *context, uint32_t id) {
  struct tree *tree = context;
  uint32_t *top = &tree->top[tree->graph->entry_of_node[id]];
  if (*top == id)
    *top = HD_NONE;
}

/* ---- in order ---- */

static double key_of(const struct way *way, enum hd_sort sort) {
  if (sort == HD_SORT_CALLS)
    return (double)way->visits;
  if (sort == HD_SORT_WALL)
    return way->wall_ticks;
  return (double)(sort == HD_SORT_SELF ? way->self_ticks : way->inclusive_ticks);
}

static int compare_ways(const struct way *left, const struct way *right) {
  const enum hd_sort sort = left->tree->sort;
  const struct hd_graph *graph = left->tree->graph;
  const double of_left = key_of(left, sort), of_right = key_of(right, sort);
  if (sort != HD_SORT_NAME && of_left != of_right)
    return of_left > of_right ? -1 : 1;
  if (sort != HD_SORT_NAME && left->visits != right->visits)
    return left->visits > right->visits ? -1 : 1;
  return hd_graph_compare(&graph->entries[left->entry], &graph->entries[right->entry], HD_SORT_NAME);
}

/* The next way, depth first; NULL: that was the last. */
static struct way *next_way(const struct way *at) {
  if (at->children)
    return at->children;
  while (at && !at->next)
    at = at->below;
  return at ? at->next : NULL;
}

static void sort_ways(struct tree *tree) {
  LL_SORT(tree->roots, compare_ways);
  for (struct way *at = tree->roots; at; at = next_way(at))
    LL_SORT(at->children, compare_ways);
}

/* Marks the `limit` foremost ways, never one without that below it. */
static void choose(struct tree *tree, unsigned long limit) {
  struct way **frontier = hd_new(tree->count, sizeof *frontier), *at;
  uint32_t count = 0, chosen = 0;
  LL_FOREACH(tree->roots, at) frontier[count++] = at;
  while (count > 0 && (limit == 0 || chosen < limit)) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < count && limit != 0; i++)
      if (compare_ways(frontier[i], frontier[best]) < 0)
        best = i;
    struct way *way = frontier[best];
    frontier[best] = frontier[--count];
    way->row = ++chosen;
    LL_FOREACH(way->children, at) frontier[count++] = at;
  }
  free(frontier);
}

/* ---- on paper ---- */

enum { INCLUSIVE, SELF, CALLS, CALLS_CONCURRENT, WALL, WALL_SHARE, INCLUSIVE_SHARE, COLUMNS };

static const struct hd_column table[COLUMNS] = {
    [INCLUSIVE] = HD_COLUMN(INCLUSIVE, 2, 0, "busy time with all that it called, counted once in recursion"),
    [SELF] = HD_COLUMN(SELF, 3, 0, "in it alone"),
    [CALLS] = HD_COLUMN(CALLS, 4, 0, "\nof the match along this path"),
    [CALLS_CONCURRENT] = HD_COLUMN(CALLS_CONCURRENT, 5, 5, "calls while another thread was busy"),
    [WALL] = HD_COLUMN(WALL_INCLUSIVE, 0, 0, "\nWall% in seconds"),
    [WALL_SHARE] = HD_COLUMN(WALL_SHARE, 6, 3, "part of the run, threads that are busy at once share the time"),
    [INCLUSIVE_SHARE] = {NULL, "Incl%", HD_SHARE, 1, 2, "\nIncl as part of all busy time"},
};

const struct hd_report_columns hd_report_callers_columns = {"callers", table, COLUMNS, -1};

static void fill(struct hd_value values[COLUMNS], const struct tree *tree, const struct way *way) {
  const struct hd_model *model = tree->graph->model;
  values[INCLUSIVE] = hd_ticks(model, (double)way->inclusive_ticks, true);
  values[INCLUSIVE_SHARE] = hd_share((double)way->inclusive_ticks, (double)tree->graph->busy_ticks, true);
  values[SELF] = hd_ticks(model, (double)way->self_ticks, way->measured);
  values[CALLS] = hd_count(way->visits, way->measured);
  values[CALLS_CONCURRENT] = hd_count(way->visits_concurrent, way->measured && model->entries_known);
  values[WALL] = hd_ticks(model, way->wall_ticks, model->levels_known);
  values[WALL_SHARE] = hd_share(way->wall_ticks, (double)model->elapsed_ticks, model->levels_known);
}

static void mark(struct hd_value values[COLUMNS], uint32_t marks) {
  values[INCLUSIVE].mark = values[INCLUSIVE_SHARE].mark = hd_bounds_text(hd_bounds_of_busy(marks));
  values[SELF].mark = hd_bounds_text(hd_bounds_of_own(marks));
  values[CALLS].mark = hd_bounds_text(hd_bounds_of_visits(marks));
  values[CALLS_CONCURRENT].mark = hd_bounds_text(hd_bounds_of_concurrent(marks));
  values[WALL_SHARE].mark = hd_bounds_text(hd_bounds_of_levels(marks));
}

static uint64_t largest_root(const struct tree *tree) {
  uint64_t largest = 0;
  const struct way *at;
  LL_FOREACH(tree->roots, at) largest = at->inclusive_ticks > largest ? at->inclusive_ticks : largest;
  return largest;
}

static void put_rows(struct tree *tree, struct hd_listing *listing) {
  uint32_t count = 0, left = 0;
  hd_listing_begin(listing, "row,parent,", "Callee, then its callers", true);
  for (struct way *way = tree->roots; way; way = next_way(way)) {
    struct hd_value values[COLUMNS] = {0};
    if (way->row == 0) {
      left++;
      continue;
    }
    struct hd_listed row = hd_listed_entry(tree->graph, way->entry);
    row.marks = way->marks;
    row.parent = way->below ? way->below->line : NULL;
    way->row = ++count;
    snprintf(row.first, sizeof row.first, "%u,%u,", way->row, way->below ? way->below->row : 0);
    hd_entry_text(row.place, tree->graph, way->entry, false);
    fill(values, tree, way);
    mark(values, way->marks);
    way->line = hd_listing_put(listing, &row, values);
  }
  hd_listing_end(listing, left);
}

static void print(struct tree *tree, const struct hd_report_options *options, FILE *out) {
  const struct hd_graph *graph = tree->graph;
  const struct hd_unit unit = hd_unit_for(hd_model_seconds(graph->model, largest_root(tree)));
  struct hd_listing listing = {.model = graph->model,
                               .columns = {table, COLUMNS, 0, unit},
                               .csv = options->csv,
                               .asked = options,
                               .out = out,
                               .titled = true};
  if (options->csv) {
    put_rows(tree, &listing);
    return;
  }
  hd_report_heading(graph->model, hd_heading_of(options), out);
  hd_report_scope(graph->model, options, out);
  hd_print_sentences(out, "\nCallers of '%s': below each match its callers, and so on. Times in %s.", options->callers,
                     unit.name);
  put_rows(tree, &listing);
  fputs("\nAll numbers are the match's that came by this way, summed over threads.\n", out);
  hd_columns_legend(&listing.columns, "'-': not measured.", out);
  hd_report_visits_mark(graph->model, out);
  hd_report_routine_hint(graph->has_routines, graph->has_measured_routines, graph->model, out);
}

/* ---- all of it ---- */

/* The entries that match, and their ways. */
static void make(struct tree *tree, const bool *meant) {
  const struct hd_graph *graph = tree->graph;
  tree->wanted = hd_new(graph->entry_count, sizeof *tree->wanted);
  tree->top = hd_new(graph->entry_count, sizeof *tree->top);
  for (uint32_t i = 0; i < graph->model->node_count; i++)
    if (meant[i] && graph->entry_of_node[i] != HD_NONE)
      tree->wanted[graph->entry_of_node[i]] = true;
  for (uint32_t i = 0; i < graph->entry_count; i++)
    tree->top[i] = HD_NONE;
  hd_graph_walk(graph->model, enter, leave, tree);
  sort_ways(tree);
  free(tree->wanted);
  free(tree->top);
}

enum hd_report_end hd_report_callers(const struct hd_graph *graph, const struct hd_report_options *options, FILE *out,
                                     FILE *errors) {
  struct tree tree = {.graph = graph, .sort = options->sort};
  uint32_t matches = 0;
  bool *meant = hd_site_regex_nodes(graph->model, options->callers, &matches);
  make(&tree, meant);
  const bool refused = tree.too_many || tree.count == 0;
  if (tree.too_many)
    fprintf(errors, "heddle: %s: too many callers of '%s'; --depth K shortens their callpaths\n", graph->model->path,
            options->callers);
  else if (refused)
    hd_site_regex_complain(graph->model, options->callers, errors);
  else {
    choose(&tree, hd_limit_of(options));
    print(&tree, options, out);
  }
  free(meant);
  for (struct way *way = tree.made; way; way = tree.made) {
    tree.made = way->made;
    free(way);
  }
  return refused ? HD_REPORT_REFUSED : HD_REPORT_MADE;
}
