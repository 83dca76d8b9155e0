/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file private_library.h
 * A second copy of a shared library, for Heddle alone: with variables of its own, whether or not the program uses the
 * same library, now or later.
 */
#ifndef HEDDLE_COUNTERS_PRIVATE_LIBRARY_H
#define HEDDLE_COUNTERS_PRIVATE_LIBRARY_H

#include <stddef.h>

struct hd_private_library {
  void *library;  /* for dlsym(3); NULL: it could not be loaded */
  char path[300]; /* of the original */
};

/** Loads a copy of the library that dlopen(3) finds by this name or path, for good; once in a process. On failure `why`
 *  says why, with the name. dlerror(3)'s state and errno may change. */
struct hd_private_library hd_private_library_load(const char *name, char *why, size_t why_bytes);

#endif
