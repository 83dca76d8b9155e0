/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/overlaps.h"

#include <string.h>

#include "support/inprocess/heap.h"
#include "support/inprocess/memory_budget.h"

enum { OVERLAPS_MOST = 16384, FIRST_TABLE = 64, RECORD_WORDS = sizeof(struct hd_overlap_record) / sizeof(uint64_t) };

static uint32_t slot_of(const struct hd_overlaps *overlaps, uint32_t a, uint32_t b) {
  const uint64_t hash = ((uint64_t)a << 32 | b) * 0x9E3779B97F4A7C15u; /* Fibonacci hashing, Knuth 6.4 */
  uint32_t slot = (uint32_t)(hash >> 32) & (overlaps->limit - 1);
  while (overlaps->table[slot] && (overlaps->table[slot]->a != a || overlaps->table[slot]->b != b))
    slot = (slot + 1) & (overlaps->limit - 1);
  return slot;
}

static void put(struct hd_overlaps *overlaps, struct hd_overlap_record *record) {
  overlaps->table[slot_of(overlaps, record->a, record->b)] = record;
  overlaps->count++;
}

/* Table and records have room for twice the pairs that there may be. */
static bool grow(struct hd_overlaps *overlaps) {
  const uint32_t limit = overlaps->limit ? 2 * overlaps->limit : FIRST_TABLE;
  if (!hd_memory_has_room(HD_MEMORY_PATH_ROW, 2 * limit * sizeof(void *)))
    return false;
  struct hd_overlap_record **records = hd_heap_resize(overlaps->records, limit * sizeof *records, false);
  if (!records)
    return false;
  overlaps->records = records;
  struct hd_overlap_record **table = hd_heap_allocate(limit, sizeof *table);
  if (!table)
    return false;
  struct hd_overlap_record **old = overlaps->table;
  const uint32_t old_limit = overlaps->limit;
  overlaps->table = table;
  overlaps->limit = limit;
  overlaps->count = 0;
  for (uint32_t i = 0; i < old_limit; i++)
    if (old[i])
      put(overlaps, old[i]);
  hd_heap_free(old);
  return true;
}

static bool make_room(struct hd_overlaps *overlaps) {
  return overlaps->record_count < overlaps->limit / 2 || grow(overlaps);
}

/* A new pair needs others to be given up. */
static bool is_full(const struct hd_overlaps *overlaps) {
  return overlaps->count >= (overlaps->most ? overlaps->most : OVERLAPS_MOST);
}

/* One that was given up serves again. They are few calls apart only when the number of pairs is at its bound. */
static struct hd_overlap_record *free_record(struct hd_overlaps *overlaps) {
  while (overlaps->free_count > 0)
    if (overlaps->records[--overlaps->free_count]->ticks == 0)
      return overlaps->records[overlaps->free_count];
  return NULL;
}

static struct hd_overlap_record *new_record(struct hd_overlaps *overlaps) {
  struct hd_overlap_record *record = free_record(overlaps);
  if (record)
    return record;
  record = make_room(overlaps) ? hd_journal_add_record(overlaps->journal, HD_BLOCK_OVERLAPS, sizeof *record) : NULL;
  if (record)
    overlaps->records[overlaps->record_count++] = record;
  else
    overlaps->most = overlaps->count; /* from now on smaller ones make room for larger ones */
  return record;
}

/* Shell's method (Knuth 5.2.1): the C library's qsort may call malloc, see support/inprocess/heap.h. */
static void sort_larger_first(struct hd_overlap_record **records, uint32_t count) {
  static const uint32_t steps[] = {8929, 3905, 2161, 929, 505, 209, 109, 41, 19, 5, 1}; /* Sedgewick */
  for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
    for (uint32_t i = steps[s]; i < count; i++) {
      struct hd_overlap_record *record = records[i];
      uint32_t at = i;
      for (; at >= steps[s] && records[at - steps[s]]->ticks < record->ticks; at -= steps[s])
        records[at] = records[at - steps[s]];
      records[at] = record;
    }
}

/* Gives the smaller half up, to be used again for others. Returns the ticks of the largest that went. */
static uint64_t give_up(struct hd_overlaps *overlaps) {
  const uint32_t kept = overlaps->record_count / 2;
  sort_larger_first(overlaps->records, overlaps->record_count);
  memset(overlaps->table, 0, overlaps->limit * sizeof *overlaps->table);
  overlaps->count = 0;
  for (uint32_t i = 0; i < kept; i++)
    put(overlaps, overlaps->records[i]);
  const uint64_t largest = overlaps->records[kept]->ticks;
  for (uint32_t i = kept; i < overlaps->record_count; i++) {
    hd_journal_keep(overlaps->journal, &overlaps->records[i]->ticks, 1);
    overlaps->records[i]->ticks = 0;
  }
  overlaps->newest = NULL;
  overlaps->free_count = overlaps->record_count;
  return largest;
}

uint64_t hd_overlaps_add(struct hd_overlaps *overlaps, uint32_t a, uint32_t b, uint64_t ticks) {
  uint64_t lost = 0;
  if (ticks == 0)
    return 0;
  if (a > b) {
    const uint32_t swapped = a;
    a = b;
    b = swapped;
  }
  struct hd_overlap_record *record = overlaps->newest;
  if (!record || record->a != a || record->b != b)
    record = overlaps->limit ? overlaps->table[slot_of(overlaps, a, b)] : NULL;
  if (record) {
    overlaps->newest = record;
    hd_journal_keep(overlaps->journal, &record->ticks, 1);
    record->ticks += ticks;
    return 0;
  }
  record = is_full(overlaps) ? NULL : new_record(overlaps);
  if (!record && is_full(overlaps)) {
    lost = give_up(overlaps);
    record = new_record(overlaps);
  }
  if (!record)
    return lost + ticks;
  hd_journal_keep(overlaps->journal, record, RECORD_WORDS);
  *record = (struct hd_overlap_record){.a = a, .b = b, .ticks = ticks};
  put(overlaps, record);
  return lost;
}

bool hd_overlaps_restore(struct hd_overlaps *overlaps, struct hd_overlap_record *record) {
  if (!make_room(overlaps))
    return false;
  overlaps->records[overlaps->record_count++] = record;
  if (record->ticks > 0)
    put(overlaps, record);
  return true;
}

void hd_overlaps_free(struct hd_overlaps *overlaps) {
  hd_heap_free(overlaps->table);
  hd_heap_free(overlaps->records);
}
