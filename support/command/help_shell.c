/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Help as rules by which shells complete a command's options. */
#include <string.h>

#include "support/command/help.h"

/* The first line of an option's help, without what the quotes around it or the shell's own syntax would take. */
static void put_help(const struct hd_option *option, const char *without, FILE *out) {
  const size_t length = strcspn(option->help, "\n");
  for (size_t i = 0; i < length; i++)
    putc(strchr(without, option->help[i]) ? ' ' : option->help[i], out);
}

static void put_bash(const struct hd_option *option, FILE *out) {
  if (option->letter)
    fprintf(out, " -%c", option->letter);
  fprintf(out, " --%s", option->name);
}

static void put_zsh(const struct hd_option *option, FILE *out) {
  if (option->letter)
    fprintf(out, " {-%c,--%s}'[", option->letter, option->name);
  else
    fprintf(out, " --%s%s'[", option->name, option->may_be_alone ? "=-" : "");
  put_help(option, "'[]", out);
  putc(']', out);
  if (option->argument)
    fprintf(out, "%s:%s:%s", option->may_be_alone ? ":" : "", option->argument, option->may_be_alone ? "" : "_files");
  putc('\'', out);
}

static void put_fish(const struct hd_usage *usage, const struct hd_option *option, FILE *out) {
  fputs("complete -c heddle", out);
  if (usage->command)
    fprintf(out, " -n '__fish_seen_subcommand_from %s'", usage->command);
  if (option->letter)
    fprintf(out, " -s %c", option->letter);
  fprintf(out, " -l %s%s -d '", option->name, option->argument && !option->may_be_alone ? " -r" : "");
  put_help(option, "'\\", out);
  fputs("'\n", out);
}

static void put_option(const struct hd_usage *usage, const struct hd_option *option, enum hd_help_form form,
                       FILE *out) {
  if (form == HD_HELP_BASH)
    put_bash(option, out);
  else if (form == HD_HELP_ZSH)
    put_zsh(option, out);
  else
    put_fish(usage, option, out);
}

void hd_help_write_shell(const struct hd_usage *usage, enum hd_help_form form, FILE *out) {
  struct hd_option_section section;
  const char *command = usage->command ? usage->command : "*";
  if (form == HD_HELP_BASH)
    fprintf(out, "  %s) options='", command);
  else if (form == HD_HELP_ZSH)
    fprintf(out, "  %s) _arguments -s", command);
  for (size_t i = 0; hd_help_section(usage, i, &section); i++)
    for (const struct hd_option *option = section.options; option->name; option++)
      put_option(usage, option, form, out);
  put_option(usage, &hd_help_option, form, out);
  if (form == HD_HELP_BASH)
    fputs("' ;;\n", out);
  else if (form == HD_HELP_ZSH)
    fputs(" '*:file:_files' ;;\n", out);
}
