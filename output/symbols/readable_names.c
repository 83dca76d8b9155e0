/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/symbols/readable_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/symbols/fortran_names.h"
#include "support/command/memory.h"

/* libstdc++'s; there is no C header for it. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *bytes, int *status);

static const char *const outlined[] = {"._omp_fn.",       "._omp_cpyfn.", ".omp_outlined",
                                       ".omp_task_entry", ".omp_task_",   ".omp.",
                                       "._omp_",          "..omp_par",    NULL};
static const char *const clones[] = {".cold", ".part.", ".isra.", ".constprop.", ".lto_priv.", NULL};

/* Where the first of the suffixes begins; `length` when that is before. */
static size_t length_before(const char *name, const char *const *suffixes, size_t length) {
  for (; *suffixes; suffixes++) {
    const char *found = strstr(name, *suffixes);
    if (found && (size_t)(found - name) < length)
      length = (size_t)(found - name);
  }
  return length;
}

/* GCC numbers functions that lie within others: "inner.0". */
static size_t length_before_number(const char *name, size_t length) {
  size_t at = length;
  while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
    at--;
  return at < length && at > 1 && name[at - 1] == '.' ? at - 1 : length;
}

/* The first `length` characters, demangled. */
static char *demangled(const char *name, size_t length) {
  char *text = hd_print("%.*s", (int)length_before_number(name, length), name);
  int status = 0;
  char *made = strncmp(text, "_Z", 2) == 0 ? __cxa_demangle(text, NULL, NULL, &status) : hd_fortran_name(text);
  if (!made)
    return text;
  free(text);
  return made;
}

/* Where the function's name begins that a target region bears, behind two hexadecimal numbers; `*length`: up to its
 * line. NULL: it is no target region's. */
static const char *target_parent(const char *name, size_t *length) {
  static const char prefix[] = "__omp_offloading_", digits[] = "0123456789abcdef";
  if (strncmp(name, prefix, sizeof prefix - 1) != 0)
    return NULL;
  const char *from = name + sizeof prefix - 1;
  for (int i = 0; i < 2; i++) {
    const size_t number = strspn(from, digits);
    if (number == 0 || from[number] != '_')
      return NULL;
    from += number + 1;
  }
  const char *end = NULL;
  for (const char *at = from; (at = strstr(at, "_l")); at += 2)
    if (at[2] >= '0' && at[2] <= '9')
      end = at;
  *length = end ? (size_t)(end - from) : 0;
  return *length > 0 ? from : NULL;
}

char *hd_symbols_readable(const char *linkage_name) {
  size_t length = 0;
  const char *parent = target_parent(linkage_name, &length);
  if (parent)
    return demangled(parent, length);
  length = length_before(linkage_name, clones, length_before(linkage_name, outlined, strlen(linkage_name)));
  return length == 0 ? NULL : demangled(linkage_name, length);
}

char *hd_symbols_routine_name(const char *linkage_name) {
  const size_t whole = length_before(linkage_name, clones, strlen(linkage_name));
  const size_t parent = length_before(linkage_name, outlined, whole);
  char *name = demangled(linkage_name, parent);
  char *made = hd_print("%s%.*s", name, (int)(whole - parent), linkage_name + parent);
  free(name);
  return made;
}
