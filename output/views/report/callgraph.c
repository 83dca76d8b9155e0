/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file callgraph.c
 * The call graph in gprof's blocks: parents above an entry, what it called below. All times were measured.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/model/accumulate.h"
#include "output/views/render/count_columns.h"
#include "output/views/report/callgraph.h"

enum row_kind { PRIMARY, ARC, TEXT, RULE };
enum { INDENT = 4, NAME_LEAST = 30, RULE_MOST = 100 };

enum { COLUMN_INDEX, COLUMN_SHARE, COLUMN_SELF, COLUMN_BELOW, COLUMN_CALLS, COLUMN_SEQ, COLUMN_CONC, COLUMNS };

struct blocks {
  const struct hd_graph *graph;
  struct hd_graph_lists lists;
  struct hd_unit unit;
  struct hd_grid grid;
  bool focused;
  struct hd_count_columns columns;
  struct hd_graph_counts counts;
};

struct row {
  enum row_kind kind;
  char cells[COLUMNS][HD_CELL_BYTES];
  const struct hd_count_sum *sum; /* NULL: no cells of counters */
  double elapsed;
  char place[HD_PLACE_BYTES];
};

static void add_columns(struct hd_grid *grid, struct hd_count_columns *columns) {
  hd_grid_column(grid, "Index", 0);
  hd_grid_column(grid, "Time%", 1);
  hd_grid_column(grid, "Self", 0);
  hd_grid_column(grid, "Below", 0);
  hd_grid_column(grid, "Calls", 0);
  hd_grid_column(grid, "Seq", 2);
  hd_grid_column(grid, "Conc", 2);
  hd_count_columns_add(columns, grid);
  hd_grid_place(grid, "Entry", false);
}

static void put_row(struct blocks *blocks, const struct row *row) {
  static enum row_kind kinds[] = {PRIMARY, ARC, TEXT, RULE};
  struct libscols_line *line = hd_grid_row(&blocks->grid, NULL);
  if (!line)
    return;
  scols_line_set_userdata(line, &kinds[row->kind]);
  for (int i = 0; i < COLUMNS; i++)
    hd_grid_cell(&blocks->grid, "%s", row->cells[i]);
  if (row->sum)
    hd_count_cells(&blocks->grid, &blocks->columns, row->sum, row->elapsed);
  hd_grid_at(&blocks->grid, row->place);
}

static void fill_times(struct row *row, const struct blocks *blocks, uint64_t self, uint64_t inclusive, bool measured) {
  const struct hd_model *model = blocks->graph->model;
  const uint64_t below = inclusive > self ? inclusive - self : 0;
  hd_cell_ticks(row->cells[COLUMN_SELF], model, &blocks->unit, self, measured);
  hd_cell_ticks(row->cells[COLUMN_BELOW], model, &blocks->unit, below, true);
}

static void fill_states(struct row *row, const struct blocks *blocks, uint64_t visits, uint64_t concurrent,
                        bool measured) {
  const bool known = measured && blocks->graph->model->entries_known;
  hd_cell_count(row->cells[COLUMN_SEQ], visits > concurrent ? visits - concurrent : 0, known);
  hd_cell_count(row->cells[COLUMN_CONC], concurrent, known);
}

/* What was entered is of this kind. All its counts are at least so large when some entries were not observed. */
static void mark_calls(struct row *row, const struct blocks *blocks, enum hd_kind kind) {
  char cell[HD_CELL_BYTES];
  if (!hd_model_is_incomplete(blocks->graph->model, kind))
    return;
  for (int column = COLUMN_CALLS; column <= COLUMN_CONC; column++)
    if (row->cells[column][0] != '-') {
      memcpy(cell, row->cells[column], sizeof cell);
      snprintf(row->cells[column], HD_CELL_BYTES, ">=%.29s", cell);
    }
}

static void fill_counts(struct row *row, const struct hd_count_sums *sums, uint32_t index, double elapsed) {
  row->sum = sums ? &sums->sums[index] : NULL;
  row->elapsed = elapsed;
}

/* "3/10", "10+4"; without the second part when it says nothing. */
static void fill_calls(struct row *row, uint64_t calls, char sign, uint64_t second, bool known) {
  hd_cell_count(row->cells[COLUMN_CALLS], calls, known);
  const size_t used = strlen(row->cells[COLUMN_CALLS]);
  if (known && (sign != '+' || second != 0))
    snprintf(row->cells[COLUMN_CALLS] + used, HD_CELL_BYTES - used, "%c%llu", sign, (unsigned long long)second);
}

/* ---- the rows of a block ---- */

