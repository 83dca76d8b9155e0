/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/known_steps.h"

#include <stddef.h>

#include "support/inprocess/heap.h"
#include "support/inprocess/memory_budget.h"

enum { FIRST_LENGTH = 64, CHANGING = UINT32_MAX };

/* What is in a used slot stays, but for the step's ends, which are valid while `unloads` stays the same. */
struct slot {
  struct hd_step_key key;
  bool used;
  uint32_t unloads;
  struct hd_step ends;
};

/* At most half full. A table that became too small stays where it is: somebody may be looking into it. */
struct table {
  uint32_t length; /* a power of two */
  uint32_t used;
  struct slot slots[];
};

static struct table *current;

static uint64_t hash(const struct hd_step_key *key) {
  const uint64_t mixed = (uint64_t)(uintptr_t)key->address ^ (uint64_t)key->kind << 58 ^ (uint64_t)key->is_call << 57;
  const uint64_t product = (mixed + ((uint64_t)key->parent << 32)) * 0x9E3779B97F4A7C15u; /* as in thread.h */
  return product ^ product >> 32;
}

static bool is_same(const struct hd_step_key *a, const struct hd_step_key *b) {
  return a->address == b->address && a->parent == b->parent && a->kind == b->kind && a->is_call == b->is_call;
}

/* The key's slot, or the unused one where it has to go. */
static struct slot *probe(struct table *table, const struct hd_step_key *key) {
  const uint32_t mask = table->length - 1;
  uint32_t i = (uint32_t)hash(key) & mask;
  while (__atomic_load_n(&table->slots[i].used, __ATOMIC_ACQUIRE) && !is_same(&table->slots[i].key, key))
    i = (i + 1) & mask;
  return &table->slots[i];
}

/* A slot that was unused when it was found may have become another step's since. */
bool hd_known_steps_find(const struct hd_step_key *key, uint32_t unloads, struct hd_step *ends) {
  struct table *table = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
  const struct slot *slot = table ? probe(table, key) : NULL;
  if (!slot || !__atomic_load_n(&slot->used, __ATOMIC_ACQUIRE) || !is_same(&slot->key, key) ||
      __atomic_load_n(&slot->unloads, __ATOMIC_ACQUIRE) != unloads)
    return false;
  ends->profile = __atomic_load_n(&slot->ends.profile, __ATOMIC_ACQUIRE);
  ends->counter = __atomic_load_n(&slot->ends.counter, __ATOMIC_ACQUIRE);
  return __atomic_load_n(&slot->unloads, __ATOMIC_RELAXED) == unloads;
}

static void put(struct table *table, const struct hd_step_key *key, uint32_t unloads, struct hd_step ends) {
  struct slot *slot = probe(table, key);
  __atomic_store_n(&slot->unloads, CHANGING, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->ends.profile, ends.profile, __ATOMIC_RELEASE);
  __atomic_store_n(&slot->ends.counter, ends.counter, __ATOMIC_RELEASE);
  __atomic_store_n(&slot->unloads, unloads, __ATOMIC_RELEASE);
  if (slot->used)
    return;
  slot->key = *key;
  table->used++;
  __atomic_store_n(&slot->used, true, __ATOMIC_RELEASE);
}

static struct table *grown(const struct table *small) {
  const uint32_t length = small ? 2 * small->length : FIRST_LENGTH;
  const size_t bytes = sizeof(struct table) + length * sizeof(struct slot);
  struct table *table = length && hd_memory_has_room(HD_MEMORY_PATH_ROW, bytes) ? hd_heap_allocate(1, bytes) : NULL;
  if (!table)
    return NULL;
  table->length = length;
  for (uint32_t i = 0; small && i < small->length; i++) {
    const struct slot *slot = &small->slots[i];
    if (slot->used)
      put(table, &slot->key, slot->unloads, slot->ends);
  }
  return table;
}

void hd_known_steps_add(const struct hd_step_key *key, uint32_t unloads, struct hd_step ends) {
  struct table *table = current;
  if (!table || (table->used >= table->length / 2 && !probe(table, key)->used))
    table = grown(table);
  if (!table)
    return;
  put(table, key, unloads, ends);
  __atomic_store_n(&current, table, __ATOMIC_RELEASE);
}
