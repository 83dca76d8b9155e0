/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file counted_work.h
 * For tests of sources: work of a known number of page faults, the thread's clock, and a kernel that forbids to count.
 */
#ifndef HEDDLE_TESTS_COUNTED_WORK_H
#define HEDDLE_TESTS_COUNTED_WORK_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "own_process.h"

static char *fresh;

/* Pages that nobody has touched: in advance, for sanitizers keep books of what is mapped. */
static inline void prepare(size_t pages) {
  const size_t bytes = pages * (size_t)sysconf(_SC_PAGESIZE);
  fresh = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(fresh != MAP_FAILED);
  madvise(fresh, bytes, MADV_NOHUGEPAGE);
}

/* Touches so many of them: that many page faults, and no more. */
__attribute__((no_sanitize("address"), no_sanitize("thread"), noinline, unused)) static void touch(size_t pages) {
  const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
  for (size_t i = 0; i < pages; i++, fresh += page_bytes)
    *(volatile char *)fresh = 1;
}

static inline uint64_t thread_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* From now on perf_event_open fails with this error, as in a container. */
static inline void forbid(int error) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

#endif
