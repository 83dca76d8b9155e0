/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_columns.c
 * What follows from a table of columns: the text, the comma-separated values, the legend.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/views/render/columns.h"

enum { TIME, SHARE, CALLS, NAME, COLUMNS };

static const struct hd_column table[COLUMNS] = {
    [TIME] = {"time_s", "Time", HD_SECONDS, 2, 0, "how long it took"},
    [SHARE] = {"share", "Time%", HD_SHARE, 1, 2, "part of the run"},
    [CALLS] = {"calls", NULL, HD_COUNT, 0, 0, "not in the text"},
    [NAME] = {NULL, "Team", HD_TEXT, 3, 1, NULL},
};
static const struct hd_model model = {.seconds_per_tick = 0.5};

/* Not a stream in memory: that would be as wide as the terminal. */
static void expect(void (*print)(const struct hd_columns *, FILE *), uint64_t hidden, const char *expected) {
  char text[1024] = "";
  FILE *out = tmpfile();
  assert_non_null(out);
  print(&(struct hd_columns){table, COLUMNS, hidden, hd_unit_for(1)}, out);
  rewind(out);
  text[fread(text, 1, sizeof text - 1, out)] = '\0';
  fclose(out);
  assert_string_equal(text, expected);
}

static void fill(struct hd_value values[COLUMNS], bool known) {
  values[TIME] = hd_ticks(&model, 3, known);
  values[TIME].mark = ">=";
  values[SHARE] = hd_share(1, 8, known);
  values[CALLS] = hd_count(UINT64_MAX, known);
  values[NAME] = (struct hd_value){.known = known, .text = "2-4"};
}

static void put_csv(const struct hd_columns *columns, FILE *out) {
  struct hd_value values[COLUMNS] = {0};
  hd_columns_csv_names(columns, out);
  fputc('\n', out);
  fill(values, true);
  hd_columns_csv(columns, values, out);
  fputc('\n', out);
  fill(values, false);
  hd_columns_csv(columns, values, out);
}

static void put_grid(const struct hd_columns *columns, FILE *out) {
  struct hd_value values[COLUMNS] = {0};
  struct hd_table grid = {.counted = true};
  hd_columns_add(columns, &grid);
  hd_table_place(&grid, "Place", true);
  fill(values, true);
  struct libscols_line *first = hd_table_row(&grid, NULL);
  hd_columns_cells(columns, values, &grid);
  hd_table_at(&grid, "a place that takes forty characters, all");
  fill(values, false);
  hd_table_row(&grid, first);
  hd_columns_cells(columns, values, &grid);
  hd_table_at(&grid, "b");
  hd_table_print(&grid, out);
  hd_table_free(&grid);
}

static void put_legend(const struct hd_columns *columns, FILE *out) {
  hd_columns_legend(columns, "'-': not measured.", out);
}

static void test_values_are_written_in_full_by_name(void **state) {
  (void)state;
  expect(put_csv, 0, ",time_s,share,calls\n,1.5,0.125,18446744073709551615\n,,,");
  expect(put_csv, UINT64_MAX, ",time_s,share,calls\n,1.5,0.125,18446744073709551615\n,,,"); /* hidden: in the text */
}

static void test_text_has_its_own_order_and_marks(void **state) {
  (void)state;
  unsetenv("COLUMNS");
  setenv("LC_ALL", "C", 1);
  expect(put_grid, 0,
         "Time%    Time Team Place\n"
         " 12.5 >=1.500  2-4 a place that takes forty characters, all\n"
         "    -       -    - `-b\n");
  expect(put_grid, 1u << TIME,
         "Time% Team Place\n"
         " 12.5  2-4 a place that takes forty characters, all\n"
         "    -    - `-b\n");
}

static void test_what_is_least_needed_gives_way(void **state) {
  (void)state;
  setenv("COLUMNS", "54", 1);
  expect(put_grid, 0,
         "   Time Team Place\n"
         ">=1.500  2-4 a place that takes forty characters, all\n"
         "      -    - `-b\n"
         "Left out, because a line has 54 characters: Time%.\n");
  setenv("COLUMNS", "20", 1);
  expect(put_grid, 0,
         "   Time Place\n"
         ">=1.500 a place that\n"
         "      - `-b\n"
         "Left out, because a\nline has 20\ncharacters: Time%,\nTeam.\n");
}

static void test_legend_names_the_columns_of_the_text(void **state) {
  (void)state;
  unsetenv("COLUMNS");
  expect(put_legend, 0, "Time%: part of the run. Time: how long it took. '-': not measured.\n");
  expect(put_legend, 1u << SHARE, "Time: how long it took. '-': not measured.\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values_are_written_in_full_by_name),
      cmocka_unit_test(test_text_has_its_own_order_and_marks),
      cmocka_unit_test(test_what_is_least_needed_gives_way),
      cmocka_unit_test(test_legend_names_the_columns_of_the_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
