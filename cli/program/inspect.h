/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file inspect.h
 * What kind of file a program is and which OpenMP runtime it links.
 */
#ifndef HEDDLE_CLI_PROGRAM_INSPECT_H
#define HEDDLE_CLI_PROGRAM_INSPECT_H

#include <limits.h>
#include <stdbool.h>

#include "cli/program/elf_file.h"

enum hd_program_kind {
  HD_PROGRAM_UNKNOWN, /* not found, unreadable or in no known format */
  HD_PROGRAM_SCRIPT,
  HD_PROGRAM_STATIC,
  HD_PROGRAM_DYNAMIC
};

struct hd_program {
  enum hd_program_kind kind;
  char path[PATH_MAX];        /* where PATH led */
  char interpreter[PATH_MAX]; /* of a script; of a dynamic program its loader */
  struct hd_elf_file file;    /* what its file says, unless it is a script */
  bool other_identity;        /* set-user-id or set-group-id, and that changes who it runs as */
  bool links_libomp;          /* or another runtime of its family */
  bool links_libgomp;
  enum hd_mpi links_mpi;
  char libomp[PATH_MAX];     /* which, where its loader finds it; "": it did not say */
  char other_tool[PATH_MAX]; /* the file among it and its libraries that defines ompt_start_tool; "": none */
  char missing[256];         /* the first library that its loader does not find; "": none */
  char undefined[256];       /* the first function of OpenMP that no library has; "": none, as far as known */
  bool calls_entries;        /* likewise entry points of an OpenMP runtime for chunks and tasks, */
  bool calls_gomp_entries;   /* and GCC's */
  bool calls_gomp_runtime;   /* and GCC's for loops with schedule(runtime) */
  bool calls_heddle;         /* it, or a library that it links, has instrumented routines or markers */
};

/** Where execvp would find `command`, in PATH_MAX bytes. False: nowhere. */
bool hd_program_find(const char *command, char *path);

/** Looks at the file that `command` names, as execvp would find it. Never runs it: its own loader is asked. */
void hd_program_inspect(const char *command, struct hd_program *program);

/** Likewise at what a command line starts: if it begins with a launcher of MPI's, such as mpirun, the first of its
 *  arguments that names a program which links MPI or an OpenMP runtime; else its first word. */
void hd_program_inspect_started(char *const *command, struct hd_program *program);

#endif
