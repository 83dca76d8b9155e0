/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/inprocess/list.h"

#include <stddef.h>

#include "support/inprocess/heap.h"

static uint32_t part_of(uint32_t i) {
  return i >> HD_LIST_FIRST_BITS ? 32 - HD_LIST_FIRST_BITS - (uint32_t)__builtin_clz(i) : 0;
}

static uint32_t part_begin(uint32_t part) {
  return part ? UINT32_C(1) << (HD_LIST_FIRST_BITS + part - 1) : 0;
}

static void **place(const struct hd_list *list, uint32_t i) {
  const uint32_t part = part_of(i);
  return &__atomic_load_n(&list->parts[part], __ATOMIC_ACQUIRE)[i - part_begin(part)];
}

bool hd_list_make_place(struct hd_list *list, uint32_t i) {
  const uint32_t part = part_of(i);
  const size_t length = part ? part_begin(part) : (size_t)1 << HD_LIST_FIRST_BITS;
  if (__atomic_load_n(&list->parts[part], __ATOMIC_ACQUIRE))
    return true;
  void **made = hd_heap_allocate(length, sizeof *made);
  void **before = NULL;
  if (!made ||
      __atomic_compare_exchange_n(&list->parts[part], &before, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return made;
  hd_heap_free(made);
  return true;
}

void *hd_list_at(const struct hd_list *list, uint32_t i) {
  return __atomic_load_n(place(list, i), __ATOMIC_ACQUIRE);
}

void *hd_list_put(struct hd_list *list, uint32_t i, void *wanted) {
  void *before = NULL;
  return __atomic_compare_exchange_n(place(list, i), &before, wanted, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
             ? wanted
             : before;
}
