/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file free_list.h
 * Things that are free to be used again, linked through a pointer of theirs. Several threads may put and take at the
 * same time, and none waits for another.
 *
 * To take one, a thread takes the whole list and puts the rest back; others find it empty meanwhile, and make a new
 * thing. (Nobody can take the first alone: another thread may take two and put the first back before its successor is
 * in its place.)
 */
#ifndef HEDDLE_SUPPORT_INPROCESS_FREE_LIST_H
#define HEDDLE_SUPPORT_INPROCESS_FREE_LIST_H

#include <stddef.h>

/** The first of them; NULL: there is none. */
struct hd_free_list {
  void *first;
};

static inline void **hd_free_next(void *thing, size_t next_at) {
  return (void **)(void *)((char *)thing + next_at);
}

/** Puts things that hang together, from `first` to `last`. `next_at`: where in each the pointer (void *) lies. */
static inline void hd_free_list_put(struct hd_free_list *list, void *first, void *last, size_t next_at) {
  void *next = __atomic_load_n(&list->first, __ATOMIC_RELAXED);
  do
    *hd_free_next(last, next_at) = next;
  while (!__atomic_compare_exchange_n(&list->first, &next, first, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/** Takes one; its pointer is what it was. NULL: there is none just now. */
static inline void *hd_free_list_take(struct hd_free_list *list, size_t next_at) {
  if (!__atomic_load_n(&list->first, __ATOMIC_RELAXED))
    return NULL;
  void *taken = __atomic_exchange_n(&list->first, NULL, __ATOMIC_ACQUIRE);
  void *rest = taken ? *hd_free_next(taken, next_at) : NULL;
  void *none = NULL;
  if (!rest || __atomic_compare_exchange_n(&list->first, &none, rest, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    return taken;
  void *last = rest;
  while (*hd_free_next(last, next_at))
    last = *hd_free_next(last, next_at);
  hd_free_list_put(list, rest, last, next_at);
  return taken;
}

#endif
