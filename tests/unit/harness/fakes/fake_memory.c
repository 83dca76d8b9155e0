/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory and disk that run out: the C library's entry points, replaced for the whole test program. */
#include "fake_player.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine.h"

enum { PAGE_BYTES = 4096 };

static int64_t mapped; /* private memory and space of files, as long as they are there */
static int64_t most_mapped;
static uint32_t failing; /* so many in a row */
static uint32_t left;    /* requests until the failing one; 0: none fails */

bool fk_can_fail_allocations(void) {
  return !HD_SANITIZED;
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

#if !HD_SANITIZED /* sanitizers replace the same functions */
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

static bool is_growth(long number, const long arguments[6]) {
  return number == SYS_futex && arguments[1] == (FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG) && arguments[4] % PAGE_BYTES == 0;
}

/* The library has the kernel touch each page of its file with this call (store/store.c). A test may have its own. */
__attribute__((weak)) EXPORT long syscall(long number, ...) {
  static long (*next)(long, ...);
  long a[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; i++)
    a[i] = va_arg(list, long);
  va_end(list);
  if (!next) {
    void *symbol = dlsym(RTLD_NEXT, "syscall");
    memcpy(&next, &symbol, sizeof next);
  }
  if (is_growth(number, a) && fails()) {
    errno = EFAULT;
    return -1;
  }
  const long result = next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (is_growth(number, a) && result >= 0) {
    count_mapped(PAGE_BYTES);
    fk_player_has_grown();
  }
  return result;
}
#endif
