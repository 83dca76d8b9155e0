/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_column_list.c
 * The lists of the report's columns: docs/columns.md and `report --help` say what the views' tables say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/views/report/column_list.h"

static char *list(bool markdown) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  hd_column_list_print(markdown, out);
  fclose(out);
  return text;
}

/* From the first heading of a view on. */
static char *page(void) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *in = fopen(DOCS "/columns.md", "r");
  assert_non_null(in);
  assert_true(getdelim(&text, &bytes, '\0', in) > 0);
  fclose(in);
  char *start = strstr(text, "\n## ");
  assert_non_null(start);
  memmove(text, start, strlen(start) + 1);
  return text;
}

static void test_page_of_columns_is_what_the_tables_say(void **state) {
  (void)state;
  char *expected = list(true), *found = page();
  const bool same = strcmp(expected, found) == 0;
  if (!same)
    fprintf(stderr, "docs/columns.md must end with:\n%s", expected);
  free(expected);
  free(found);
  assert_true(same);
}

static unsigned occurrences(const char *text, const char *what) {
  unsigned count = 0;
  for (; (text = strstr(text, what)); text++)
    count++;
  return count;
}

static void test_help_has_each_column_once(void **state) {
  (void)state;
  char *text = list(false);
  assert_int_equal(occurrences(text, "  Wall%        wall_share              %  part of the run, lines below"), 1);
  assert_int_equal(occurrences(text, "part of the run, lines below included"), 1); /* --tree has it, too */
  assert_int_equal(occurrences(text, " --flat\n"), 1);
  assert_int_equal(occurrences(text, "\n  Team                                    threads of the team"), 1);
  assert_int_equal(occurrences(text, "\n               self_sequential_s       s  Self while no other thread was"), 1);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_page_of_columns_is_what_the_tables_say),
      cmocka_unit_test(test_help_has_each_column_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
