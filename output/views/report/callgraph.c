/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file callgraph.c
 * The call graph in gprof's blocks: parents above an entry, what it called below. All times were measured.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/lines/line_counts.h"
#include "output/views/render/column_names.h"
#include "output/views/report/callgraph.h"
#include "output/views/report/listing.h"
#include "support/command/memory.h"

enum {
  CYCLE,
  SELF,
  INCLUSIVE,
  CALLS,
  CALLS_RECURSIVE,
  CALLS_CONCURRENT,
  CASES, /* calls and elapsed time of each */
  INDEX = CASES + 2 * HD_ENTRY_STATES * HD_ENTRY_STATES,
  SHARE,
  BELOW,
  SEQUENTIAL,
  COLUMNS
};

#define CASE(caller, own) (CASES + 2 * (HD_ENTRY_STATES * (caller) + (own)))

static const struct hd_column table[COLUMNS] = {
    [CYCLE] = {"cycle", NULL, HD_COUNT, 0, 0, "\nthe number of the cycle that it belongs to"},
    [SELF] = HD_COLUMN(SELF, 3, 0, "\nbusy time in the entry, or of it in the row's caller or callee"),
    [INCLUSIVE] = {"inclusive_s", NULL, HD_SECONDS, 0, 0, "\nSelf and Below"},
    [CALLS] = HD_COLUMN(CALLS, 5, 0, "\nof the entry; of a caller or callee: along this arc / all"),
    [CALLS_RECURSIVE] = {"calls_recursive", NULL, HD_COUNT, 0, 0, "\ncalls by itself"},
    [CALLS_CONCURRENT] = {"calls_concurrent", "Conc", HD_COUNT, 7, 2, "\ncalls while another thread was busy"},
    [CASE(0, 0)] = {"calls_s_s", NULL, HD_COUNT, 0, 0,
                    "\nsequential calls; their caller was entered sequentially, too"},
    [CASE(0, 0) + 1] = {"elapsed_s_s_s", NULL, HD_SECONDS, 0, 0, "\ntheir time from entry to exit"},
    [CASE(0, 1)] = {"calls_s_c", NULL, HD_COUNT, 0, 0, "\nconcurrent calls by callers that were entered sequentially"},
    [CASE(0, 1) + 1] = {"elapsed_s_c_s", NULL, HD_SECONDS, 0, 0, "\ntheir time from entry to exit"},
    [CASE(1, 0)] = {"calls_c_s", NULL, HD_COUNT, 0, 0, "\nsequential calls by callers that were entered concurrently"},
    [CASE(1, 0) + 1] = {"elapsed_c_s_s", NULL, HD_SECONDS, 0, 0, "\ntheir time from entry to exit"},
    [CASE(1, 1)] = {"calls_c_c", NULL, HD_COUNT, 0, 0,
                    "\nconcurrent calls; their caller was entered concurrently, too"},
    [CASE(1, 1) + 1] = {"elapsed_c_c_s", NULL, HD_SECONDS, 0, 0, "\ntheir time from entry to exit"},
    [INDEX] = {NULL, HD_CALLGRAPH_INDEX, HD_TEXT, 1, 0, "\nthe entry's number"},
    [SHARE] = {NULL, "Time%", HD_SHARE, 2, 1, "\nSelf and Below as part of all busy time"},
    [BELOW] = {NULL, "Below", HD_SECONDS, 4, 0, "\nbusy time in what it called"},
    [SEQUENTIAL] = {NULL, "Seq", HD_COUNT, 6, 2, "\ncalls while no other thread was busy"},
};

const struct hd_report_columns hd_report_callgraph_columns = {"callgraph", table, COLUMNS, -1};

struct blocks {
  const struct hd_graph *graph;
  struct hd_graph_lists lists;
  struct hd_graph_counts counts;
  struct hd_listing listing;
  struct hd_graph_block *order; /* all blocks, in the order in which they are shown */
  bool focused;
};

static void put_row(struct blocks *blocks, enum hd_callgraph_row kind, const struct hd_listed *row,
                    const struct hd_value values[COLUMNS]) {
  static enum hd_callgraph_row kinds[] = {HD_CALLGRAPH_PRIMARY, HD_CALLGRAPH_ARC, HD_CALLGRAPH_TEXT, HD_CALLGRAPH_RULE};
  struct libscols_line *line = hd_listing_put(&blocks->listing, row, values);
  if (line) /* text */
    scols_line_set_userdata(line, &kinds[kind]);
}

