/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file callers.c
 * The inverted tree: from routines or constructs up to all that called them, with what came by each way.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/site_regex.h"
#include "output/views/render/column_names.h"
#include "output/views/report/listing.h"
#include "output/views/report/report_internal.h"

/* One way: an entry, then its caller, and so on. */
struct way {
  uint32_t entry; /* the outermost so far */
  uint32_t below; /* the way without it; HD_NONE: it is what was asked for */
  uint32_t first_child, sibling;
  uint32_t row; /* HD_NONE: it is not shown */
  struct libscols_line *line;
  uint64_t self_ticks, inclusive_ticks;
  double wall_ticks;
  enum hd_kind kind;
  uint64_t visits, visits_concurrent;
  bool measured;
};

struct tree {
  const struct hd_graph *graph;
  bool *wanted; /* by entry */
  struct way *ways;
  uint32_t count, limit;
  uint32_t first_root;
  uint32_t *top; /* by entry: the outermost node on the walk's path; HD_NONE: none */
  bool full;     /* no memory, or too_many */
  bool too_many;
  enum hd_sort sort;
};

/* ---- the ways ---- */

static uint32_t *children_of(struct tree *tree, uint32_t below) {
  return below == HD_NONE ? &tree->first_root : &tree->ways[below].first_child;
}

/* The ways of all callpaths are as many as these are deep: of a chain of routines half its length squared. */
enum { WAYS_LEAST = 1 << 16, WAYS_EACH = 128 /* for each callpath */ };

static bool has_too_many(const struct tree *tree) {
  return tree->count >= WAYS_LEAST + (uint64_t)tree->graph->model->node_count * WAYS_EACH;
}

/* HD_NONE: no memory, or too many. */
static uint32_t find_way(struct tree *tree, uint32_t below, uint32_t entry) {
  uint32_t at = *children_of(tree, below);
  while (at != HD_NONE && tree->ways[at].entry != entry)
    at = tree->ways[at].sibling;
  if (at != HD_NONE)
    return at;
  if (has_too_many(tree)) {
    tree->too_many = true;
    return HD_NONE;
  }
  if (tree->count == tree->limit) {
    const uint32_t limit = tree->limit ? 2 * tree->limit : 64;
    struct way *ways = realloc(tree->ways, limit * sizeof *ways);
    if (!ways)
      return HD_NONE;
    tree->ways = ways;
    tree->limit = limit;
  }
  uint32_t *first = children_of(tree, below);
  tree->ways[tree->count] =
      (struct way){.entry = entry, .below = below, .first_child = HD_NONE, .sibling = *first, .row = HD_NONE};
  *first = tree->count;
  return tree->count++;
}

enum what { ADD_TIMES = 1, ADD_CALLS = 2 };

