/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file command.h
 * The subcommands of `heddle`: one cmd_NAME.c each, listed in main.c's table.
 *
 * A command gets argv with its own name as argv[0] and returns the process's exit status.
 */
#ifndef HEDDLE_CLI_COMMAND_H
#define HEDDLE_CLI_COMMAND_H

int hd_cmd_compare(int argc, char **argv);
int hd_cmd_doctor(int argc, char **argv);
int hd_cmd_events(int argc, char **argv);
int hd_cmd_run(int argc, char **argv);
int hd_cmd_report(int argc, char **argv);
int hd_cmd_export(int argc, char **argv);
int hd_cmd_scale(int argc, char **argv);
int hd_cmd_merge(int argc, char **argv);
int hd_cmd_recover(int argc, char **argv);

#endif
