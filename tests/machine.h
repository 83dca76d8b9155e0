/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file machine.h
 * What a test needs of the machine it runs on. A test that needs a condition begins with hd_needs(): where the machine
 * lacks it, the test is skipped, and the output says "machine lacks CONDITION: why", which `unless_passed` counts.
 * HEDDLE_MACHINE_HAS names conditions that this machine is known to have, separated by blanks: a test that lacks one of
 * these fails. tests/e2e/machine.py is the same for end-to-end tests, with the same names.
 *
 * A test that can make its condition itself (a stub of libpapi, an own folder) needs none.
 */
#ifndef HEDDLE_TESTS_MACHINE_H
#define HEDDLE_TESTS_MACHINE_H

enum hd_condition {
  HD_USER_PERF,       /* user-perf: perf_event_open(2) counts this process's own work in user space */
  HD_KERNEL_PERF,     /* kernel-perf: the kernel's part, too */
  HD_USER_PERF_ALONE, /* user-perf-alone: user space, and without CAP_PERFMON not the kernel's part */
  HD_PTRACE,          /* ptrace: a process may trace and single-step its child */
  HD_MEMBARRIER,      /* membarrier: membarrier(2) with private expedited commands */
  HD_TWO_PROCESSORS,  /* two-processors: this process may run on two or more */
  HD_CONDITIONS
};

/** Skips the calling test if the machine lacks the condition; fails it if HEDDLE_MACHINE_HAS names it nevertheless. Only in
 * the test itself: in a child that it forks this fails, and cmocka takes a skip in a set-up for a failure. */
void hd_needs(enum hd_condition condition);

/** Whether a sanitizer watches this program: it replaces malloc, and checks what instructions do. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HD_SANITIZED 1
#elif defined(__has_feature)
#define HD_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define HD_SANITIZED 0
#endif

#endif
