/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file private_library.h
 * A shared library once more, for ourselves: with variables of its own, whether or not the program uses the same
 * library, has used it, or will.
 */
#ifndef HEDDLE_COUNTERS_PRIVATE_LIBRARY_H
#define HEDDLE_COUNTERS_PRIVATE_LIBRARY_H

#include <stddef.h>

struct hd_own_copy {
  void *library;  /* for dlsym(3); NULL: it could not be loaded */
  char path[300]; /* of the original */
};

/** Loads a copy of the library that dlopen(3) finds by this name or path. It is never unloaded, and the only one
 *  of this process. On failure `why` says why, the name included. dlerror(3)'s state and errno may change. */
struct hd_own_copy hd_own_copy_load(const char *name, char *why, size_t why_bytes);

#endif
