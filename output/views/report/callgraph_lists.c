/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file callgraph_lists.c
 * The call graph's arcs in order, who calls a cycle, the index, and rows on paper.
 */
#include <stdlib.h>
#include <string.h>

#include "output/views/report/callgraph.h"
#include "support/command/memory.h"

bool hd_graph_is_inner(const struct hd_graph *graph, const struct hd_graph_arc *arc) {
  const uint32_t cycle = graph->entries[arc->child].cycle;
  return cycle != 0 && graph->entries[arc->parent].cycle == cycle;
}

/* ---- arcs in order ---- */

struct order {
  const struct hd_graph *graph;
  bool by_child;
};

static int compare_arcs(const void *a, const void *b, void *context) {
  const struct order *order = context;
  const struct hd_graph_arc *left = &order->graph->arcs[*(const uint32_t *)a];
  const struct hd_graph_arc *right = &order->graph->arcs[*(const uint32_t *)b];
  const uint32_t group_left = order->by_child ? left->child : left->parent;
  const uint32_t group_right = order->by_child ? right->child : right->parent;
  if (group_left != group_right)
    return group_left < group_right ? -1 : 1;
  if (left->times.inclusive_ticks != right->times.inclusive_ticks)
    return left->times.inclusive_ticks > right->times.inclusive_ticks ? -1 : 1;
  if (left->visits != right->visits)
    return left->visits > right->visits ? -1 : 1;
  return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

static void make_list(const struct hd_graph *graph, bool by_child, uint32_t **list, uint32_t **first) {
  struct order order = {graph, by_child};
  uint32_t count = 0;
  *list = hd_new(graph->arc_count, sizeof **list);
  *first = hd_new((size_t)graph->entry_count + 2, sizeof **first);
  for (uint32_t i = 0; i < graph->arc_count; i++) {
    const struct hd_graph_arc *arc = &graph->arcs[i];
    if (arc->parent == arc->child)
      continue;
    (*list)[count++] = i;
    (*first)[(by_child ? arc->child : arc->parent) + 1]++;
  }
  qsort_r(*list, count, sizeof **list, compare_arcs, &order);
  for (uint32_t i = 0; i < graph->entry_count; i++)
    (*first)[i + 1] += (*first)[i];
}

void hd_graph_lists_make(struct hd_graph_lists *lists, const struct hd_graph *graph) {
  make_list(graph, true, &lists->parents, &lists->parents_first);
  make_list(graph, false, &lists->children, &lists->children_first);
}

void hd_graph_lists_free(struct hd_graph_lists *lists) {
  free(lists->parents);
  free(lists->parents_first);
  free(lists->children);
  free(lists->children_first);
}

/* ---- who calls a cycle ---- */

static int larger_first(const void *a, const void *b) {
  const struct hd_graph_caller *left = a, *right = b;
  if (left->inclusive_ticks != right->inclusive_ticks)
    return left->inclusive_ticks > right->inclusive_ticks ? -1 : 1;
  return left->entry < right->entry ? -1 : left->entry > right->entry;
}

uint32_t hd_graph_cycle_callers(const struct hd_graph *graph, uint32_t cycle, struct hd_graph_caller **callers) {
  struct hd_graph_caller *sums = hd_new(graph->entry_count, sizeof *sums);
  uint32_t count = 0;
  *callers = sums;
  for (uint32_t i = 0; i < graph->arc_count; i++) {
    const struct hd_graph_arc *arc = &graph->arcs[i];
    if (graph->entries[arc->child].cycle != cycle || graph->entries[arc->parent].cycle == cycle)
      continue;
    struct hd_graph_caller *sum = &sums[arc->parent];
    sum->entry = arc->parent + 1; /* 0: none yet */
    sum->visits += arc->visits;
    sum->visits_concurrent += arc->visits_concurrent;
    sum->self_ticks += arc->cycle_self_ticks;
    sum->inclusive_ticks += arc->times.inclusive_ticks;
  }
  for (uint32_t i = 0; i < graph->entry_count; i++)
    if (sums[i].entry != 0) {
      sums[count] = sums[i];
      sums[count++].entry--;
    }
  qsort(sums, count, sizeof *sums, larger_first);
  return count;
}

/* ---- names ---- */

/* The number at the end, by which one finds the entry's own block. */
static const char *number_of(const char *place) {
  const char *last = strrchr(place, ' ');
  return last && last[1] == '[' ? last : place + strlen(place);
}

/* One that is too long is cut before its number. */
static void print_name(const char *place, size_t room, FILE *out) {
  const char *number = number_of(place);
  size_t left = room > strlen(number) ? room - strlen(number) : 0;
  for (const char *at = place; at < number; at++) { /* whole characters only */
    if (((unsigned char)*at & 0xc0) != 0x80 && left-- == 0)
      break;
    fputc(*at, out);
  }
  fputs(number, out);
}

/* ---- the index ---- */

struct name {
  char text[HD_PLACE_BYTES];
};

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static void print_columns(const struct name *names, uint32_t count, FILE *out) {
  enum { PAGE = 100, GAP = 2 };
  const size_t terminal = hd_terminal_width(out);
  const size_t page = terminal < PAGE ? terminal : PAGE;
  size_t width = 1;
  for (uint32_t i = 0; i < count; i++) {
    const size_t length = hd_text_width(names[i].text) + GAP;
    width = length > width ? length : width;
  }
  const uint32_t columns = page / width > 1 ? (uint32_t)(page / width) : 1;
  const uint32_t lines = (count + columns - 1) / columns;
  for (uint32_t line = 0; line < lines; line++) {
    for (uint32_t i = line; i < count; i += lines) {
      const size_t length = hd_text_width(names[i].text);
      print_name(names[i].text, terminal, out);
      fprintf(out, "%*s", i + lines < count ? (int)(width - length) : 0, "");
    }
    fputc('\n', out);
  }
}

void hd_report_index(const struct hd_graph *graph, const struct hd_graph_block *blocks, uint32_t shown, FILE *out) {
  struct name *names = hd_new(shown, sizeof *names);
  for (uint32_t i = 0; i < shown; i++) {
    const struct hd_graph_block *block = &blocks[i];
    if (block->entry != HD_NONE)
      hd_entry_text(names[i].text, graph, block->entry, true);
    else
      snprintf(names[i].text, sizeof names[i].text, "<cycle %u as a whole> [%u]", block->cycle,
               graph->cycles[block->cycle - 1].index);
  }
  qsort(names, shown, sizeof *names, by_name);
  fputs("\nIndex by name\n", out);
  print_columns(names, shown, out);
  free(names);
}

/* ---- rows on paper ---- */

enum { INDENT = 4, NAME_LEAST = 30, RULE_MOST = 100 };

static void print_place(const char *place, size_t indent, size_t room, FILE *out) {
  fprintf(out, " %*s", (int)indent, "");
  print_name(place, room > indent ? room - indent : 0, out);
  fputc('\n', out);
}

/* `widths` of hidden columns are 0. `row` NULL: the titles. */
static void print_cells(const struct hd_table *grid, const size_t *widths, struct libscols_line *row, FILE *out) {
  for (size_t i = 0; i < grid->column_count; i++) {
    const char *title = hd_table_title(grid, i);
    const bool left = strcmp(title, HD_CALLGRAPH_INDEX) == 0;
    if (widths[i] > 0)
      fprintf(out, "%s%*s", i > 0 ? " " : "", left ? -(int)widths[i] : (int)widths[i],
              row ? hd_table_text(row, i) : title);
  }
}

static void print_rule(size_t width, FILE *out) {
  for (size_t i = 0; i < width; i++)
    fputc('-', out);
  fputc('\n', out);
}

void hd_report_callgraph_rows(struct hd_table *grid, FILE *out) {
  struct libscols_iter *rows = scols_new_iter(SCOLS_ITER_FORWARD);
  struct libscols_line *row;
  size_t widths[HD_TABLE_COLUMNS] = {0}, used = 0;
  hd_need(rows);
  const size_t terminal = hd_terminal_width(out), page = hd_table_room(grid, out);
  hd_table_fit(grid, page, NAME_LEAST);
  for (size_t i = 0; i < grid->column_count; i++)
    if (!hd_table_is_hidden(grid, i))
      used += (widths[i] = hd_table_width(grid, i)) + 1;
  print_cells(grid, widths, NULL, out);
  fputs(" Entry\n", out);
  while (scols_table_next_line(grid->table, rows, &row) == 0) {
    const enum hd_callgraph_row kind = *(const enum hd_callgraph_row *)scols_line_get_userdata(row);
    if (kind == HD_CALLGRAPH_RULE) {
      print_rule(page < RULE_MOST ? page : RULE_MOST, out);
      continue;
    }
    print_cells(grid, widths, row, out);
    print_place(hd_table_text(row, grid->column_count), kind == HD_CALLGRAPH_PRIMARY ? 0 : INDENT,
                terminal > used ? terminal - used : 0, out);
  }
  scols_free_iter(rows);
  hd_table_said_narrow(grid, out);
}

void hd_report_callgraph_legend(const char *whole, FILE *out) {
  static const char *const meanings[][2] = {
      {"Caller", "the entry's times that came through this caller; calls by this caller / all but direct recursion"},
      {"Callee", "the callee's times that came from this entry; calls by this entry / all but direct recursion"},
      {"S-C: N, T", "N entries while the program was concurrent, from a caller that was entered while it was "
                    "sequential; T: from entry to exit, summed over threads. Likewise S-S, C-S and C-C"},
  };
  enum { INDENT_OF_MEANING = 13 };
  hd_print_sentences(out, "In each block the line with an index is the entry; above it are its callers, below it its "
                          "callees.");
  char *entry = hd_print("Self: busy time in it, summed over threads; Below: in what it called; Time%%: both, of %s. "
                         "Calls: entries + direct recursive calls. Seq, Conc: calls during which no other thread was "
                         "busy at entry, and the rest",
                         whole);
  fprintf(out, "  %-*s", INDENT_OF_MEANING - 2, "Entry");
  hd_print_wrapped(entry, INDENT_OF_MEANING, out);
  free(entry);
  for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
    fprintf(out, "\n  %-*s", INDENT_OF_MEANING - 2, meanings[i][0]);
    hd_print_wrapped(meanings[i][1], INDENT_OF_MEANING, out);
  }
  hd_print_sentences(out,
                     "\nTimes are measured, not distributed by call counts. In a cycle (mutual recursion) arcs have "
                     "counts only, and a member's Below lacks what its calls of the others led back to: see the "
                     "cycle as a whole. '-': not measured.");
}
