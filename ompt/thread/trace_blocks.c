/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/trace_blocks.h"

#include "heddle-trace.h"
#include "ompt/shared/measuring.h"
#include "ompt/thread/trace_lulls.h"
#include "store/store.h"
#include "support/inprocess/heap.h"
#include "support/inprocess/memory_budget.h"

enum { FIRST_BYTES = 8 << 10, LAST_BYTES = 256 << 10 };           /* of a trace that ends */
enum { LEAST_BYTES = 4 << 10, MOST_BYTES = 64 << 10, MANY = 64 }; /* of the end of a run: so many, at least */

static struct {
  uint64_t limit_bytes;
  uint64_t taken_bytes;
  uint32_t last_bytes; /* each has so many; 0: the trace ends */
  uint32_t count;
  /* Blocks that are full, the oldest first: slot number n is slots[n % slot_count]. */
  struct full {
    struct hd_block_header *block;
    uint64_t end_ticks; /* of what it holds */
  } *slots;
  uint64_t kept_bytes; /* of blocks that are needed: they are in no slot any more */
  uint32_t slot_count;
  uint64_t head, tail;
} blocks;

static uint32_t block_bytes_for(uint64_t limit_bytes) {
  const uint64_t each = limit_bytes / MANY / LEAST_BYTES * LEAST_BYTES;
  return each < LEAST_BYTES ? LEAST_BYTES : each > MOST_BYTES ? MOST_BYTES : (uint32_t)each;
}

void hd_trace_blocks_init(uint64_t limit_bytes, bool keep_last) {
  blocks.limit_bytes = hd_store.header->trace_limit_bytes = limit_bytes;
  blocks.taken_bytes = blocks.kept_bytes = blocks.head = blocks.tail = 0;
  blocks.last_bytes = blocks.count = 0;
  if (limit_bytes == 0 || !keep_last)
    return;
  blocks.last_bytes = block_bytes_for(limit_bytes);
  blocks.slot_count = (uint32_t)(limit_bytes / blocks.last_bytes) + HD_ROW_THREADS_MOST;
  hd_memory_allow(blocks.slot_count * sizeof *blocks.slots);
  blocks.slots = hd_heap_allocate(blocks.slot_count, sizeof *blocks.slots);
  if (!blocks.slots)
    blocks.last_bytes = 0;
}

bool hd_trace_blocks_are_wanted(void) {
  return blocks.limit_bytes > 0;
}

/* ---- the queue ---- */

void hd_trace_blocks_retire(struct hd_block_header *block, uint64_t end_ticks) {
  if (!blocks.last_bytes)
    return;
  struct full *slot = &blocks.slots[__atomic_fetch_add(&blocks.tail, 1, __ATOMIC_RELAXED) % blocks.slot_count];
  __atomic_store_n(&slot->end_ticks, end_ticks, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->block, block, __ATOMIC_RELEASE);
}

