/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which names a list of expressions chooses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/name_choice.h"

static bool takes(const char *list, const char *name) {
  struct hd_name_choice choice;
  char why[256] = "";
  if (!hd_name_choice_read(list, &choice, why, sizeof why))
    fail_msg("%s: %s", list, why);
  const bool taken = hd_name_choice_takes(&choice, hd_name_choice_rule(&choice, name));
  hd_name_choice_free(&choice);
  return taken;
}

static void test_last_rule_that_matches_decides(void **state) {
  (void)state;
  assert_true(takes("solve", "solve_all"));
  assert_false(takes("solve", "main"));
  assert_true(takes("+solve,-_tiny$", "solve_all"));
  assert_false(takes("+solve,-_tiny$", "solve_tiny"));
  assert_true(takes("+solve,-_tiny$,+^solve_tiny$", "solve_tiny"));
  assert_false(takes("-_tiny$,-solve", "solve_tiny"));
}

static void test_list_that_begins_with_a_minus_takes_the_rest(void **state) {
  (void)state;
  assert_true(takes("-^get_", "main"));
  assert_false(takes("-^get_", "get_x"));
  assert_false(takes("+^get_,-x", "main"));
}

static void test_commas_inside_an_expression(void **state) {
  (void)state;
  assert_true(takes("ax{2,3}y,-b", "axxxy"));
  assert_false(takes("ax{2,3}y,-b", "axxxyb"));
  assert_true(takes("f\\(int[,] int\\),-b", "f(int, int)"));
  assert_true(takes("f\\(int\\, int\\),-b", "f(int, int)"));
  assert_true(takes("a[],x]c,-b", "a,c"));
  assert_false(takes("a[],x]c,-b", "a]cb"));
  assert_false(takes("f\\(int", "f(long, int)"));
}

static void assert_refused(const char *list, const char *expected) {
  struct hd_name_choice choice;
  char why[256] = "";
  assert_false(hd_name_choice_read(list, &choice, why, sizeof why));
  assert_string_equal(why, expected);
}

static void test_what_is_no_expression_is_refused(void **state) {
  char many[2 * HD_CHOICE_RULES + 2] = "";
  (void)state;
  assert_refused("", "an empty expression");
  assert_refused("+", "an empty expression");
  assert_refused("+a,", "an empty expression");
  assert_refused("+a,-b(", "'b(': Unmatched ( or \\(");
  for (size_t i = 0; i < sizeof many - 1; i++)
    many[i] = i % 2 ? ',' : 'a';
  assert_refused(many, "more than 32 expressions, or one of more than 1023 characters");
}

static void test_as_many_rules_as_there_is_room_for(void **state) {
  char many[2 * HD_CHOICE_RULES] = "";
  (void)state;
  for (size_t i = 0; i < sizeof many - 1; i++)
    many[i] = i % 2 ? ',' : 'a';
  assert_true(takes(many, "a"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_last_rule_that_matches_decides),
      cmocka_unit_test(test_list_that_begins_with_a_minus_takes_the_rest),
      cmocka_unit_test(test_commas_inside_an_expression),
      cmocka_unit_test(test_what_is_no_expression_is_refused),
      cmocka_unit_test(test_as_many_rules_as_there_is_room_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
