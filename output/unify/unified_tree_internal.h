/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file unified_tree_internal.h
 * Between unified_tree.c, node_key.c and match_by_name.c only.
 */
#ifndef HEDDLE_OUTPUT_UNIFY_UNIFIED_TREE_INTERNAL_H
#define HEDDLE_OUTPUT_UNIFY_UNIFIED_TREE_INTERNAL_H

#include "output/unify/intern.h"
#include "output/unify/unified_tree.h"

/** What makes two things the same. All bytes count, so fields that do not matter are set alike. */
struct hd_united_key {
  uint32_t parent; /* united */
  uint32_t build;  /* of the runs; 0 where builds do not matter */
  uint32_t kind;
  uint32_t flags;
  uint32_t function; /* text or HD_NONE */
  uint32_t called;   /* likewise; and the next */
  uint32_t file;
  uint32_t module;  /* number, or text, or HD_NONE */
  uint64_t by_line; /* what `site` is: a line, or an offset or address */
  uint64_t site;
};
_Static_assert(sizeof(struct hd_united_key) == 8 * sizeof(uint32_t) + 2 * sizeof(uint64_t), "no byte is padding");

/** While callpaths are united. */
struct hd_uniting {
  struct hd_united *united;
  struct hd_interner texts; /* names of functions, files, phases, modules */
  struct hd_interner keys;  /* of callpaths */
};

/* ---- node_key.c ---- */

/** A node's kind; loops of all schedules have one, unless they are united strictly. */
uint32_t hd_united_kind_of(const struct hd_united *united, const struct hd_node *node);

/** What makes a node the same as another below the same parent, which has been united already. */
struct hd_united_key hd_united_key_of(struct hd_uniting *uniting, size_t run, const struct hd_node *node);

/** Says that a node is that of `id`, which may be new: the next number. */
void hd_united_take(struct hd_uniting *uniting, size_t run, const struct hd_node *node, uint32_t id);

/** match_by_name.c: for runs of different builds; `most`: nodes of all runs. */
void hd_united_by_name(struct hd_uniting *uniting, size_t most);

#endif
