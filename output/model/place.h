/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file place.h
 * When two callpaths end in what a reader of the source sees as one place.
 *
 * One line of source may be compiled to several addresses (inlining, unrolling, clones of a function). Nodes of the
 * same kind, function, file and line are one place; without a line number only equal addresses are. A phase is its
 * name.
 */
#ifndef HEDDLE_OUTPUT_MODEL_PLACE_H
#define HEDDLE_OUTPUT_MODEL_PLACE_H

#include "output/model/model.h"

bool hd_place_is_same(const struct hd_node *a, const struct hd_node *b);

/** The same line, whatever is there: several constructs of one directive. False if that of either is not known. */
bool hd_place_is_same_line(const struct hd_node *a, const struct hd_node *b);

/** Equal for the same place. `hash`: the hash of what comes before. */
uint64_t hd_place_hash(uint64_t hash, const struct hd_node *node);

/** By function, file and line, the unknown last; then by id: never 0 for two nodes. */
int hd_place_compare(const struct hd_node *a, const struct hd_node *b);

#endif