/* False: there is none, or its owner is just putting it in. */
static bool take_oldest(struct full *taken) {
  uint64_t at = __atomic_load_n(&blocks.head, __ATOMIC_RELAXED);
  struct full *slot;
  do {
    slot = &blocks.slots[at % blocks.slot_count];
    taken->block = __atomic_load_n(&slot->block, __ATOMIC_ACQUIRE);
    taken->end_ticks = __atomic_load_n(&slot->end_ticks, __ATOMIC_RELAXED);
    if (!taken->block)
      return false;
  } while (!__atomic_compare_exchange_n(&blocks.head, &at, at + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  struct hd_block_header *block = taken->block;
  __atomic_compare_exchange_n(&slot->block, &block, NULL, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
  return true;
}

/* ---- blocks that are needed ---- */

static uint64_t begin_of(const struct hd_block_header *block) {
  return ((const struct hd_trace_record *)(const void *)((const char *)block + HD_BLOCK_HEADER_BYTES))->ticks;
}

/* Who needs it says so at the same time: one of the two sees the other. */
static bool can_be_lost(const struct full *full) {
  if (hd_trace_lulls_need(begin_of(full->block), full->end_ticks) != HD_TRACE_NOT_NEEDED)
    return false;
  hd_trace_lulls_lose(full->end_ticks);
  return hd_trace_lulls_need(begin_of(full->block), full->end_ticks) == HD_TRACE_NOT_NEEDED;
}

/* Kept for good, or put behind the others. */
static void keep(const struct full *full, uint64_t *waiting_bytes) {
  if (hd_trace_lulls_need(begin_of(full->block), full->end_ticks) == HD_TRACE_NEEDED) {
    __atomic_fetch_add(&blocks.kept_bytes, blocks.last_bytes, __ATOMIC_RELAXED);
  } else {
    *waiting_bytes += blocks.last_bytes;
    hd_trace_blocks_retire(full->block, full->end_ticks);
  }
}

/* The oldest that is not needed. NULL: there is none; *waiting_bytes: so much may be needed. */
static struct hd_block_header *take_unneeded(uint64_t *waiting_bytes) {
  uint64_t left = __atomic_load_n(&blocks.tail, __ATOMIC_RELAXED) - __atomic_load_n(&blocks.head, __ATOMIC_RELAXED);
  for (struct full full; left-- > 0 && take_oldest(&full);) {
    if (!hd_trace_lulls_are_wanted() || can_be_lost(&full))
      return full.block;
    keep(&full, waiting_bytes);
  }
  return NULL;
}

/* ---- blocks ---- */

/* There are always fewer than the queue has slots. */
static struct hd_block_header *add(uint32_t owner, uint32_t bytes) {
  if (blocks.last_bytes && __atomic_add_fetch(&blocks.count, 1, __ATOMIC_RELAXED) + 1 >= blocks.slot_count)
    return NULL;
  hd_memory_allow(bytes); /* the limit is for what a profile needs */
  char *content = hd_store_add_block(&hd_store, HD_BLOCK_TRACE, owner, bytes - HD_BLOCK_HEADER_BYTES);
  if (content)
    return (struct hd_block_header *)(void *)(content - HD_BLOCK_HEADER_BYTES);
  hd_memory_disallow(bytes);
  return NULL;
}

static bool may_add(uint32_t bytes) {
  if (__atomic_add_fetch(&blocks.taken_bytes, bytes, __ATOMIC_RELAXED) <= blocks.limit_bytes)
    return true;
  __atomic_fetch_sub(&blocks.taken_bytes, bytes, __ATOMIC_RELAXED);
  return false;
}

/* A reader that comes meanwhile finds it empty, or another one than a moment ago. */
static struct hd_block_header *use_again(uint32_t owner, uint64_t *waiting_bytes) {
  struct hd_block_header *block = take_unneeded(waiting_bytes);
  if (!block)
    return NULL;
  __atomic_store_n(&block->count, 0, __ATOMIC_RELEASE);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  __atomic_store_n(&block->owner, owner, __ATOMIC_RELAXED);
  return block;
}

/* Twice as large as the one before, up to a limit: threads that tell little take little. */
static uint32_t bytes_of(uint32_t number) {
  uint32_t bytes = FIRST_BYTES;
  while (number-- > 0 && bytes < LAST_BYTES)
    bytes *= 2;
  return blocks.last_bytes ? blocks.last_bytes : bytes;
}

/* All that there may be is needed. */
static bool is_full(uint64_t waiting_bytes) {
  return hd_trace_lulls_are_wanted() &&
         __atomic_load_n(&blocks.kept_bytes, __ATOMIC_RELAXED) + waiting_bytes >= blocks.limit_bytes;
}

/* Where the file cannot grow, either, what there is is used again. */
struct hd_block_header *hd_trace_blocks_take(uint32_t owner, uint32_t number) {
  const uint32_t bytes = bytes_of(number);
  uint64_t waiting_bytes = 0;
  struct hd_block_header *block = may_add(bytes) ? add(owner, bytes) : NULL;
  if (block || !blocks.last_bytes)
    return block;
  block = use_again(owner, &waiting_bytes);
  return block || is_full(waiting_bytes) ? block : add(owner, bytes);
}