/* An arc, named after its parent or its child. Between members of a cycle there are counts only: its times are those of
 * the cycle as a whole. */
static void add_arc(struct blocks *blocks, const struct hd_graph_arc *arc, uint32_t named) {
  const struct hd_graph *graph = blocks->graph;
  const struct hd_graph_entry *child = &graph->entries[arc->child];
  const bool inner = hd_graph_is_inner(graph, arc);
  struct row row = {.kind = ARC};
  if (inner) {
    hd_cell_count(row.cells[COLUMN_CALLS], arc->visits, arc->measured);
  } else {
    fill_times(&row, blocks, arc->times.self_ticks, arc->times.inclusive_ticks, arc->measured);
    fill_counts(&row, blocks->counts.arcs, (uint32_t)(arc - graph->arcs), NAN);
    fill_calls(&row, arc->visits, '/', child->visits - child->self_visits, arc->measured);
  }
  fill_states(&row, blocks, arc->visits, arc->visits_concurrent, arc->measured);
  mark_calls(&row, blocks, child->node->kind);
  hd_entry_text(row.place, graph, named, true);
  put_row(blocks, &row);
}

/* cprof's table: how its callers and the entry itself were entered. */
static void add_cases(struct blocks *blocks, const struct hd_graph_entry *entry) {
  static const char *const names[HD_ENTRY_STATES][HD_ENTRY_STATES] = {{"S-S", "S-C"}, {"C-S", "C-C"}};
  const uint64_t(*visits)[HD_ENTRY_STATES] = entry->entries.visits;
  struct row row = {.kind = TEXT};
  char time[HD_CELL_BYTES];
  if (entry->node->kind != HD_KIND_ROUTINE || !blocks->graph->model->entries_known ||
      visits[HD_SEQUENTIAL][HD_CONCURRENT] + visits[HD_CONCURRENT][HD_SEQUENTIAL] +
              visits[HD_CONCURRENT][HD_CONCURRENT] ==
          0)
    return;
  for (int caller = 0; caller < HD_ENTRY_STATES; caller++)
    for (int own = 0; own < HD_ENTRY_STATES; own++) {
      const size_t used = strlen(row.place);
      hd_cell_duration(time, hd_model_seconds(blocks->graph->model, entry->entries.ticks[caller][own]));
      if (visits[caller][own] > 0)
        snprintf(row.place + used, sizeof row.place - used, "%s%s: %llu, %s", used > 0 ? ";  " : "", names[caller][own],
                 (unsigned long long)visits[caller][own], time);
    }
  put_row(blocks, &row);
}

static void add_primary(struct blocks *blocks, uint32_t index) {
  const struct hd_graph *graph = blocks->graph;
  const struct hd_graph_entry *entry = &graph->entries[index];
  const bool entered = entry->measured && index != 0;
  struct row row = {.kind = PRIMARY};
  snprintf(row.cells[COLUMN_INDEX], HD_CELL_BYTES, "[%u]", entry->index);
  hd_cell_percent(row.cells[COLUMN_SHARE], (double)entry->times.inclusive_ticks, (double)graph->busy_ticks, true);
  fill_times(&row, blocks, entry->times.self_ticks, entry->times.inclusive_ticks, entry->measured);
  fill_counts(&row, blocks->counts.inclusive, index,
              index == 0 && blocks->focused ? NAN : hd_graph_entry_elapsed(graph, entry));
  fill_calls(&row, entry->visits - entry->self_visits, '+', entry->self_visits, entered);
  fill_states(&row, blocks, entry->visits, entry->visits_concurrent, entered);
  mark_calls(&row, blocks, entry->node->kind);
  hd_entry_text(row.place, graph, index, true);
  put_row(blocks, &row);
  add_cases(blocks, entry);
}

/* Parents: the one that brought most stands next to the entry. */
static void add_entry(struct blocks *blocks, uint32_t entry) {
  const struct hd_graph_arc *arcs = blocks->graph->arcs;
  const struct hd_graph_lists *lists = &blocks->lists;
  for (uint32_t i = lists->parents_first[entry + 1]; i-- > lists->parents_first[entry];)
    add_arc(blocks, &arcs[lists->parents[i]], arcs[lists->parents[i]].parent);
  add_primary(blocks, entry);
  for (uint32_t i = lists->children_first[entry]; i < lists->children_first[entry + 1]; i++)
    add_arc(blocks, &arcs[lists->children[i]], arcs[lists->children[i]].child);
}

/* ---- cycles ---- */

