/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/command/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "support/command/edit_distance.h"

enum { OPTIONS_MAX = 64, HELP_COLUMN = 26 };

static const struct hd_option help_option = {'h', "help", NULL, "print this help and exit"};

static void print_usage_line(const struct hd_usage *usage, FILE *out) {
  const char *space = usage->command ? " " : "";
  fprintf(out, "Usage: heddle%s%s %s\n", space, usage->command ? usage->command : "", usage->synopsis);
}

void hd_arguments_complain(const struct hd_usage *usage, const char *format, ...) {
  const char *space = usage->command ? " " : "";
  const char *command = usage->command ? usage->command : "";
  fprintf(stderr, "heddle%s%s: ", space, command);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  print_usage_line(usage, stderr);
  fprintf(stderr, "Try 'heddle%s%s --help'.\n", space, command);
}

/* Help that spans lines continues under its own first line. */
static void print_option(const struct hd_option *option, FILE *out) {
  char left[80];
  char letter[8] = "    ";
  if (option->id < HD_OPTION_LONG)
    snprintf(letter, sizeof letter, "-%c, ", option->id);
  snprintf(left, sizeof left, "  %s--%s%s%s", letter, option->name, option->argument ? " " : "",
           option->argument ? option->argument : "");
  int width = fprintf(out, "%s", left);
  if (width >= HELP_COLUMN) {
    fputc('\n', out);
    width = 0;
  }
  const char *line = option->help;
  for (;;) {
    const size_t length = strcspn(line, "\n");
    fprintf(out, "%*s%.*s\n", HELP_COLUMN - width, "", (int)length, line);
    if (line[length] == '\0')
      return;
    line += length + 1;
    width = 0;
  }
}

static void print_options(const struct hd_option *options, size_t count, FILE *out) {
  for (size_t i = 0; i < count; i++)
    print_option(&options[i], out);
}

void hd_arguments_help(const struct hd_usage *usage, FILE *out) {
  size_t section = 0;
  print_usage_line(usage, out);
  if (usage->description)
    fprintf(out, "\n%s\n", usage->description);
  fputs("\nOptions:\n", out);
  print_options(usage->options, usage->option_count, out);
  for (; section < usage->section_count && !usage->sections[section].heading; section++)
    print_options(usage->sections[section].options, usage->sections[section].count, out);
  print_option(&help_option, out);
  for (; section < usage->section_count; section++) {
    fprintf(out, "\n%s\n", usage->sections[section].heading);
    print_options(usage->sections[section].options, usage->sections[section].count, out);
  }
  if (usage->epilogue)
    fprintf(out, "\n%s\n", usage->epilogue);
}

/* getopt_long's two descriptions of the options, made from the table. */
struct getopt_tables {
  struct option longs[OPTIONS_MAX + 2];
  char shorts[2 * OPTIONS_MAX + 8];
};

static void add_option(struct getopt_tables *tables, size_t *count, char **shorts, const struct hd_option *option) {
  tables->longs[(*count)++] =
      (struct option){option->name, option->argument ? required_argument : no_argument, NULL, option->id};
  if (option->id >= HD_OPTION_LONG)
    return;
  *(*shorts)++ = (char)option->id;
  if (option->argument)
    *(*shorts)++ = ':';
}

static void make_tables(const struct hd_usage *usage, struct getopt_tables *tables) {
  memset(tables, 0, sizeof *tables);
  char *shorts = tables->shorts;
  size_t count = 0;
  if (usage->in_order)
    *shorts++ = '+';
  *shorts++ = ':'; /* a missing argument is told apart from an unknown option, and getopt prints nothing itself */
  for (size_t i = 0; i < usage->option_count && count < OPTIONS_MAX; i++)
    add_option(tables, &count, &shorts, &usage->options[i]);
  for (size_t i = 0; i < usage->section_count; i++)
    for (size_t j = 0; j < usage->sections[i].count && count < OPTIONS_MAX; j++)
      add_option(tables, &count, &shorts, &usage->sections[i].options[j]);
  add_option(tables, &count, &shorts, &help_option);
}

/* An unknown option, or the beginning of several: which it may have been. */
static void complain_of_unknown(const struct hd_usage *usage, const struct option *known, const char *text) {
  char name[64];
  const char *nearest = NULL;
  unsigned beginnings = 0;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
  for (; known->name; known++) {
    beginnings += strncmp(known->name, name, strlen(name)) == 0;
    if (!nearest || hd_likeness_distance(known->name, name) < hd_likeness_distance(nearest, name))
      nearest = known->name;
  }
  if (name[0] && beginnings > 1)
    hd_arguments_complain(usage, "'%s' is the beginning of several options: write one of them out", text);
  else if (nearest && hd_likeness_is_near(nearest, name))
    hd_arguments_complain(usage, "'%s' is not an option here; did you mean --%s?", text, nearest);
  else
    hd_arguments_complain(usage, "'%s' is not an option here", text);
}

static void complain_about(const struct hd_usage *usage, const struct option *known, int found, int argc, char **argv) {
  const bool is_long = optind > 0 && optind <= argc && strncmp(argv[optind - 1], "--", 2) == 0;
  if (is_long && found != ':' && optopt == 0)
    complain_of_unknown(usage, known, argv[optind - 1]);
  else if (is_long)
    hd_arguments_complain(usage, "'%s' %s", argv[optind - 1], found == ':' ? "needs an argument" : "takes no argument");
  else
    hd_arguments_complain(usage, "'-%c' %s", optopt, found == ':' ? "needs an argument" : "is not an option here");
}

enum hd_arguments_status hd_arguments_parse(const struct hd_usage *usage, int argc, char **argv, hd_option_taker *take,
                                            void *context, int *first_operand) {
  struct getopt_tables tables;
  make_tables(usage, &tables);
  optind = 0; /* glibc: start over, also with another table */
  for (;;) {
    const int found = getopt_long(argc, argv, tables.shorts, tables.longs, NULL);
    if (found == -1)
      break;
    if (found == 'h') {
      hd_arguments_help(usage, stdout);
      return HD_ARGUMENTS_HELP;
    }
    if (found == '?' || found == ':') {
      complain_about(usage, tables.longs, found, argc, argv);
      return HD_ARGUMENTS_WRONG;
    }
    if (!take(context, found, optarg))
      return HD_ARGUMENTS_WRONG;
  }
  *first_operand = optind;
  return HD_ARGUMENTS_OK;
}

bool hd_arguments_number(const char *text, unsigned long limit, unsigned long *value) {
  if (text[0] < '0' || text[0] > '9')
    return false;
  char *end = NULL;
  errno = 0;
  const unsigned long number = strtoul(text, &end, 10);
  if (errno != 0 || *end != '\0' || number > limit)
    return false;
  *value = number;
  return true;
}
