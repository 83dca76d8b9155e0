/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/path/chain.h"

#include <stddef.h>

#include "heddle-format.h"
#include "support/inprocess/heap.h"

enum { FIRST_PARTS = 2 }; /* most pieces have one */

/* ---- parts ---- */

static struct hd_chain_part *place_of(const struct hd_chain *chain, uint32_t from, uint32_t profile) {
  uint32_t place = (profile + from * 0x85EBCA6Bu) * 0x9E3779B1u >> 7; /* Fibonacci hashing, Knuth 6.4 */
  for (;; place++) {
    struct hd_chain_part *part = &chain->parts[place & (chain->part_limit - 1)];
    if (!part->profile || (part->profile == profile + 1 && part->from == from))
      return part;
  }
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
      *place_of(chain, before[i].from, before[i].profile - 1) = before[i];
  hd_heap_free(before);
  return true;
}

static void add(struct hd_chain_pool *pool, struct hd_chain *chain, const struct hd_chain_part *more) {
  struct hd_chain_part *part = chain->parts ? place_of(chain, more->from, more->profile - 1) : NULL;
  if (!part || !part->profile) {
    if (!make_room(pool, chain))
      return;
    part = place_of(chain, more->from, more->profile - 1);
    part->profile = more->profile;
    part->from = more->from;
    chain->part_count++;
  }
  part->ticks += more->ticks;
  part->count += more->count;
  part->changes += more->changes;
}

static void add_all(struct hd_chain_pool *pool, struct hd_chain *chain, const struct hd_chain *of) {
  for (uint32_t i = 0; i < of->part_limit; i++)
    if (of->parts[i].profile)
      add(pool, chain, &of->parts[i]);
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

/* What leads to it has that slack as well. */
static void leave_slack(struct hd_chain_pool *pool, const struct hd_chain *chain) {
  if (chain->slack == HD_NO_SLACK)
    return;
  hd_chain_note_slack(chain->parent, chain->slack);
  for (uint32_t i = 0; i < chain->part_limit; i++) {
    const uint32_t profile = chain->parts[i].profile; /* + 1 */
    if (!profile)
      continue;
    if (!hd_heap_grow(&pool->slacks, &pool->slack_limit, profile, sizeof *pool->slacks))
      pool->has_failed = true;
    else if (chain->slack < pool->slacks[profile - 1] - 1) /* 0 - 1 is the largest */
      pool->slacks[profile - 1] = chain->slack + 1;
  }
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
  add_all(pool, successor, chain);
  hd_chain_note_slack(successor, chain->slack);
  detach(successor);
  detach(chain);
  attach(successor, parent);
  free_piece(chain);
}

static void drop_if_unused(struct hd_chain_pool *pool, struct hd_chain *chain) {
  while (chain && chain->holders == 0 && !chain->first) {
    struct hd_chain *parent = chain->parent;
    leave_slack(pool, chain);
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
    *chain = (struct hd_chain){.holders = 1, .from = HD_NONE, .last = HD_NONE, .thread = HD_NONE, .slack = HD_NO_SLACK};
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
  if (parent) {
    chain->ticks = parent->ticks;
    chain->from = parent->from;
    chain->last = parent->last;
    chain->thread = parent->thread;
  }
  hd_chain_release(pool, parent); /* may become one with it */
  return chain;
}

/* Another thread that goes on in the same profile is a step, too. */
static void go_on(struct hd_chain_pool *pool, struct hd_chain *chain, uint32_t profile, uint32_t thread,
                  uint64_t ticks) {
  const bool changes = thread != chain->thread && chain->thread != HD_NONE;
  const bool steps = changes || profile != chain->last;
  if (steps)
    chain->from = chain->last;
  chain->last = profile;
  chain->thread = thread;
  chain->ticks += ticks;
  add(pool, chain,
      &(struct hd_chain_part){
          .profile = profile + 1, .from = chain->from, .ticks = ticks, .count = steps, .changes = changes});
}

void hd_chain_add(struct hd_chain_pool *pool, struct hd_chain **own, uint32_t profile, uint32_t thread,
                  uint64_t ticks) {
  if (!*own || (*own)->holders > 1 || (*own)->first) {
    struct hd_chain *chain = go_on_from(pool, *own);
    if (!chain)
      return;
    *own = chain;
  }
  go_on(pool, *own, profile, thread, ticks);
}

struct hd_chain *hd_chain_whole(struct hd_chain_pool *pool, const struct hd_chain *chain) {
  struct hd_chain *whole = hd_chain_begin(pool);
  for (; whole && chain; chain = chain->parent)
    add_all(pool, whole, chain);
  return whole;
}

void hd_chain_note_slack(struct hd_chain *chain, uint64_t ticks) {
  if (chain && ticks < chain->slack)
    chain->slack = ticks;
}

uint64_t hd_chain_slack_of(const struct hd_chain_pool *pool, uint32_t profile) {
  return profile < pool->slack_limit ? pool->slacks[profile] - 1 : HD_NO_SLACK; /* 0 - 1 is that */
}

void hd_chain_take_longer(struct hd_chain_pool *pool, struct hd_chain **own, struct hd_chain *other) {
  const uint64_t ticks = hd_chain_ticks(*own), others = hd_chain_ticks(other);
  if (*own != other)
    hd_chain_note_slack(ticks < others ? *own : other, ticks < others ? others - ticks : ticks - others);
  hd_chain_keep_longer(pool, own, other);
}

void hd_chain_keep_longer(struct hd_chain_pool *pool, struct hd_chain **own, struct hd_chain *other) {
  if (hd_chain_ticks(other) <= hd_chain_ticks(*own))
    return;
  hd_chain_hold(other);
  hd_chain_release(pool, *own);
  *own = other;
}