static bool add_cycle_parents(struct blocks *blocks, uint32_t number) {
  struct hd_graph_caller *callers = NULL;
  for (uint32_t i = hd_graph_cycle_callers(blocks->graph, number, &callers); i-- > 0;) {
    struct row row = {.kind = ARC};
    fill_times(&row, blocks, callers[i].self_ticks, callers[i].inclusive_ticks, true);
    fill_calls(&row, callers[i].visits, '/', blocks->graph->cycles[number - 1].visits, true);
    fill_states(&row, blocks, callers[i].visits, callers[i].visits_concurrent, true);
    mark_calls(&row, blocks, HD_KIND_ROUTINE); /* without routines there is no cycle */
    hd_entry_text(row.place, blocks->graph, callers[i].entry, true);
    put_row(blocks, &row);
  }
  free(callers);
  return callers;
}

/* Calls: from other members / all but direct recursion. Seq and Conc are those of the calls from other members. */
static void add_member(struct blocks *blocks, uint32_t index) {
  const struct hd_graph_entry *entry = &blocks->graph->entries[index];
  struct row row = {.kind = ARC};
  fill_times(&row, blocks, entry->times.self_ticks, entry->times.inclusive_ticks, entry->measured);
  fill_calls(&row, entry->cycle_visits, '/', entry->visits - entry->self_visits, entry->measured);
  fill_states(&row, blocks, entry->cycle_visits, entry->cycle_visits_concurrent, entry->measured);
  mark_calls(&row, blocks, entry->node->kind);
  hd_entry_text(row.place, blocks->graph, index, true);
  put_row(blocks, &row);
}

static bool add_cycle(struct blocks *blocks, uint32_t number) {
  const struct hd_graph *graph = blocks->graph;
  const struct hd_graph_cycle *cycle = &graph->cycles[number - 1];
  struct row row = {.kind = PRIMARY};
  if (!add_cycle_parents(blocks, number))
    return false;
  snprintf(row.cells[COLUMN_INDEX], HD_CELL_BYTES, "[%u]", cycle->index);
  hd_cell_percent(row.cells[COLUMN_SHARE], (double)cycle->times.inclusive_ticks, (double)graph->busy_ticks, true);
  fill_times(&row, blocks, cycle->times.self_ticks, cycle->times.inclusive_ticks, true);
  fill_counts(&row, blocks->counts.cycles, number - 1, NAN);
  fill_calls(&row, cycle->visits, '+', cycle->internal_visits, true);
  mark_calls(&row, blocks, HD_KIND_ROUTINE);
  snprintf(row.place, sizeof row.place, "<cycle %u as a whole> [%u]", number, cycle->index);
  put_row(blocks, &row);
  for (uint32_t i = 0; i < graph->block_count; i++)
    if (graph->blocks[i].cycle == number && graph->blocks[i].entry != HD_NONE)
      add_member(blocks, graph->blocks[i].entry);
  return true;
}

/* ---- on paper ---- */

/* The number at the end, by which one finds the entry's own block. */
static const char *number_of(const char *place) {
  const char *last = strrchr(place, ' ');
  return last && last[1] == '[' ? last : place + strlen(place);
}

/* A name that is too long is cut before its number. */
static void print_place(const char *place, size_t indent, size_t room, FILE *out) {
  const char *number = number_of(place);
  const size_t taken = indent + strlen(number);
  size_t left = room > taken ? room - taken : 0;
  fprintf(out, " %*s", (int)indent, "");
  for (const char *at = place; at < number; at++) { /* whole characters only */
    if (((unsigned char)*at & 0xc0) != 0x80 && left-- == 0)
      break;
    fputc(*at, out);
  }
  fprintf(out, "%s\n", number);
}

/* `widths` of hidden columns are 0. `row` NULL: the titles. */
static void print_cells(const struct hd_grid *grid, const size_t *widths, struct libscols_line *row, FILE *out) {
  for (size_t i = 0; i < grid->column_count; i++)
    if (widths[i] > 0)
      fprintf(out, "%s%*s", i > 0 ? " " : "", i == 0 ? -(int)widths[i] : (int)widths[i],
              row ? hd_grid_text(row, i) : hd_grid_title(grid, i));
}

static void print_rule(size_t width, FILE *out) {
  for (size_t i = 0; i < width; i++)
    fputc('-', out);
  fputc('\n', out);
}

