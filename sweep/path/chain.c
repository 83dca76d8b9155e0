/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/path/chain.h"

#include <stddef.h>

#include "support/inprocess/heap.h"

enum { FIRST_PARTS = 4 };

/* ---- parts ---- */

static struct hd_chain_part *place_of(const struct hd_chain *chain, uint32_t profile) {
  uint32_t place = profile * 0x9E3779B1u >> 7 & (chain->part_limit - 1); /* Fibonacci hashing, Knuth 6.4 */
  while (chain->parts[place].profile && chain->parts[place].profile != profile + 1)
    place = (place + 1) & (chain->part_limit - 1);
  return &chain->parts[place];
}

static bool make_room(struct hd_chain_pool *pool, struct hd_chain *chain) {
  struct hd_chain_part *before = chain->parts;
  const uint32_t limit = chain->part_limit;
  if (4 * (chain->part_count + 1) <= 3 * limit)
    return true;
  struct hd_chain_part *parts = hd_heap_allocate_for(HD_MEMORY_ORDER, limit ? 2 * limit : FIRST_PARTS, sizeof *parts);
  if (!parts) {
    pool->has_failed = true;
    return false;
  }
  chain->parts = parts;
  chain->part_limit = limit ? 2 * limit : FIRST_PARTS;
  for (uint32_t i = 0; i < limit; i++)
    if (before[i].profile)
      *place_of(chain, before[i].profile - 1) = before[i];
  hd_heap_free(before);
  return true;
}

static void add(struct hd_chain_pool *pool, struct hd_chain *chain, uint32_t profile, uint64_t ticks) {
  struct hd_chain_part *part = chain->parts ? place_of(chain, profile) : NULL;
  if (!part || !part->profile) {
    if (!make_room(pool, chain))
      return;
    part = place_of(chain, profile);
    part->profile = profile + 1;
    chain->part_count++;
  }
  part->ticks += ticks;
}

static void set_parts(struct hd_chain *chain, const struct hd_chain *of) {
  chain->parts = of->parts;
  chain->part_limit = of->part_limit;
  chain->part_count = of->part_count;
}

static void swap_parts(struct hd_chain *a, struct hd_chain *b) {
  const struct hd_chain of_a = *a;
  set_parts(a, b);
  set_parts(b, &of_a);
}

/* ---- pieces ---- */

static void attach(struct hd_chain *chain, struct hd_chain *parent) {
  chain->parent = parent;
  chain->back = NULL;
  chain->next = parent ? parent->first : NULL;
  if (chain->next)
    chain->next->back = chain;
  if (parent)
    parent->first = chain;
}

static void detach(struct hd_chain *chain) {
  if (chain->back)
    chain->back->next = chain->next;
  else if (chain->parent)
    chain->parent->first = chain->next;
  if (chain->next)
    chain->next->back = chain->back;
  chain->parent = chain->next = chain->back = NULL;
}

static void free_piece(struct hd_chain *chain) {
  hd_heap_free(chain->parts);
  hd_heap_free(chain);
}

/* Only one goes on from it, and nobody else needs it. */
static bool is_passed(const struct hd_chain *chain) {
  return chain->holders == 0 && chain->first && !chain->first->next;
}

static void join(struct hd_chain_pool *pool, struct hd_chain *chain) {
  struct hd_chain *successor = chain->first;
  struct hd_chain *parent = chain->parent;
  if (chain->part_count > successor->part_count)
    swap_parts(chain, successor);
  for (uint32_t i = 0; i < chain->part_limit; i++)
    if (chain->parts[i].profile)
      add(pool, successor, chain->parts[i].profile - 1, chain->parts[i].ticks);
  detach(successor);
  detach(chain);
  attach(successor, parent);
  free_piece(chain);
}

static void drop_if_unused(struct hd_chain_pool *pool, struct hd_chain *chain) {
  while (chain && chain->holders == 0 && !chain->first) {
    struct hd_chain *parent = chain->parent;
    detach(chain);
    free_piece(chain);
    chain = parent;
  }
  if (chain && is_passed(chain))
    join(pool, chain);
}

/* ---- for holders ---- */

struct hd_chain *hd_chain_begin(struct hd_chain_pool *pool) {
  struct hd_chain *chain = hd_heap_allocate_for(HD_MEMORY_ORDER, 1, sizeof *chain);
  if (chain)
    chain->holders = 1;
  else
    pool->has_failed = true;
  return chain;
}

struct hd_chain *hd_chain_hold(struct hd_chain *chain) {
  if (chain)
    chain->holders++;
  return chain;
}

void hd_chain_release(struct hd_chain_pool *pool, struct hd_chain *chain) {
  if (chain && --chain->holders == 0)
    drop_if_unused(pool, chain);
}

static struct hd_chain *go_on_from(struct hd_chain_pool *pool, struct hd_chain *parent) {
  struct hd_chain *chain = hd_chain_begin(pool);
  if (!chain)
    return NULL;
  attach(chain, parent);
  chain->ticks = hd_chain_ticks(parent);
  hd_chain_release(pool, parent); /* may become one with it */
  return chain;
}

void hd_chain_add(struct hd_chain_pool *pool, struct hd_chain **own, uint32_t profile, uint64_t ticks) {
  if (!*own || (*own)->holders > 1 || (*own)->first) {
    struct hd_chain *chain = go_on_from(pool, *own);
    if (!chain)
      return;
    *own = chain;
  }
  add(pool, *own, profile, ticks);
  (*own)->ticks += ticks;
}

void hd_chain_take_longer(struct hd_chain_pool *pool, struct hd_chain **own, struct hd_chain *other) {
  if (hd_chain_ticks(other) <= hd_chain_ticks(*own))
    return;
  hd_chain_hold(other);
  hd_chain_release(pool, *own);
  *own = other;
}
