/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_report_drawing.c
 * Levels in groups, as bars and as small histograms, in UTF-8 and without.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/views/render/level_bars.h"

static void test_levels_are_grouped_when_many(void **state) {
  (void)state;
  static const struct {
    uint32_t highest, count, at, first, last;
  } cases[] = {{0, 1, 0, 0, 0},      {1, 2, 1, 1, 1},          {9, 10, 9, 9, 9},    {10, 7, 2, 2, 2},
               {10, 7, 6, 9, 10},    {64, 10, 2, 2, 8},        {64, 10, 9, 57, 64}, {62, 10, 9, 57, 62},
               {128, 10, 3, 17, 32}, {UINT32_MAX, 10, 1, 1, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const struct hd_level_groups groups = hd_level_groups_for(cases[i].highest);
    assert_int_equal(groups.count, cases[i].count);
    assert_int_equal(groups.items[cases[i].at].first, cases[i].first);
    assert_int_equal(groups.items[cases[i].at].last, cases[i].last);
    assert_int_equal(groups.items[groups.count - 1].last, cases[i].highest);
    for (uint32_t group = 1; group < groups.count; group++)
      assert_int_equal(groups.items[group].first, groups.items[group - 1].last + 1);
  }
}

static void test_sparkline_stands_below_its_levels(void **state) {
  (void)state;
  char cell[HD_CELL_BYTES];
  uint64_t ticks[65] = {[0] = 50, [2] = 950, [64] = 1};
  const struct hd_level_groups few = hd_level_groups_for(2), many = hd_level_groups_for(64);
  hd_levels_sparkline_title(cell, &few);
  assert_string_equal(cell, "012");
  hd_levels_sparkline(cell, &(struct hd_levels){ticks, 3}, &few);
  assert_string_equal(cell, "1.8");
  hd_levels_sparkline_title(cell, &many);
  assert_string_equal(cell, "01------64");
  hd_levels_sparkline(cell, &(struct hd_levels){ticks, 65}, &many);
  assert_string_equal(cell, "1.8......1");
  hd_levels_sparkline(cell, &(struct hd_levels){ticks, 0}, &many);
  assert_string_equal(cell, "-");
}

static void test_bars_are_blocks_only_where_they_can_be_shown(void **state) {
  (void)state;
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_int_equal(hd_draw_bar(0.5, 8, out), 4);
  assert_int_equal(hd_draw_bar(0.001, 8, out), 1);
  assert_int_equal(hd_draw_bar(0, 8, out), 0);
  assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
  assert_int_equal(hd_draw_bar(0.3, 8, out), 3); /* 2.4 blocks */
  assert_int_equal(hd_draw_bar(0.001, 8, out), 1);
  assert_string_equal(hd_draw_height(1), "█");
  assert_string_equal(hd_draw_height(0.001), "▁");
  setlocale(LC_CTYPE, "C");
  assert_string_equal(hd_draw_height(1), "8");
  assert_string_equal(hd_draw_height(0), ".");
  fclose(out);
  assert_string_equal(text, "####.██▍▏");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_levels_are_grouped_when_many),
      cmocka_unit_test(test_sparkline_stands_below_its_levels),
      cmocka_unit_test(test_bars_are_blocks_only_where_they_can_be_shown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
