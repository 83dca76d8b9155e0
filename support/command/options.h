/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file options.h
 * Command-line options as one table per command: reading them, messages, the usage line and --help come from its rows.
 *
 * A row says what is done with the option's argument (`take`) and where in the command's choices the value lies
 * (`field`). Every command has -h, --help without asking for it.
 */
#ifndef HEDDLE_SUPPORT_COMMAND_OPTIONS_H
#define HEDDLE_SUPPORT_COMMAND_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "support/command/paint.h"

/** Exit statuses of the command. `heddle run` has others of its own: it passes the program's on. */
enum hd_exit { HD_EXIT_OK = 0, HD_EXIT_FAILED = 1, HD_EXIT_USAGE = 2 };

struct hd_option;
struct hd_usage;

/** An option as it was given. */
struct hd_option_use {
  const struct hd_usage *usage;
  const struct hd_option *table; /* that has the option */
  const struct hd_option *option;
  void *choices;        /* the command's; of a section those it names */
  void *field;          /* in them */
  const char *argument; /* points into argv; NULL: the option takes none, or it was left out */
};

/** Takes an option. False: it makes no sense, as hd_option_refuse has said. */
typedef bool hd_option_taker(const struct hd_option_use *use);

struct hd_option {
  char letter;              /* of the short option; 0: there is none */
  const char *name;         /* long name, without the dashes; NULL: the table ends */
  const char *argument;     /* what --help calls its argument; NULL: the option takes none */
  const char *help;         /* may span lines with '\n' */
  hd_option_taker *take;    /* NULL: nothing but one_of */
  size_t field;             /* offsetof(struct choices, member) */
  unsigned value;           /* what hd_take_value writes */
  const char *expects;      /* what the argument has to be, as "a number of threads" */
  unsigned least, most;     /* hd_take_number; most is 0: UINT_MAX */
  const char *const *words; /* hd_take_word: as many as `most` */
  bool may_be_alone;        /* the argument may be left out; if not, it follows a '=' */
  struct {
    size_t field; /* an enum of the choices, 0 at first */
    unsigned value;
  } one_of; /* what the option makes it; a second option of the table that makes it anything else is refused. 0: nothing
             */
};

/** bool: true. */
hd_option_taker hd_take_flag;
/** const char *: the argument, which may not be empty. */
hd_option_taker hd_take_text;
/** uint32_t: a whole number from `least` to `most`. */
hd_option_taker hd_take_number;
/** A width for what is printed: sets $COLUMNS for this process, which all tables and paragraphs obey. */
hd_option_taker hd_take_width;
/** When output is coloured (paint.h), for this process. */
hd_option_taker hd_take_color;
/** enum: the index of the argument among `words`. */
hd_option_taker hd_take_word;
/** enum: `value`. */
hd_option_taker hd_take_value;

/** What most rows say of an option that is a flag, or names a file: what takes it, and where it lies in a struct. */
#define HD_OPTION_FLAG(choices, member) .take = hd_take_flag, .field = offsetof(choices, member)
#define HD_OPTION_FILE(choices, member)                                                                                \
  .take = hd_take_text, .field = offsetof(choices, member), .expects = "the name of a file"

#define HD_OPTION_WIDTH                                                                                                \
  {                                                                                                                    \
    0, "width", "N",                                                                                                   \
        "lines of at most N characters (default: what the variable COLUMNS says,\n"                                    \
        "or the terminal's width; what is no terminal takes lines of any length)",                                     \
        .take = hd_take_width, .least = 20, .most = 4096, .expects = "a number of characters from 20 to 4096"          \
  }

#define HD_OPTION_COLOR                                                                                                \
  {                                                                                                                    \
    0, "color", "WHEN",                                                                                                \
        "colour findings, the largest gain and warnings: auto (default: on terminals,\n"                               \
        "unless NO_COLOR is set or TERM is dumb), always or never",                                                    \
        .take = hd_take_color, .words = hd_color_names, .most = HD_COLORS                                              \
  }

/** Complains of an option: "--NAME WORDS". Always false. */
bool hd_option_refuse(const struct hd_option_use *use, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Likewise: "--NAME expects WORDS, not 'ARGUMENT'". */
bool hd_option_expect(const struct hd_option_use *use, const char *words);

/** Options that several commands have. */
struct hd_option_section {
  const char *heading; /* over them in --help; NULL, in the first sections only: they go on from the options before */
  const struct hd_option *options; /* NULL: the sections end */
  size_t field;                    /* of the command's choices: where those of these options lie */
  hd_option_taker *after;          /* gets the option, too, and the command's own choices; may be NULL */
};

struct hd_usage {
  const char *command;     /* "report"; NULL: the options of `heddle` itself */
  const char *synopsis;    /* what follows the command's name: "[options] FILE" */
  const char *description; /* one or more sentences, printed under the usage line */
  const struct hd_option *options;
  const struct hd_option_section *sections; /* more options, after these; may be NULL */
  void (*lists)(FILE *out);                 /* prints what --help has after the options; may be NULL */
  const char *epilogue;                     /* printed after that; may be NULL */
  const char *none;                         /* the complaint when there is no operand; NULL: there may be none */
  const char *several;                      /* the complaint when there is more than one; NULL: there may be */
  bool in_order; /* the first operand ends the options: the rest belongs to another program */
};

/**
 * Goes through argv; argv[0] is the command's own name and is skipped. Operands start at argv[*first_operand]; they may
 * stand between options unless usage->in_order: argv is then permuted so that they come last.
 * False: the command ends with `*status`: help was printed, or a message and the usage line on stderr.
 */
bool hd_options_read(const struct hd_usage *usage, int argc, char **argv, void *choices, int *first_operand,
                     int *status);

/** Prints "heddle [command]: " and the message, then the usage line and where to find help, on stderr. Always false. */
bool hd_usage_complain(const struct hd_usage *usage, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** A whole number from 0 to `limit`; false when `text` is anything else. */
bool hd_number_read(const char *text, unsigned long limit, unsigned long *value);

#endif
