/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file index.h
 * A hash table of things that know their own key and have a link for it. Grows with their number.
 */
#ifndef HEDDLE_SWEEP_PATH_INDEX_H
#define HEDDLE_SWEEP_PATH_INDEX_H

#include <stdbool.h>
#include <stdint.h>

/** The first member of whatever is found by it. */
struct hd_path_item {
  uint64_t key;
  struct hd_path_item *next; /* in its place */
};

struct hd_path_index {
  struct hd_path_item **places;
  uint32_t mask; /* places - 1 */
  uint32_t count;
};

/** The newest with that key; NULL: none. */
void *hd_path_find(const struct hd_path_index *index, uint64_t key);

/** A new zeroed item of so many bytes; NULL: no memory. */
void *hd_path_make(struct hd_path_index *index, uint64_t key, uint32_t bytes);

/** Takes it out; does not free it. */
void hd_path_take_out(struct hd_path_index *index, struct hd_path_item *item);

/** One of those that are left; NULL: none. */
void *hd_path_any(const struct hd_path_index *index);

void hd_path_free_index(struct hd_path_index *index);

#endif
