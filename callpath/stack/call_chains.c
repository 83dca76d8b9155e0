/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/stack/call_chains.h"

#include <pthread.h>
#include <stddef.h>

#include "support/inprocess/heap.h"
#include "support/inprocess/memory_budget.h"

#define HASH_NONFATAL_OOM 1
#define uthash_malloc(bytes) hd_heap_allocate(1, bytes)
#define uthash_free(memory, bytes) hd_heap_free(memory)
#include <uthash.h>

enum { MOST_CHAINS = 1 << 16 };

struct interned {
  UT_hash_handle hh;
  struct hd_chain chain; /* the key, all of it: zeroed before it is filled */
};

static struct {
  pthread_mutex_t lock;
  struct interned *table;
} chains = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t key_bytes(uint32_t count) {
  return offsetof(struct hd_chain, routines) + count * sizeof(void *);
}

static bool has_room(uint32_t count) {
  return HASH_COUNT(chains.table) < MOST_CHAINS && hd_memory_has_room(count > 1 ? HD_MEMORY_PATH : HD_MEMORY_SHORT_PATH,
                                                                      sizeof(struct interned) + key_bytes(count));
}

static const struct hd_chain *find_or_add(struct interned *candidate) {
  struct interned *known;
  size_t bytes = key_bytes(candidate->chain.count);
  HASH_FIND(hh, chains.table, &candidate->chain, bytes, known);
  if (known)
    return &known->chain;
  if (!has_room(candidate->chain.count))
    return NULL;
  HASH_ADD_KEYPTR(hh, chains.table, &candidate->chain, bytes, candidate);
  return candidate->hh.tbl ? &candidate->chain : NULL; /* NULL: uthash had no memory and left it out */
}

static const struct hd_chain *intern(const void *const *innermost_first, uint32_t count, bool cut) {
  struct interned *candidate = hd_heap_allocate(1, offsetof(struct interned, chain) + key_bytes(count));
  if (!candidate)
    return NULL;
  candidate->chain.count = count;
  candidate->chain.cut = cut;
  for (uint32_t i = 0; i < count; i++)
    candidate->chain.routines[i] = innermost_first[count - 1 - i];
  pthread_mutex_lock(&chains.lock);
  const struct hd_chain *chain = find_or_add(candidate);
  pthread_mutex_unlock(&chains.lock);
  if (chain != &candidate->chain)
    hd_heap_free(candidate);
  return chain;
}

const struct hd_chain *hd_chains_intern(const void *const *innermost_first, uint32_t count, bool cut) {
  const struct hd_chain *chain = intern(innermost_first, count, cut);
  return chain || count <= 1 ? chain : intern(innermost_first, 1, true);
}

static bool is_same(const struct hd_chain *chain, const void *const *innermost_first, uint32_t count, bool cut) {
  if (chain->count != count || chain->cut != cut)
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (chain->routines[i] != innermost_first[count - 1 - i])
      return false;
  return true;
}

const struct hd_chain *hd_chains_recall(struct hd_chain_memo *memo, const void *const *innermost_first, uint32_t count,
                                        bool cut) {
  uint64_t hash = count;
  for (uint32_t i = 0; i < count; i++)
    hash = (hash ^ (uintptr_t)innermost_first[i]) * 0x9E3779B97F4A7C15u;
  const struct hd_chain **recalled = &memo->chains[(hash >> 32) % (sizeof memo->chains / sizeof *memo->chains)];
  if (!*recalled || !is_same(*recalled, innermost_first, count, cut)) {
    const struct hd_chain *chain = hd_chains_intern(innermost_first, count, cut);
    if (!chain)
      return NULL;
    *recalled = chain;
  }
  return *recalled;
}
