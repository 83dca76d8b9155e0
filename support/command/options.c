/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/command/options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/command/edit_distance.h"
#include "support/command/help.h"
#include "support/command/output_stream.h"

enum { OPTIONS_MAX = 64, NO_LETTER = 256 };

/* ---- messages ---- */

static void print_usage_line(const struct hd_usage *usage, FILE *out) {
  const char *space = usage->command ? " " : "";
  fprintf(out, "Usage: heddle%s%s %s\n", space, usage->command ? usage->command : "", usage->synopsis);
}

static void complain(const struct hd_usage *usage, const char *before, const char *format, va_list arguments) {
  const char *space = usage->command ? " " : "";
  const char *command = usage->command ? usage->command : "";
  fprintf(stderr, "heddle%s%s: %s", space, command, before);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  print_usage_line(usage, stderr);
  fprintf(stderr, "Try 'heddle%s%s --help'.\n", space, command);
}

bool hd_usage_complain(const struct hd_usage *usage, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  complain(usage, "", format, arguments);
  va_end(arguments);
  return false;
}

bool hd_option_refuse(const struct hd_option_use *use, const char *format, ...) {
  char name[64];
  va_list arguments;
  snprintf(name, sizeof name, "--%s ", use->option->name);
  va_start(arguments, format);
  complain(use->usage, name, format, arguments);
  va_end(arguments);
  return false;
}

bool hd_option_expect(const struct hd_option_use *use, const char *words) {
  return hd_option_refuse(use, "expects %s, not '%s'", words, use->argument);
}

/* ---- what is done with an argument ---- */

bool hd_take_flag(const struct hd_option_use *use) {
  *(bool *)use->field = true;
  return true;
}

bool hd_take_text(const struct hd_option_use *use) {
  *(const char **)use->field = use->argument;
  return use->argument[0] ? true : hd_option_refuse(use, "needs %s", use->option->expects);
}

