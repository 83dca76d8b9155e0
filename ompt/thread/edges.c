/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/edges.h"

#include <string.h>

#include "support/inprocess/heap.h"
#include "support/inprocess/memory_budget.h"

/* One slot is as long as what the heap puts before them: with it they fill a power of two. */
enum { HEAP_SLOTS = 1, FIRST_SLOTS = 32 - HEAP_SLOTS, FEW_EDGES = 256, MOST_EDGES = 1 << 24 };

static void *make(uint32_t count, size_t bytes) {
  void *slots = hd_heap_allocate(count, bytes);
  if (slots)
    memset(slots, 0, count * bytes); /* page faults come now, not in the program's time */
  return slots;
}

bool hd_edges_init(struct hd_edges *edges) {
  edges->slots = make(FIRST_SLOTS, sizeof *edges->slots);
  edges->limit = FIRST_SLOTS;
  return edges->slots;
}

/* It, or the empty slot where it would stand. */
static struct hd_edge *probe(const struct hd_edges *edges, uint32_t from, uint64_t site) {
  struct hd_edge *edge = hd_edge_first(edges, from, site);
  while (edge->site && (edge->from != from || edge->site != site))
    edge = edge + 1 < edges->slots + edges->limit ? edge + 1 : edges->slots;
  return edge;
}

/* What stands between the two may stay where it is: no slot becomes empty. */
static void exchange(const struct hd_edges *edges, struct hd_edge *a, struct hd_edge *b) {
  const struct hd_edge edge = *a;
  *a = *b;
  *b = edge;
  if (!edges->calls)
    return;
  struct hd_call_edge *of_a = &edges->calls[a - edges->slots];
  struct hd_call_edge *of_b = &edges->calls[b - edges->slots];
  const struct hd_call_edge call = *of_a;
  *of_a = *of_b;
  *of_b = call;
}

/* Who is looked for again is found with one look the next time. */
const struct hd_edge *hd_edges_find(struct hd_edges *edges, const struct hd_row_record *row, uint64_t site) {
  if (edges->bounded)
    return hd_edge_at_once(edges, row, site);
  const uint32_t from = hd_edge_from(row);
  struct hd_edge *edge = probe(edges, from, site);
  if (!edge->site)
    return NULL;
  struct hd_edge *first = hd_edge_first(edges, from, site);
  if (edge != first)
    exchange(edges, edge, first);
  return first;
}

/* ---- more ---- */

static void copy(struct hd_edges *to, const struct hd_edges *from) {
  for (uint32_t i = 0; i < from->limit; i++) {
    if (!from->slots[i].site)
      continue;
    struct hd_edge *edge = probe(to, from->slots[i].from, from->slots[i].site);
    *edge = from->slots[i];
    if (from->calls)
      to->calls[edge - to->slots] = from->calls[i];
  }
}

static bool grow(struct hd_edges *edges, bool with_calls) {
  struct hd_edges grown = *edges;
  grown.limit = hd_edges_are_crowded(edges) ? 2 * edges->limit + HEAP_SLOTS : edges->limit;
  const size_t each = sizeof *grown.slots + (with_calls ? sizeof *grown.calls : 0);
  const enum hd_memory_use use = grown.limit <= FEW_EDGES ? HD_MEMORY_SHORT_PATH : HD_MEMORY_PATH_ROW;
  if (grown.limit > MOST_EDGES || !hd_memory_has_room(use, grown.limit * each))
    return false;
  grown.slots = make(grown.limit, sizeof *grown.slots);
  grown.calls = grown.slots && with_calls ? make(grown.limit, sizeof *grown.calls) : NULL;
  if (!grown.slots || (with_calls && !grown.calls)) {
    hd_heap_free(grown.slots);
    return false;
  }
  copy(&grown, edges);
  hd_heap_free(edges->slots);
  hd_heap_free(edges->calls);
  *edges = grown;
  return true;
}

void hd_edges_make_room(struct hd_edges *edges, bool is_call) {
  edges->bounded = !grow(edges, is_call || edges->calls);
}

void hd_edges_add(struct hd_edges *edges, const struct hd_row_record *row, uint64_t site, const struct hd_way *way,
                  const struct hd_call_edge *call) {
  const uint32_t from = hd_edge_from(row);
  struct hd_edge *edge = edges->bounded ? hd_edge_first(edges, from, site) : probe(edges, from, site);
  if (call && !edges->calls)
    return;
  const uint32_t to = way->to ? hd_row_line(way->to) << 2 : 0;
  edges->count += !edge->site;
  *edge = (struct hd_edge){site, from,
                           to | (way->counter ? HD_EDGE_COUNTS : 0u) | (way->in_runtime ? HD_EDGE_IN_RUNTIME : 0u)};
  if (call)
    edges->calls[edge - edges->slots] = *call;
}

void hd_edges_forget(struct hd_edges *edges, uint32_t unloads) {
  memset(edges->slots, 0, edges->limit * sizeof *edges->slots);
  edges->count = 0;
  edges->unloads = unloads;
}
