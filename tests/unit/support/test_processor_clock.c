/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The processor's counter: its ticks are fine enough that short times add up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

#include "support/tsc_clock.h"

static void test_shift_makes_ticks_of_a_nanosecond_or_less(void **state) {
  (void)state;
  assert_int_equal(hd_processor_clock_shift_of(1000000000), 0);
  assert_int_equal(hd_processor_clock_shift_of(3000000000), 0);
  assert_int_equal(hd_processor_clock_shift_of(999999999), 1);
  assert_int_equal(hd_processor_clock_shift_of(62500000), 4);
  assert_int_equal(hd_processor_clock_shift_of(24000000), 6);
  assert_int_equal(hd_processor_clock_shift_of(1), 30);
}

static void test_shift_of_unknown_frequency_is_none(void **state) {
  (void)state;
  assert_int_equal(hd_processor_clock_shift_of(0), 0);
}

static uint64_t monotonic_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void test_clock_has_a_tick_for_each_nanosecond(void **state) {
  (void)state;
  if (!HD_PROCESSOR_CLOCK)
    skip();
  const uint32_t shift = hd_processor_clock_shift();
  /* The thread may lose its processor between any two readings: the ticks around the nanoseconds are no fewer, those
   * within them no more. */
  const uint64_t begin_outside = hd_processor_clock(shift);
  const uint64_t begin_ns = monotonic_ns();
  const uint64_t begin_inside = hd_processor_clock(shift);
  while (monotonic_ns() - begin_ns < 20000000)
    ;
  const uint64_t end_inside = hd_processor_clock(shift);
  const uint64_t ns = monotonic_ns() - begin_ns;
  const uint64_t end_outside = hd_processor_clock(shift);
  assert_true(end_outside - begin_outside >= ns * 9 / 10);
  assert_true(end_inside - begin_inside <= 20 * ns);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shift_makes_ticks_of_a_nanosecond_or_less),
      cmocka_unit_test(test_shift_of_unknown_frequency_is_none),
      cmocka_unit_test(test_clock_has_a_tick_for_each_nanosecond),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
