/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file main.c
 * `heddle COMMAND ...`: finds the command in a table and hands over.
 */
#include "command.h"
#include "support/arguments.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

struct command {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *summary;
};

static const struct command commands[] = {
    {"run", hd_cmd_run, "run a program and write its profile"},
    {"report", hd_cmd_report, "show where a profile's parallel regions lose time"},
    {"scale", hd_cmd_scale, "run a program at several thread counts and compare"},
    {"compare", hd_cmd_compare, "show what more threads, or another build, changed in each region, and why"},
    {"export", hd_cmd_export, "write a profile in another format"},
    {"doctor", hd_cmd_doctor, "try out whether Heddle works here, and say what is wrong"},
    {"recover", hd_cmd_recover, "save the profiles that killed programs left"},
    {"doctor", hd_cmd_doctor, "try out whether Heddle works here, and say what is wrong"},
    {"events", hd_cmd_events, "list what can be counted on this machine"},
    {"merge", hd_cmd_merge, "add up the profiles of several runs"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

enum { OPTION_VERSION = 'V' };
static const struct hd_option options[] = {{OPTION_VERSION, "version", NULL, "print the version and exit"}};

static const struct hd_usage usage = {
    .synopsis = "COMMAND [options] ...",
    .description = "Heddle tells, for every parallel region and loop of an OpenMP program, how many threads were\n"
                   "really working, for how long, and why the others were not.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .in_order = true,
};

static bool take_option(void *context, int id, const char *argument) {
  (void)argument;
  bool *version = context;
  *version = id == OPTION_VERSION;
  return true;
}

static void print_commands(FILE *out) {
  fputs("\nCommands:\n", out);
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
  fputs("\n'heddle COMMAND --help' tells more about one command.\n", out);
}

int main(int argc, char **argv) {
  bool version = false;
  int first = 0;
  setlocale(LC_CTYPE, ""); /* trees are drawn in what the terminal can show; numbers keep their decimal point */
  switch (hd_arguments_parse(&usage, argc, argv, take_option, &version, &first)) {
  case HD_ARGUMENTS_HELP:
    print_commands(stdout);
    return HD_EXIT_OK;
  case HD_ARGUMENTS_WRONG:
    return HD_EXIT_USAGE;
  case HD_ARGUMENTS_OK:
    break;
  }
  if (version) {
    puts("heddle " HEDDLE_VERSION);
    return HD_EXIT_OK;
  }
  if (first >= argc) {
    hd_arguments_complain(&usage, "which command?");
    return HD_EXIT_USAGE;
  }
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    if (strcmp(argv[first], commands[i].name) == 0)
      return commands[i].run(argc - first, argv + first);
  hd_arguments_complain(&usage, "'%s' is not a command", argv[first]);
  return HD_EXIT_USAGE;
}
