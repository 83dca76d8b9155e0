/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory and disk that run out: the C library's entry points, replaced for the whole test program. */
#include "fake_player.h"

#include <errno.h>
#include <fcntl.h>
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

static uint32_t left; /* requests until the failing one; 0: none fails */

bool fk_can_fail_allocations(void) {
#ifdef SANITIZED
  return false;
#else
  return true;
#endif
}

void fk_fail_allocation(uint32_t n) {
  __atomic_store_n(&left, n, __ATOMIC_RELAXED);
}

#ifndef SANITIZED
static bool fails(void) {
  uint32_t n = __atomic_load_n(&left, __ATOMIC_RELAXED);
  return n > 0 && __atomic_fetch_sub(&left, 1, __ATOMIC_RELAXED) == 1;
}

#define EXPORT __attribute__((visibility("default")))

/* Where the library's memory comes from (support/heap.c), and that of pieces of the C library. */
EXPORT void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset) {
  if (fd < 0 && (protection & PROT_WRITE) && fails()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return (void *)syscall(SYS_mmap, address, bytes, protection, flags, fd, offset);
}

/* In place of libc's, which the library would otherwise find: the file grows for real. */
EXPORT int posix_fallocate(int fd, off_t offset, off_t bytes) {
  if (fails())
    return ENOSPC;
  return fallocate(fd, 0, offset, bytes) ? errno : 0;
}
#endif
