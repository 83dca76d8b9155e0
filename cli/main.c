/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file main.c
 * `heddle COMMAND ...`: finds the command in a table and hands over.
 */
#include "cli/command.h"
#include "cli/parts.h"
#include "support/command/help.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/command/edit_distance.h"

#define ROW(name, summary) {#name, hd_cmd_##name, summary},
const struct hd_command hd_commands[] = {HD_COMMANDS(ROW){0}};

struct choices {
  bool version, verbose;
};

static const struct hd_option options[] = {
    {'V', "version", NULL, "print the version and exit", HD_OPTION_FLAG(struct choices, version)},
    {'v', "verbose", NULL, "with --version: also which optional parts there are",
     HD_OPTION_FLAG(struct choices, verbose)},
    {0},
};

static char command_list[1024];

static const struct hd_usage usage = {
    .synopsis = "COMMAND [options] ...",
    .description = "Heddle shows, for every parallel region and loop of an OpenMP program, how many threads were\n"
                   "working, for how long, and why the others were not.",
    .options = options,
    .epilogue = command_list,
    .in_order = true,
};

static void list_commands(void) {
  size_t used = (size_t)sprintf(command_list, "Commands:\n");
  for (size_t i = 0; hd_commands[i].name && used < sizeof command_list; i++)
    used += (size_t)snprintf(command_list + used, sizeof command_list - used, "  %-10s %s\n", hd_commands[i].name,
                             hd_commands[i].summary);
  snprintf(command_list + used, sizeof command_list - used, "\n'heddle COMMAND --help' describes one command.");
}

static const struct hd_command *find_command(const char *name) {
  for (size_t i = 0; hd_commands[i].name; i++)
    if (strcmp(hd_commands[i].name, name) == 0)
      return &hd_commands[i];
  return NULL;
}

/* What other tools call it. */
static const struct {
  const char *name, *here;
} elsewhere[] = {{"record", "run"},
                 {"stat", "run"},
                 {"profile", "run"},
                 {"why", "explain"},
                 {"show", "report"},
                 {"view", "report"},
                 {"annotate", "report --hot --lines"},
                 {"diff", "compare"},
                 {"convert", "export"},
                 {"check", "doctor"},
                 {"list", "events"}};

static const char *meant_by(const char *name) {
  for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
    if (strcmp(elsewhere[i].name, name) == 0)
      return elsewhere[i].here;
  return NULL;
}

/* What it may have been: a misspelled command, a profile, a program. */
static int refuse(const char *name) {
  enum { MISSPELT = 3 }; /* letters at most: two that changed places and one that is missing */
  const char *nearest = hd_commands[0].name;
  for (size_t i = 1; hd_commands[i].name; i++)
    if (hd_edit_distance(hd_commands[i].name, name) < hd_edit_distance(nearest, name))
      nearest = hd_commands[i].name;
  const char *meant = meant_by(name);
  if (meant)
    hd_usage_complain(&usage, "'%s' is not a command; here it is heddle %s", name, meant);
  else if (strstr(name, ".heddle"))
    hd_usage_complain(&usage, "'%s' is not a command; to show a profile: heddle report %s", name, name);
  else if (access(name, F_OK) == 0)
    hd_usage_complain(&usage, "'%s' is not a command; to run a program: heddle run -- %s", name, name);
  else if (hd_edit_distance(nearest, name) <= MISSPELT && strlen(name) >= MISSPELT)
    hd_usage_complain(&usage, "'%s' is not a command; did you mean %s?", name, nearest);
  else
    hd_usage_complain(&usage, "'%s' is not a command", name);
  return HD_EXIT_USAGE;
}

static int print_version(void) {
  return puts("heddle " HEDDLE_VERSION) < 0;
}

static int run_command(int argc, char **argv) {
  const struct hd_command *command = find_command(argv[0]);
  if (command && argc == 2 && strcmp(argv[1], "--version") == 0)
    return print_version();
  return command ? command->run(argc, argv) : refuse(argv[0]);
}

/* `heddle help [COMMAND]`: as with --help. `heddle help --man [COMMAND]`: as a manual page. */
static int help(char *const *arguments) {
  const bool man = arguments[0] && strcmp(arguments[0], "--man") == 0;
  char *name = arguments[man];
  const struct hd_command *command = name ? find_command(name) : NULL;
  if (man)
    hd_help_set_form(HD_HELP_MAN, command ? command->summary : "a profiler for OpenMP loops");
  if (name)
    return run_command(2, (char *[]){name, (char[]){"--help"}, NULL});
  hd_help_write(&usage, stdout);
  return HD_EXIT_OK;
}

int main(int argc, char **argv) {
  struct choices choices = {0};
  int first = 0;
  int status = HD_EXIT_OK;
  setlocale(LC_CTYPE, ""); /* trees are drawn in what the terminal can show; numbers keep their decimal point */
  list_commands();
  if (!hd_options_read(&usage, argc, argv, &choices, &first, &status))
    return status;
  if (choices.version) {
    const int failed = print_version();
    if (choices.verbose)
      hd_parts_print(stdout);
    return failed;
  }
  if (first >= argc)
    return hd_usage_complain(&usage, "no command given"), HD_EXIT_USAGE;
  if (strcmp(argv[first], "help") == 0)
    return help(argv + first + 1);
  return run_command(argc - first, argv + first);
}