static bool print_rows(struct hd_grid *grid, FILE *out) {
  struct libscols_iter *rows = grid->failed ? NULL : scols_new_iter(SCOLS_ITER_FORWARD);
  struct libscols_line *row;
  size_t widths[HD_GRID_COLUMNS] = {0}, used = 0;
  if (!rows)
    return false;
  const size_t terminal = hd_terminal_width(out), page = hd_grid_room(grid, out);
  const unsigned hidden = hd_grid_fit(grid, page, NAME_LEAST);
  for (size_t i = 0; i < grid->column_count; i++)
    if (!hd_grid_is_hidden(grid, i))
      used += (widths[i] = hd_grid_width(grid, i)) + 1;
  print_cells(grid, widths, NULL, out);
  fputs(" Entry\n", out);
  while (scols_table_next_line(grid->table, rows, &row) == 0) {
    const enum row_kind kind = *(const enum row_kind *)scols_line_get_userdata(row);
    if (kind == RULE) {
      print_rule(page < RULE_MOST ? page : RULE_MOST, out);
      continue;
    }
    print_cells(grid, widths, row, out);
    print_place(hd_grid_text(row, grid->column_count), kind == PRIMARY ? 0 : INDENT,
                terminal > used ? terminal - used : 0, out);
  }
  scols_free_iter(rows);
  hd_grid_said_narrow(grid, hidden, out);
  return true;
}

/* It takes what Time% is a part of. */
static const char legend[] =
    "In each block the line with an index is the entry; above it are its callers, below it its callees.\n"
    "  Entry    Self: busy time in it, summed over threads; Below: in what it called; Time%%: both, of %s.\n"
    "           Calls: entries + direct recursive calls. Seq, Conc: calls during which no other thread was busy at\n"
    "           entry, and the rest\n"
    "  Caller   the entry's times that came through this caller; calls by this caller / all but direct recursion\n"
    "  Callee   the callee's times that came from this entry; calls by this entry / all but direct recursion\n"
    "  S-C: N, T   N entries while the program was concurrent, from a caller that was entered while it was "
    "sequential;\n"
    "              T: from entry to exit, summed over threads. Likewise S-S, C-S and C-C\n"
    "Times are measured, not distributed by call counts. In a cycle (mutual recursion) arcs have counts only, and a "
    "member's\n"
    "Below lacks what its calls of the others led back to: see the cycle as a whole. '-': not measured.\n";

static bool add_blocks(struct blocks *blocks, uint32_t shown) {
  const struct hd_graph *graph = blocks->graph;
  for (uint32_t i = 0; i < shown; i++) {
    if (graph->blocks[i].entry != HD_NONE)
      add_entry(blocks, graph->blocks[i].entry);
    else if (!add_cycle(blocks, graph->blocks[i].cycle))
      return false;
    put_row(blocks, &(struct row){.kind = RULE});
  }
  return true;
}

static bool print_blocks(struct blocks *blocks, const struct hd_report_options *options, FILE *out) {
  const struct hd_graph *graph = blocks->graph;
  const uint32_t count = graph->block_count;
  const uint32_t shown = options->limit > 0 && options->limit < count ? (uint32_t)options->limit : count;
  if (!add_blocks(blocks, shown))
    return false;
  hd_report_heading(graph->model, false, out);
  hd_report_scope(graph->model, options, out);
  fprintf(out, "\nTimes in %s.\n", blocks->unit.name);
  if (!print_rows(&blocks->grid, out))
    return false;
  hd_count_columns_said_left(&blocks->columns, &blocks->grid, out);
  if (shown < count)
    fprintf(out, "%u more entr%s not shown; --limit 0 shows all.\n", count - shown,
            count - shown == 1 ? "y is" : "ies are");
  if (!hd_report_index(graph, shown, out))
    return false;
  fputc('\n', out);
  fprintf(out, legend, options->focus ? "the busy time in focus" : "all busy time");
  hd_report_visits_mark(graph->model, out);
  hd_count_legend(&blocks->columns, "with all that it called", out);
  hd_report_routine_hint(graph->has_routines, graph->has_measured_routines, graph->model, out);
  return true;
}

bool hd_report_callgraph(const struct hd_graph *graph, const struct hd_report_options *options, FILE *out) {
  struct blocks blocks = {.graph = graph, .focused = options->focus};
  blocks.unit = hd_unit_for(hd_model_seconds(graph->model, graph->busy_ticks));
  hd_count_columns_choose(&blocks.columns, graph->model, false);
  add_columns(&blocks.grid, &blocks.columns);
  const bool done = hd_graph_count(&blocks.counts, graph) && hd_graph_lists_make(&blocks.lists, graph) &&
                    print_blocks(&blocks, options, out);
  hd_graph_counts_free(&blocks.counts);
  hd_graph_lists_free(&blocks.lists);
  hd_grid_free(&blocks.grid);
  return done;
}
