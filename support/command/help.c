/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/command/help.h"

#include <string.h>

enum { HELP_COLUMN = 26 };

const struct hd_option hd_help_option = {'h', "help", NULL, "print this help and exit", .take = NULL};

static enum hd_help_form current_form;
static const char *current_summary = "";

/* The command's own options are the first section. */
bool hd_help_section(const struct hd_usage *usage, size_t index, struct hd_option_section *section) {
  *section = (struct hd_option_section){.options = usage->options};
  if (index > 0 && usage->sections)
    *section = usage->sections[index - 1];
  return section->options && (index == 0 || usage->sections);
}

const char *hd_help_before_argument(const struct hd_option *option) {
  return !option->argument ? "" : option->may_be_alone ? "[=" : " ";
}

/* Help that spans lines continues under its own first line. */
static void print_option(const struct hd_option *option, FILE *out) {
  char left[80];
  char letter[8] = "    ";
  if (option->letter)
    snprintf(letter, sizeof letter, "-%c, ", option->letter);
  snprintf(left, sizeof left, "  %s--%s%s%s%s", letter, option->name, hd_help_before_argument(option),
           option->argument ? option->argument : "", option->may_be_alone ? "]" : "");
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

static void write_text(const struct hd_usage *usage, FILE *out) {
  struct hd_option_section section;
  bool helped = false;
  fprintf(out, "Usage: heddle%s%s %s\n", usage->command ? " " : "", usage->command ? usage->command : "",
          usage->synopsis);
  if (usage->description)
    fprintf(out, "\n%s\n", usage->description);
  fputs("\nOptions:\n", out);
  for (size_t i = 0; hd_help_section(usage, i, &section); i++) {
    if (section.heading && !helped)
      print_option(&hd_help_option, out);
    helped = helped || section.heading;
    if (section.heading)
      fprintf(out, "\n%s\n", section.heading);
    for (const struct hd_option *option = section.options; option->name; option++)
      print_option(option, out);
  }
  if (!helped)
    print_option(&hd_help_option, out);
  if (usage->lists) {
    fputc('\n', out);
    usage->lists(out);
  }
  if (usage->epilogue)
    fprintf(out, "\n%s\n", usage->epilogue);
}

void hd_help_set_form(enum hd_help_form form, const char *summary) {
  current_form = form;
  current_summary = summary;
}

void hd_help_write(const struct hd_usage *usage, FILE *out) {
  if (current_form == HD_HELP_TEXT)
    write_text(usage, out);
  else if (current_form == HD_HELP_MAN)
    hd_help_write_man(usage, current_summary, out);
  else
    hd_help_write_shell(usage, current_form, out);
}
