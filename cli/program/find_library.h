/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file find_library.h
 * Finds libheddle.so.
 */
#ifndef HEDDLE_CLI_PROGRAM_FIND_LIBRARY_H
#define HEDDLE_CLI_PROGRAM_FIND_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/** Finds libheddle.so: `named`, else $HEDDLE_LIBRARY, else the one that belongs to this heddle. `library` has PATH_MAX
 *  bytes. False: the reason is on stderr. */
bool hd_library_choose(const char *named, char *library);

/** Loads a library in a child, as a runtime would. False: `why` has the loader's words. */
bool hd_library_loads(const char *library, char *why, size_t why_bytes);

#endif
