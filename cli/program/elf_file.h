/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file elf_file.h
 * What a program's file says of itself.
 */
#ifndef HEDDLE_CLI_PROGRAM_ELF_FILE_H
#define HEDDLE_CLI_PROGRAM_ELF_FILE_H

#include <stdbool.h>

#include "output/model/model.h"

/** What a program's file says of itself. */
struct hd_elf_file {
  bool is_elf;
  char build_id[HD_BUILD_ID_TEXT_BYTES]; /* hexadecimal; "": none */
  bool is_cut;                           /* shorter than its headers say */
  bool is_foreign;                       /* of another machine, or of another word size */
  char machine[40];                      /* "AArch64, 64 bits" */
  bool has_symbols;                      /* .symtab */
  bool has_lines;                        /* debug information, in the file or by a build-id or link elsewhere */
  bool defines_libomp;                   /* libomp was linked into it */
  bool defines_libgomp;
  bool uses_libomp; /* it calls its entry points: built by clang or icx */
  bool uses_libgomp;
  bool defines_hooks;    /* __cyg_profile_func_enter */
  const char *sanitizer; /* "AddressSanitizer"; NULL: none */
};

/** False: it cannot be read. */
bool hd_elf_file_read(const char *path, struct hd_elf_file *file);

#endif
