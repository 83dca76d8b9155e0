/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file edges.h
 * The callpath steps that a thread has made before, by (row it started from, site). Most of its events find theirs with
 * one look.
 *
 * Only the thread itself calls these functions.
 */
#ifndef HEDDLE_OMPT_THREAD_EDGES_H
#define HEDDLE_OMPT_THREAD_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle-format.h"
#include "ompt/thread/row_index.h"

/** Kinds of edges that are no construct's. Six bits of a site are the kind. */
enum hd_edge_kind {
  HD_EDGE_CALL = 62,    /* of an instrumented routine */
  HD_EDGE_CALLERS = 63, /* to the innermost of a chain of calling routines */
};
_Static_assert((int)HD_KIND_COUNT <= (int)HD_EDGE_CALL, "kinds of constructs and of other edges differ");

/** Where a step leads. */
struct hd_way {
  struct hd_row_record *to;      /* NULL: a routine that is no routine of the user's (routine.h) */
  struct hd_row_record *counter; /* the row that counts entries: `to`, but for recursive routines; NULL: none does */
  bool in_runtime;               /* the site lies in the OpenMP runtime, not in the user's code */
};

struct hd_edge {
  uint64_t site; /* 0: empty slot */
  uint32_t from; /* of the row's address the bits that tell it from the others */
  uint32_t to;   /* of the row's place in the file; and enum hd_edge_flag */
};
enum hd_edge_flag { HD_EDGE_COUNTS = 1, HD_EDGE_IN_RUNTIME = 2, HD_EDGE_FLAGS = 3 };
_Static_assert(HD_STORE_BYTES_MOST >> (HD_LINE_SHIFT - 2) <= UINT32_MAX + UINT64_C(1),
               "flags leave room for all lines");

/** What more is known of a step into an instrumented routine. */
struct hd_call_edge {
  const void *entered_from; /* the place in the code for which this holds: */
  int32_t slot_offset;      /* bytes from the hook's frame to the slot; 0: not known */
  uint32_t counter;         /* line of the row that counts entries; 0: none does */
};

struct hd_edges {
  struct hd_edge *slots;
  struct hd_call_edge *calls; /* by slot; NULL: no routine has reported its entry yet */
  uint32_t limit;
  uint32_t count;
  uint32_t unloads; /* hd_modules_unloads when they were last known to be right */
  bool bounded;     /* no memory for more: a new edge takes the place of another */
};

static inline uint64_t hd_edge_site(uint32_t kind, uint64_t address) {
  return address ^ (uint64_t)kind << 58;
}

static inline uint32_t hd_edge_from(const struct hd_row_record *row) {
  return (uint32_t)((uintptr_t)row >> HD_LINE_SHIFT);
}

/** Where the first look goes. Fibonacci hashing, Knuth 6.4; the number of slots may be any. */
static inline struct hd_edge *hd_edge_first(const struct hd_edges *edges, uint32_t from, uint64_t site) {
  const uint64_t hash = (site ^ (uint64_t)from << 32) * 0x9E3779B97F4A7C15u >> 32;
  return &edges->slots[hash * edges->limit >> 32];
}

/** The edge, if it stands where the first look finds it; NULL: it may be elsewhere, or new. */
static inline const struct hd_edge *hd_edge_at_once(const struct hd_edges *edges, const struct hd_row_record *row,
                                                    uint64_t site) {
  const uint32_t from = hd_edge_from(row);
  const struct hd_edge *edge = hd_edge_first(edges, from, site);
  return __builtin_expect(edge->from == from && edge->site == site, true) ? edge : NULL;
}

static inline struct hd_row_record *hd_edge_to(const struct hd_edge *edge) {
  const uint64_t offset = (uint64_t)(edge->to & ~(uint32_t)HD_EDGE_FLAGS) << (HD_LINE_SHIFT - 2);
  return (struct hd_row_record *)(void *)(hd_store.base + offset);
}

/** Where a construct's edge leads. */
static inline struct hd_way hd_edge_way(const struct hd_edge *edge) {
  struct hd_row_record *to = hd_edge_to(edge);
  return (struct hd_way){
      .to = to, .counter = edge->to & HD_EDGE_COUNTS ? to : NULL, .in_runtime = (edge->to & HD_EDGE_IN_RUNTIME) != 0};
}

/** Makes room for the first few. False: no memory. */
bool hd_edges_init(struct hd_edges *edges);

/** That edge, if it is there; else NULL. Valid until the next call. */
const struct hd_edge *hd_edges_find(struct hd_edges *edges, const struct hd_row_record *row, uint64_t site);

/** What more is known of a call's edge. */
static inline const struct hd_call_edge *hd_edges_call(const struct hd_edges *edges, const struct hd_edge *edge) {
  return &edges->calls[edge - edges->slots];
}

/** Whether there are too many for one look to find most. */
static inline bool hd_edges_are_crowded(const struct hd_edges *edges) {
  return edges->count >= edges->limit - edges->limit / 5;
}

/** Whether another is put in without more memory. */
static inline bool hd_edges_have_room(const struct hd_edges *edges, bool is_call) {
  return edges->bounded || (!hd_edges_are_crowded(edges) && (edges->calls || !is_call));
}

/** Asks for that memory. If there is none, no more is asked for. */
void hd_edges_make_room(struct hd_edges *edges, bool is_call);

/** Puts in an edge that is not there, if it can. `call`: NULL but for calls. */
void hd_edges_add(struct hd_edges *edges, const struct hd_row_record *row, uint64_t site, const struct hd_way *way,
                  const struct hd_call_edge *call);

/** Forgets all: a module was unloaded, and its addresses may stand for other code by now. */
void hd_edges_forget(struct hd_edges *edges, uint32_t unloads);

#endif