/* Of lines that have words only, and of arcs what an entry alone has. */
static void leave_blank(struct hd_value values[COLUMNS]) {
  for (int i = 0; i < COLUMNS; i++)
    values[i] = (struct hd_value){.blank = true};
}

static void fill_times(struct hd_value values[COLUMNS], const struct blocks *blocks, uint64_t self, uint64_t inclusive,
                       uint32_t marks, bool measured) {
  const struct hd_model *model = blocks->graph->model;
  values[SELF] = hd_bounded(hd_ticks(model, (double)self, measured), hd_bounds_of_own(marks));
  values[INCLUSIVE] = hd_ticks(model, (double)inclusive, true);
  values[BELOW] =
      hd_bounded(hd_ticks(model, inclusive > self ? (double)(inclusive - self) : 0, true), hd_bounds_of_below(marks));
}

/* Of what was entered: all its counts are at least so large when some entries were not observed. */
static void fill_states(struct hd_value values[COLUMNS], const struct blocks *blocks, uint32_t marks, uint64_t visits,
                        uint64_t concurrent, bool measured) {
  const bool known = measured && blocks->graph->model->entries_known;
  const uint64_t sequential = visits > concurrent ? visits - concurrent : 0;
  values[SEQUENTIAL] = hd_bounded(hd_count(sequential, known), hd_bounds_of_sequential(marks));
  values[CALLS_CONCURRENT] = hd_bounded(hd_count(concurrent, known), hd_bounds_of_concurrent(marks));
}

/* "3/10", "10+4"; without the second part when it says nothing. `calls` are in the comma-separated values. */
static void fill_calls(struct hd_value values[COLUMNS], uint32_t marks, uint64_t calls, uint64_t first, char sign,
                       uint64_t second, bool known) {
  values[CALLS] = hd_bounded(hd_count(calls, known), hd_bounds_of_visits(marks));
  if (known && (sign != '+' || second != 0))
    snprintf(values[CALLS].text, HD_CELL_BYTES, "%llu%c%llu", (unsigned long long)first, sign,
             (unsigned long long)second);
  else if (known)
    snprintf(values[CALLS].text, HD_CELL_BYTES, "%llu", (unsigned long long)first);
}

/* ---- the rows of a block ---- */

/* What came by an arc: `calls` of the `all` that are no direct recursion. */
struct passage {
  uint32_t marks; /* enum hd_mark */
  bool measured;
  uint64_t self_ticks, inclusive_ticks;
  uint64_t calls, all, concurrent;
};

/* Named after an entry. Without times there are counts only. */
static void put_passage(struct blocks *blocks, struct hd_listed *row, const struct passage *from, uint32_t named,
                        bool timed) {
  const struct hd_graph_entry *entry = &blocks->graph->entries[named];
  struct hd_value values[COLUMNS];
  leave_blank(values);
  values[CYCLE] = hd_count(entry->cycle, entry->cycle != 0);
  values[CALLS] = hd_bounded(hd_count(from->calls, from->measured), hd_bounds_of_visits(from->marks));
  if (timed) {
    fill_times(values, blocks, from->self_ticks, from->inclusive_ticks, from->marks, from->measured);
    fill_calls(values, from->marks, from->calls, from->calls, '/', from->all, from->measured);
  }
  fill_states(values, blocks, from->marks, from->calls, from->concurrent, from->measured);
  hd_entry_text(row->place, blocks->graph, named, true);
  put_row(blocks, HD_CALLGRAPH_ARC, row, values);
}

/* An arc of an entry's block, named after its caller or its callee. Between members of a cycle there are counts only:
 * its times are those of the cycle as a whole. */
static void add_arc(struct blocks *blocks, uint32_t index, bool caller) {
  const struct hd_graph *graph = blocks->graph;
  const struct hd_graph_arc *arc = &graph->arcs[index];
  const struct hd_graph_entry *child = &graph->entries[arc->child];
  const uint32_t named = caller ? arc->parent : arc->child, block = caller ? arc->child : arc->parent;
  const bool timed = !hd_graph_is_inner(graph, arc);
  const struct passage passage = {arc->marks,
                                  arc->measured,
                                  arc->times.self_ticks,
                                  arc->times.inclusive_ticks,
                                  arc->visits,
                                  child->visits - child->self_visits,
                                  arc->visits_concurrent};
  struct hd_listed row = hd_listed_entry(graph, named);
  snprintf(row.first, sizeof row.first, "%s,%u,%u,", caller ? "caller" : "callee", graph->entries[block].index,
           graph->entries[named].index);
  row.marks = arc->marks; /* its calls are counted */
  row.elapsed_ticks = NAN;
  row.sums[0] = timed && blocks->counts.arcs ? &blocks->counts.arcs[index] : NULL;
  put_passage(blocks, &row, &passage, named, timed);
}