/* Adds what `from` has to all ways of the callpath that ends in node `at`. */
static void add_way(struct tree *tree, uint32_t at, const struct hd_node *from, bool outermost, enum what what) {
  const struct hd_graph *graph = tree->graph;
  const struct hd_node *nodes = graph->model->nodes;
  uint32_t way = HD_NONE;
  for (;;) {
    way = find_way(tree, way, graph->entry_of_node[at]);
    if (way == HD_NONE) {
      tree->full = true;
      return;
    }
    struct way *to = &tree->ways[way];
    if (what & ADD_TIMES) {
      to->self_ticks += from->ticks[HD_BUSY];
      to->inclusive_ticks += outermost ? from->inclusive_ticks[HD_BUSY] : 0;
      to->wall_ticks += outermost ? from->wall_share_inclusive_ticks : 0;
    }
    if (what & ADD_CALLS) {
      to->measured |= hd_node_is_measured(from);
      to->kind = from->kind;
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
  if (!tree->wanted[entry] || tree->full)
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

static int compare_ways(const struct tree *tree, uint32_t a, uint32_t b) {
  const struct way *left = &tree->ways[a], *right = &tree->ways[b];
  const double of_left = key_of(left, tree->sort), of_right = key_of(right, tree->sort);
  const struct hd_graph_entry *entries = tree->graph->entries;
  if (tree->sort != HD_SORT_NAME && of_left != of_right)
    return of_left > of_right ? -1 : 1;
  if (tree->sort != HD_SORT_NAME && left->visits != right->visits)
    return left->visits > right->visits ? -1 : 1;
  return hd_graph_compare(&entries[left->entry], &entries[right->entry], HD_SORT_NAME);
}

static int compare_indices(const void *a, const void *b, void *context) {
  return compare_ways(context, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* Links the ways below one anew, sorted. `room` has space for all of them. */
static void sort_children(struct tree *tree, uint32_t below, uint32_t *room) {
  uint32_t count = 0;
  for (uint32_t at = *children_of(tree, below); at != HD_NONE; at = tree->ways[at].sibling)
    room[count++] = at;
  qsort_r(room, count, sizeof *room, compare_indices, tree);
  uint32_t *link = children_of(tree, below);
  for (uint32_t i = 0; i < count; i++) {
    *link = room[i];
    link = &tree->ways[room[i]].sibling;
  }
  *link = HD_NONE;
}

static bool sort_ways(struct tree *tree) {
  uint32_t *room = calloc((size_t)tree->count + 1, sizeof *room);
  if (!room)
    return false;
  sort_children(tree, HD_NONE, room);
  for (uint32_t i = 0; i < tree->count; i++)
    sort_children(tree, i, room);
  free(room);
  return true;
}

/* The next way, depth first; HD_NONE: that was the last. */
static uint32_t next_way(const struct tree *tree, uint32_t at) {
  if (tree->ways[at].first_child != HD_NONE)
    return tree->ways[at].first_child;
  while (at != HD_NONE && tree->ways[at].sibling == HD_NONE)
    at = tree->ways[at].below;
  return at == HD_NONE ? HD_NONE : tree->ways[at].sibling;
}

/* Marks the `limit` foremost ways, never one without that below it: row 0 is not yet a number. */
static bool choose(struct tree *tree, unsigned long limit) {
  uint32_t *frontier = calloc((size_t)tree->count + 1, sizeof *frontier);
  uint32_t count = 0, chosen = 0;
  if (!frontier)
    return false;
  for (uint32_t at = tree->first_root; at != HD_NONE; at = tree->ways[at].sibling)
    frontier[count++] = at;
  while (count > 0 && (limit == 0 || chosen < limit)) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < count && limit != 0; i++)
      if (compare_ways(tree, frontier[i], frontier[best]) < 0)
        best = i;
    const uint32_t way = frontier[best];
    frontier[best] = frontier[--count];
    tree->ways[way].row = chosen++;
    for (uint32_t at = tree->ways[way].first_child; at != HD_NONE; at = tree->ways[at].sibling)
      frontier[count++] = at;
  }
  free(frontier);
  return true;
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
  values[CALLS] = hd_visits(model, way->kind, way->visits, way->measured);
  values[CALLS_CONCURRENT] = hd_visits(model, way->kind, way->visits_concurrent, way->measured && model->entries_known);
  values[WALL] = hd_ticks(model, way->wall_ticks, model->levels_known);
  values[WALL_SHARE] = hd_share(way->wall_ticks, (double)model->elapsed_ticks, model->levels_known);
}

static uint64_t largest_root(const struct tree *tree) {
  uint64_t largest = 0;
  for (uint32_t at = tree->first_root; at != HD_NONE; at = tree->ways[at].sibling)
    largest = tree->ways[at].inclusive_ticks > largest ? tree->ways[at].inclusive_ticks : largest;
  return largest;
}

static bool put_rows(struct tree *tree, struct hd_listing *listing) {
  uint32_t count = 0, left = 0;
  hd_listing_begin(listing, "row,parent,", "Callee, then its callers", true);
  for (uint32_t at = tree->first_root; at != HD_NONE; at = next_way(tree, at)) {
    struct way *way = &tree->ways[at];
    const struct way *below = way->below == HD_NONE ? NULL : &tree->ways[way->below];
    struct hd_value values[COLUMNS] = {0};
    if (way->row == HD_NONE) {
      left++;
      continue;
    }
    struct hd_listed row = hd_listed_entry(tree->graph, way->entry);
    row.parent = below ? below->line : NULL;
    way->row = ++count;
    snprintf(row.first, sizeof row.first, "%u,%u,", way->row, below ? below->row : 0);
    hd_entry_text(row.place, tree->graph, way->entry, false);
    fill(values, tree, way);
    way->line = hd_listing_put(listing, &row, values);
  }
  return hd_listing_end(listing, left);
}

static bool print(struct tree *tree, const struct hd_report_options *options, FILE *out) {
  const struct hd_graph *graph = tree->graph;
  const struct hd_unit unit = hd_unit_for(hd_model_seconds(graph->model, largest_root(tree)));
  struct hd_listing listing = {
      .model = graph->model, .columns = {table, COLUMNS, 0, unit}, .csv = options->csv, .out = out, .titled = true};
  if (options->csv)
    return put_rows(tree, &listing);
  hd_report_heading(graph->model, false, out);
  hd_report_scope(graph->model, options, out);
  fprintf(out, "\nCallers of '%s': below each match its callers, and so on. Times in %s.\n", options->callers,
          unit.name);
  const bool done = put_rows(tree, &listing);
  fputs("\nAll numbers are the match's that came by this way, summed over threads.\n", out);
  hd_columns_legend(&listing.columns, "'-': not measured.", out);
  hd_report_visits_mark(graph->model, out);
  hd_report_routine_hint(graph->has_routines, graph->has_measured_routines, graph->model, out);
  return done;
}

/* ---- all of it ---- */

/* The entries that match, and their ways. */
static bool make(struct tree *tree, const bool *meant) {
  const struct hd_graph *graph = tree->graph;
  tree->wanted = calloc(graph->entry_count, sizeof *tree->wanted);
  tree->top = calloc(graph->entry_count, sizeof *tree->top);
  if (!tree->wanted || !tree->top)
    return false;
  for (uint32_t i = 0; i < graph->model->node_count; i++)
    if (meant[i] && graph->entry_of_node[i] != HD_NONE)
      tree->wanted[graph->entry_of_node[i]] = true;
  for (uint32_t i = 0; i < graph->entry_count; i++)
    tree->top[i] = HD_NONE;
  hd_graph_walk(graph->model, enter, leave, tree);
  return !tree->full && sort_ways(tree);
}

enum hd_report_end hd_report_callers(const struct hd_graph *graph, const struct hd_report_options *options, FILE *out,
                                     FILE *errors) {
  struct tree tree = {.graph = graph, .first_root = HD_NONE, .sort = options->sort};
  uint32_t matches = 0;
  bool *meant = hd_match_nodes(graph->model, options->callers, &matches);
  bool done = meant && make(&tree, meant);
  const bool nothing = (done && tree.count == 0) || tree.too_many;
  if (tree.too_many)
    fprintf(errors, "heddle: %s: too many callers of '%s'; --depth K shortens their callpaths\n", graph->model->path,
            options->callers);
  else if (nothing)
    hd_match_complain(graph->model, options->callers, errors);
  else if (done)
    done = choose(&tree, options->limit) && print(&tree, options, out);
  free(meant);
  free(tree.wanted);
  free(tree.top);
  free(tree.ways);
  return nothing ? HD_REPORT_REFUSED : done ? HD_REPORT_MADE : HD_REPORT_NO_MEMORY;
}
