/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/trace_blocks.h"

#include "ompt/shared/measuring.h"
#include "store/store.h"
#include "support/inprocess/heap.h"
#include "support/inprocess/memory_budget.h"

enum { FIRST_BYTES = 8 << 10, LAST_BYTES = 256 << 10 };       /* of a trace that ends */
enum { LEAST_BYTES = 4 << 10, MOST_BYTES = 64 << 10, MANY = 64 }; /* of the end of a run: so many, at least */

static struct {
  uint64_t limit_bytes;
  uint64_t taken_bytes;
  uint32_t last_bytes; /* each has so many; 0: the trace ends */
  uint32_t count;
  /* Blocks that are full, the oldest first: slot number n is slots[n % slot_count]. */
  struct hd_block_header **slots;
  uint32_t slot_count;
  uint64_t head, tail;
} blocks;

static uint32_t block_bytes_for(uint64_t limit_bytes) {
  const uint64_t each = limit_bytes / MANY / LEAST_BYTES * LEAST_BYTES;
  return each < LEAST_BYTES ? LEAST_BYTES : each > MOST_BYTES ? MOST_BYTES : (uint32_t)each;
}

void hd_trace_blocks_init(uint64_t limit_bytes, bool keep_last) {
  blocks.limit_bytes = hd_store.header->trace_limit_bytes = limit_bytes;
  blocks.taken_bytes = blocks.head = blocks.tail = 0;
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

void hd_trace_blocks_retire(struct hd_block_header *block) {
  if (!blocks.last_bytes)
    return;
  const uint64_t at = __atomic_fetch_add(&blocks.tail, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&blocks.slots[at % blocks.slot_count], block, __ATOMIC_RELEASE);
}

/* NULL: there is none, or its owner is just putting it in. */
static struct hd_block_header *take_oldest(void) {
  uint64_t at = __atomic_load_n(&blocks.head, __ATOMIC_RELAXED);
  struct hd_block_header *block;
  do {
    block = __atomic_load_n(&blocks.slots[at % blocks.slot_count], __ATOMIC_ACQUIRE);
    if (!block)
      return NULL;
  } while (!__atomic_compare_exchange_n(&blocks.head, &at, at + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  struct hd_block_header *taken = block;
  __atomic_compare_exchange_n(&blocks.slots[at % blocks.slot_count], &taken, NULL, false, __ATOMIC_RELEASE,
                              __ATOMIC_RELAXED);
  return block;
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
static struct hd_block_header *use_again(uint32_t owner) {
  struct hd_block_header *block = take_oldest();
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

struct hd_block_header *hd_trace_blocks_take(uint32_t owner, uint32_t number) {
  const uint32_t bytes = bytes_of(number);
  if (may_add(bytes))
    return add(owner, bytes);
  struct hd_block_header *old = blocks.last_bytes ? use_again(owner) : NULL;
  return old || !blocks.last_bytes ? old : add(owner, bytes);
}