/* cprof's table: how its callers and the entry itself were entered. */
static void add_cases(struct blocks *blocks, const struct hd_graph_entry *entry) {
  static const char *const names[HD_ENTRY_STATES][HD_ENTRY_STATES] = {{"S-S", "S-C"}, {"C-S", "C-C"}};
  const uint64_t(*visits)[HD_ENTRY_STATES] = entry->entries.visits;
  struct hd_value values[COLUMNS];
  struct hd_listed row = {0};
  if (entry->node->kind != HD_KIND_ROUTINE || !blocks->graph->model->entries_known ||
      visits[HD_SEQUENTIAL][HD_CONCURRENT] + visits[HD_CONCURRENT][HD_SEQUENTIAL] +
              visits[HD_CONCURRENT][HD_CONCURRENT] ==
          0)
    return;
  for (int caller = 0; caller < HD_ENTRY_STATES; caller++)
    for (int own = 0; own < HD_ENTRY_STATES; own++) {
      const size_t used = strlen(row.place);
      if (visits[caller][own] > 0)
        snprintf(row.place + used, sizeof row.place - used, "%s%s: %llu, %s", used > 0 ? ";  " : "", names[caller][own],
                 (unsigned long long)visits[caller][own],
                 hd_duration_of(blocks->graph->model, entry->entries.ticks[caller][own]).text);
    }
  leave_blank(values);
  put_row(blocks, HD_CALLGRAPH_TEXT, &row, values);
}

static void fill_cases(struct hd_value values[COLUMNS], const struct hd_model *model,
                       const struct hd_graph_entry *entry, bool stated) {
  const bool known = stated && entry->node->kind == HD_KIND_ROUTINE;
  for (int caller = 0; caller < HD_ENTRY_STATES; caller++)
    for (int own = 0; own < HD_ENTRY_STATES; own++) {
      values[CASE(caller, own)] = hd_count(entry->entries.visits[caller][own], known);
      values[CASE(caller, own) + 1] = hd_ticks(model, (double)entry->entries.ticks[caller][own], known);
    }
}

static void fill_primary(struct hd_value values[COLUMNS], const struct blocks *blocks, uint32_t index) {
  const struct hd_graph *graph = blocks->graph;
  const struct hd_graph_entry *entry = &graph->entries[index];
  const bool entered = entry->measured && index != 0;
  values[INDEX] = (struct hd_value){.known = true};
  snprintf(values[INDEX].text, HD_CELL_BYTES, "[%u]", entry->index);
  values[SHARE] = hd_bounded(hd_share((double)entry->times.inclusive_ticks, (double)graph->busy_ticks, true),
                             hd_bounds_of_busy(entry->marks));
  values[CYCLE] = hd_count(entry->cycle, entry->cycle != 0);
  fill_times(values, blocks, entry->times.self_ticks, entry->times.inclusive_ticks, entry->marks, entry->measured);
  fill_calls(values, entry->marks, entry->visits, entry->visits - entry->self_visits, '+', entry->self_visits, entered);
  values[CALLS_RECURSIVE] = hd_count(entry->self_visits, entered);
  fill_states(values, blocks, entry->marks, entry->visits, entry->visits_concurrent, entered);
  fill_cases(values, graph->model, entry, entered && graph->model->entries_known);
}

static void add_primary(struct blocks *blocks, uint32_t index) {
  const struct hd_graph *graph = blocks->graph;
  const struct hd_graph_entry *entry = &graph->entries[index];
  struct hd_listed row = hd_listed_entry(graph, index);
  struct hd_value values[COLUMNS] = {0};
  snprintf(row.first, sizeof row.first, "entry,%u,%u,", entry->index, entry->index);
  row.sums[0] = blocks->counts.inclusive ? &blocks->counts.inclusive[index] : NULL;
  if (index == 0 && blocks->focused)
    row.elapsed_ticks = NAN;
  fill_primary(values, blocks, index);
  hd_entry_text(row.place, graph, index, true);
  put_row(blocks, HD_CALLGRAPH_PRIMARY, &row, values);
}