bool hd_number_read(const char *text, unsigned long limit, unsigned long *value) {
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

bool hd_take_width(const struct hd_option_use *use) {
  uint32_t width;
  struct hd_option_use number = *use;
  number.field = &width;
  return hd_take_number(&number) && setenv("COLUMNS", use->argument, 1) == 0;
}

bool hd_take_number(const struct hd_option_use *use) {
  const struct hd_option *option = use->option;
  unsigned long number = 0;
  if (!hd_number_read(use->argument, option->most ? option->most : UINT_MAX, &number) || number < option->least)
    return hd_option_expect(use, option->expects);
  *(uint32_t *)use->field = (uint32_t)number;
  return true;
}

bool hd_take_word(const struct hd_option_use *use) {
  char known[256] = "";
  for (unsigned i = 0; i < use->option->most; i++) {
    const char *word = use->option->words[i];
    if (strcmp(word, use->argument) == 0) {
      *(unsigned *)use->field = i;
      return true;
    }
    const size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" : i + 1 < use->option->most ? ", " : " or ", word);
  }
  return hd_option_expect(use, known);
}

bool hd_take_color(const struct hd_option_use *use) {
  unsigned when = HD_COLOR_AUTO;
  struct hd_option_use word = *use;
  word.field = &when;
  if (!hd_take_word(&word))
    return false;
  hd_paint_choose((enum hd_color)when);
  return true;
}

bool hd_take_value(const struct hd_option_use *use) {
  *(unsigned *)use->field = use->option->value;
  return true;
}

/* Names all options of the table that give the field a value. */
static bool refuse_second(const struct hd_option_use *use) {
  char names[256] = "";
  const char *last = NULL;
  for (const struct hd_option *option = use->table; option->name; option++) {
    if (!option->one_of.value || option->one_of.field != use->option->one_of.field)
      continue;
    const size_t used = strlen(names);
    if (last)
      snprintf(names + used, sizeof names - used, "%s--%s", used ? ", " : "", last);
    last = option->name;
  }
  return hd_usage_complain(use->usage, "only one of %s and --%s at a time", names, last);
}

static bool take_one_of(const struct hd_option_use *use) {
  const unsigned value = use->option->one_of.value;
  unsigned *field = (void *)((char *)use->choices + use->option->one_of.field);
  if (*field && *field != value)
    return refuse_second(use);
  *field = value;
  return true;
}

/* ---- reading ---- */

/* All options that there are, and getopt_long's two descriptions of them. */
struct known {
  struct hd_option_section sections[OPTIONS_MAX]; /* by option */
  const struct hd_option *options[OPTIONS_MAX];
  struct option longs[OPTIONS_MAX + 2];
  char shorts[2 * OPTIONS_MAX + 8];
  int count;
};

static int argument_of(const struct hd_option *option) {
  return !option->argument ? no_argument : option->may_be_alone ? optional_argument : required_argument;
}

static void add_option(struct known *known, const struct hd_option *option, const struct hd_option_section *section) {
  const int index = known->count++;
  known->sections[index] = *section;
  known->options[index] = option;
  known->longs[index] = (struct option){option->name, argument_of(option), NULL, NO_LETTER + index};
  const char letter[] = {option->letter, option->argument && option->letter ? ':' : '\0', '\0'};
  strcat(known->shorts, letter);
}

static void list_options(const struct hd_usage *usage, struct known *known) {
  struct hd_option_section section;
  memset(known, 0, sizeof *known);
  /* ':': a missing argument is told apart from an unknown option, and getopt prints nothing itself */
  strcpy(known->shorts, usage->in_order ? "+:" : ":");
  for (size_t i = 0; hd_help_section(usage, i, &section); i++)
    for (const struct hd_option *option = section.options; option->name && known->count < OPTIONS_MAX - 1; option++)
      add_option(known, option, &section);
  add_option(known, &hd_help_option, &section);
}

/* Who mistypes a name mostly gets its beginning right: --bogus is not --focus. */
static bool may_mean(const char *name, const char *known) {
  return hd_edit_is_near(known, name) && (name[0] == known[0] || hd_edit_distance(known, name) == 1);
}

/* An unknown option, or the beginning of several: which it may have been. */
static void complain_of_unknown(const struct hd_usage *usage, const struct option *known, const char *text) {
  char name[64];
  const char *nearest = NULL;
  unsigned beginnings = 0;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
  for (; known->name; known++) {
    beginnings += strncmp(known->name, name, strlen(name)) == 0;
    if (!nearest || hd_edit_distance(known->name, name) < hd_edit_distance(nearest, name))
      nearest = known->name;
  }
  if (name[0] && beginnings > 1)
    hd_usage_complain(usage, "'%s' is ambiguous: several options begin with it", text);
  else if (nearest && may_mean(name, nearest))
    hd_usage_complain(usage, "'%s' is not an option here; did you mean --%s?", text, nearest);
  else
    hd_usage_complain(usage, "'%s' is not an option here", text);
}

static void complain_about(const struct hd_usage *usage, const struct option *known, int found, int argc, char **argv) {
  const bool is_long = optind > 0 && optind <= argc && strncmp(argv[optind - 1], "--", 2) == 0;
  if (is_long && found != ':' && optopt == 0)
    complain_of_unknown(usage, known, argv[optind - 1]);
  else if (is_long)
    hd_usage_complain(usage, "'%s' %s", argv[optind - 1], found == ':' ? "needs an argument" : "takes no argument");
  else
    hd_usage_complain(usage, "'-%c' %s", optopt, found == ':' ? "needs an argument" : "is not an option here");
}

static int index_of(const struct known *known, int found) {
  int index = found - NO_LETTER;
  if (index < 0)
    for (index = 0; known->options[index]->letter != found;)
      index++;
  return index;
}

static bool take(const struct hd_usage *usage, const struct known *known, int index, void *choices) {
  const struct hd_option_section *section = &known->sections[index];
  const struct hd_option *option = known->options[index];
  struct hd_option_use use = {.usage = usage,
                              .table = section->options,
                              .option = option,
                              .choices = (char *)choices + section->field,
                              .field = (char *)choices + section->field + option->field,
                              .argument = optarg};
  if ((option->take && !option->take(&use)) || (option->one_of.value && !take_one_of(&use)))
    return false;
  use.choices = choices;
  return !section->after || section->after(&use);
}

static int take_all(const struct hd_usage *usage, int argc, char **argv, void *choices) {
  struct known known;
  int found;
  list_options(usage, &known);
  optind = 0; /* glibc: start over, also with another table */
  while ((found = getopt_long(argc, argv, known.shorts, known.longs, NULL)) != -1) {
    if (found == '?' || found == ':') {
      complain_about(usage, known.longs, found, argc, argv);
      return HD_EXIT_USAGE;
    }
    const int index = index_of(&known, found);
    if (known.options[index] == &hd_help_option) {
      hd_help_write(usage, stdout);
      return hd_stream_finish(stdout, "standard output") ? HD_EXIT_OK : HD_EXIT_FAILED;
    }
    if (!take(usage, &known, index, choices))
      return HD_EXIT_USAGE;
  }
  return -1;
}

bool hd_options_read(const struct hd_usage *usage, int argc, char **argv, void *choices, int *first_operand,
                     int *status) {
  *status = take_all(usage, argc, argv, choices);
  *first_operand = optind;
  if (*status >= 0)
    return false;
  *status = HD_EXIT_USAGE;
  if (usage->none && optind >= argc)
    return hd_usage_complain(usage, "%s", usage->none);
  if (usage->several && argc - optind > 1)
    return hd_usage_complain(usage, "%s", usage->several);
  *status = HD_EXIT_OK;
  return true;
}
