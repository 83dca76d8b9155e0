/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/unwind.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "callpath/chains.h"
#include "callpath/frames.h"
#include "support/heap.h"
#include "support/memory_limit.h"

enum { SET_COUNT = 64, WAYS = 8 };

/* OTHER_FRAMES: the tool's, the runtime's and system libraries'; with more, a stack is unwound each time. */
enum { DEPTH_MOST = 4096, OTHER_FRAMES = 64 };

/* A stack that was unwound. */
struct remembered {
  const struct hd_chain *chain;
  uintptr_t place;
  uint32_t word_count;
  uint32_t word_limit;
  struct hd_stack_word words[]; /* its proof */
};

struct question {
  uintptr_t own; /* the asking frame; 0: none */
  const void *code;
  uintptr_t limit;
};

struct way {
  struct question question;
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

static bool make_room(struct hd_unwind_cache *cache) {
  cache->frames.routine_limit = depth_limit;
  cache->frames.routines = hd_heap_allocate(depth_limit, sizeof *cache->frames.routines);
  cache->frames.proof.limit = 2 * (depth_limit + OTHER_FRAMES);
  cache->frames.proof.words = hd_heap_allocate(cache->frames.proof.limit, sizeof *cache->frames.proof.words);
  return cache->frames.routines && cache->frames.proof.words;
}

static __attribute__((noinline, cold)) struct hd_unwind_cache *make_cache(void) {
  int saved = errno;
  struct hd_unwind_cache *cache = hd_heap_allocate(1, sizeof *cache);
  if (cache && !make_room(cache)) {
    hd_heap_free(cache->frames.routines);
    hd_heap_free(cache->frames.proof.words);
    hd_heap_free(cache);
    cache = NULL;
  }
  errno = saved;
  return cache;
}

static uint32_t set_of(const struct question *question) {
  uint64_t hash = ((uint64_t)question->own >> 4) + (uint64_t)(uintptr_t)question->code * 0x9E3779B97F4A7C15u;
  return (uint32_t)((hash ^ hash >> 32) % SET_COUNT);
}

static void remember(struct hd_unwind_cache *cache, const struct question *question, const struct hd_chain *chain) {
  const struct hd_proof *proof = &cache->frames.proof;
  uint32_t set = set_of(question);
  struct way *way = &cache->ways[set][cache->oldest[set]++ % WAYS];
  if (!way->stack || way->stack->word_limit < proof->count) {
    const size_t bytes = sizeof(struct remembered) + proof->count * sizeof(struct hd_stack_word);
    struct remembered *made = hd_memory_has_room(HD_MEMORY_PATH_ROW, bytes) ? hd_heap_allocate(1, bytes) : NULL;
    if (!made)
      return;
    made->word_limit = proof->count;
    hd_heap_free(way->stack);
    way->stack = made;
  }
  way->question = *question;
  way->stack->chain = chain;
  way->stack->place = cache->frames.place;
  way->stack->word_count = proof->count;
  memcpy(way->stack->words, proof->words, proof->count * sizeof *proof->words);
}

static __attribute__((noinline, cold)) const struct hd_chain *unwind(struct hd_unwind_cache *cache,
                                                                     const struct question *question) {
  struct hd_frames *frames = &cache->frames;
  const struct hd_chain *chain = NULL;
  int saved = errno;
  cache->misses++;
  if (hd_frames_walk(frames, question->own, question->code, question->limit))
    chain = hd_chains_intern(frames->routines, frames->routine_count, frames->cut);
  if (chain && frames->proof.complete)
    remember(cache, question, chain);
  errno = saved;
  return chain;
}

static bool is_same(const struct question *one, const struct question *other) {
  return one->own == other->own && one->code == other->code && one->limit == other->limit;
}

static const struct remembered *recall(const struct hd_unwind_cache *cache, const struct question *question) {
  const struct way *ways = cache->ways[set_of(question)];
  for (uint32_t i = 0; i < WAYS; i++)
    if (is_same(&ways[i].question, question) && hd_proof_holds(ways[i].stack->words, ways[i].stack->word_count))
      return ways[i].stack;
  return NULL;
}

__attribute__((noinline)) const struct hd_chain *
hd_unwind_callers_below(struct hd_unwind_cache **made, const void *code, uintptr_t limit, uintptr_t *place) {
  const struct question question = {(uintptr_t)__builtin_frame_address(0), code, limit};
  struct hd_unwind_cache *cache = *made;
  *place = 0;
  if (__builtin_expect(!cache, false) && (!depth_limit || !(cache = *made = make_cache())))
    return NULL;
  if (__builtin_expect(cache->in_use, false))
    return NULL;
  cache->in_use = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const struct remembered *stack = recall(cache, &question);
  const struct hd_chain *chain = __builtin_expect(stack != NULL, true) ? stack->chain : unwind(cache, &question);
  *place = stack ? stack->place : cache->frames.place;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  cache->in_use = false; /* after the call of unwind(): this frame must stay until then */
  return chain;
}

uint64_t hd_unwind_misses(const struct hd_unwind_cache *cache) {
  return cache ? cache->misses : 0;
}
