/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file help.h
 * What --help prints, from a command's table of options: text for people, or the same as a manual page or as completion
 * rules for a shell.
 */
#ifndef HEDDLE_SUPPORT_COMMAND_HELP_H
#define HEDDLE_SUPPORT_COMMAND_HELP_H

#include "support/command/options.h"

enum hd_help_form {
  HD_HELP_TEXT,
  HD_HELP_MAN,  /* roff */
  HD_HELP_BASH, /* one alternative of a `case` */
  HD_HELP_ZSH,  /* likewise */
  HD_HELP_FISH  /* a line for each option */
};

/** The form in which all help is printed from now on. `summary` of the command, for the first line of its manual page;
 *  it must last. */
void hd_help_set_form(enum hd_help_form form, const char *summary);

/** Prints the help of a command, in that form. */
void hd_help_write(const struct hd_usage *usage, FILE *out);

/** The section of options with that number: the command's own are the first, --help is in the one after those without a
 *  heading. False: there are no more. */
bool hd_help_section(const struct hd_usage *usage, size_t index, struct hd_option_section *section);

/** What stands between an option's name and its argument. */
const char *hd_help_before_argument(const struct hd_option *option);

/** --help itself. */
extern const struct hd_option hd_help_option;

/** The other forms (help_man.c, help_shell.c). */
void hd_help_write_man(const struct hd_usage *usage, const char *summary, FILE *out);
void hd_help_write_shell(const struct hd_usage *usage, enum hd_help_form form, FILE *out);

#endif
