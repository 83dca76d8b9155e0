/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory and disk that run out: the C library's entry points, replaced for the whole test program. */
#include "fake_player.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1 /* sanitizers replace the same functions */
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

static int64_t mapped; /* private memory and space of files, as long as they are there */
static int64_t most_mapped;
static uint32_t failing; /* so many in a row */
static uint32_t left;    /* requests until the failing one; 0: none fails */

bool fk_can_fail_allocations(void) {
#ifdef SANITIZED
  return false;
#else
  return true;
#endif
}

void fk_memory_count_anew(void) {
  mapped = most_mapped = 0;
}

void fk_fail_allocation(uint32_t n, uint32_t count) {
  __atomic_store_n(&failing, count, __ATOMIC_RELAXED);
  __atomic_store_n(&left, n, __ATOMIC_RELAXED);
}

uint64_t fk_memory_most(void) {
  return (uint64_t)most_mapped;
}

#ifndef SANITIZED
static void count_mapped(int64_t bytes) {
  const int64_t now = __atomic_add_fetch(&mapped, bytes, __ATOMIC_RELAXED);
  int64_t most = __atomic_load_n(&most_mapped, __ATOMIC_RELAXED);
  while (now > most && !__atomic_compare_exchange_n(&most_mapped, &most, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    continue;
}

static bool fails(void) {
  uint32_t n = __atomic_load_n(&left, __ATOMIC_RELAXED);
  if (n == 0 || (n > 1 && __atomic_fetch_sub(&left, 1, __ATOMIC_RELAXED) > 1))
    return false;
  const uint32_t more = __atomic_load_n(&failing, __ATOMIC_RELAXED);
  return more > 0 && (more == UINT32_MAX || __atomic_fetch_sub(&failing, 1, __ATOMIC_RELAXED) > 0);
}

#define EXPORT __attribute__((visibility("default")))

/* Where the library's memory comes from (support/inprocess/heap.c), and that of pieces of the C library. */
EXPORT void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset) {
  if (fd < 0 && (protection & PROT_WRITE) && fails()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  if (fd < 0 && (protection & PROT_WRITE))
    count_mapped((int64_t)bytes);
  return (void *)syscall(SYS_mmap, address, bytes, protection, flags, fd, offset);
}

/* Nothing but the library's memory goes through here: what the C library maps it unmaps by itself. */
EXPORT int munmap(void *address, size_t bytes) {
  count_mapped(-(int64_t)bytes);
  return (int)syscall(SYS_munmap, address, bytes);
}

/* The library lets the kernel write what this call tells into each page of its file (store/store.c). */
EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old) {
  enum { PAGE_BYTES = 4096, KERNEL_SET_BYTES = 8 };
  const bool is_growth = !set && old && (uintptr_t)old % PAGE_BYTES == 0;
  if (is_growth && fails())
    return EFAULT;
  const bool done = syscall(SYS_rt_sigprocmask, how, set, old, KERNEL_SET_BYTES) == 0;
  if (is_growth && done) {
    count_mapped(PAGE_BYTES);
    fk_player_has_grown();
  }
  return done ? 0 : errno;
}
#endif
