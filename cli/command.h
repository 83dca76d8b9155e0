/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file command.h
 * The commands of `heddle`, one row each: its name and what `heddle --help` says of it.
 *
 * `heddle NAME ...` calls hd_cmd_NAME with its own name as argv[0]; what that returns is the process's exit status. It
 * is in cli/cmd_NAME.c, or in cli/NAME/command.c of a command of several files.
 */
#ifndef HEDDLE_CLI_COMMAND_H
#define HEDDLE_CLI_COMMAND_H

#define HD_COMMANDS(_)                                                                                                 \
  _(run, "run a program and write its profile")                                                                        \
  _(report, "show where a profile's parallel regions lose time")                                                       \
  _(explain, "show why a profile's run loses time, and what to try")                                                   \
  _(html, "write a profile as a page for a browser")                                                                   \
  _(scale, "run a program at several thread counts and compare")                                                       \
  _(tune, "find the settings of the OpenMP runtime with which a program is fastest")                                   \
  _(compare, "show what more threads, or another build, changed in each region, and why")                              \
  _(top, "show what a running program is doing")                                                                       \
  _(ctl, "change what is measured of a running program, or save its profile so far")                                   \
  _(trace, "show when threads did what")                                                                               \
  _(export, "write a profile in another format")                                                                       \
  _(job, "show the ranks of an MPI job side by side")                                                                  \
  _(events, "list what can be counted on this machine")                                                                \
  _(recover, "save profiles that killed programs left behind")                                                         \
  _(doctor, "check whether Heddle works here, and what is wrong")                                                      \
  _(merge, "merge the profiles of several runs")                                                                       \
  _(completion, "print the rules by which a shell completes heddle's commands and options")

#define HD_DECLARE_COMMAND(name, summary) int hd_cmd_##name(int argc, char **argv);
HD_COMMANDS(HD_DECLARE_COMMAND)

/** All of them, in this order (main.c); ended by one without a name. */
struct hd_command {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *summary;
};
extern const struct hd_command hd_commands[];

#endif
