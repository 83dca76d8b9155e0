/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file list.h
 * Pointers by number. Several threads may add pointers at the same time, and none waits for another. Places never move,
 * and a pointer stays in its place.
 */
#ifndef HEDDLE_SUPPORT_INPROCESS_LIST_H
#define HEDDLE_SUPPORT_INPROCESS_LIST_H

#include <stdbool.h>
#include <stdint.h>

enum { HD_LIST_FIRST_BITS = 5, HD_LIST_PARTS = 32 - HD_LIST_FIRST_BITS + 1 };

/** Zero-initialised. Each part is as long as all before it. */
struct hd_list {
  void **parts[HD_LIST_PARTS];
};

/** Makes an empty place for number `i`, unless there is one. False: no memory. */
bool hd_list_make_place(struct hd_list *list, uint32_t i);

/** What lies at a place that was made; NULL: nothing. */
void *hd_list_at(const struct hd_list *list, uint32_t i);

/** Puts a pointer at a place that was made, unless one is there. Returns what is there. */
void *hd_list_put(struct hd_list *list, uint32_t i, void *wanted);

#endif
