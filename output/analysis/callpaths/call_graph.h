/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file call_graph.h
 * The call graph of a model: an entry for all callpaths that end in one place, and arcs between entries.
 *
 * Entries are routines, constructs, phases and the program alike. gprof (1982) estimates what an arc costs from its
 * count; here every callpath was measured, so an arc's time is what its callpaths took.
 *
 * Recursion: an entry's inclusive time is that of its callpaths which have no other of the same entry above them. What
 * lies below those counts to the arc that led into them. So the arcs into an entry add up to it.
 *
 * Cycles are the strongly connected components of more than one entry (an arc of an entry to itself is none).
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_CALL_GRAPH_H
#define HEDDLE_OUTPUT_ANALYSIS_CALL_GRAPH_H

#include "output/analysis/callpaths/sort.h"
#include "output/model/model.h"

/** Times of an entry, of a cycle as a whole, or of the calls along an arc. */
struct hd_graph_times {
  uint64_t self_ticks;            /* busy in the entry (cycle: its members) itself */
  uint64_t self_level_ticks;      /* the same where it is known how many threads were busy: without estimates */
  uint64_t self_sequential_ticks; /* of that, while no other thread was busy */
  uint64_t inclusive_ticks;       /* with everything below */
  double self_wall_ticks;
  double inclusive_wall_ticks;
};

struct hd_graph_entry {
  const struct hd_node *node; /* the first of its nodes: kind, name and address */
  bool measured;              /* false: calls and own time are not known */
  uint32_t marks;             /* enum hd_mark, of all its nodes: what is missing of one may be in another */
  bool recursive;             /* constructs: also deeper entries of the same site */
  uint32_t index;             /* as printed, from 1; in order of the graph's sorting */
  uint32_t cycle;             /* from 1; 0: in none */
  uint64_t visits;            /* all */
  uint64_t self_visits;       /* from itself: direct recursion */
  uint64_t cycle_visits;      /* from other members of its cycle */
  uint64_t cycle_visits_concurrent;
  uint64_t visits_concurrent;
  struct hd_graph_times times;
  struct hd_entries entries; /* ticks: outermost entries */
  uint64_t elapsed_ticks;    /* routines: from entry to exit, summed over threads. Others: teams, else 0 */
  uint64_t cpu_ns;
};

struct hd_graph_arc {
  uint32_t parent, child; /* entries */
  bool measured;
  uint32_t marks; /* enum hd_mark, of all its nodes */
  uint64_t visits;
  uint64_t visits_concurrent;
  struct hd_graph_times times; /* of the child, below its outermost callpaths through this arc */
  uint64_t cycle_self_ticks;   /* an arc into a cycle: busy in any of its members */
};

struct hd_graph_cycle {
  uint32_t index;
  uint32_t marks;           /* enum hd_mark, of its members */
  uint64_t visits;          /* from outside */
  uint64_t internal_visits; /* between different members */
  struct hd_graph_times times;
};

/** One block of the call graph, in order: an entry, or a cycle as a whole, which its members follow. */
struct hd_graph_block {
  uint32_t entry; /* HD_NONE: a cycle */
  uint32_t cycle; /* from 1; 0: none */
};

struct hd_graph {
  const struct hd_model *model;
  struct hd_graph_entry *entries; /* 0 is the program */
  uint32_t entry_count;
  struct hd_graph_arc *arcs; /* also from an entry to itself */
  uint32_t arc_count;
  struct hd_graph_cycle *cycles; /* number n is cycles[n - 1] */
  uint32_t cycle_count;
  struct hd_graph_block *blocks;
  uint32_t block_count;
  uint32_t *entry_of_node; /* HD_NONE: out of focus */
  uint32_t *arc_of_node;   /* HD_NONE: the program, or out of focus */
  bool *outermost;         /* by node: no node of the same entry above it */
  uint64_t busy_ticks;     /* of all callpaths */
  bool has_routines, has_measured_routines, has_entries;
};

/** The model must outlive the graph. */
struct hd_graph *hd_graph_new(const struct hd_model *model, enum hd_sort sort);
void hd_graph_free(struct hd_graph *graph);

/** Negative: `a` comes before `b`. Never 0 for two entries. */
int hd_graph_compare(const struct hd_graph_entry *a, const struct hd_graph_entry *b, enum hd_sort sort);

/** A walk of the tree of nodes, depth first, those out of focus left out. */
typedef void hd_graph_visitor(void *context, uint32_t node);
void hd_graph_walk(const struct hd_model *model, hd_graph_visitor *enter, hd_graph_visitor *leave, void *context);

/** For call_graph.c: finds the cycles and numbers them. */
void hd_graph_find_cycles(struct hd_graph *graph);

/** Threads busy on average while it worked; NaN: not known. */
double hd_graph_concurrency(uint64_t busy_ticks, double wall_ticks);

#endif
