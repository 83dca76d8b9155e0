/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file find_libraries.h
 * Finds libheddle.so and what belongs to it, and the libomp that stands in for GCC's libgomp.
 */
#ifndef HEDDLE_CLI_PROGRAM_FIND_LIBRARIES_H
#define HEDDLE_CLI_PROGRAM_FIND_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/program/elf_file.h"

/** Finds libheddle.so: `named`, else $HEDDLE_LIBRARY, else the one that belongs to this heddle. `library` has PATH_MAX
 *  bytes. False: the reason is on stderr. */
bool hd_library_choose(const char *named, char *library);

/** Loads a library in a child, as a runtime would. False: `why` has the loader's words. */
bool hd_library_loads(const char *library, char *why, size_t why_bytes);

/** Puts the path of a libomp that has the entry points GCC's code calls into `path`: `named` if not NULL, else the one
 *  the program's own loader would find, else the newest of /usr/lib/llvm-N/lib. False: `path` has the reason. */
bool hd_libomp_look_for(const char *named, char *path, size_t path_bytes);

/** The same for LD_PRELOAD (`heddle run --gomp`). False: the reason is on stderr. */
bool hd_libomp_find(const char *named, char *path, size_t path_bytes);

/** Where the wrappers of an MPI library's functions belong, beside libheddle.so, in PATH_MAX bytes. False: they are not
 *  there; they may have been left out when Heddle was built. */
bool hd_mpi_wrappers_find(const char *library, enum hd_mpi mpi, char *path);

#endif
