/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_options.c
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

#include "support/command/help.h"

enum colour { COLOUR_NONE, COLOUR_RED, COLOUR_BLUE };
static const char *const sizes[] = {"small", "large"};

struct taken {
  bool all;
  bool long_only;
  uint32_t number;
  const char *text;
  enum colour colour;
  unsigned size;
  struct {
    const char *text;
  } shared;
  char passed[64];
};

#define FIELD(member) .field = offsetof(struct taken, member)

static const struct hd_option options[] = {
    {'a', "all", NULL, "take all", .take = hd_take_flag, FIELD(all)},
    {'n', "number", "N", "take N\nand no more", .take = hd_take_number, FIELD(number), .least = 1, .most = 9,
     .expects = "a digit"},
    {0, "long-only", NULL, "has no letter", .take = hd_take_flag, FIELD(long_only)},
    {0},
};

static const struct hd_usage usage = {.command = "test",
                                      .synopsis = "[options] FILE",
                                      .description = "Tests.",
                                      .options = options,
                                      .epilogue = "The end."};

/* Returns the status; -1: go on. */
static int parse(const struct hd_usage *with, struct taken *taken, int *first, char **argv) {
  int argc = 0;
  int status = 0;
  while (argv[argc])
    argc++;
  memset(taken, 0, sizeof *taken);
  return hd_options_read(with, argc, argv, taken, first, &status) ? -1 : status;
}

static void test_options_are_taken_and_operands_come_last(void **state) {
  (void)state;
  struct taken taken;
  int first = 0;
  char *argv[] = {"test", "file", "-a", "-n3", "--number=4", "--long-only", "--num", "5", NULL};
  assert_int_equal(parse(&usage, &taken, &first, argv), -1);
  assert_true(taken.all && taken.long_only);
  assert_int_equal(taken.number, 5);
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
  assert_int_equal(parse(&in_order, &taken, &first, argv), -1);
  assert_true(taken.all && taken.number == 0);
  assert_int_equal(first, 2);
  char *dashes[] = {"test", "--", "-a", NULL};
  assert_int_equal(parse(&in_order, &taken, &first, dashes), -1);
  assert_false(taken.all);
  assert_int_equal(first, 2);
}

/* Runs a parse with stderr in a file, and checks for each of `words` that stderr has it. */
static void expect_wrong_of(const struct hd_usage *with, char **argv, const char *words) {
  struct taken taken;
  int first = 0;
  char text[1024] = "";
  FILE *file = tmpfile();
  assert_non_null(file);
  fflush(stderr);
  const int saved = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  const int status = parse(with, &taken, &first, argv);
  fflush(stderr);
  dup2(saved, STDERR_FILENO);
  close(saved);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  assert_int_equal(status, HD_EXIT_USAGE);
  if (!(strstr(text, words) && strstr(text, "Usage: heddle test [options] FILE")))
    fail_msg("expected \"%s\" and the usage line in \"%s\"", words, text);
}

static void expect_wrong(char **argv, const char *words) {
  expect_wrong_of(&usage, argv, words);
}

static void test_wrong_options_are_named(void **state) {
  (void)state;
  expect_wrong((char *[]){"test", "-x", NULL}, "'-x' is not an option");
  expect_wrong((char *[]){"test", "-ax", NULL}, "'-x' is not an option");
  expect_wrong((char *[]){"test", "--xyz", NULL}, "'--xyz' is not an option");
  expect_wrong((char *[]){"test", "-n", NULL}, "'-n' needs an argument");
  expect_wrong((char *[]){"test", "--number", NULL}, "'--number' needs an argument");
  expect_wrong((char *[]){"test", "--all=3", NULL}, "'--all=3' takes no argument");
  expect_wrong((char *[]){"test", "-n", "bad", NULL}, "--number expects a digit, not 'bad'");
  expect_wrong((char *[]){"test", "-n0", NULL}, "--number expects a digit, not '0'");
  expect_wrong((char *[]){"test", "-n10", NULL}, "--number expects a digit, not '10'");
}

