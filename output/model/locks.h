/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file locks.h
 * Who held what others waited for, in a model (struct hd_model_lock, struct hd_model_lock_pair).
 */
#ifndef HEDDLE_OUTPUT_MODEL_LOCKS_H
#define HEDDLE_OUTPUT_MODEL_LOCKS_H

#include "output/model/model.h"

/** Sorts them by node and adds up those of the same one. Returns how many are left. */
uint32_t hd_locks_join(struct hd_model_lock *locks, uint32_t count);

/** Likewise of pairs, by node and holder. */
uint32_t hd_lock_pairs_join(struct hd_model_lock_pair *pairs, uint32_t count);

/** The model gets another one's, of the same run and callpaths. */
void hd_locks_copy(struct hd_model *model, const struct hd_model *from);

/** Nodes become others: `map`, by node. */
void hd_locks_map(struct hd_model *model, const uint32_t *map);

/** Why it is not known who held what others waited for; NULL: it is. */
const char *hd_locks_missing(const struct hd_model *model);

/** What a node's threads waited for locks, itself alone. */
uint64_t hd_locks_waited(const struct hd_node *node);

/** A node's; NULL: it waited for nothing and held nothing. */
const struct hd_model_lock *hd_locks_find(const struct hd_model *model, uint32_t node);

/** A node's pairs: `*count` of them, from the one returned on. */
const struct hd_model_lock_pair *hd_lock_pairs_of(const struct hd_model *model, uint32_t node, uint32_t *count);

#endif
