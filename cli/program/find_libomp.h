/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file find_libomp.h
 * `heddle run --gomp`: finds the libomp that stands in for GCC's libgomp.
 */
#ifndef HEDDLE_CLI_PROGRAM_FIND_LIBOMP_H
#define HEDDLE_CLI_PROGRAM_FIND_LIBOMP_H

#include <stdbool.h>
#include <stddef.h>

/** Puts the path of a libomp that has the entry points GCC's code calls into `path`: `named` if not NULL, else the one
 *  the program's own loader would find, else the newest of /usr/lib/llvm-N/lib. False: the reason is on stderr. */
bool hd_libomp_find(const char *named, char *path, size_t path_bytes);

/** The same for any use, without a word: false: the reason is in `path`. */
bool hd_libomp_look_for(const char *named, char *path, size_t path_bytes);

#endif
