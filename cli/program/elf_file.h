/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file elf_file.h
 * What a program's file says of itself.
 */
#ifndef HEDDLE_CLI_PROGRAM_ELF_FILE_H
#define HEDDLE_CLI_PROGRAM_ELF_FILE_H

#include <limits.h>
#include <stdbool.h>

#include "output/model/model.h"

/** Whose OpenMP runtime a library is. libiomp5 is of libomp's family. */
enum hd_openmp { HD_OPENMP_NONE, HD_OPENMP_LLVM, HD_OPENMP_GCC };

/** Of a library's name, "libomp.so.5". */
enum hd_openmp hd_openmp_of(const char *library);

/** Whose MPI a library is, by its interface: MPICH's is that of many vendors' libraries, too. */
enum hd_mpi { HD_MPI_NONE, HD_MPI_OPEN_MPI, HD_MPI_MPICH };

/** Of a library's name, "libmpi.so.40". */
enum hd_mpi hd_mpi_of(const char *library);

struct hd_elf_file {
  bool is_elf;
  char build_id[HD_BUILD_ID_TEXT_BYTES]; /* hexadecimal; "": none */
  bool is_cut;                           /* shorter than its headers say */
  bool is_foreign;                       /* of another machine, or of another word size */
  char machine[40];                      /* "AArch64, 64 bits" */
  char loader[PATH_MAX];                 /* that it asks for; "": none, it is linked statically */
  bool has_symbols;                      /* .symtab */
  bool has_lines;                        /* debug information, in the file or by a build-id or link elsewhere */
  bool needs_libomp, needs_libgomp;      /* links it itself */
  enum hd_mpi needs_mpi;                 /* likewise */
  bool defines_libomp;                   /* libomp was linked into it */
  bool defines_libgomp;
  bool defines_hooks;      /* __cyg_profile_func_enter */
  bool calls_heddle;       /* imports the hooks of -finstrument-functions, or holds a note of heddle.h */
  bool calls_entries;      /* imports entry points of the runtime that libheddle-entry.so stands in front of */
  bool calls_gomp_entries; /* GCC's: those of libgomp */
  bool calls_gomp_runtime; /* GCC's, of loops with schedule(runtime) */
  bool exports_tool;       /* ompt_start_tool; runtimes do, too */
  unsigned sleds;          /* functions compiled with -fxray-instrument, the OpenMP constructs' own among them */
  const char *sanitizer;   /* "AddressSanitizer"; NULL: none */
};

/** False: it cannot be read. */
bool hd_elf_file_read(const char *path, struct hd_elf_file *file);

#endif
