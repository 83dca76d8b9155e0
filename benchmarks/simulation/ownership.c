/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ownership.h"

#include <stdio.h>
#include <stdlib.h>

enum { FIRST_SLOTS = 1 << 16, THREAD_BITS = 20 };

/* By line: the last owner, and how often it has changed. By line and thread: the change that the thread has seen. */
struct slot {
  uint64_t key; /* 0: free */
  uint32_t version;
  uint32_t owner; /* thread + 1; 0: none yet */
  bool is_shared; /* others have read it since */
};

struct table {
  struct slot *slots;
  uint64_t count, limit; /* a power of two */
};
static struct table lines, seen;

static struct slot *place_of(const struct table *table, uint64_t key) {
  uint64_t at = key * 0x9e3779b97f4a7c15u >> 20;
  while (table->slots[at & (table->limit - 1)].key != 0 && table->slots[at & (table->limit - 1)].key != key)
    at++;
  return &table->slots[at & (table->limit - 1)];
}

static void grow(struct table *table) {
  const struct table old = *table;
  table->limit = old.limit ? 4 * old.limit : FIRST_SLOTS;
  table->slots = calloc(table->limit, sizeof *table->slots);
  if (!table->slots) {
    fputs("simulation: no memory for the lines\n", stderr);
    exit(1);
  }
  for (uint64_t i = 0; i < old.limit; i++)
    if (old.slots[i].key)
      *place_of(table, old.slots[i].key) = old.slots[i];
  free(old.slots);
}

static struct slot *find(struct table *table, uint64_t key) {
  if (2 * table->count >= table->limit)
    grow(table);
  struct slot *slot = place_of(table, key);
  table->count += slot->key == 0;
  slot->key = key;
  return slot;
}

static enum ownership write_line(struct slot *line, uint64_t key, uint32_t thread) {
  const bool is_own = line->owner == thread + 1;
  const bool is_new = line->owner == 0;
  const bool has_seen = is_own || is_new || find(&seen, key << THREAD_BITS | thread)->version == line->version;
  if (is_own && !line->is_shared)
    return OWNERSHIP_KEPT;
  line->owner = thread + 1;
  line->version++;
  line->is_shared = false;
  return !has_seen ? OWNERSHIP_MOVED : is_new ? OWNERSHIP_KEPT : OWNERSHIP_TAKEN;
}

enum ownership ownership_touch(uint64_t key, uint32_t thread, bool writes) {
  struct slot *line = find(&lines, key);
  if (writes)
    return write_line(line, key, thread);
  if (line->owner == 0 || line->owner == thread + 1)
    return OWNERSHIP_KEPT;
  struct slot *its = find(&seen, key << THREAD_BITS | thread);
  if (its->version == line->version)
    return OWNERSHIP_KEPT;
  its->version = line->version;
  line->is_shared = true;
  return OWNERSHIP_MOVED;
}
