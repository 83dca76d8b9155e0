/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_arguments.c
 * The option table: what is taken, what is refused, and that help names every option.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/command/options.h"

enum { OPTION_LONG_ONLY = HD_OPTION_LONG };

static const struct hd_option options[] = {
    {'a', "all", NULL, "take all"},
    {'n', "number", "N", "take N\nand no more"},
    {OPTION_LONG_ONLY, "long-only", NULL, "has no letter"},
};

static const struct hd_usage usage = {.command = "test",
                                      .synopsis = "[options] FILE",
                                      .description = "Tests.",
                                      .options = options,
                                      .option_count = 3,
                                      .epilogue = "The end."};

struct taken {
  char text[64];
};

static bool take(void *context, int id, const char *argument) {
  struct taken *taken = context;
  char item[32];
  snprintf(item, sizeof item, "%d=%s;", id, argument ? argument : "");
  strcat(taken->text, item);
  return id != 'n' || strcmp(argument, "bad") != 0;
}

static enum hd_arguments_status parse(const struct hd_usage *with, struct taken *taken, int *first, char **argv) {
  int argc = 0;
  while (argv[argc])
    argc++;
  taken->text[0] = '\0';
  return hd_arguments_parse(with, argc, argv, take, taken, first);
}

static void test_options_are_taken_and_operands_come_last(void **state) {
  (void)state;
  struct taken taken;
  int first = 0;
  char *argv[] = {"test", "file", "-a", "-n3", "--number=4", "--long-only", "--num", "5", NULL};
  assert_int_equal(parse(&usage, &taken, &first, argv), HD_ARGUMENTS_OK);
  assert_string_equal(taken.text, "97=;110=3;110=4;256=;110=5;");
  assert_int_equal(first, 7);
  assert_string_equal(argv[7], "file");
}

static void test_in_order_leaves_the_rest_alone(void **state) {
  (void)state;
  struct hd_usage in_order = usage;
  struct taken taken;
  int first = 0;
  in_order.in_order = true;
  char *argv[] = {"test", "-a", "program", "-n", "3", NULL};
  assert_int_equal(parse(&in_order, &taken, &first, argv), HD_ARGUMENTS_OK);
  assert_string_equal(taken.text, "97=;");
  assert_int_equal(first, 2);
  char *dashes[] = {"test", "--", "-a", NULL};
  assert_int_equal(parse(&in_order, &taken, &first, dashes), HD_ARGUMENTS_OK);
  assert_string_equal(taken.text, "");
  assert_int_equal(first, 2);
}

/* Runs a parse with stderr in a file, and checks for each of `words` that stderr has it. */
static void expect_wrong(char **argv, const char *words) {
  struct taken taken;
  int first = 0;
  char text[1024] = "";
  FILE *file = tmpfile();
  assert_non_null(file);
  fflush(stderr);
  const int saved = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  const enum hd_arguments_status status = parse(&usage, &taken, &first, argv);
  fflush(stderr);
  dup2(saved, STDERR_FILENO);
  close(saved);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  assert_int_equal(status, HD_ARGUMENTS_WRONG);
  if (words && !(strstr(text, words) && strstr(text, "Usage: heddle test [options] FILE")))
    fail_msg("expected \"%s\" and the usage line in \"%s\"", words, text);
}

static void test_wrong_options_are_named(void **state) {
  (void)state;
  expect_wrong((char *[]){"test", "-x", NULL}, "'-x' is not an option");
  expect_wrong((char *[]){"test", "-ax", NULL}, "'-x' is not an option");
  expect_wrong((char *[]){"test", "--xyz", NULL}, "'--xyz' is not an option");
  expect_wrong((char *[]){"test", "-n", NULL}, "'-n' needs an argument");
  expect_wrong((char *[]){"test", "--number", NULL}, "'--number' needs an argument");
  expect_wrong((char *[]){"test", "--all=3", NULL}, "'--all=3' takes no argument");
  expect_wrong((char *[]){"test", "-n", "bad", NULL}, NULL);
}

static void test_help_names_every_option(void **state) {
  (void)state;
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  hd_arguments_help(&usage, out);
  fclose(out);
  assert_string_equal(text, "Usage: heddle test [options] FILE\n"
                            "\n"
                            "Tests.\n"
                            "\n"
                            "Options:\n"
                            "  -a, --all               take all\n"
                            "  -n, --number N          take N\n"
                            "                          and no more\n"
                            "      --long-only         has no letter\n"
                            "  -h, --help              print this help and exit\n"
                            "\n"
                            "The end.\n");
  free(text);
}

static const struct hd_option shared[] = {{'s', "shared", "S", "is another command's, too"}};
static const struct hd_option_section sections[] = {{NULL, shared, 1}, {"More:", &shared[0], 1}};

static void test_options_of_sections_are_taken_and_helped_with(void **state) {
  (void)state;
  struct hd_usage with = usage;
  struct taken taken;
  int first = 0;
  char *argv[] = {"test", "-s", "1", "--shared=2", "-a", NULL};
  char *text = NULL;
  size_t bytes = 0;
  with.sections = sections;
  with.section_count = 1;
  assert_int_equal(parse(&with, &taken, &first, argv), HD_ARGUMENTS_OK);
  assert_string_equal(taken.text, "115=1;115=2;97=;");
  with.section_count = 2;
  FILE *out = open_memstream(&text, &bytes);
  hd_arguments_help(&with, out);
  fclose(out);
  assert_string_equal(strstr(text, "      --long"), "      --long-only         has no letter\n"
                                                    "  -s, --shared S          is another command's, too\n"
                                                    "  -h, --help              print this help and exit\n"
                                                    "\n"
                                                    "More:\n"
                                                    "  -s, --shared S          is another command's, too\n"
                                                    "\n"
                                                    "The end.\n");
  free(text);
}

static void test_numbers_are_whole_and_bounded(void **state) {
  (void)state;
  unsigned long value = 7;
  assert_true(hd_arguments_number("0", 10, &value));
  assert_int_equal(value, 0);
  assert_true(hd_arguments_number("10", 10, &value));
  assert_int_equal(value, 10);
  const char *const wrong[] = {"", "-1", "+1", " 1", "1x", "1.5", "11", "99999999999999999999999"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    assert_false(hd_arguments_number(wrong[i], 10, &value));
  assert_int_equal(value, 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_options_are_taken_and_operands_come_last),
      cmocka_unit_test(test_in_order_leaves_the_rest_alone),
      cmocka_unit_test(test_wrong_options_are_named),
      cmocka_unit_test(test_help_names_every_option),
      cmocka_unit_test(test_options_of_sections_are_taken_and_helped_with),
      cmocka_unit_test(test_numbers_are_whole_and_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
