/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file symbol_names.c
 * What compilers call the functions they make out of parallel regions and tasks:
 *   GCC                 main._omp_fn.0
 *   clang 17 and later  main.omp_outlined, main.omp_outlined_debug__, main.omp_outlined.3, main.omp_task_entry.
 *   clang before        .omp_outlined., .omp_outlined._debug__, .omp_outlined..3, .omp_task_entry.: no parent
 */
#include <stdlib.h>
#include <string.h>

#include "output/symbols.h"

/* libstdc++'s; there is no C header for it. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *bytes, int *status);

static const char *const suffixes[] = {"._omp_fn.",  "._omp_cpyfn.", ".omp_outlined", ".omp_task_entry",
                                       ".omp_task_", ".omp.",        "._omp_",        ".cold",
                                       ".part.",     ".isra.",       ".constprop.",   ".lto_priv."};

/* Where the first suffix begins; the end when there is none. */
static size_t parent_length(const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
    const char *found = strstr(name, suffixes[i]);
    if (found && (size_t)(found - name) < length)
      length = (size_t)(found - name);
  }
  return length;
}

char *hd_symbols_readable(const char *linkage_name) {
  const size_t length = parent_length(linkage_name);
  if (length == 0)
    return NULL;
  char *parent = strndup(linkage_name, length);
  if (!parent)
    return NULL;
  int status = 0;
  char *demangled = strncmp(parent, "_Z", 2) == 0 ? __cxa_demangle(parent, NULL, NULL, &status) : NULL;
  if (!demangled)
    return parent;
  free(parent);
  return demangled;
}
