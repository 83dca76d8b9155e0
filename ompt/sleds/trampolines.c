/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/sleds/trampolines.h"

#include "ompt/sleds/sled_event.h"

#if defined(__x86_64__)
#include <cpuid.h>

bool hd_trampolines_can_be_measured(void) {
  return true;
}

static enum hd_vectors find_vectors(void) {
  enum { OSXSAVE_AND_AVX = 3 << 27, XSTATE = 0xd, XGETBV1 = 1 << 2 };
  unsigned eax;
  unsigned ebx;
  unsigned ecx;
  unsigned edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || (ecx & OSXSAVE_AND_AVX) != OSXSAVE_AND_AVX)
    return HD_VECTORS_NEVER;
  return __get_cpuid_count(XSTATE, 1, &eax, &ebx, &ecx, &edx) && (eax & XGETBV1) ? HD_VECTORS_ASK : HD_VECTORS_ALWAYS;
}

/* Calls a trampoline for function 0 (r10). `odd_words`: 1: the stack pointer is 8 less than a multiple of 16 before the
 * call. Returns the stack pointer that the trampoline begins with. Below the stack pointer this function may have
 * something of its own: 128 bytes. */
static const char *call(uintptr_t trampoline, uint64_t odd_words) {
  const char *begin;
  __asm__ volatile("movq %%rsp, %%rbx\n\t"
                   "subq $256, %%rsp\n\t"
                   "andq $-16, %%rsp\n\t"
                   "leaq (,%2,8), %%rcx\n\t"
                   "subq %%rcx, %%rsp\n\t"
                   "leaq -8(%%rsp), %%r12\n\t"
                   "xorl %%r10d, %%r10d\n\t"
                   "call *%1\n\t"
                   "movq %%r12, %0\n\t"
                   "movq %%rbx, %%rsp"
                   : "=r"(begin)
                   : "r"(trampoline), "r"(odd_words)
                   : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "memory", "cc");
  return begin;
}

/* A function begins with the stack pointer at its return address, 8 less than a multiple of 16. An entry sled, and the
 * sled before a jump, calls the trampoline; an exit sled jumps to it. */
static bool measure(uintptr_t trampoline, enum hd_sled_kind kind) {
  const bool is_called = kind != HD_SLED_EXIT;
  hd_sleds.frame = NULL;
  const char *begin = call(trampoline, is_called);
  const char *slot = begin + (is_called ? sizeof(void *) : 0);
  if (!hd_sleds.frame || slot <= (const char *)hd_sleds.frame)
    return false;
  hd_sleds.distances[kind] = slot - (const char *)hd_sleds.frame;
  return true;
}

bool hd_trampolines_measure(const uintptr_t trampolines[3]) {
  hd_sleds.vectors = find_vectors();
  const bool measured = measure(trampolines[0], HD_SLED_ENTRY) && measure(trampolines[1], HD_SLED_EXIT) &&
                        measure(trampolines[2], HD_SLED_TAIL_EXIT);
  hd_sleds.distances[HD_SLED_ENTRY_WITH_ARGUMENT] = hd_sleds.distances[HD_SLED_ENTRY];
  return measured;
}
#else
bool hd_trampolines_can_be_measured(void) {
  return false;
}

bool hd_trampolines_measure(const uintptr_t trampolines[3]) {
  (void)trampolines;
  return false;
}
#endif
