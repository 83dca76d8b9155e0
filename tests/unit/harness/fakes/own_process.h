/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file own_process.h
 * Tests that run in processes of their own: what they open once, limit, forbid or break is gone after them.
 */
#ifndef HEDDLE_TESTS_OWN_PROCESS_H
#define HEDDLE_TESTS_OWN_PROCESS_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "machine.h"

/** Inside: ends the process, and with it the test. cmocka's own would go on with the next test there. */
#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                          \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  } while (0)

#define CHECK_EQUAL(actual, expected)                                                                                  \
  do {                                                                                                                 \
    const long long actual_value = (long long)(actual), expected_value = (long long)(expected);                        \
    if (actual_value != expected_value) {                                                                              \
      fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #actual, actual_value, expected_value);     \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  } while (0)

#define CHECK_TEXT(actual, expected)                                                                                   \
  do {                                                                                                                 \
    if (strcmp(actual, expected)) {                                                                                    \
      fprintf(stderr, "%s:%d: %s is\n  %s\nnot\n  %s\n", __FILE__, __LINE__, #actual, actual, expected);               \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  } while (0)

#define CHECK_CONTAINS(text, part)                                                                                     \
  do {                                                                                                                 \
    if (!strstr(text, part)) {                                                                                         \
      fprintf(stderr, "%s:%d: %s lacks \"%s\":\n  %s\n", __FILE__, __LINE__, #text, part, text);                       \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  } while (0)

/** cmocka's handlers would go on with the next test. */
static inline void die_of_faults(void) {
  static const int signals[] = {SIGFPE, SIGILL, SIGSEGV, SIGBUS, SIGABRT, SIGSYS};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    signal(signals[i], SIG_DFL);
}

/** Runs `body`; the test passes if it returns. */
static inline void in_own_process(void (*body)(void)) {
  int status = -1;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    die_of_faults();
    alarm(300); /* against hanging */
    body();
    exit(0); /* destructors, too */
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

/** As below, but skipped where the machine lacks a condition (machine.h). */
#define OWN_PROCESS_TEST_NEEDS(name, condition)                                                                        \
  static void name##_inside(void);                                                                                     \
  static void name(void **state) {                                                                                     \
    (void)state;                                                                                                       \
    hd_needs(condition);                                                                                               \
    in_own_process(name##_inside);                                                                                     \
  }                                                                                                                    \
  static void name##_inside(void)

/** A cmocka test of that name and body. */
#define OWN_PROCESS_TEST(name)                                                                                         \
  static void name##_inside(void);                                                                                     \
  static void name(void **state) {                                                                                     \
    (void)state;                                                                                                       \
    in_own_process(name##_inside);                                                                                     \
  }                                                                                                                    \
  static void name##_inside(void)

#endif
