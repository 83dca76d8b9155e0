/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file main.c
 * `heddle COMMAND ...`: finds the command in a table and hands over.
 */
#include "cli/command.h"
#include "support/command/options.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/command/edit_distance.h"

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
    {"events", hd_cmd_events, "list what can be counted on this machine"},
    {"recover", hd_cmd_recover, "save the profiles that killed programs left"},
    {"doctor", hd_cmd_doctor, "try out whether Heddle works here, and say what is wrong"},
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

static const struct command *find_command(const char *name) {
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    if (strcmp(commands[i].name, name) == 0)
      return &commands[i];
  return NULL;
}

/* What it may have been: a misspelled command, a profile, a program. */
static void complain_of_command(const char *name) {
  enum { MISSPELT = 3 }; /* letters at most: two that changed places and one that is missing */
  const char *nearest = commands[0].name;
  for (size_t i = 1; i < COMMAND_COUNT; i++)
    if (hd_likeness_distance(commands[i].name, name) < hd_likeness_distance(nearest, name))
      nearest = commands[i].name;
  if (strstr(name, ".heddle"))
    hd_arguments_complain(&usage, "'%s' is not a command; a profile is shown by: heddle report %s", name, name);
  else if (access(name, F_OK) == 0)
    hd_arguments_complain(&usage, "'%s' is not a command; a program is run by: heddle run -- %s", name, name);
  else if (hd_likeness_distance(nearest, name) <= MISSPELT && strlen(name) >= MISSPELT)
    hd_arguments_complain(&usage, "'%s' is not a command; did you mean %s?", name, nearest);
  else
    hd_arguments_complain(&usage, "'%s' is not a command", name);
}

/* `heddle help [COMMAND]`: as with --help. */
static int help(const char *name) {
  static char option[] = "--help";
  const struct command *command = name ? find_command(name) : NULL;
  char *arguments[] = {(char *)(command ? command->name : ""), option, NULL};
  if (command)
    return command->run(2, arguments);
  if (name) {
    complain_of_command(name);
    return HD_EXIT_USAGE;
  }
  hd_arguments_help(&usage, stdout);
  print_commands(stdout);
  return HD_EXIT_OK;
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
  const struct command *command = find_command(argv[first]);
  if (command)
    return command->run(argc - first, argv + first);
  if (strcmp(argv[first], "help") == 0)
    return help(argv[first + 1]);
  complain_of_command(argv[first]);
  return HD_EXIT_USAGE;
}