static void test_help_names_every_option(void **state) {
  (void)state;
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  hd_help_write(&usage, out);
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

static void test_operands_are_counted(void **state) {
  (void)state;
  struct hd_usage with = usage;
  with.none = "missing FILE";
  with.several = "one FILE";
  expect_wrong_of(&with, (char *[]){"test", "-a", NULL}, "heddle test: missing FILE\n");
  expect_wrong_of(&with, (char *[]){"test", "a", "-a", "b", NULL}, "heddle test: one FILE\n");
}

static const struct hd_option choices[] = {
    {0, "red", NULL, "is a colour", .one_of = {offsetof(struct taken, colour), COLOUR_RED}},
    {0, "blue", "NAME", "is a colour, too", .take = hd_take_text, FIELD(text), .expects = "a name",
     .one_of = {offsetof(struct taken, colour), COLOUR_BLUE}},
    {0, "size", "SIZE", "is a word", .take = hd_take_word, FIELD(size), .words = sizes, .most = 2},
    {0, "large", NULL, "is --size=large", .take = hd_take_value, FIELD(size), .value = 1},
    {0},
};

static void test_choices_exclude_one_another(void **state) {
  (void)state;
  struct hd_usage with = usage;
  struct taken taken;
  int first = 0;
  with.options = choices;
  assert_int_equal(parse(&with, &taken, &first, (char *[]){"test", "--blue", "sky", "--blue=sea", "--large", NULL}),
                   -1);
  assert_true(taken.colour == COLOUR_BLUE && taken.size == 1);
  assert_string_equal(taken.text, "sea");
  assert_int_equal(parse(&with, &taken, &first, (char *[]){"test", "--large", "--size", "small", NULL}), -1);
  assert_true(taken.colour == COLOUR_NONE && taken.size == 0);
  expect_wrong_of(&with, (char *[]){"test", "--red", "--blue=sky", NULL}, "only one of --red and --blue at a time");
  expect_wrong_of(&with, (char *[]){"test", "--blue=", NULL}, "--blue needs a name");
  expect_wrong_of(&with, (char *[]){"test", "--size=huge", NULL}, "--size expects small or large, not 'huge'");
}

static bool pass(const struct hd_option_use *use) {
  struct taken *taken = use->choices;
  strcat(taken->passed, use->argument);
  return true;
}

static const struct hd_option shared[] = {
    {'s', "shared", "S", "is another command's, too", .take = hd_take_text, .expects = "a text"},
    {0},
};
static const struct hd_option_section headless[] = {{NULL, shared, offsetof(struct taken, shared), pass}, {0}};
static const struct hd_option_section headed[] = {
    {NULL, shared, offsetof(struct taken, shared), pass}, {"More:", shared, 0, NULL}, {0}};

static void test_options_of_sections_are_taken_and_helped_with(void **state) {
  (void)state;
  struct hd_usage with = usage;
  struct taken taken;
  int first = 0;
  char *argv[] = {"test", "-s", "1", "--shared=2", "-a", NULL};
  char *text = NULL;
  size_t bytes = 0;
  with.sections = headless;
  assert_int_equal(parse(&with, &taken, &first, argv), -1);
  assert_string_equal(taken.shared.text, "2");
  assert_string_equal(taken.passed, "12");
  assert_true(taken.all);
  with.sections = headed;
  FILE *out = open_memstream(&text, &bytes);
  hd_help_write(&with, out);
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
  assert_true(hd_number_read("0", 10, &value));
  assert_int_equal(value, 0);
  assert_true(hd_number_read("10", 10, &value));
  assert_int_equal(value, 10);
  const char *const wrong[] = {"", "-1", "+1", " 1", "1x", "1.5", "11", "99999999999999999999999"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    assert_false(hd_number_read(wrong[i], 10, &value));
  assert_int_equal(value, 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_options_are_taken_and_operands_come_last),
      cmocka_unit_test(test_in_order_leaves_the_rest_alone),
      cmocka_unit_test(test_wrong_options_are_named),
      cmocka_unit_test(test_help_names_every_option),
      cmocka_unit_test(test_operands_are_counted),
      cmocka_unit_test(test_choices_exclude_one_another),
      cmocka_unit_test(test_options_of_sections_are_taken_and_helped_with),
      cmocka_unit_test(test_numbers_are_whole_and_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
