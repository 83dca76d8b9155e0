/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file sled_functions.h
 * The functions of a program that were compiled with clang's -fxray-instrument, by its file.
 */
#ifndef HEDDLE_CLI_PROGRAM_SLED_FUNCTIONS_H
#define HEDDLE_CLI_PROGRAM_SLED_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_sled_function {
  uint64_t address; /* in the file */
  char *symbol;     /* the linker's name */
};

struct hd_sled_functions {
  struct hd_sled_function *items; /* by address; those without a symbol are left out */
  size_t count;
};

/** Reads them. False: `path` is no file with a symbol table; there may be none in one that is. Free with
 *  hd_sled_functions_free(). */
bool hd_sled_functions_read(const char *path, struct hd_sled_functions *functions);
void hd_sled_functions_free(struct hd_sled_functions *functions);

#endif
