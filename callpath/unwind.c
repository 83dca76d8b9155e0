/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/unwind.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "callpath/chains.h"
#include "callpath/frames.h"

enum { SET_COUNT = 64, WAYS = 8, DEPTH_MOST = 4096, INNER_FRAMES = 64 };

/* A stack that was unwound. */
struct remembered {
  const struct hd_chain *chain;
  uint32_t check_count;
  uint32_t check_limit;
  struct hd_frame_check checks[];
};

struct way {
  uintptr_t own; /* 0: empty */
  const void *code;
  struct remembered *stack;
};

struct hd_unwind_cache {
  struct way ways[SET_COUNT][WAYS];
  uint8_t oldest[SET_COUNT];
  bool in_use; /* a signal handler may find the thread inside */
  uint64_t misses;
  struct hd_frames frames; /* room for one unwinding */
};

static uint32_t depth_limit; /* 0: no unwinder */

bool hd_unwind_init(uint64_t depth) {
  depth_limit = 0;
  if (depth && hd_frames_init())
    depth_limit = depth < DEPTH_MOST ? (uint32_t)depth : DEPTH_MOST;
  return depth_limit > 0;
}

static struct hd_unwind_cache *make_cache(void) {
  uint32_t check_limit = 2 * (depth_limit + INNER_FRAMES);
  struct hd_unwind_cache *cache = calloc(1, sizeof *cache);
  if (!cache)
    return NULL;
  cache->frames.routine_limit = depth_limit;
  cache->frames.routines = calloc(depth_limit, sizeof *cache->frames.routines);
  cache->frames.check_limit = check_limit;
  cache->frames.checks = calloc(check_limit, sizeof *cache->frames.checks);
  if (cache->frames.routines && cache->frames.checks)
    return cache;
  free(cache->frames.routines);
  free(cache->frames.checks);
  free(cache);
  return NULL;
}

static uint32_t set_of(uintptr_t own, const void *code) {
  uint64_t hash = ((uint64_t)own >> 4) + (uint64_t)(uintptr_t)code * 0x9E3779B97F4A7C15u;
  return (uint32_t)((hash ^ hash >> 32) % SET_COUNT);
}

/* Innermost first: each word that holds proves that the next one is on the stack, so none is read that is not. */
static bool is_same(const struct remembered *stack) {
  for (uint32_t i = 0; i < stack->check_count; i++)
    if (*stack->checks[i].slot != stack->checks[i].value)
      return false;
  return true;
}

static void remember(struct hd_unwind_cache *cache, uintptr_t own, const void *code, const struct hd_chain *chain) {
  const struct hd_frames *frames = &cache->frames;
  uint32_t set = set_of(own, code);
  struct way *way = &cache->ways[set][cache->oldest[set]++ % WAYS];
  if (!way->stack || way->stack->check_limit < frames->check_count) {
    struct remembered *made = malloc(sizeof *made + frames->check_count * sizeof *made->checks);
    if (!made)
      return;
    made->check_limit = frames->check_count;
    free(way->stack);
    way->stack = made;
  }
  way->own = own;
  way->code = code;
  way->stack->chain = chain;
  way->stack->check_count = frames->check_count;
  memcpy(way->stack->checks, frames->checks, frames->check_count * sizeof *frames->checks);
}

static __attribute__((noinline, cold)) const struct hd_chain *unwind(struct hd_unwind_cache *cache, uintptr_t own,
                                                                     const void *code) {
  struct hd_frames *frames = &cache->frames;
  cache->misses++;
  if (!hd_frames_walk(frames, own, code))
    return NULL;
  const struct hd_chain *chain = hd_chains_intern(frames->routines, frames->routine_count, frames->cut);
  if (chain && frames->provable)
    remember(cache, own, code, chain);
  return chain;
}

static __attribute__((noinline, cold)) const struct hd_chain *miss(struct hd_unwind_cache **cache, uintptr_t own,
                                                                   const void *code) {
  if (!depth_limit)
    return NULL;
  int saved = errno;
  const struct hd_chain *chain = NULL;
  if (!*cache)
    *cache = make_cache();
  if (*cache && !(*cache)->in_use) {
    (*cache)->in_use = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    chain = unwind(*cache, own, code);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    (*cache)->in_use = false;
  }
  errno = saved;
  return chain;
}

__attribute__((noinline)) const struct hd_chain *hd_unwind_callers(struct hd_unwind_cache **cache, const void *code) {
  uintptr_t own = (uintptr_t)__builtin_frame_address(0);
  if (__builtin_expect(*cache != NULL, true) && !(*cache)->in_use) {
    const struct way *ways = (*cache)->ways[set_of(own, code)];
    for (uint32_t i = 0; i < WAYS; i++)
      if (ways[i].own == own && ways[i].code == code && is_same(ways[i].stack))
        return ways[i].stack->chain;
  }
  return miss(cache, own, code);
}

uint64_t hd_unwind_misses(const struct hd_unwind_cache *cache) {
  return cache ? cache->misses : 0;
}
