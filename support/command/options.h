/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file options.h
 * Command-line options as one table per command: it drives getopt_long, the usage line and --help alike.
 *
 * Every command gets -h, --help without asking for it.
 */
#ifndef HEDDLE_SUPPORT_COMMAND_OPTIONS_H
#define HEDDLE_SUPPORT_COMMAND_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Exit statuses of the command. `heddle run` has others of its own: it passes the program's on. */
enum hd_exit { HD_EXIT_OK = 0, HD_EXIT_FAILED = 1, HD_EXIT_USAGE = 2 };

/** An option without a letter takes an id from here on. */
#define HD_OPTION_LONG 256

struct hd_option {
  int id;               /* the short option's letter, or HD_OPTION_LONG + n */
  const char *name;     /* long name, without the dashes */
  const char *argument; /* what --help calls its argument; NULL: the option takes none */
  const char *help;     /* may span lines with '\n' */
};

/** Options that several commands have. */
struct hd_option_section {
  const char *heading; /* over them in --help; NULL, in the first sections only: they go on from the options before */
  const struct hd_option *options;
  size_t count;
};

struct hd_usage {
  const char *command;     /* "report"; NULL: the options of `heddle` itself */
  const char *synopsis;    /* what follows the command's name: "[options] FILE" */
  const char *description; /* one or more sentences, printed under the usage line */
  const struct hd_option *options;
  size_t option_count;
  const struct hd_option_section *sections; /* more options, after these; may be NULL */
  size_t section_count;
  const char *epilogue; /* printed after the options; may be NULL */
  bool in_order;        /* the first operand ends the options: the rest belongs to another program */
};

enum hd_arguments_status {
  HD_ARGUMENTS_OK,    /* go on; operands start at argv[*first_operand] */
  HD_ARGUMENTS_HELP,  /* help was printed on stdout: exit with HD_EXIT_OK */
  HD_ARGUMENTS_WRONG, /* a message and the usage line were printed on stderr: exit with HD_EXIT_USAGE */
};

/**
 * Takes one option. `argument` is NULL for options without one and otherwise points into argv.
 * Returns false when the argument makes no sense, after calling hd_arguments_complain().
 */
typedef bool hd_option_taker(void *context, int id, const char *argument);

/**
 * Goes through argv; argv[0] is the command's own name and is skipped.
 * Operands may stand between options unless usage->in_order; argv is then permuted so that they come last.
 */
enum hd_arguments_status hd_arguments_parse(const struct hd_usage *usage, int argc, char **argv, hd_option_taker *take,
                                            void *context, int *first_operand);

/** Prints "heddle [command]: " and the message, then the usage line and where to find help, on stderr. */
void hd_arguments_complain(const struct hd_usage *usage, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Prints the usage line, description and options. */
void hd_arguments_help(const struct hd_usage *usage, FILE *out);

/** A whole number from 0 to `limit`; false when `text` is anything else. */
bool hd_arguments_number(const char *text, unsigned long limit, unsigned long *value);

#endif
