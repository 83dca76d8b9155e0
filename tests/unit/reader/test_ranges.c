/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_ranges.c
 * Stretches of addresses: the innermost of those around an address is found, wherever others begin and end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "output/symbols/ranges.h"

enum { NONE = -1 };

static void expect_at(const struct hd_ranges *ranges, uint64_t address, int what) {
  const struct hd_range *found = hd_ranges_find(ranges, address);
  assert_int_equal(found ? (int)found->what : NONE, what);
}

static void test_an_end_is_outside(void **state) {
  (void)state;
  struct hd_ranges ranges = {0};
  expect_at(&ranges, 0, NONE);
  hd_ranges_sort(&ranges);
  hd_ranges_add(&ranges, 20, 30, 2);
  hd_ranges_add(&ranges, 10, 20, 1);
  hd_ranges_sort(&ranges);
  expect_at(&ranges, 9, NONE);
  expect_at(&ranges, 10, 1);
  expect_at(&ranges, 19, 1);
  expect_at(&ranges, 20, 2);
  expect_at(&ranges, 30, NONE);
  free(ranges.items);
}

static void test_the_innermost_is_found_over_those_that_have_ended(void **state) {
  (void)state;
  struct hd_ranges ranges = {0};
  hd_ranges_add(&ranges, 10, 90, 1);
  hd_ranges_add(&ranges, 10, 50, 2);
  hd_ranges_add(&ranges, 20, 30, 3);
  hd_ranges_add(&ranges, 20, 30, 4);
  hd_ranges_sort(&ranges);
  expect_at(&ranges, 15, 2);
  expect_at(&ranges, 25, 4);
  expect_at(&ranges, 40, 2);
  expect_at(&ranges, 60, 1);
  expect_at(&ranges, 90, NONE);
  free(ranges.items);
}

/* Held against looking at all of them. */
static void test_any_ranges(void **state) {
  (void)state;
  uint32_t random = 1;
  for (int round = 0; round < 200; round++) {
    struct hd_ranges ranges = {0};
    for (int i = 0; i < 20; i++) {
      random = random * 1103515245 + 12345;
      const uint64_t low = random >> 16 & 63;
      hd_ranges_add(&ranges, low, low + 1 + (random >> 24 & 15), (uint64_t)i);
    }
    hd_ranges_sort(&ranges);
    for (uint64_t address = 0; address < 90; address++) {
      int last = NONE;
      for (int i = 0; i < 20; i++)
        if (ranges.items[i].low <= address && address < ranges.items[i].high)
          last = (int)ranges.items[i].what;
      expect_at(&ranges, address, last);
    }
    free(ranges.items);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_end_is_outside),
      cmocka_unit_test(test_the_innermost_is_found_over_those_that_have_ended),
      cmocka_unit_test(test_any_ranges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
