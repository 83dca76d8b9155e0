/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file united_parts.h
 * Between the files of united only.
 */
#ifndef HEDDLE_OUTPUT_UNITED_PARTS_H
#define HEDDLE_OUTPUT_UNITED_PARTS_H

#include "output/united.h"
#include "output/united_keys.h"

/** While callpaths are united. */
struct hd_uniting {
  struct hd_united *united;
  struct hd_united_texts texts; /* names of functions, files, phases, modules */
  struct hd_united_keys keys;   /* of callpaths */
};

/** What makes a node the same as another below the same parent, which has been united already. */
struct hd_united_key hd_united_key_of(struct hd_uniting *uniting, size_t run, const struct hd_node *node);

/** Says that a node is that of `id`, which may be new: the next number. */
void hd_united_take(struct hd_uniting *uniting, size_t run, const struct hd_node *node, uint32_t id);

#endif
