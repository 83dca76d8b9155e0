/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/path/index.h"

#include <stddef.h>

#include "support/inprocess/heap.h"

enum { FIRST_PLACES = 16 };

static struct hd_path_item **place_of(const struct hd_path_index *index, uint64_t key) {
  return &index->places[(uint32_t)(key * 0x9E3779B97F4A7C15u >> 32) & index->mask]; /* Knuth 6.4 */
}

static void put(struct hd_path_index *index, struct hd_path_item *item) {
  struct hd_path_item **place = place_of(index, item->key);
  item->next = *place;
  *place = item;
}

static bool make_room(struct hd_path_index *index) {
  const struct hd_path_index before = *index;
  const uint32_t places = before.places ? before.mask + 1 : 0;
  if (before.count < places)
    return true;
  struct hd_path_item **more = hd_heap_allocate_for(HD_MEMORY_ORDER, places ? 2 * places : FIRST_PLACES, sizeof *more);
  if (!more)
    return places > 0;
  index->places = more;
  index->mask = (places ? 2 * places : FIRST_PLACES) - 1;
  for (uint32_t i = 0; i < places; i++)
    for (struct hd_path_item *item = before.places[i], *next; item; item = next) {
      next = item->next;
      put(index, item);
    }
  hd_heap_free(before.places);
  return true;
}

void *hd_path_find(const struct hd_path_index *index, uint64_t key) {
  struct hd_path_item *item = index->places ? *place_of(index, key) : NULL;
  while (item && item->key != key)
    item = item->next;
  return item;
}

void *hd_path_make(struct hd_path_index *index, uint64_t key, uint32_t bytes) {
  struct hd_path_item *item = make_room(index) ? hd_heap_allocate_for(HD_MEMORY_ORDER, 1, bytes) : NULL;
  if (!item)
    return NULL;
  item->key = key;
  put(index, item);
  index->count++;
  return item;
}

void hd_path_take_out(struct hd_path_index *index, struct hd_path_item *item) {
  struct hd_path_item **place = place_of(index, item->key);
  while (*place != item)
    place = &(*place)->next;
  *place = item->next;
  index->count--;
}

void *hd_path_any(const struct hd_path_index *index) {
  for (uint32_t i = 0; index->places && i <= index->mask; i++)
    if (index->places[i])
      return index->places[i];
  return NULL;
}

void hd_path_free_index(struct hd_path_index *index) {
  hd_heap_free(index->places);
  *index = (struct hd_path_index){0};
}
