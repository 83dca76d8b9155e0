/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/stack/stack_cache.h"

#include <stddef.h>

#include "callpath/code/loaded_modules.h"
#include "callpath/stack/call_chains.h"
#include "callpath/stack/stack_walk.h"
#include "callpath/stack/stacks.h"
#include "support/inprocess/heap.h"
#include "support/inprocess/keep_errno.h"

/* OTHER_FRAMES: the tool's, the runtime's and system libraries'; with more, a stack is unwound each time. */
enum { DEPTH_MOST = 4096, OTHER_FRAMES = 64 };

struct hd_stack_cache {
  struct hd_stacks stacks;
  struct hd_known_frames known;
  unsigned long long unloads; /* modules, when these two were begun */
  struct hd_chain_memo chains;
  bool in_use; /* a signal handler may find the thread inside */
  uint64_t misses;
  struct hd_frames frames; /* room for one unwinding */
};

static uint32_t depth_limit; /* 0: no unwinder */

bool hd_stack_cache_init(uint64_t depth) {
  depth_limit = 0;
  if (depth && hd_stack_walk_init())
    depth_limit = depth < DEPTH_MOST ? (uint32_t)depth : DEPTH_MOST;
  return depth_limit > 0;
}

static bool make_room(struct hd_stack_cache *cache) {
  cache->frames.known = &cache->known;
  cache->frames.routine_limit = depth_limit;
  cache->frames.routines = hd_heap_allocate(depth_limit, sizeof *cache->frames.routines);
  cache->frames.proof.limit = 2 * (depth_limit + OTHER_FRAMES);
  cache->frames.proof.words = hd_heap_allocate(cache->frames.proof.limit, sizeof *cache->frames.proof.words);
  return cache->frames.routines && cache->frames.proof.words;
}

static __attribute__((noinline, cold)) struct hd_stack_cache *make_cache(void) {
  HD_KEEP_ERRNO;
  struct hd_stack_cache *cache = hd_heap_allocate(1, sizeof *cache);
  if (cache && !make_room(cache)) {
    hd_heap_free(cache->frames.routines);
    hd_heap_free(cache->frames.proof.words);
    hd_heap_free(cache);
    cache = NULL;
  }
  return cache;
}

/* Another library may lie where one was. */
static void forget_unloaded(struct hd_stack_cache *cache) {
  const unsigned long long unloads = hd_loaded_unloads();
  if (cache->unloads == unloads)
    return;
  cache->unloads = unloads;
  hd_stacks_forget(&cache->stacks);
  hd_known_frames_forget(&cache->known);
}

/* That there is no routine of the user's is remembered, too. */
static __attribute__((noinline)) struct hd_stack_answer unwind(struct hd_stack_cache *cache,
                                                               const struct hd_stack_question *question) {
  struct hd_frames *frames = &cache->frames;
  struct hd_stack_answer answer = {0};
  HD_KEEP_ERRNO;
  cache->misses++;
  forget_unloaded(cache);
  const bool found = hd_stack_walk(frames, question->own, (const void *)question->code, question->limit);
  if (found)
    answer.chain = hd_chains_recall(&cache->chains, frames->routines, frames->routine_count, frames->cut);
  answer.place = frames->place;
  if ((answer.chain || !found) && frames->proof.complete)
    hd_stacks_add(&cache->stacks, question, &frames->proof, answer);
  return answer;
}

__attribute__((noinline)) const struct hd_chain *
hd_stack_cache_callers_below(struct hd_stack_cache **made, const void *code, uintptr_t limit, uintptr_t *place) {
  const struct hd_stack_question question = {(uintptr_t)__builtin_frame_address(0), (uintptr_t)code, limit};
  struct hd_stack_cache *cache = *made;
  *place = 0;
  if (__builtin_expect(!cache, false) && (!depth_limit || !(cache = *made = make_cache())))
    return NULL;
  if (__builtin_expect(cache->in_use, false))
    return NULL;
  cache->in_use = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const struct hd_stack_answer *known = hd_stacks_find(&cache->stacks, &question);
  const struct hd_stack_answer answer = __builtin_expect(known != NULL, true) ? *known : unwind(cache, &question);
  *place = answer.place;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  cache->in_use = false; /* after the call of unwind(): this frame must stay until then */
  return answer.chain;
}

uint64_t hd_stack_cache_misses(const struct hd_stack_cache *cache) {
  return cache ? cache->misses : 0;
}

uint64_t hd_stack_cache_by_library(const struct hd_stack_cache *cache) {
  return cache ? cache->frames.by_library : 0;
}
