/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file list.h
 * Pointers by number, for threads that add to them at the same time: none waits for another. Places never move, and
 * what is put into one stays.
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

/** A place for number `i`, in which nothing is yet. False: no memory. */
bool hd_list_make_place(struct hd_list *list, uint32_t i);

/** What lies at a place that was made; NULL: nothing. */
void *hd_list_at(const struct hd_list *list, uint32_t i);

/** Puts it at a place that was made, unless something is there. Returns what is there. */
void *hd_list_put(struct hd_list *list, uint32_t i, void *wanted);

#endif
