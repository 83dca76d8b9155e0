/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file call_graph_cycles.c
 * Strongly connected components, after Tarjan (1972), with a stack of its own instead of recursion.
 */
#include <stdlib.h>

#include "output/analysis/callpaths/call_graph.h"
#include "support/command/memory.h"

struct search {
  struct hd_graph *graph;
  uint32_t *first; /* arcs of entry i: out[first[i]] to out[first[i + 1] - 1] */
  uint32_t *out;   /* their children */
  uint32_t *next;  /* by entry: the arc to follow next */
  uint32_t *order; /* by entry: when it was found, from 1; 0: not yet */
  uint32_t *low;   /* by entry: the earliest one that can be reached; HD_NONE: its component is known */
  uint32_t *path, path_count;
  uint32_t *open, open_count; /* found, but not yet in a component */
  uint32_t found;
};

/* A component of one entry is no cycle. */
static void close_component(struct search *search, uint32_t entry) {
  struct hd_graph *graph = search->graph;
  const bool single = search->open[search->open_count - 1] == entry;
  uint32_t member;
  graph->cycle_count += !single;
  do {
    member = search->open[--search->open_count];
    search->low[member] = HD_NONE;
    graph->entries[member].cycle = single ? 0 : graph->cycle_count;
  } while (member != entry);
}

static void find(struct search *search, uint32_t entry) {
  search->order[entry] = search->low[entry] = ++search->found;
  search->next[entry] = search->first[entry];
  search->path[search->path_count++] = search->open[search->open_count++] = entry;
}

static void lower(struct search *search, uint32_t entry, uint32_t low) {
  if (low < search->low[entry])
    search->low[entry] = low;
}

static void search_from(struct search *search, uint32_t start) {
  find(search, start);
  while (search->path_count > 0) {
    const uint32_t entry = search->path[search->path_count - 1];
    if (search->next[entry] < search->first[entry + 1]) {
      const uint32_t child = search->out[search->next[entry]++];
      if (search->order[child] == 0)
        find(search, child);
      else if (search->low[child] != HD_NONE)
        lower(search, entry, search->order[child]);
      continue;
    }
    search->path_count--;
    const uint32_t low = search->low[entry];
    if (low == search->order[entry])
      close_component(search, entry);
    else if (search->path_count > 0)
      lower(search, search->path[search->path_count - 1], low);
  }
}

static void sort_arcs(struct search *search) {
  const struct hd_graph *graph = search->graph;
  for (uint32_t i = 0; i < graph->arc_count; i++)
    search->first[graph->arcs[i].parent + 2]++;
  for (uint32_t i = 2; i < graph->entry_count + 2; i++)
    search->first[i] += search->first[i - 1];
  for (uint32_t i = 0; i < graph->arc_count; i++)
    search->out[search->first[graph->arcs[i].parent + 1]++] = graph->arcs[i].child;
}

void hd_graph_find_cycles(struct hd_graph *graph) {
  const size_t entries = graph->entry_count;
  uint32_t *room = hd_new(6 * entries + 2 + graph->arc_count, sizeof *room);
  struct search search = {.graph = graph,
                          .next = room,
                          .order = room + entries,
                          .low = room + 2 * entries,
                          .path = room + 3 * entries,
                          .open = room + 4 * entries,
                          .first = room + 5 * entries,
                          .out = room + 6 * entries + 2};
  sort_arcs(&search);
  for (uint32_t i = 0; i < graph->entry_count; i++)
    if (search.order[i] == 0)
      search_from(&search, i);
  graph->cycles = hd_new(graph->cycle_count, sizeof *graph->cycles);
  free(room);
}
