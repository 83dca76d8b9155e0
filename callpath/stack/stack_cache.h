/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file stack_cache.h
 * The calling routines of a region, without recompiling the program. A stack that was there before is only compared,
 * about one load and compare for each frame (stacks.h); a new one is walked (stack_walk.h).
 *
 * When is a remembered stack the present one? Equal stack pointers and equal return addresses where they lay last time
 * are not enough: what lies there now may be left over. alloca and variable-length arrays make frames of different
 * sizes with equal stack pointers, and in them, or in any frame's unwritten variables, old return addresses survive. So
 * a remembered stack is kept with a proof (stack_check.h): the words, from the asking frame outwards, that determine
 * every frame's place, among them saved frame pointers where a frame's size varies. If they hold, the frames are the
 * same.
 * - Nothing is believed, or even read, only because it was true before, so stacks may be freed, moved or given to
 * another coroutine between two calls, and a thread may take over another's cache.
 * - Frames whose place cannot be proved (signal handlers, code that describes itself in unusual ways) are unwound each
 *   time. So are processors other than x86-64 and AArch64.
 * - What was learned of a return address is trusted only as long as no module has been unloaded, which is asked before
 *   every walk; and not before it has led once to the frame that the unwinder found. Code in no module (just compiled)
 *   is unwound.
 * - The limit: a remembered stack holds as long as the code at an address stays. After dlclose another library at the
 *   same addresses can be taken for the first one, if it has call instructions at the very same places. Every return
 *   address of the chain must match, and the frames in between; and no other stack may have been new meanwhile.
 * - Whether the unwinding itself is right depends on the compiler's .eh_frame, as C++ exceptions do.
 */
#ifndef HEDDLE_CALLPATH_STACK_STACK_CACHE_H
#define HEDDLE_CALLPATH_STACK_STACK_CACHE_H

#include <stdbool.h>
#include <stdint.h>

/** Routines around a place, outermost first: the address of each one's first instruction. Interned: the same content
 *  is at the same address for the life of the process. Never freed, never changed. */
struct hd_chain {
  uint32_t count;
  bool cut; /* there are callers beyond the first: deeper than the limit, or code without unwind information */
  const void *routines[];
};

/** One thread's remembered stacks and return addresses. Made by its first use, never freed; used by one thread at a
 * time. About 15 kB for a few stacks, at most 950 kB, for thousands; when that is not enough, it begins anew. */
struct hd_stack_cache;

/** Once, at start: loads the unwinder (libgcc_s.so.1). `depth`: routines told at most, at most
 *  4096. False: there is no unwinder; hd_stack_cache_callers then always returns NULL. */
bool hd_stack_cache_init(uint64_t depth);

/**
 * The user's routines around `code` (a region's return address) on the calling thread's stack. The innermost is the one
 * that holds the region; the outermost is main, a thread's first routine, or the first one inside the enclosing
 * construct (what the OpenMP runtime has called). Left out are the functions that compilers make of constructs' bodies,
 * routines of the C and C++ libraries, and what has ended in a tail call, which is not on the stack. A module
 * without symbols does not name its bodies: there they are routines, unless they have ended in a tail call. NULL: not
 * known (no unwinder, no memory, too many chains).
 *
 * Keeps errno. In the steady state no lock and no allocation. From a signal handler that interrupts it: NULL.
 */
const struct hd_chain *hd_stack_cache_callers_below(struct hd_stack_cache **made, const void *code, uintptr_t limit,
                                                    uintptr_t *place);
static inline const struct hd_chain *hd_stack_cache_callers(struct hd_stack_cache **cache, const void *code) {
  uintptr_t place;
  return hd_stack_cache_callers_below(cache, code, 0, &place);
}

/** Stacks so far that were not remembered, and those of them that the C compiler's unwinder had to unwind. 0 for NULL.
 */
uint64_t hd_stack_cache_misses(const struct hd_stack_cache *cache);
uint64_t hd_stack_cache_by_library(const struct hd_stack_cache *cache);

#endif