/* Text: of the parents, the one that brought most stands next to the entry. */
static void add_entry(struct blocks *blocks, uint32_t entry) {
  const struct hd_graph_lists *lists = &blocks->lists;
  const uint32_t first = lists->parents_first[entry], end = lists->parents_first[entry + 1];
  for (uint32_t i = first; i < end; i++)
    add_arc(blocks, lists->parents[blocks->listing.csv ? i : first + end - 1 - i], true);
  add_primary(blocks, entry);
  if (!blocks->listing.csv)
    add_cases(blocks, &blocks->graph->entries[entry]);
  for (uint32_t i = lists->children_first[entry]; i < lists->children_first[entry + 1]; i++)
    add_arc(blocks, lists->children[i], false);
}

/* ---- cycles ---- */

static void add_cycle_parents(struct blocks *blocks, uint32_t number) {
  struct hd_graph_caller *callers;
  const struct hd_graph_cycle *cycle = &blocks->graph->cycles[number - 1];
  for (uint32_t i = hd_graph_cycle_callers(blocks->graph, number, &callers); i-- > 0;) {
    const struct hd_graph_caller *from = &callers[i];
    const struct passage passage = {cycle->marks, true,          from->self_ticks,       from->inclusive_ticks,
                                    from->visits, cycle->visits, from->visits_concurrent};
    put_passage(blocks, &(struct hd_listed){0}, &passage, from->entry, true);
  }
  free(callers);
}

/* Calls: from other members / all but direct recursion. Seq and Conc are those of the calls from other members. */
static void add_member(struct blocks *blocks, uint32_t index) {
  const struct hd_graph_entry *entry = &blocks->graph->entries[index];
  const struct passage passage = {entry->marks,
                                  entry->measured,
                                  entry->times.self_ticks,
                                  entry->times.inclusive_ticks,
                                  entry->cycle_visits,
                                  entry->visits - entry->self_visits,
                                  entry->cycle_visits_concurrent};
  put_passage(blocks, &(struct hd_listed){0}, &passage, index, true);
}

static void fill_cycle(struct hd_value values[COLUMNS], const struct blocks *blocks, uint32_t number) {
  const struct hd_graph *graph = blocks->graph;
  const struct hd_graph_cycle *cycle = &graph->cycles[number - 1];
  leave_blank(values);
  values[INDEX] = (struct hd_value){.known = true};
  snprintf(values[INDEX].text, HD_CELL_BYTES, "[%u]", cycle->index);
  values[SHARE] = hd_bounded(hd_share((double)cycle->times.inclusive_ticks, (double)graph->busy_ticks, true),
                             hd_bounds_of_busy(cycle->marks));
  values[CYCLE] = hd_count(number, true);
  fill_times(values, blocks, cycle->times.self_ticks, cycle->times.inclusive_ticks, cycle->marks, true);
  fill_calls(values, cycle->marks, cycle->visits, cycle->visits, '+', cycle->internal_visits, true);
  values[CALLS_RECURSIVE] = hd_count(cycle->internal_visits, true);
}

static void add_whole_cycle(struct blocks *blocks, uint32_t number) {
  const struct hd_graph_cycle *cycle = &blocks->graph->cycles[number - 1];
  struct hd_listed row = {.kind = "", .name = "", .marks = cycle->marks, .elapsed_ticks = NAN};
  struct hd_value values[COLUMNS];
  snprintf(row.first, sizeof row.first, "cycle,%u,%u,", cycle->index, cycle->index);
  row.sums[0] = blocks->counts.cycles ? &blocks->counts.cycles[number - 1] : NULL;
  fill_cycle(values, blocks, number);
  snprintf(row.place, sizeof row.place, "<cycle %u as a whole> [%u]", number, cycle->index);
  put_row(blocks, HD_CALLGRAPH_PRIMARY, &row, values);
}

/* Comma-separated values: the cycle alone. */
static void add_cycle(struct blocks *blocks, uint32_t number) {
  const struct hd_graph *graph = blocks->graph;
  if (!blocks->listing.csv)
    add_cycle_parents(blocks, number);
  add_whole_cycle(blocks, number);
  for (uint32_t i = 0; i < graph->block_count && !blocks->listing.csv; i++)
    if (graph->blocks[i].cycle == number && graph->blocks[i].entry != HD_NONE)
      add_member(blocks, graph->blocks[i].entry);
}

/* ---- blocks in order ---- */

struct placed {
  const struct hd_graph_block *block;
  struct hd_value values[COLUMNS]; /* of the entry, or of the cycle */
};

