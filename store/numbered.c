/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "store/numbered.h"

static uint32_t per_block(const struct hd_numbered *records) {
  return (HD_BLOCK_BYTES - HD_BLOCK_HEADER_BYTES) / records->record_bytes;
}

static struct hd_block_header *make_block(struct hd_numbered *records, struct hd_store *store, uint32_t number) {
  struct hd_store_cursor cursor = {0};
  if (!hd_list_make_place(&records->blocks, number))
    return NULL;
  struct hd_block_header *block = hd_list_at(&records->blocks, number);
  if (!block && hd_store_reserve(store, &cursor, records->type, HD_NONE, records->record_bytes, per_block(records)))
    block = hd_list_put(&records->blocks, number, cursor.block);
  return block;
}

/* Where several threads make a block at once, all but one are in vain, and the file is larger for good. So the next one
 * is made early, when this one is half used, by one thread. If that one has lost its processor, others make it when
 * they need it. */
static void make_next_early(struct hd_numbered *records, struct hd_store *store, uint32_t number) {
  uint32_t last = number;
  if (__atomic_compare_exchange_n(&records->early, &last, number + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    make_block(records, store, number + 1);
}

void *hd_numbered_record(struct hd_numbered *records, struct hd_store *store, uint32_t i) {
  const uint32_t number = i / per_block(records);
  const uint32_t place = i % per_block(records);
  struct hd_block_header *block = make_block(records, store, number);
  if (!block)
    return NULL;
  if (place == per_block(records) / 2)
    make_next_early(records, store, number);
  return (char *)block + HD_BLOCK_HEADER_BYTES + (size_t)place * records->record_bytes;
}

void hd_numbered_publish(struct hd_numbered *records, uint32_t i) {
  struct hd_block_header *block = hd_list_at(&records->blocks, i / per_block(records));
  const uint32_t count = i % per_block(records) + 1;
  uint32_t before = __atomic_load_n(&block->count, __ATOMIC_ACQUIRE);
  while (before < count &&
         !__atomic_compare_exchange_n(&block->count, &before, count, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    continue;
}
