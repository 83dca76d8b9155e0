/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/totals.h"

#include "support/inprocess/heap.h"

enum {
  FIRST_SLOTS = 64,
  KEPT_FROM = offsetof(struct hd_total_record, instances),
  KEPT_WORDS = (sizeof(struct hd_total_record) - KEPT_FROM) / sizeof(uint64_t)
};

static bool is_of(const struct hd_total_record *record, uint32_t profile, uint32_t thread, uint32_t team_size) {
  return record->profile == profile && record->thread == thread && record->team_size == team_size;
}

static struct hd_total *slot_of(const struct hd_total_book *book, uint32_t profile, uint32_t thread,
                                uint32_t team_size) {
  const uint64_t key = ((uint64_t)thread << 32 | profile) + (uint64_t)team_size * 0xC2B2AE3D27D4EB4Fu;
  uint32_t slot = (uint32_t)(key * 0x9E3779B97F4A7C15u >> 32) & book->mask; /* Fibonacci hashing, Knuth 6.4 */
  while (book->slots[slot].record && !is_of(book->slots[slot].record, profile, thread, team_size))
    slot = (slot + 1) & book->mask;
  return &book->slots[slot];
}

static bool make_room(struct hd_total_book *book) {
  const uint32_t before = book->slots ? book->mask + 1 : 0;
  const uint32_t after = before ? 2 * before : FIRST_SLOTS;
  if (book->count < before / 2)
    return true;
  struct hd_total *slots = book->slots;
  struct hd_total *grown = hd_heap_allocate(after, sizeof *grown);
  if (!grown)
    return book->count + 1 < before;
  book->slots = grown;
  book->mask = after - 1;
  for (uint32_t i = 0; i < before; i++)
    if (slots[i].record)
      *slot_of(book, slots[i].record->profile, slots[i].record->thread, slots[i].record->team_size) = slots[i];
  hd_heap_free(slots);
  return true;
}

static struct hd_total *add(struct hd_total_book *book, uint32_t profile, uint32_t thread, uint32_t team_size) {
  struct hd_total *slot = make_room(book) ? slot_of(book, profile, thread, team_size) : NULL;
  struct hd_total_record *record = slot ? hd_journal_add_record(book->journal, HD_BLOCK_TOTALS, sizeof *record) : NULL;
  if (!record) {
    __atomic_fetch_or(&book->header->flags, HD_FILE_FULL, __ATOMIC_RELAXED);
    return NULL;
  }
  record->profile = profile;
  record->thread = thread;
  record->team_size = team_size;
  book->count++;
  slot->record = record;
  return slot;
}

struct hd_total_record *hd_totals_change(struct hd_total_book *book, uint32_t profile, uint32_t thread,
                                         uint32_t team_size) {
  struct hd_total *total = book->slots ? slot_of(book, profile, thread, team_size) : NULL;
  if (!total || !total->record)
    total = add(book, profile, thread, team_size);
  if (!total)
    return NULL;
  hd_journal_keep_once(book->journal, &total->kept_in, &total->record->instances, KEPT_WORDS);
  return total->record;
}

bool hd_totals_restore(struct hd_total_book *book, struct hd_total_record *record) {
  if (!make_room(book))
    return false;
  struct hd_total *slot = slot_of(book, record->profile, record->thread, record->team_size);
  book->count += !slot->record;
  slot->record = record;
  return true;
}

void hd_totals_free(struct hd_total_book *book) {
  hd_heap_free(book->slots);
}
