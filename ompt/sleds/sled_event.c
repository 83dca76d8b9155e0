/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiled to use no vector registers. */
#include "ompt/sleds/sled_event.h"

#include "support/lasting.h"

struct hd_sleds hd_sleds HD_LASTING = {0};

/* An entry sled is within the first bytes of its function: only what marks a target of jumps may come before. */
enum { SLED_BYTES = 64 };

/* What lies below the slot is where the sled goes on. */
static const void *const *slot_of_entry(const void *function, const void *const *slot) {
  return (uintptr_t)slot[-1] - (uintptr_t)function < SLED_BYTES ? slot : NULL;
}

static void pass(const void *function, int32_t kind, const char *frame) {
  const void *const *slot = (const void *const *)(const void *)(frame + hd_sleds.distances[kind]);
  if (kind == HD_SLED_EXIT || kind == HD_SLED_TAIL_EXIT)
    hd_sleds.leave(function, slot, frame);
  else
    hd_sleds.enter(function, slot_of_entry(function, slot), frame);
}

#if defined(__x86_64__)
enum { ARGUMENTS = 8 }; /* in vector registers; results are in the first two of these */
enum in_use { AVX = 1 << 2, AVX512 = 1 << 6 /* the upper halves of the first sixteen registers */ };

/* XINUSE: Intel's manual, volume 1, 13.6. */
static inline uint32_t in_use(void) {
  uint32_t low;
  uint32_t high;
  if (hd_sleds.vectors != HD_VECTORS_ASK)
    return hd_sleds.vectors == HD_VECTORS_ALWAYS ? AVX : 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
  return low & (AVX | AVX512);
}

#define EACH(_) _(0) _(1) _(2) _(3) _(4) _(5) _(6) _(7)
#define SAVE(n) "vmovups %%" REGISTER #n ", " STEP "*" #n "(%0)\n\t"
#define LOAD(n) "vmovups " STEP "*" #n "(%0), %%" REGISTER #n "\n\t"

__attribute__((noinline)) static void pass_keeping_avx512(const void *function, int32_t kind, const char *frame) {
  char kept[ARGUMENTS * 64];
#define REGISTER "zmm"
#define STEP "64"
  __asm__ volatile(EACH(SAVE) : : "r"(kept) : "memory");
  pass(function, kind, frame);
  __asm__ volatile(EACH(LOAD) : : "r"(kept) : "memory");
#undef REGISTER
#undef STEP
}

__attribute__((noinline)) static void pass_keeping_avx(const void *function, int32_t kind, const char *frame) {
  char kept[ARGUMENTS * 32];
#define REGISTER "ymm"
#define STEP "32"
  __asm__ volatile(EACH(SAVE) : : "r"(kept) : "memory");
  pass(function, kind, frame);
  __asm__ volatile(EACH(LOAD) : : "r"(kept) : "memory");
#undef REGISTER
#undef STEP
}

static inline void pass_keeping_vectors(const void *function, int32_t kind, const char *frame) {
  const uint32_t used = in_use();
  if (__builtin_expect(used == 0, 1))
    pass(function, kind, frame);
  else if (used & AVX512)
    pass_keeping_avx512(function, kind, frame);
  else
    pass_keeping_avx(function, kind, frame);
}
#else
static inline void pass_keeping_vectors(const void *function, int32_t kind, const char *frame) {
  pass(function, kind, frame);
}
#endif

void hd_sled_event(int32_t id, int32_t kind) {
  const char *frame = __builtin_frame_address(0);
  if (id == 0)
    hd_sleds.frame = frame;
  if ((uint32_t)id >= hd_sleds.count || (uint32_t)kind >= HD_SLED_KINDS || !hd_sleds.functions[id])
    return;
  pass_keeping_vectors(hd_sleds.functions[id], kind, frame);
}