/* Those that a column does not tell apart stand by their numbers. */
static int compare_placed(const void *a, const void *b, void *column) {
  const struct placed *left = a, *right = b;
  const size_t index = (size_t)((const struct hd_column *)column - table);
  const int order = hd_value_compare(column, &left->values[index], &right->values[index]);
  return order != 0 ? order : left->block < right->block ? -1 : 1;
}

/* By a column if one is asked for: callers and callees stay as they are. To be freed. */
static struct hd_graph_block *sorted_blocks(const struct blocks *blocks, const char *column) {
  const struct hd_graph *graph = blocks->graph;
  struct placed *placed = hd_new(graph->block_count, sizeof *placed);
  struct hd_graph_block *order = hd_new(graph->block_count, sizeof *order);
  size_t at = 0;
  while (column && at < COLUMNS && !hd_column_has_name(&table[at], column, strlen(column)))
    at++;
  for (uint32_t i = 0; i < graph->block_count; i++) {
    placed[i] = (struct placed){.block = &graph->blocks[i]};
    if (graph->blocks[i].entry != HD_NONE)
      fill_primary(placed[i].values, blocks, graph->blocks[i].entry);
    else
      fill_cycle(placed[i].values, blocks, graph->blocks[i].cycle);
  }
  if (column && at < COLUMNS)
    qsort_r(placed, graph->block_count, sizeof *placed, compare_placed, (void *)(uintptr_t)&table[at]);
  for (uint32_t i = 0; i < graph->block_count; i++)
    order[i] = *placed[i].block;
  free(placed);
  return order;
}

static void add_blocks(struct blocks *blocks, uint32_t shown) {
  struct hd_value rule[COLUMNS];
  leave_blank(rule);
  hd_listing_begin(&blocks->listing, "role,block,index,", "Entry", false);
  for (uint32_t i = 0; i < shown; i++) {
    if (blocks->order[i].entry != HD_NONE)
      add_entry(blocks, blocks->order[i].entry);
    else
      add_cycle(blocks, blocks->order[i].cycle);
    if (!blocks->listing.csv)
      put_row(blocks, HD_CALLGRAPH_RULE, &(struct hd_listed){0}, rule);
  }
}

/* ---- on paper ---- */

static void print_text(struct blocks *blocks, const struct hd_report_options *options, uint32_t shown, FILE *out) {
  const struct hd_graph *graph = blocks->graph;
  const uint32_t left = graph->block_count - shown;
  hd_report_heading(graph->model, hd_heading_of(options), out);
  hd_report_scope(graph->model, options, out);
  fprintf(out, "\nTimes in %s.\n", blocks->listing.columns.unit.name);
  hd_report_callgraph_rows(&blocks->listing.grid, out);
  hd_count_columns_said_left(&blocks->listing.counted, out);
  if (left > 0)
    fprintf(out, "%u more entr%s not shown; --limit 0 shows all.\n", left, left == 1 ? "y is" : "ies are");
  hd_report_index(graph, blocks->order, shown, out);
  fputc('\n', out);
  hd_report_callgraph_legend(options->focus ? "the busy time in focus" : "all busy time", out);
  hd_report_visits_mark(graph->model, out);
  hd_count_legend(&blocks->listing.counted, "with all that it called", out);
  hd_report_routine_hint(graph->has_routines, graph->has_measured_routines, graph->model, out);
}

void hd_report_callgraph(const struct hd_graph *graph, const struct hd_report_options *options, FILE *out) {
  const struct hd_unit unit = hd_unit_for(hd_model_seconds(graph->model, graph->busy_ticks));
  const uint32_t shown = hd_at_most(graph->block_count, options->limit);
  const struct hd_report_options asked = {.columns = options->columns}; /* sorts its blocks itself */
  struct blocks blocks = {.graph = graph,
                          .listing = {.model = graph->model,
                                      .columns = {table, COLUMNS, 0, unit},
                                      .csv = options->csv,
                                      .asked = &asked,
                                      .out = out,
                                      .counts_of = {" inclusive"}},
                          .focused = options->focus};
  if (!options->csv)
    hd_count_columns_choose(&blocks.listing.counted, graph->model, false);
  blocks.counts = hd_graph_count(graph);
  hd_graph_lists_make(&blocks.lists, graph);
  blocks.order = sorted_blocks(&blocks, options->sort_column);
  add_blocks(&blocks, shown);
  if (!options->csv)
    print_text(&blocks, options, shown, out);
  free(blocks.order);
  hd_graph_counts_free(&blocks.counts);
  hd_graph_lists_free(&blocks.lists);
  hd_table_free(&blocks.listing.grid);
}
