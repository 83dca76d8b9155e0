/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Help as a manual page: man(7). */
#include <stdlib.h>
#include <string.h>

#include "support/command/help.h"

/* A dot or an apostrophe that begins a line would be a request, and a dash a hyphen. */
static void put_line(const char *line, size_t length, FILE *out) {
  if (length > 0 && (line[0] == '.' || line[0] == '\''))
    fputs("\\&", out);
  for (size_t i = 0; i < length; i++)
    if (line[i] == '\\')
      fputs("\\e", out);
    else if (line[i] == '-')
      fputs("\\-", out);
    else
      putc(line[i], out);
  putc('\n', out);
}

static void put_lines(const char *text, FILE *out) {
  for (;;) {
    const size_t length = strcspn(text, "\n");
    put_line(text, length, out);
    if (text[length] == '\0' || text[length + 1] == '\0')
      return;
    text += length + 1;
  }
}

/* .BI sets its words in bold and italics by turns; what stands in quotes is one. */
static void put_option(const struct hd_option *option, FILE *out) {
  fputs(".TP\n.BI \"", out);
  if (option->letter)
    fprintf(out, "\\-%c, ", option->letter);
  fputs("\\-\\-", out);
  for (const char *at = option->name; *at; at++)
    fprintf(out, "%s%c", *at == '-' ? "\\" : "", *at);
  fprintf(out, "%s\"", hd_help_before_argument(option));
  if (option->argument)
    fprintf(out, " %s%s", option->argument, option->may_be_alone ? " ]" : "");
  putc('\n', out);
  put_lines(option->help, out);
}

static void put_as_it_is(const char *text, FILE *out) {
  fputs(".PP\n.nf\n", out);
  put_lines(text, out);
  fputs(".fi\n", out);
}

static void put_lists(const struct hd_usage *usage, FILE *out) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *lists = usage->lists ? open_memstream(&text, &bytes) : NULL;
  if (lists) {
    usage->lists(lists);
    fclose(lists);
    put_as_it_is(text, out);
  }
  free(text);
  if (usage->epilogue)
    put_as_it_is(usage->epilogue, out);
}

static void put_options(const struct hd_usage *usage, FILE *out) {
  struct hd_option_section section;
  fputs(".SH OPTIONS\n", out);
  put_option(&hd_help_option, out);
  for (size_t i = 0; hd_help_section(usage, i, &section); i++) {
    if (section.heading) {
      fputs(".SS ", out);
      put_line(section.heading, strcspn(section.heading, ":"), out);
    }
    for (const struct hd_option *option = section.options; option->name; option++)
      put_option(option, out);
  }
}

void hd_help_write_man(const struct hd_usage *usage, const char *summary, FILE *out) {
  const char *dash = usage->command ? "\\-" : "", *command = usage->command ? usage->command : "";
  fprintf(out, ".TH heddle%s%s 1 \"\" \"heddle " HEDDLE_VERSION "\" \"Heddle\"\n", dash, command);
  fprintf(out, ".SH NAME\nheddle%s%s \\- ", dash, command);
  put_line(summary, strlen(summary), out);
  fprintf(out, ".SH SYNOPSIS\n.B heddle%s%s\n", *command ? " " : "", command);
  put_line(usage->synopsis, strlen(usage->synopsis), out);
  if (usage->description) {
    fputs(".SH DESCRIPTION\n", out);
    put_lines(usage->description, out);
  }
  put_options(usage, out);
  put_lists(usage, out);
  if (*command)
    fputs(".SH SEE ALSO\n.BR heddle (1)\n", out);
}
