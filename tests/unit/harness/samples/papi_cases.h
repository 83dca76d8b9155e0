/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file papi_cases.h
 * What libpapi may be on a machine, for tests of what all sources make of a name. On the stub (stub_papi.c), whose
 * component perf_event has events of the kernel's names, as libpfm does.
 */
#ifndef HEDDLE_TESTS_PAPI_CASES_H
#define HEDDLE_TESTS_PAPI_CASES_H

#include "own_process.h"

static const struct papi_case {
  const char *title, *library, *disabled;
} papi_cases[] = {
    {"its component perf_event is on", STUB_PAPI, NULL},
    {"its component perf_event is off", STUB_PAPI, "no default PMU"},
    {"there is no libpapi", "/nowhere/libpapi.so", NULL},
};

static inline void in_each_papi_case(void (*body)(void)) {
  for (size_t i = 0; i < sizeof papi_cases / sizeof *papi_cases; i++) {
    print_message("PAPI: %s\n", papi_cases[i].title);
    setenv("HEDDLE_PAPI", papi_cases[i].library, 1);
    if (papi_cases[i].disabled)
      setenv("STUB_PAPI_DISABLED", papi_cases[i].disabled, 1);
    in_own_process(body);
    unsetenv("STUB_PAPI_DISABLED");
    unsetenv("HEDDLE_PAPI");
  }
}

/** As OWN_PROCESS_TEST, once in each case. */
#define EACH_PAPI_TEST(name)                                                                                           \
  static void name##_inside(void);                                                                                     \
  static void name(void **state) {                                                                                     \
    (void)state;                                                                                                       \
    in_each_papi_case(name##_inside);                                                                                  \
  }                                                                                                                    \
  static void name##_inside(void)

#endif
